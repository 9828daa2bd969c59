// SPDX-License-Identifier: GPL-3.0-or-later
// Where things are: the helpers and resources beside this program, a project's history, its repository.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "db/sqlite_store.hpp"

#include <filesystem>
#include <memory>

namespace holdfast::app {

struct Opened {
    Project project;
    git::Repository repository;
};
Result<Opened> open_project_and_repository(const std::filesystem::path& folder);

/// Invalid when there is no such folder, or no project in it.
Result<void> check_project_folder(const std::filesystem::path& folder, const std::string& attempted);

std::filesystem::path history_file(const std::filesystem::path& project_folder);

/// The history of the project in `folder`; the error of a missing one says how to start. `waiting`: see SqliteStore.
Result<std::unique_ptr<study::Store>> open_history(const std::filesystem::path& folder, db::SqliteStore::Mode mode,
                                                   db::SqliteStore::Waiting waiting = {});

/// The same of a project that must have one: nothing is made where there is none.
Result<std::unique_ptr<study::Store>> open_existing_history(const std::filesystem::path& folder,
                                                            db::SqliteStore::Mode mode,
                                                            db::SqliteStore::Waiting waiting = {});

/// Makes .holdfast (mode 0700) and keeps it out of git.
Result<void> make_state_folder(const Project& project, const git::Repository& repository);

Result<std::unique_ptr<study::Runner>> start_runner();

/// resources/ of this build or installation; empty when neither is there.
std::filesystem::path resources_folder();

} // namespace holdfast::app
