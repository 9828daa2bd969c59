// SPDX-License-Identifier: GPL-3.0-or-later
// A changed tree: computed only, or stored as it is computed. One way to do both, so that the ids are the same.
#pragma once

#include "core/git/handles.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace holdfast::git {

/// The id of an object with this content; may store it.
using ObjectSink = std::function<Result<git_oid>(std::string_view content, git_object_t type)>;

/// The id of `tree` with `changes`. Everything new in it went through `sink`, contents before the trees that name them.
Result<std::string> changed_tree(git_repository* repository, const std::string& tree, const Changes& changes,
                                 const ObjectSink& sink);

} // namespace holdfast::git
