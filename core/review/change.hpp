// SPDX-License-Identifier: GPL-3.0-or-later
// What a trial's candidate does to the user's files: the patch; file knobs set in their file; the `default` of every
// knob that differs from it rewritten in holdfast.json, comments and order kept.
#pragma once

#include "core/git/diff.hpp"
#include "core/git/repository.hpp"
#include "core/project/project.hpp"

#include <string>
#include <vector>

namespace holdfast::review {

struct KnobChange {
    const Knob* knob = nullptr; ///< of the project given to change_of
    Value before, after;
};

struct Change {
    std::string tree;                 ///< id of the result tree
    std::string measured_tree;        ///< id of the tree as measured, which TrialRecord::result_tree names
    git::Changes changes;             ///< from the base commit, sorted by path
    std::vector<git::DiffFile> files; ///< the same with their hunks
    std::vector<KnobChange> knobs;    ///< those that differ from the default
};

/// Recomputes the change from what the trial proposed. `project`: as the study froze it. Errors: the patch no longer
/// places (kind refused), a knob's file or default is not where the project says.
Result<Change> change_of(const Project& project, const git::Repository& repository, const git::Commit& base,
                         const std::string& configuration_json, const std::string& patch);

} // namespace holdfast::review
