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
    : QWidget(parent), m_list(named(new QTreeWidget(this), "Gates")), m_reason(plain_label({}, this)),
      m_log(named(new QPlainTextEdit(this), "Log of the gate")), m_cut(plain_label({}, this)),
      m_save(named(new QPushButton("Save the whole log…", this), "Save the whole log")) {
    m_list->setHeaderLabels({"Gate", "Result", "Time", "Reason"});
    m_list->setRootIsDecorated(false);
    m_list->setAlternatingRowColors(true);
    m_list->setUniformRowHeights(true);
    for (const int column : {0, 1, 2})
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_log->setReadOnly(true);
    m_log->setFont(fixed_font());
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setPlaceholderText("This gate left no log.");
    m_save->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_list, 2);
    layout->addWidget(m_reason);
    layout->addWidget(m_log, 3);
    layout->addWidget(m_cut);
    layout->addWidget(m_save, 0, Qt::AlignLeft);
    connect(m_list, &QTreeWidget::currentItemChanged, this,
            [this](QTreeWidgetItem* item) { show_log(item == nullptr ? -1 : m_list->indexOfTopLevelItem(item)); });
    connect(m_save, &QPushButton::clicked, this, [this] {
        const auto& gate = m_gates.at(static_cast<std::size_t>(m_list->indexOfTopLevelItem(m_list->currentItem())));
        save_as(this, "Save the whole log", QString("trial-%1-gate.log").arg(m_trial), gate.log);
    });
    show_log(-1);
}

void GatesTab::show_gates(std::vector<study::GateRecord> gates, std::int64_t trial) {
    m_list->clear();
    m_gates = std::move(gates);
    m_trial = trial;
    for (const study::GateRecord& gate : m_gates) {
        auto* item = new QTreeWidgetItem(
            m_list, {shown(gate.gate), result_text(gate.result), seconds_text(gate.seconds), shown(gate.reason)});
        item->setToolTip(3, plain_tip(shown(gate.reason)));
    }
    show_log(-1);
    if (!m_gates.empty())
        m_list->setCurrentItem(m_list->topLevelItem(m_list->topLevelItemCount() - 1));
}

void GatesTab::show_log(int row) {
    const bool any = row >= 0 && static_cast<std::size_t>(row) < m_gates.size();
    static const study::GateRecord none;
    const study::GateRecord& gate = any ? m_gates[static_cast<std::size_t>(row)] : none;
    const std::string_view end = log_end(gate.log);
    m_reason->setText(shown(gate.reason));
    m_reason->setVisible(!gate.reason.empty());
    m_log->setPlainText(shown(std::string(end), false));
    m_log->moveCursor(QTextCursor::End);
    const bool cut = end.size() < gate.log.size();
    m_cut->setText(QString("Only the end is shown: %L1 of %L2 bytes.").arg(end.size()).arg(gate.log.size()));
    m_cut->setVisible(cut);
    m_save->setVisible(!gate.log.empty());
}

} // namespace holdfast::desktop
