// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/key_help.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

#include <QAction>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace holdfast::desktop {

QString caption_of(const QAction* action) {
    return action->text().replace("&&", QChar(0)).remove('&').replace(QChar(0), "&");
}

QString keys_of(const QAction* action) {
    QStringList keys;
    for (const QKeySequence& sequence : action->shortcuts())
        keys.push_back(sequence.toString(QKeySequence::NativeText));
    return keys.join(", ");
}

QString why_not(const QAction* action) {
    if (action->isEnabled())
        return {};
    const QString reason = action->property("why_not").toString();
    return reason.isEmpty() ? KeyHelp::tr("not available here now") : reason;
}

KeyHelp::KeyHelp(const QList<ActionScope>& scopes, QWidget* parent) : QDialog(parent) {
    setObjectName("keys");
    setWindowTitle(tr("Keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(720, 560);
    auto* column = new QVBoxLayout(this);
    auto* table = named(new QTreeWidget(this), tr("Keys"), tr("Every key, by where it works."));
    table->setObjectName("keys-table");
    table->setHeaderLabels({tr("Keys"), tr("Action"), tr("What it does")});
    for (const ActionScope& scope : scopes) {
        auto* group = new QTreeWidgetItem({scope.name});
        group->setFont(0, scaled_font(1, true));
        for (const QAction* action : scope.actions)
            if (!action->shortcut().isEmpty())
                group->addChild(new QTreeWidgetItem({keys_of(action), caption_of(action), action->statusTip()}));
        if (group->childCount() == 0) {
            delete group;
            continue;
        }
        table->addTopLevelItem(group);
        group->setFirstColumnSpanned(true);
        group->setExpanded(true);
    }
    table->resizeColumnToContents(0);
    table->resizeColumnToContents(1);
    table->setCurrentItem(table->topLevelItem(0));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(table);
    column->addWidget(buttons);
    table->setFocus();
}

} // namespace holdfast::desktop
