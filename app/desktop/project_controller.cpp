// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/project_controller.hpp"

#include "app/common/candidate.hpp"
#include "app/common/places.hpp"
#include "app/common/ssh_signatures.hpp"
#include "app/common/study_options.hpp"
#include "app/desktop/project_work.hpp"
#include "core/project/knobs.hpp"

#include <QFile>

#include <sys/stat.h>

namespace holdfast::desktop {

namespace fs = std::filesystem;

namespace {

constexpr int refresh_every_ms = 1000;

fs::path path_of(const QString& folder) {
    return fs::path(QFile::encodeName(folder).toStdString());
}

/// Changes whenever SQLite writes to the history: size and time of the file and of its log.
std::string signature_of(const fs::path& history) {
    std::string signature;
    for (const std::string& name : {history.string(), history.string() + "-wal"}) {
        struct stat info {};
        if (::stat(name.c_str(), &info) == 0)
            signature += std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
                         std::to_string(info.st_mtim.tv_nsec);
        signature += ';';
    }
    return signature;
}

Result<OpenedProject> open_project(const fs::path& folder) {
    auto opened = app::open_project_and_repository(folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto head = opened->repository.head();
    if (!head)
        return tl::unexpected(head.error());
    OpenedProject project;
    project.folder = opened->project.folder;
    project.options = app::default_options(opened->project);
    project.project = std::make_shared<const Project>(std::move(opened->project));
    project.head = std::move(*head);
    return project;
}

/// Of a project without a history: nothing was measured yet.
Result<app::Overview> read_overview(const OpenedProject& project) {
    std::error_code code;
    if (!fs::exists(app::history_file(project.folder), code) && !code)
        return app::Overview{};
    auto store = app::open_history(project.folder, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    return app::load_overview(**store, to_json(project.project->defaults()));
}

/// Whether a process that was killed had left a study running: nobody holds the history, so what it says runs does not.
bool mark_left_behind(const OpenedProject& project) {
    auto store = app::open_history(project.folder, db::SqliteStore::Mode::write);
    if (!store)
        return false; // its writer is at work
    const auto marked = (*store)->mark_interrupted();
    return marked && *marked > 0;
}

} // namespace

ProjectController::ProjectController(QObject* parent) : QObject(parent) {
    timer_.setInterval(refresh_every_ms);
    connect(&timer_, &QTimer::timeout, this, &ProjectController::refresh);
    connect(&jobs_, &Jobs::became_idle, this, &ProjectController::became_idle);
}

Result<ProjectController::Seen> ProjectController::look(const OpenedProject& project, const std::string& known) {
    auto repository = git::Repository::open(project.folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto head = repository->head();
    if (!head)
        return tl::unexpected(head.error());
    Seen seen{{signature_of(app::history_file(project.folder)), std::move(*head)}, {}};
    if (seen.glance.history == known)
        return seen;
    auto overview = read_overview(project);
    if (overview && known.empty() && overview->running_study != 0 && mark_left_behind(project))
        overview = read_overview(project);
    if (!overview)
        return tl::unexpected(overview.error());
    seen.overview = std::move(*overview);
    return seen;
}

void ProjectController::open(const QString& folder) {
    jobs_.run([folder = path_of(folder)] { return open_project(folder); },
              [this](Result<OpenedProject> project) {
                  if (!project) {
                      emit failed(project.error());
                      return;
                  }
                  jobs_.next_generation(); // answers about the former project are no longer wanted
                  project_ = std::move(*project);
                  history_.clear();
                  fault_.clear();
                  looking_ = false;
                  emit opened(*project_);
                  timer_.start();
                  refresh();
              });
}

void ProjectController::refresh() {
    if (!project_ || looking_)
        return;
    looking_ = true;
    jobs_.run([project = *project_, known = history_] { return look(project, known); },
              [this](Result<Seen> seen) { show(std::move(seen)); });
}

void ProjectController::read_again() {
    history_.clear();
    refresh();
}

void ProjectController::show(Result<Seen> seen) {
    looking_ = false;
    if (!seen) {
        if (seen.error().message() != fault_)
            emit failed(seen.error());
        fault_ = seen.error().message();
        return;
    }
    fault_.clear();
    history_ = seen->glance.history;
    const git::Head& head = seen->glance.head;
    if (head.commit.id != project_->head.commit.id || head.branch != project_->head.branch) {
        project_->head = head;
        emit head_changed(head);
    }
    if (seen->overview)
        emit overview_changed(*seen->overview);
}

/// `work(folder, signatures)` on the worker; then `done` with its value, or `fault` with its error.
template <class Work, class Done, class Fault> void ProjectController::with_project(Work work, Done done, Fault fault) {
    if (!project_)
        return;
    using Outcome = decltype(work(fs::path(), std::declval<review::Signatures&>()));
    jobs_.run(
        [folder = project_->folder, work = std::move(work)]() -> Outcome {
            auto repository = git::Repository::open(folder);
            if (!repository)
                return tl::unexpected(repository.error());
            auto signatures = app::SshSignatures::of(*repository);
            if (!signatures)
                return tl::unexpected(signatures.error());
            return work(folder, *signatures);
        },
        [done = std::move(done), fault = std::move(fault)](Outcome outcome) {
            if (!outcome)
                fault(outcome.error());
            else if constexpr (std::is_void_v<typename Outcome::value_type>)
                done();
            else
                done(std::move(*outcome));
        });
}

template <class Work, class Done> void ProjectController::with_project(Work work, Done done) {
    with_project(std::move(work), std::move(done), [this](const Error& error) { emit failed(error); });
}

void ProjectController::request_calibration() {
    with_project([](const fs::path& folder, review::Signatures&) { return work::read_calibration(folder); },
                 [this](const work::Calibrated& read) { emit calibration_ready(read.calibration, read.caution); });
}

void ProjectController::request_dossier(qint64 number) {
    with_project(
        [number](const fs::path& folder, review::Signatures& signatures) -> Result<Reviewed> {
            auto read = work::read_trial(folder, number);
            if (!read)
                return tl::unexpected(read.error());
            const QString fault = work::approval_fault(*read->dossier, signatures);
            return Reviewed{std::move(read->dossier), std::move(read->sheet), signatures.can_sign(), fault};
        },
        [this, number](const Reviewed& reviewed) { emit dossier_ready(number, reviewed); });
}

void ProjectController::approve(qint64 number, const review::Answers& answers, const QString& comment,
                                const std::shared_ptr<const review::Dossier>& seen) {
    with_project(
        [answers, comment = comment.toStdString(), seen](const fs::path& folder, review::Signatures& signatures) {
            return work::approve(folder, *seen, answers, comment, signatures);
        },
        [this, number](const study::ReviewRecord& review) {
            emit decided(number, review);
            refresh();
        });
}

void ProjectController::decline(qint64 number, review::Decision decision, const QString& reason, bool shared) {
    with_project(
        [number, decision, reason = reason.toStdString(), shared](const fs::path& folder, review::Signatures&) {
            return work::decline(folder, number, decision, reason, shared);
        },
        [this, number](const study::ReviewRecord& review) {
            emit decided(number, review);
            refresh();
        });
}

void ProjectController::plan(qint64 number, bool revert, bool fast_forward) {
    with_project(
        [number, revert, fast_forward](const fs::path& folder, review::Signatures& signatures) {
            return work::plan(folder, number, revert, fast_forward, signatures);
        },
        [this, number, revert](review::Plan plan) {
            emit plan_ready(number, std::make_shared<const review::Plan>(std::move(plan)), revert);
        },
        [this, number, revert](const Error& error) { emit plan_refused(number, revert, error); });
}

void ProjectController::carry_out(qint64 number, bool revert, bool fast_forward) {
    with_project(
        [number, revert, fast_forward](const fs::path& folder, review::Signatures& signatures) {
            return work::carry_out(folder, number, revert, fast_forward, signatures);
        },
        [this, number](const study::ApplicationRecord& application) {
            emit carried_out(number, application);
            refresh();
        });
}

void ProjectController::export_to(qint64 number, const QString& format, const QString& file) {
    with_project(
        [number, format = format.toStdString(), target = path_of(file)](const fs::path& folder,
                                                                        review::Signatures& signatures) {
            return work::export_to(folder, number, format, target, signatures);
        },
        [this, number, file] { emit exported(number, file); });
}

void ProjectController::request_comparison(const QList<qint64>& numbers) {
    with_project([numbers](const fs::path& folder, review::Signatures&) { return work::compare(folder, numbers); },
                 [this](const Compared& values) { emit compared(values); });
}

void ProjectController::request_history() {
    with_project([](const fs::path& folder, review::Signatures&) { return work::read_history(folder); },
                 [this](History history) { emit history_ready(std::make_shared<const History>(std::move(history))); });
}

void ProjectController::request_fronts() {
    with_project([](const fs::path& folder, review::Signatures&) { return work::read_fronts(folder); },
                 [this](const std::vector<review::Front>& fronts) { emit fronts_ready(fronts); });
}

void ProjectController::measure_again(qint64 number) {
    with_project([number](const fs::path& folder, review::Signatures&) { return app::queue_again(folder, number); },
                 [this, number](const app::Queued& again) {
                     emit queued(number, again.number);
                     refresh();
                 });
}

} // namespace holdfast::desktop
