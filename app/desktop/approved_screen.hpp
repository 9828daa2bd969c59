// SPDX-License-Identifier: GPL-3.0-or-later
// Approved trials: bring them to a branch, take them back, write them for other tools.
#pragma once

#include "app/common/overview.hpp"
#include "app/desktop/screen.hpp"

class QMenu;

namespace holdfast::desktop {

class TrialsFilter;
class TrialsModel;
class TrialsTable;

class ApprovedScreen : public Screen {
    Q_OBJECT
public:
    explicit ApprovedScreen(QWidget* parent = nullptr);
    void set_overview(const app::Overview& overview);

signals:
    void apply_requested(qint64 number);
    void revert_requested(qint64 number);
    void export_requested(qint64 number, const QString& format); ///< a name of review::formats()
    void trial_activated(qint64 number);

private:
    void make_actions();
    void make_export_menu();
    void update_actions();

    TrialsModel* model_;
    TrialsFilter* filter_;
    TrialsTable* table_;
    QMenu* formats_;
    QAction *apply_, *revert_, *export_, *copy_, *open_;
    QLabel *nothing_, *why_;
};

} // namespace holdfast::desktop
