// SPDX-License-Identifier: GPL-3.0-or-later
// Every trial of the project's history.
#pragma once

#include "app/common/overview.hpp"
#include "app/desktop/screen.hpp"

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace holdfast::desktop {

class TrialsFilter;
class TrialsModel;
class TrialsTable;

class TrialsScreen : public Screen {
    Q_OBJECT
public:
    explicit TrialsScreen(QWidget* parent = nullptr);
    void set_overview(const app::Overview& overview);

signals:
    void trial_activated(qint64 number);
    void compare_requested(const QList<qint64>& numbers);

private:
    void make_filters();
    void make_actions();
    void describe();
    void update_compare();

    TrialsModel* model_;
    TrialsFilter* filter_;
    TrialsTable* table_;
    QLineEdit* text_;
    QComboBox *verdict_, *standing_;
    QCheckBox* searched_;
    QLabel* count_;
    QAction* compare_;
    std::size_t searched_only_ = 0;
};

} // namespace holdfast::desktop
