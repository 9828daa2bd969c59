// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program on a terminal of its own, as a person would, and answers what it asks.
#pragma once

#include "tests/command.hpp"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// Whenever a question of `answers` is shown, its answer is typed, with a newline. `out` is all that the terminal
/// showed (both outputs, with the answers' echo). A program that has not ended after 20 s is killed.
Ran run_on_terminal(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                    const std::vector<std::string>& environment,
                    const std::vector<std::pair<std::string, std::string>>& answers);

} // namespace holdfast::test
