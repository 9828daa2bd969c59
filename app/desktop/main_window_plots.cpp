// SPDX-License-Identifier: GPL-3.0-or-later
// The pages that compare and that look back. They read the history for themselves, and only while they are in front.
#include "app/desktop/compare_screen.hpp"
#include "app/desktop/front_screen.hpp"
#include "app/desktop/history_screen.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/review_screen.hpp"
#include "app/desktop/trials_screen.hpp"

namespace holdfast::desktop {

void MainWindow::connect_plots() {
    connect(trials_screen_, &TrialsScreen::compare_requested, this, &MainWindow::compare_trials);
    connect(compare_screen_, &CompareScreen::compare_requested, this, &MainWindow::compare_trials);
    connect(&project_, &ProjectController::compared, compare_screen_, &CompareScreen::show_comparison);
    connect(&project_, &ProjectController::history_ready, history_screen_, &HistoryScreen::show_history);
    connect(&project_, &ProjectController::fronts_ready, front_screen_, &FrontScreen::show_fronts);
    const auto open = [this](qint64 number) { show_screen(review_screen_->name(), number); };
    connect(compare_screen_, &CompareScreen::trial_activated, this, open);
    connect(front_screen_, &FrontScreen::trial_activated, this, open);
}

void MainWindow::compare_trials(const QList<qint64>& numbers) {
    compared_ = numbers;
    if (current_screen() == static_cast<Screen*>(compare_screen_))
        load_page();
    else
        show_screen(compare_screen_->name());
}

void MainWindow::clear_plots() {
    compared_.clear();
    compare_screen_->clear();
    history_screen_->show_history(std::make_shared<const History>());
    front_screen_->show_fronts({});
}

void MainWindow::load_page() {
    const Screen* page = current_screen();
    if (page == static_cast<Screen*>(compare_screen_) && !compared_.isEmpty())
        project_.request_comparison(compared_);
    else if (page == static_cast<Screen*>(history_screen_))
        project_.request_history();
    else if (page == static_cast<Screen*>(front_screen_))
        project_.request_fronts();
}

} // namespace holdfast::desktop
