// SPDX-License-Identifier: GPL-3.0-or-later
// The front of a study with two or three objectives.
#pragma once

#include "app/desktop/screen.hpp"
#include "core/review/front.hpp"

#include <vector>

class QComboBox;
class QStackedWidget;

namespace holdfast::desktop {

class FrontPlot;
class ValuesTable;

class FrontScreen : public Screen {
    Q_OBJECT
public:
    explicit FrontScreen(QWidget* parent = nullptr);

    /// Oldest first; the newest is shown, or the one that was chosen when it is still there.
    void show_fronts(std::vector<review::Front> fronts);

signals:
    void trial_activated(qint64 number);

private:
    QWidget* make_content();
    void make_actions();
    void choose_study();
    void show_front();
    const review::Front* chosen() const; ///< null: there is none

    std::vector<review::Front> fronts_;
    QStackedWidget* pages_;
    QComboBox *study_, *across_, *up_;
    QLabel* summary_;
    FrontPlot* plot_;
    ValuesTable* table_;
};

} // namespace holdfast::desktop
