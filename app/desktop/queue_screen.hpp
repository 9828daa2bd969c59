// SPDX-License-Identifier: GPL-3.0-or-later
// Proposals that wait for a person, and those lately sent back. Each is decided on its own: no bulk actions.
#pragma once

#include "app/common/overview.hpp"
#include "app/desktop/screen.hpp"

namespace holdfast::desktop {

class TrialsFilter;
class TrialsModel;
class TrialsTable;

class QueueScreen : public Screen {
    Q_OBJECT
public:
    explicit QueueScreen(QWidget* parent = nullptr);
    void set_overview(const app::Overview& overview);

signals:
    void trial_activated(qint64 number);

private:
    void make_actions();
    void describe(bool empty_history);

    TrialsModel* model_;
    TrialsFilter *waiting_, *sent_back_;
    TrialsTable *waiting_table_, *sent_back_table_;
    QLabel *heading_, *nothing_, *sent_back_heading_;
};

} // namespace holdfast::desktop
