// SPDX-License-Identifier: GPL-3.0-or-later
// Two revisions to be compared, and the project file that judges them.
#pragma once

#include "app/common/places.hpp"
#include "core/review/rules.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

struct Revisions {
    Project judge; ///< the project file of the base: the candidate must not choose its own workloads and checks
    git::Repository repository;
    git::Commit base, candidate;
    std::vector<review::Flag> flags; ///< of what the candidate changes
    /// What a reader of the result must know, in sentences with names made printable: two that differ in the
    /// project file or protected files, by whose doing, or in nothing at all.
    std::vector<std::string> notes;
};

/// change_flags() of the texts that differ; links, submodules and binary files hold none.
Result<std::vector<review::Flag>> flags_between(const Project& judge, const git::Repository& repository,
                                                const git::Commit& base, const git::Commit& candidate);

/// `base` "": HEAD. The held-out file is the base's when it tracks one, else the folder's.
Result<Revisions> open_revisions(const std::filesystem::path& folder, const std::string& base,
                                 const std::string& candidate);

/// The knobs of `judge` at the defaults that `commit` gives them, as far as the judge knows those values; the others at
/// its own.
Result<Configuration> defaults_in(const Project& judge, const git::Repository& repository, const git::Commit& commit);

} // namespace holdfast::app
