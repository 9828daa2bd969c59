// SPDX-License-Identifier: GPL-3.0-or-later
// The window: pages on the right, their list on the left, the project above. It only connects screens to controllers.
#pragma once

#include "app/desktop/action_scopes.hpp"
#include "app/desktop/project_controller.hpp"
#include "app/desktop/start_controller.hpp"
#include "app/desktop/study_controller.hpp"
#include "app/desktop/theme.hpp"

#include <QMainWindow>
#include <QStringList>

#include <optional>

class QLabel;
class QListWidget;
class QMenu;
class QStackedWidget;

namespace holdfast::desktop {

class ApplyScreen;
class ApprovedScreen;
class CalibrateScreen;
class CompareScreen;
class FrontScreen;
class HistoryScreen;
class MessageStrip;
class QueueScreen;
class ReviewScreen;
class Screen;
class StartScreen;
class StudyScreen;
class TrialsScreen;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `resources`: app::resources_folder().
    explicit MainWindow(const std::filesystem::path& resources);
    ~MainWindow() override;

    void open_project(const QString& folder);

    /// "start", "study", "trials", "queue", "review", "apply", "approved", "compare", "history", "front", "calibrate".
    QStringList screen_names() const;
    /// `trial`: the one to review or apply; 0: the first that suits. Unknown names are ignored.
    void show_screen(const QString& name, qint64 trial = 0);
    /// Shows the page that compares them.
    void compare_trials(const QList<qint64>& numbers);
    Screen* current_screen() const;

    /// Nothing is being read or written for the window; a running study does not count.
    bool settled() const;

    /// The window's actions, then those of the screen in front.
    QList<ActionScope> scopes() const;
    QList<Screen*> screens() const;
    MessageStrip* messages() const { return messages_; }

signals:
    void became_settled();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    // main_window.cpp
    void make_pages();
    QWidget* make_top_bar();
    void add_page(Screen* screen);
    void show_page(int row);
    void update_top_bar();
    void update_counts();
    void ask_before_closing();
    // main_window_actions.cpp
    QAction* add_window_action(const QString& id, const QString& text, const QKeySequence& keys, const QString& tip);
    void make_actions();
    void make_page_actions();
    void make_menus();
    void make_theme_menu(QMenu* view);
    void fill_recent_menu();
    void choose_project();
    void make_new_project();
    void open_demo(const QString& name);
    void show_palette();
    void show_keys();
    void show_about();
    // main_window_wiring.cpp
    void connect_start();
    void connect_project();
    void connect_study();
    void connect_review();
    void connect_apply();
    // main_window_plots.cpp
    void connect_plots();
    void clear_plots(); ///< of the former project
    void load_page();   ///< what the page in front shows of the history, when it reads that for itself
    // main_window_wiring.cpp
    void connect_calibration();
    /// Of the open project; "" without one.
    QString open_folder() const;
    void examine(); ///< the machine, as the open project needs it
    void project_opened(const OpenedProject& project);
    void show_overview(const app::Overview& overview);
    void update_study_state();
    void update_calibrate_state();
    void review_trial(qint64 number);
    void review_neighbour(int step);
    void update_review();
    void plan_trial(qint64 number, bool revert, bool fast_forward);
    void choose_export_format(qint64 number);
    void export_trial(qint64 number, const QString& format);
    qint64 suggested_for_review() const;
    const app::TrialSummary* trial(qint64 number) const;

    std::filesystem::path resources_;
    StartController start_;
    ProjectController project_;
    StudyController study_;

    QStackedWidget* pages_;
    QListWidget* navigation_;
    QLabel *project_label_, *branch_label_, *study_label_;
    MessageStrip* messages_;
    StartScreen* start_screen_;
    StudyScreen* study_screen_;
    TrialsScreen* trials_screen_;
    QueueScreen* queue_screen_;
    ReviewScreen* review_screen_;
    ApplyScreen* apply_screen_;
    ApprovedScreen* approved_screen_;
    CompareScreen* compare_screen_;
    HistoryScreen* history_screen_;
    FrontScreen* front_screen_;
    CalibrateScreen* calibrate_screen_;
    QMenu *recent_menu_, *demo_menu_;
    QAction *open_, *new_, *palette_, *keys_, *refresh_, *resume_;

    std::optional<app::Examination> examination_;
    app::Overview overview_;
    qint64 reviewed_ = 0; ///< the trial on the review page; 0: none
    review::Standing reviewed_standing_ = review::Standing::none;
    QList<qint64> compared_; ///< the trials on the compare page
    qint64 planned_ = 0;     ///< the trial on the apply page; 0: none
    bool planned_revert_ = false;
    std::size_t studies_ = 0;  ///< that were there when the last calibration was read
    QString examined_;         ///< the folder that was last asked to be examined
    bool just_opened_ = false; ///< the project, whose history was not yet shown
    bool closing_ = false;     ///< as soon as the study has stopped
};

} // namespace holdfast::desktop
