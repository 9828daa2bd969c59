// SPDX-License-Identifier: GPL-3.0-or-later
// An unset variable of a script gives an empty argument, which must never mean "not given".
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

/// The first argument that is given and empty: "--candidate"; "" when there is none. `whole` has parsed `arguments`,
/// well or not.
std::string empty_argument(CLI::App& whole, const std::vector<std::string>& arguments);

} // namespace holdfast::cli
