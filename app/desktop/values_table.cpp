// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/values_table.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/words.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>

namespace holdfast::desktop {

ValuesTable::ValuesTable(const QString& name, QWidget* parent) : QTableWidget(parent) {
    named(this, name);
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(this, &QTableWidget::cellDoubleClicked, this, &ValuesTable::open_row);
}

void ValuesTable::show_rows(const QStringList& head, const std::vector<QStringList>& rows,
                            const std::vector<qint64>& keys) {
    const int current = currentRow();
    keys_ = keys;
    clear();
    setColumnCount(static_cast<int>(head.size()));
    setRowCount(static_cast<int>(rows.size()));
    setHorizontalHeaderLabels(head);
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (qsizetype column = 0; column < head.size(); ++column) {
            auto* item = new QTableWidgetItem(rows[row].value(column));
            item->setToolTip(plain_tip(item->text()));
            setItem(static_cast<int>(row), static_cast<int>(column), item);
        }
    resizeColumnsToContents();
    constexpr int widest = 320; // pixels; the whole text is in the tip
    for (int column = 0; column + 1 < columnCount(); ++column)
        setColumnWidth(column, std::min(columnWidth(column) + 8, widest));
    if (!rows.empty())
        setCurrentCell(std::clamp(current, 0, rowCount() - 1), 0);
}

void ValuesTable::open_row(int row) {
    const auto index = static_cast<std::size_t>(std::max(row, 0));
    if (row >= 0 && index < keys_.size() && keys_[index] != 0)
        emit opened(keys_[index]);
}

void ValuesTable::copy() const {
    QStringList lines;
    for (const QModelIndex& row : selectionModel()->selectedRows()) {
        QStringList cells;
        for (int column = 0; column < columnCount(); ++column)
            cells << row.siblingAtColumn(column).data().toString();
        lines << cells.join('\t');
    }
    if (!lines.isEmpty())
        QGuiApplication::clipboard()->setText(lines.join('\n') + '\n');
}

void ValuesTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        copy();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        open_row(currentRow());
    else
        QTableWidget::keyPressEvent(event);
}

} // namespace holdfast::desktop
