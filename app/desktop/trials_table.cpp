// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/trials_table.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/trials_model.hpp"

#include <QHash>
#include <QHeaderView>
#include <QRegularExpression>
#include <QSettings>

#include <algorithm>

namespace holdfast::desktop {

namespace {

QString csv_field(const QString& text) {
    static const QRegularExpression needs_quotes("[\",\r\n]");
    return text.contains(needs_quotes) ? '"' + QString(text).replace('"', "\"\"") + '"' : text;
}

/// A text about as wide as a column's cells are.
QString typical(const QString& title) {
    static const QHash<QString, QString> texts{{"#", "#1234"},
                                               {"Tuner", "random"},
                                               {"Verdict", "not-comparable"},
                                               {"Held-out", "−12.2 % [−14.1, −12.3]"},
                                               {"Tuning", "−12.2 % [−14.1, −12.3]"},
                                               {"Review", "approved"},
                                               {"Change", "block_rows 512 → 1024, unroll 1 → 8"},
                                               {"Age", "365 days ago"},
                                               {"Commit", "3f9c2e1a0b"},
                                               {"Branch", "holdfast/12/345"}};
    return texts.value(title, title);
}

} // namespace

TrialsTable::TrialsTable(TrialsFilter& filter, const QString& name, QWidget* parent)
    : QTableView(parent), filter_(filter) {
    named(this, name);
    setModel(&filter);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsMovable(true);
    size_columns();
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        emit trial_activated(index.data(TrialsModel::number_role).toLongLong());
    });
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, &TrialsTable::current_trial_changed);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &TrialsTable::selection_changed);
    connect(&filter, &QAbstractItemModel::dataChanged, this, &TrialsTable::current_trial_changed);
}

void TrialsTable::size_columns() {
    constexpr int padding = 10, sort_mark = 14; // pixels, as Fusion draws them
    const int last = filter_.columnCount() - 1;
    for (int column = 0; column < last; ++column) {
        const QString name = filter_.headerData(column, Qt::Horizontal).toString();
        setColumnWidth(column, padding + std::max(fontMetrics().horizontalAdvance(typical(name)),
                                                  fontMetrics().horizontalAdvance(name) + sort_mark));
    }
    horizontalHeader()->setStretchLastSection(true);
}

void TrialsTable::keep_layout(const QString& settings_key) {
    horizontalHeader()->restoreState(QSettings().value(settings_key).toByteArray());
    const auto keep = [this, settings_key] { QSettings().setValue(settings_key, horizontalHeader()->saveState()); };
    connect(horizontalHeader(), &QHeaderView::sectionMoved, this, keep);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, keep);
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, keep);
}

const app::TrialSummary* TrialsTable::current_trial() const {
    return currentIndex().isValid() ? &filter_.trial(currentIndex()) : nullptr;
}

std::optional<qint64> TrialsTable::current_number() const {
    const app::TrialSummary* trial = current_trial();
    return trial ? std::optional<qint64>(trial->number) : std::nullopt;
}

QList<qint64> TrialsTable::selected_numbers() const {
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QList<qint64> numbers;
    for (const QModelIndex& row : rows)
        numbers.push_back(filter_.trial(row).number);
    return numbers;
}

void TrialsTable::step(int rows) {
    if (filter_.rowCount() == 0)
        return;
    const int from = currentIndex().isValid() ? currentIndex().row() + rows : 0;
    selectRow(std::clamp(from, 0, filter_.rowCount() - 1));
}

void TrialsTable::take_current() {
    if (!currentIndex().isValid())
        step(0);
}

QList<QStringList> TrialsTable::selection() const {
    QModelIndexList rows = selectionModel()->selectedRows();
    if (rows.isEmpty())
        return {};
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QList<QStringList> table(1 + rows.size());
    for (int place = 0; place < filter_.columnCount(); ++place) {
        const int column = horizontalHeader()->logicalIndex(place);
        table[0].push_back(filter_.headerData(column, Qt::Horizontal).toString());
        for (qsizetype i = 0; i < rows.size(); ++i)
            table[i + 1].push_back(rows[i].siblingAtColumn(column).data().toString());
    }
    return table;
}

QString TrialsTable::selection_as_text() const {
    QString text;
    for (const QStringList& row : selection())
        text += row.join('\t') + '\n';
    return text;
}

QString TrialsTable::selection_as_csv() const {
    QString text;
    for (QStringList row : selection()) {
        std::transform(row.begin(), row.end(), row.begin(), csv_field);
        text += row.join(',') + "\r\n";
    }
    return text;
}

} // namespace holdfast::desktop
