// SPDX-License-Identifier: GPL-3.0-or-later
// Manual pages in roff (man(7)), made from the description of the command line.
#pragma once

#include "app/cli/command_line.hpp"

#include <string>
#include <vector>

namespace holdfast::cli {

/// "holdfast", "holdfast-run", ...: every page, without its section, which is 1.
std::vector<std::string> man_pages(CommandLine& line);

/// The page of that name; an unknown name is kind invalid.
Result<std::string> man_page(CommandLine& line, const std::string& name);

} // namespace holdfast::cli
