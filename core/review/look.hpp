// SPDX-License-Identifier: GPL-3.0-or-later
// What a person should look at in a change before believing its number: what it takes away that cost time, what it adds
// that can deceive, and how it changes what is built. By names and shapes of lines: a list, not a proof, and never a
// verdict.
#pragma once

#include "core/review/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review {

/// "look: check removed", "build: compiler flags": one flag of each kind, whose evidence names the first line and how
/// many there are. A line that moved, was renamed or only laid out anew is none. Empty for a text that is no patch.
std::vector<Flag> look_flags(const std::string& patch);
/// The same of the files that differ between two commits.
std::vector<Flag> look_flags(const std::vector<git::DiffFile>& files);

} // namespace holdfast::review
