// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/evidence_tabs.hpp"
#include "app/desktop/save_file.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/project/last_lines.hpp"
#include "core/review/gates.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace holdfast::desktop {

namespace {

QString seconds_text(double seconds) {
    if (seconds < 60)
        return QString::number(seconds, 'f', seconds < 10 ? 1 : 0) + " s";
    return QString("%1 min %2 s").arg(static_cast<int>(seconds) / 60).arg(static_cast<int>(seconds) % 60);
}

QString result_text(const std::string& result) {
    const bool held = result == "pass" || result == "holds", broken = result == "fail" || result == "missing";
    return (held ? "✓ " : broken ? "✗ " : "■ ") + shown(result);
}

} // namespace

std::string_view log_end(std::string_view log) {
    constexpr std::size_t most_bytes = 1'000'000, most_lines = 2000;
    std::string_view end = log.substr(log.size() > most_bytes ? log.size() - most_bytes : 0);
    if (end.size() < log.size()) {
        const auto line = end.find('\n');
        if (line != std::string_view::npos && line + 1 < end.size())
            end.remove_prefix(line + 1);
    }
    return last_lines(end, most_lines);
}

GatesTab::GatesTab(QWidget* parent)
    : QWidget(parent), list_(named(new QTreeWidget(this), "Gates")), reason_(plain_label({}, this)),
      log_(named(new QPlainTextEdit(this), "Log of the gate")), cut_(plain_label({}, this)),
      save_(named(new QPushButton("Save the whole log…", this), "Save the whole log")) {
    list_->setHeaderLabels({"Gate", "Result", "Time", "Reason"});
    list_->setRootIsDecorated(false);
    list_->setAlternatingRowColors(true);
    list_->setUniformRowHeights(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const int column : {0, 1, 2})
        list_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    log_->setReadOnly(true);
    log_->setFont(fixed_font());
    log_->setLineWrapMode(QPlainTextEdit::NoWrap);
    save_->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(list_, 3);
    layout->addWidget(reason_);
    layout->addWidget(log_, 3);
    layout->addWidget(cut_);
    layout->addWidget(save_, 0, Qt::AlignLeft);
    connect(list_, &QTreeWidget::currentItemChanged, this,
            [this](QTreeWidgetItem* item) { show_log(item == nullptr ? -1 : list_->indexOfTopLevelItem(item)); });
    connect(save_, &QPushButton::clicked, this, [this] {
        const auto& gate = rows_.at(static_cast<std::size_t>(list_->indexOfTopLevelItem(list_->currentItem()))).gate;
        save_as(this, "Save the whole log", QString("trial-%1-gate.log").arg(trial_), gate.log);
    });
    show_log(-1);
}

void GatesTab::show_gates(std::vector<study::GateRecord> gates, std::int64_t trial) {
    list_->clear();
    rows_.clear();
    trial_ = trial;
    for (study::GateRecord& gate : gates)
        set_row(rows_.size(), {std::move(gate), false});
    show_log(-1);
    if (!rows_.empty())
        list_->setCurrentItem(list_->topLevelItem(list_->topLevelItemCount() - 1));
}

void GatesTab::show_approval(const std::vector<review::Gate>& gates) {
    const auto first = std::find_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.of_approval; });
    auto at = static_cast<std::size_t>(first - rows_.begin());
    for (const review::Gate& gate : gates) {
        Row row{{}, true};
        row.gate.gate = "approval: " + gate.name;
        row.gate.result = gate.held ? "holds" : "missing";
        row.gate.reason = gate.found + (gate.remedy.empty() ? "" : ". " + gate.remedy);
        set_row(at++, std::move(row));
    }
    rows_.resize(at);
    while (static_cast<std::size_t>(list_->topLevelItemCount()) > at)
        delete list_->topLevelItem(list_->topLevelItemCount() - 1);
    show_log(list_->indexOfTopLevelItem(list_->currentItem()));
}

void GatesTab::set_row(std::size_t at, Row row) {
    if (at == rows_.size()) {
        rows_.emplace_back();
        new QTreeWidgetItem(list_);
    }
    rows_[at] = std::move(row);
    const auto& [gate, of_approval] = rows_[at];
    QTreeWidgetItem* item = list_->topLevelItem(static_cast<int>(at));
    const QString reason = with_short_ids(shown(gate.reason));
    const QString texts[] = {shown(gate.gate), result_text(review::result_word(gate)),
                             of_approval ? QString() : seconds_text(gate.seconds), reason};
    for (int column = 0; column < 4; ++column)
        item->setText(column, texts[column]);
    item->setToolTip(3, plain_tip(reason));
}

void GatesTab::show_log(int row) {
    const bool any = row >= 0 && static_cast<std::size_t>(row) < rows_.size();
    static const Row none;
    const auto& [gate, of_approval] = any ? rows_[static_cast<std::size_t>(row)] : none;
    const std::string_view end = log_end(gate.log);
    reason_->setText(shown(gate.reason));
    reason_->setVisible(!gate.reason.empty());
    log_->setPlaceholderText(of_approval ? "What an approval needs leaves no log." : "This gate left no log.");
    log_->setPlainText(shown(std::string(end), false));
    log_->moveCursor(QTextCursor::End);
    const bool cut = end.size() < gate.log.size();
    cut_->setText(QString("Only the end is shown: %L1 of %L2 bytes.").arg(end.size()).arg(gate.log.size()));
    cut_->setVisible(cut);
    save_->setVisible(!gate.log.empty());
}

} // namespace holdfast::desktop
