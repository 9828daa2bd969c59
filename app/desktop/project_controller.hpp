// SPDX-License-Identifier: GPL-3.0-or-later
// The project that is open: its history as values, and what the person asks to be done with it. Everything that reads
// or writes happens on a worker; errors are values.
#pragma once

#include "app/common/overview.hpp"
#include "app/desktop/jobs.hpp"
#include "app/desktop/plot_work.hpp"
#include "core/project/error.hpp"
#include "core/review/apply.hpp"
#include "core/review/rules.hpp"
#include "core/review/sheet.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/engine.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>

namespace holdfast::desktop {

struct OpenedProject {
    std::filesystem::path folder;
    std::shared_ptr<const Project> project;
    study::Options options; ///< what a study does when nothing else is asked of it
    git::Head head;
};

/// A trial as the review screen shows it.
struct Reviewed {
    std::shared_ptr<const review::Dossier> dossier;
    std::shared_ptr<const review::Sheet> sheet;
    bool can_sign = false;
    QString approval_fault; ///< why the approval in force no longer holds, in words; "": it does, or there is none
};

class ProjectController : public QObject {
    Q_OBJECT
public:
    explicit ProjectController(QObject* parent = nullptr);

    const std::optional<OpenedProject>& project() const { return project_; }
    bool idle() const { return jobs_.idle(); }

    /// Opens the project in `folder` in place of the one that is open. Answers with opened and overview_changed, or
    /// with failed; then the former project stays.
    void open(const QString& folder);
    /// Reads what has changed; also done every second by itself.
    void refresh();
    /// Reads everything, whether it has changed or not. A study that a killed process left running is marked as
    /// interrupted, as by opening the project.
    void read_again();

    // Each needs an open project, and answers with its signal or with failed.
    void request_calibration();
    void request_dossier(qint64 number);
    /// Refused when the trial, its evidence or HEAD is not what was `seen`.
    void approve(qint64 number, const review::Answers& answers, const QString& comment,
                 const std::shared_ptr<const review::Dossier>& seen);
    void decline(qint64 number, review::Decision decision, const QString& reason, bool shared);
    void plan(qint64 number, bool revert, bool fast_forward);
    void carry_out(qint64 number, bool revert, bool fast_forward);
    /// Writes the trial to `file`, replacing it; `format`: of review::formats().
    void export_to(qint64 number, const QString& format, const QString& file);
    void measure_again(qint64 number);
    void request_comparison(const QList<qint64>& numbers);
    void request_history();
    void request_fronts();

signals:
    void opened(const holdfast::desktop::OpenedProject& project);
    void overview_changed(const holdfast::app::Overview& overview);
    void head_changed(const holdfast::git::Head& head);
    /// The last calibration, null without one; `caution`: why a study could not rest on it, safe to show.
    void calibration_ready(std::shared_ptr<const holdfast::study::Calibration> calibration, const QString& caution);
    void dossier_ready(qint64 number, const holdfast::desktop::Reviewed& reviewed);
    void decided(qint64 number, const holdfast::study::ReviewRecord& review);
    void plan_ready(qint64 number, std::shared_ptr<const holdfast::review::Plan> plan, bool revert);
    void plan_refused(qint64 number, bool revert, const holdfast::Error& error); ///< in place of plan_ready
    void carried_out(qint64 number, const holdfast::study::ApplicationRecord& application);
    void exported(qint64 number, const QString& file);
    void queued(qint64 number, qint64 as); ///< `number` was queued again `as` a trial of its own
    void compared(const holdfast::desktop::Compared& compared);
    void history_ready(std::shared_ptr<const holdfast::desktop::History> history);
    void fronts_ready(const std::vector<holdfast::review::Front>& fronts);
    void failed(const holdfast::Error& error);
    void became_idle();

private:
    /// What a glance at the files tells: whether anything needs to be read.
    struct Glance {
        std::string history;
        git::Head head;
    };
    struct Seen {
        Glance glance;
        std::optional<app::Overview> overview; ///< nothing when the history is as it was
    };
    static Result<Seen> look(const OpenedProject& project, const std::string& known);
    void show(Result<Seen> seen);
    template <class Work, class Done> void with_project(Work work, Done done);
    template <class Work, class Done, class Fault> void with_project(Work work, Done done, Fault fault);

    std::optional<OpenedProject> project_;
    std::string history_; ///< Glance::history of the overview that is shown
    std::string fault_;   ///< the last refresh's error, told once
    bool looking_ = false;
    QTimer timer_;
    Jobs jobs_; ///< last: its end waits for work that uses the others
};

} // namespace holdfast::desktop
