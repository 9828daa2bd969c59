// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/start_controller.hpp"

#include "app/common/init/render.hpp"
#include "app/common/init/write.hpp"
#include "core/project/text.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace holdfast::desktop {

namespace fs = std::filesystem;

namespace {

fs::path path_of(const QString& folder) {
    return fs::path(QFile::encodeName(folder).toStdString());
}

RecentProject look(const QString& folder) {
    const QFileInfo info(folder);
    if (!info.exists())
        return {folder, StartController::tr("the folder is not there")};
    if (!info.isDir())
        return {folder, StartController::tr("it is not a folder")};
    if (!QFileInfo::exists(folder + "/holdfast.json"))
        return {folder, StartController::tr("it has no holdfast.json")};
    return {folder, {}};
}

/// What init proposes for the folder; empty texts when it finds no program.
app::init::Proposal proposal_for(const fs::path& folder) {
    const auto seen = app::init::look(folder);
    return seen ? app::init::propose(*seen) : app::init::Proposal();
}

Result<QString> write_project(const QString& folder, const QByteArray& text) {
    const app::init::Proposal proposal = proposal_for(path_of(folder));
    app::init::Texts texts;
    if (proposal.has_workload())
        texts = app::init::texts_of(proposal);
    texts.project = text.toStdString();
    auto written = app::init::write_project(path_of(folder), texts, app::init::Existing::refused);
    if (!written)
        return tl::unexpected(written.error());
    return folder;
}

} // namespace

StartController::StartController(fs::path resources, QObject* parent)
    : QObject(parent), resources_(std::move(resources)) {
    for (const Jobs* jobs : {&files_, &machine_})
        connect(jobs, &Jobs::became_idle, this, [this] {
            if (idle())
                emit became_idle();
        });
}

void StartController::examine(const QString& folder) {
    machine_.run([folder = path_of(folder)] { return app::examine(folder); },
                 [this](const app::Examination& examination) { emit examined(examination); });
}

void StartController::look_at(const QStringList& folders) {
    files_.run(
        [folders] {
            std::vector<RecentProject> projects;
            for (const QString& folder : folders)
                projects.push_back(look(folder));
            return projects;
        },
        [this](const std::vector<RecentProject>& projects) { emit recent_known(projects); });
}

void StartController::list_demos() {
    files_.run([resources = resources_] { return app::list_demos(resources); },
               [this](const Result<std::vector<app::DemoInfo>>& demos) {
                   if (demos)
                       emit demos_known(*demos);
                   else
                       emit failed(demos.error());
               });
}

void StartController::make_demo(const QString& name, const QString& folder) {
    files_.run([resources = resources_, name = name.toStdString(),
                folder = path_of(folder)] { return app::prepare_demo(name, folder, resources); },
               [this](const Result<app::PreparedDemo>& demo) {
                   if (demo)
                       emit demo_made(QFile::decodeName(demo->folder.c_str()));
                   else
                       emit failed(demo.error());
               });
}

void StartController::propose_project(const QString& folder) {
    files_.run([folder = path_of(folder)] { return proposal_for(folder); },
               [this, folder](const app::init::Proposal& proposal) {
                   if (proposal.has_workload())
                       emit project_proposed(folder, QByteArray::fromStdString(app::init::render_project(proposal)),
                                             QString::fromStdString(printable(proposal.holdout_why)));
                   else
                       emit project_proposed(folder, {}, {});
               });
}

void StartController::make_project(const QString& folder, const QByteArray& text) {
    files_.run([folder, text] { return write_project(folder, text); },
               [this](const Result<QString>& made) {
                   if (made)
                       emit project_made(*made);
                   else
                       emit failed(made.error());
               });
}

} // namespace holdfast::desktop
