// SPDX-License-Identifier: GPL-3.0-or-later
// A page of the guide that can be executed. In a fresh folder, from top to bottom: a block "```LANG PATH" is a file, a
// block "```sh" is run by `bash -e`, and a block "```text" right after it is what that prints (missing_line()).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

struct Block {
    int line = 0; ///< of its first line of text, 1-based
    std::string language, path, text;
    bool follows = false; ///< only blank lines stand between it and the block before
};

std::vector<Block> blocks_of(const std::string& page);

/// Whether the lines of `expected` are among those of `output`, in this order: a line counts when it has the expected
/// words in their order. Numbers are equal to each other, a line "..." says nothing. Else the first line that is
/// missing.
std::optional<std::string> missing_line(const std::string& expected, const std::string& output);

/// Executes the page; what went wrong as "NAME:LINE: ..." when something does, or when it has nothing to execute.
std::optional<std::string> fault_of(const std::filesystem::path& page);

} // namespace holdfast::test
