// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/evidence_tabs.hpp"
#include "app/desktop/plain_tip.hpp"
#include "app/desktop/save_file.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace holdfast::desktop {

namespace {

QString seconds_text(double seconds) {
    if (seconds < 60)
        return QString::number(seconds, 'f', seconds < 10 ? 1 : 0) + " s";
    return QString("%1 min %2 s").arg(static_cast<int>(seconds) / 60).arg(static_cast<int>(seconds) % 60);
}

QString result_text(const std::string& result) {
    return (result == "pass" ? "✓ " : result == "fail" ? "✗ " : "■ ") + shown(result);
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
    std::size_t at = end.size() - (end.ends_with('\n') ? 1 : 0);
    for (std::size_t lines = 0; lines < most_lines; ++lines) {
        at = at == 0 ? std::string_view::npos : end.rfind('\n', at - 1);
        if (at == std::string_view::npos)
            return end;
    }
    return end.substr(at + 1);
}

GatesTab::GatesTab(QWidget* parent)
    : QWidget(parent), list_(named(new QTreeWidget(this), "Gates")), reason_(plain_label({}, this)),
      log_(named(new QPlainTextEdit(this), "Log of the gate")), cut_(plain_label({}, this)),
      save_(named(new QPushButton("Save the whole log…", this), "Save the whole log")) {
    list_->setHeaderLabels({"Gate", "Result", "Time", "Reason"});
    list_->setRootIsDecorated(false);
    list_->setAlternatingRowColors(true);
    list_->setUniformRowHeights(true);
    for (const int column : {0, 1, 2})
        list_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    log_->setReadOnly(true);
    log_->setFont(fixed_font());
    log_->setLineWrapMode(QPlainTextEdit::NoWrap);
    log_->setPlaceholderText("This gate left no log.");
    save_->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(list_, 2);
    layout->addWidget(reason_);
    layout->addWidget(log_, 3);
    layout->addWidget(cut_);
    layout->addWidget(save_, 0, Qt::AlignLeft);
    connect(list_, &QTreeWidget::currentItemChanged, this,
            [this](QTreeWidgetItem* item) { show_log(item == nullptr ? -1 : list_->indexOfTopLevelItem(item)); });
    connect(save_, &QPushButton::clicked, this, [this] {
        const auto& gate = gates_.at(static_cast<std::size_t>(list_->indexOfTopLevelItem(list_->currentItem())));
        save_as(this, "Save the whole log", QString("trial-%1-gate.log").arg(trial_), gate.log);
    });
    show_log(-1);
}

void GatesTab::show_gates(std::vector<study::GateRecord> gates, std::int64_t trial) {
    list_->clear();
    gates_ = std::move(gates);
    trial_ = trial;
    for (const study::GateRecord& gate : gates_) {
        auto* item = new QTreeWidgetItem(
            list_, {shown(gate.gate), result_text(gate.result), seconds_text(gate.seconds), shown(gate.reason)});
        item->setToolTip(3, plain_tip(shown(gate.reason)));
    }
    show_log(-1);
    if (!gates_.empty())
        list_->setCurrentItem(list_->topLevelItem(list_->topLevelItemCount() - 1));
}

void GatesTab::show_log(int row) {
    const bool any = row >= 0 && static_cast<std::size_t>(row) < gates_.size();
    static const study::GateRecord none;
    const study::GateRecord& gate = any ? gates_[static_cast<std::size_t>(row)] : none;
    const std::string_view end = log_end(gate.log);
    reason_->setText(shown(gate.reason));
    reason_->setVisible(!gate.reason.empty());
    log_->setPlainText(shown(std::string(end), false));
    log_->moveCursor(QTextCursor::End);
    const bool cut = end.size() < gate.log.size();
    cut_->setText(QString("Only the end is shown: %L1 of %L2 bytes.").arg(end.size()).arg(gate.log.size()));
    cut_->setVisible(cut);
    save_->setVisible(!gate.log.empty());
}

} // namespace holdfast::desktop
