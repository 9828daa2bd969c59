// SPDX-License-Identifier: GPL-3.0-or-later
// What the baseline did over time, where it changed and where the machine did; and what was imported from elsewhere.
#pragma once

#include "app/desktop/screen.hpp"
#include "core/study/baseline_history.hpp"

#include <memory>

class QComboBox;
class QStackedWidget;
class QTabWidget;

namespace holdfast::desktop {

class HistoryPlot;
class ValuesTable;

/// A results file with what its reader found in it.
struct ImportedFile {
    study::ResultsFileRecord record;
    std::vector<std::string> benchmarks; ///< their names
    std::string fault;                   ///< why it cannot be read any more; "" when it can
};

/// What the screen shows.
struct History {
    std::vector<study::BaselineSeries> series;
    std::vector<study::ImportRecord> imports; ///< oldest first
    std::vector<ImportedFile> files;          ///< oldest first
};

class HistoryScreen : public Screen {
    Q_OBJECT
public:
    explicit HistoryScreen(QWidget* parent = nullptr);

    /// The series that was chosen stays, when it is there.
    void show_history(std::shared_ptr<const History> history);

private:
    QWidget* make_series_page();
    QWidget* make_imports_page();
    void make_actions();
    void fill_choices();
    void fill_imports();
    const study::BaselineSeries* chosen() const; ///< null: none
    void show_series();

    std::shared_ptr<const History> history_;
    QTabWidget* tabs_;
    QStackedWidget* series_pages_;
    QComboBox *workload_, *metric_;
    HistoryPlot* plot_;
    ValuesTable* points_;
    QLabel* summary_;
    QLabel* imports_note_;
    ValuesTable *imports_, *files_;
};

} // namespace holdfast::desktop
