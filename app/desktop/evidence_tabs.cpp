// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/evidence_tabs.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace holdfast::desktop {

PairTable::PairTable(const QString& name, const QString& first, const QString& second, QWidget* parent)
    : QTreeWidget(parent) {
    named(this, name);
    setHeaderLabels({first, second});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setTextElideMode(Qt::ElideMiddle);
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    header()->setSectionsMovable(false);
}

void PairTable::show_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    clear();
    for (const auto& [what, value] : pairs) {
        auto* item = new QTreeWidgetItem(this, {shown(what), shown(value)});
        item->setToolTip(1, plain_tip(shown(value)));
    }
    setAccessibleDescription(QString("%1 entries").arg(pairs.size()));
}

void PairTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy) && currentItem() != nullptr)
        QApplication::clipboard()->setText(currentItem()->text(1));
    else
        QTreeWidget::keyPressEvent(event);
}

ProvenanceTab::ProvenanceTab(QWidget* parent)
    : QWidget(parent), table_(new PairTable("Provenance", "What", "Value", this)), command_(plain_label({}, this)),
      copy_(named(new QPushButton("Copy the command that reproduces this (Y)", this),
                  "Copy the command that reproduces this")) {
    command_->setFont(fixed_font());
    copy_->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(table_, 1);
    layout->addWidget(command_);
    layout->addWidget(copy_, 0, Qt::AlignLeft);
    connect(copy_, &QPushButton::clicked, this, &ProvenanceTab::copy_command);
}

void ProvenanceTab::show_sheet(const review::Sheet& sheet) {
    table_->show_pairs(sheet.provenance);
    reproduce_ = sheet.reproduce;
    command_->setText(shown(reproduce_));
    command_->setAccessibleName("The command that reproduces this");
    copy_->setEnabled(!reproduce_.empty());
}

void ProvenanceTab::copy_command() {
    if (!reproduce_.empty())
        QApplication::clipboard()->setText(shown(reproduce_));
}

LimitsPanel::LimitsPanel(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    named(this, "Not tested, and cost");
}

void LimitsPanel::show_sheet(const review::Sheet& sheet) {
    delete content_;
    content_ = new QWidget(this);
    layout()->addWidget(content_);
    auto* lines = new QVBoxLayout(content_);
    lines->setContentsMargins(0, 0, 6, 0);
    lines->setSpacing(3);
    const auto heading = [&](const QString& text) {
        QLabel* label = plain_label(text, content_);
        label->setFont(scaled_font(1, true));
        lines->addWidget(label);
    };
    const auto grid_of = [&] {
        auto* grid = new QGridLayout;
        grid->setColumnStretch(1, 1);
        grid->setHorizontalSpacing(8);
        grid->setVerticalSpacing(2);
        lines->addLayout(grid);
        return grid;
    };
    const auto add = [&](QGridLayout* grid, const QString& first, const QString& second) {
        const int row = grid->rowCount();
        auto* left = new QLabel(first, content_);
        left->setTextFormat(Qt::PlainText);
        grid->addWidget(left, row, 0, Qt::AlignTop);
        grid->addWidget(plain_label(second, content_), row, 1);
    };
    heading("Not tested");
    QGridLayout* untested = grid_of();
    for (const std::string& what : sheet.not_tested)
        add(untested, "•", shown(what));
    heading("Cost");
    QGridLayout* cost = grid_of();
    for (const auto& [what, much] : sheet.cost)
        add(cost, shown(what), shown(much));
    lines->addStretch(1);
}

} // namespace holdfast::desktop
