// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands share: finding the project, its history, the helpers beside this program.
#pragma once

#include "app/cli/commands.hpp"
#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "db/sqlite_store.hpp"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace holdfast::cli {

struct Opened {
    Project project;
    git::Repository repository;
};
Result<Opened> open_project_and_repository(const Common& common);

std::filesystem::path history_file(const std::filesystem::path& project_folder);

/// The history for reading; the error of a missing one says how to start.
Result<std::unique_ptr<study::Store>> open_history(const Common& common, db::SqliteStore::Mode mode);

/// Makes .holdfast (mode 0700) and keeps it out of git.
Result<void> make_state_folder(const Project& project, const git::Repository& repository);

Result<std::unique_ptr<study::Runner>> start_runner();

/// resources/ of this build or installation.
std::filesystem::path resources_folder();

/// The configuration that `--set` makes from the defaults, and the patch text.
struct CandidateInput {
    Configuration configuration;
    std::string patch, kind;
};
Result<CandidateInput> read_candidate(const Project& project, const CandidateArguments& arguments);

/// A seed from the system.
std::uint64_t random_seed();

/// Prints a whole JSON document on standard output. Text that is not UTF-8 (a path, a log, a patch) gets U+FFFD where
/// it is not: a document is always one that parses.
void print_document(const nlohmann::json& document);

} // namespace holdfast::cli
