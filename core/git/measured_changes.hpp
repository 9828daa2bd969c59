// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that says what tree a candidate is measured as: its patch, then every file knob set in its file.
#pragma once

#include "core/git/patch.hpp"
#include "core/git/repository.hpp"
#include "core/project/project.hpp"

namespace holdfast::git {

/// What measuring `configuration` with `patch` (null: none) changes in the tree of `base`, sorted by path: the patch,
/// then each knob passed through a file set in that file as the patch leaves it, the defaults too. Files that end up
/// as they are in `base` are left out; Repository::tree_with(base, changes) is the measured tree. Errors name knob, file
/// and key: kind `refused` when the patch touches the file, else `invalid`, since the project file and the commit
/// disagree.
Result<Changes> measured_changes(const Project& project, const Repository& repository, const Commit& base,
                                 const Configuration& configuration, const PlacedPatch* patch);

} // namespace holdfast::git
