// SPDX-License-Identifier: GPL-3.0-or-later
// What code does to bring data to the disk: the calls and options whose loss costs durability.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

/// The calls and options in a line of the source file `path` that make a program wait for the disk, as a person names
/// them: "fsync", "Sync()", "O_DSYNC", "Sync: true". Comments hold none. By name: a list, not a proof.
std::vector<std::string> sync_calls(std::string_view path, std::string_view line);

/// Whether an SQL statement in the line makes a table that is not in the log.
bool is_unlogged(std::string_view line);

} // namespace holdfast
