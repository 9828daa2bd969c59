// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/command_palette.hpp"

#include "app/desktop/screen.hpp"

#include <QAction>
#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace holdfast::desktop {

namespace {

struct Match {
    int distance = 0;
    QString scope;
    QAction* action = nullptr;
};

QTreeWidgetItem* row_of(const Match& match) {
    const QString why = why_not(match.action);
    auto* item = new QTreeWidgetItem({caption_of(match.action), match.scope, keys_of(match.action), why});
    item->setData(0, Qt::UserRole, QVariant::fromValue(static_cast<QObject*>(match.action)));
    item->setToolTip(0, match.action->statusTip());
    if (!match.action->isEnabled())
        for (int column = 0; column < item->columnCount(); ++column)
            item->setForeground(column, QPalette().brush(QPalette::Disabled, QPalette::Text));
    return item;
}

} // namespace

std::optional<int> fuzzy_distance(const QString& query, const QString& text) {
    int distance = 0;
    qsizetype at = 0;
    for (const QChar wanted : query) {
        if (wanted.isSpace())
            continue;
        const qsizetype found = text.indexOf(wanted, at, Qt::CaseInsensitive);
        if (found < 0)
            return std::nullopt;
        const bool begins_word = found == 0 || !text[found - 1].isLetterOrNumber();
        distance += static_cast<int>(found - at) * (begins_word ? 1 : 3);
        at = found + 1;
    }
    return distance;
}

CommandPalette::CommandPalette(const QList<ActionScope>& scopes, QWidget* parent) : QDialog(parent), scopes_(scopes) {
    setObjectName("palette");
    setWindowTitle(tr("All actions"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(760, 440);
    auto* column = new QVBoxLayout(this);
    query_ = named(new QLineEdit(this), tr("Find an action"), tr("Arrows choose, Return does it, Escape leaves."));
    query_->setObjectName("palette-query");
    query_->setPlaceholderText(tr("Type a few letters of what you want to do"));
    list_ = named(new QTreeWidget(this), tr("Actions"), tr("The actions that match, best first."));
    list_->setObjectName("palette-list");
    list_->setHeaderLabels({tr("Action"), tr("Where"), tr("Keys"), tr("Why not now")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setFocusPolicy(Qt::NoFocus); // the keys stay with the text
    column->addWidget(query_);
    column->addWidget(list_);
    query_->installEventFilter(this);
    connect(query_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(query_, &QLineEdit::returnPressed, this, &CommandPalette::run_current);
    connect(list_, &QTreeWidget::itemClicked, this, &CommandPalette::run_current);
    filter({});
    for (int i = 0; i < 3; ++i)
        list_->resizeColumnToContents(i);
    query_->setFocus();
}

void CommandPalette::filter(const QString& query) {
    std::vector<Match> matches;
    for (const ActionScope& scope : scopes_)
        for (QAction* action : scope.actions)
            if (const auto distance = fuzzy_distance(query, caption_of(action)))
                matches.push_back({*distance, scope.name, action});
    if (!query.isEmpty())
        std::stable_sort(matches.begin(), matches.end(), [](const Match& one, const Match& other) {
            return std::make_pair(!one.action->isEnabled(), one.distance) <
                   std::make_pair(!other.action->isEnabled(), other.distance);
        });
    list_->clear();
    for (const Match& match : matches)
        list_->addTopLevelItem(row_of(match));
    list_->setCurrentItem(list_->topLevelItem(0));
}

void CommandPalette::run_current() {
    const QTreeWidgetItem* item = list_->currentItem();
    if (item == nullptr)
        return;
    const QPointer<QAction> action(qobject_cast<QAction*>(item->data(0, Qt::UserRole).value<QObject*>()));
    if (!action || !action->isEnabled())
        return; // its row says why
    accept();
    // After this window has gone and the page has the keys again, as if its own key had been pressed there.
    QTimer::singleShot(0, action.data(), &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
            QCoreApplication::sendEvent(list_, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace holdfast::desktop
