// SPDX-License-Identifier: GPL-3.0-or-later
// Two to six decided trials side by side: only what differs, the effect by workload, distributions, machines.
#pragma once

#include "app/desktop/screen.hpp"
#include "core/review/comparison.hpp"

#include <QList>

#include <memory>

class QComboBox;
class QLineEdit;
class QStackedWidget;

namespace holdfast::desktop {

class EcdfPlot;
class ForestPlot;
class NoteBox;
class ValuesTable;

/// What the screen shows.
struct Compared {
    std::shared_ptr<const review::Comparison> comparison;
    double alpha = 0.1; ///< error of the intervals
};

/// Numbers in a text such as "3, #7 12". Error (kind invalid): a word that is no number from 1, fewer than two, more
/// than six, one twice.
Result<QList<qint64>> trial_numbers(const QString& text);

class CompareScreen : public Screen {
    Q_OBJECT
public:
    explicit CompareScreen(QWidget* parent = nullptr);

    void show_comparison(const Compared& compared);
    void clear();

signals:
    void compare_requested(const QList<qint64>& numbers);
    void trial_activated(qint64 number);

private:
    QWidget* make_content();
    void make_actions();
    void ask();
    void fill_table();
    void fill_forest();
    void fill_workloads();
    void show_workload();

    Compared compared_;
    QLineEdit* numbers_;
    QLabel* wrong_;
    QStackedWidget* pages_;
    NoteBox* warnings_;
    ValuesTable* table_;
    ForestPlot* forest_;
    QComboBox* workload_;
    EcdfPlot* ecdf_;
};

} // namespace holdfast::desktop
