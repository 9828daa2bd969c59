// SPDX-License-Identifier: GPL-3.0-or-later
// The first page: the projects opened lately, the examples, and whether this machine can run studies.
#pragma once

#include "app/common/doctor.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/start_controller.hpp"

#include <vector>

class QListWidget;
class QTreeWidget;

namespace holdfast::desktop {

class StartScreen : public Screen {
    Q_OBJECT
public:
    /// `open`, `make`: the window's actions, offered here as buttons.
    StartScreen(QAction* open, QAction* make, QWidget* parent);

    /// `open`: the folder of the open project, which is selected; "": none, and the selection stays.
    void set_recent(const std::vector<RecentProject>& projects, const QString& open);
    void set_demos(const std::vector<app::DemoInfo>& demos);
    void set_examining();
    void set_examination(const app::Examination& examination);

signals:
    void open_requested(const QString& folder);
    void forget_requested(const QString& folder);
    void demo_requested(const QString& name);
    void examine_requested();

private:
    QWidget* make_recent(QAction* open, QAction* make);
    QWidget* make_demos();
    QWidget* make_machine();
    void update_actions();

    QListWidget *recent_, *demos_;
    QTreeWidget* findings_;
    QLabel *machine_, *nothing_;
    QAction *open_recent_, *forget_, *make_demo_, *examine_;
};

} // namespace holdfast::desktop
