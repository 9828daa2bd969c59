// SPDX-License-Identifier: GPL-3.0-or-later
// What may come next on a command line that is being typed. The shells' scripts ask `holdfast __complete WORD...`; the
// commands, options and choices come from the description, trials, workloads and knobs from the project. Reads only.
#pragma once

#include "app/cli/command_line.hpp"

#include <string>
#include <vector>

namespace holdfast::cli {

struct Completion {
    std::string text;  ///< the whole word
    std::string about; ///< one line, safe to show; may be empty
};

struct Completions {
    enum class Kind {
        words,
        unfinished, ///< words after which no blank belongs: "size="
        files,      ///< the shell's own file names
        folders,
    };
    Kind kind = Kind::words;
    std::vector<Completion> words;
};

/// `words`: what follows the program's name, up to the word being typed, which may be empty.
Completions complete(CommandLine& line, const std::vector<std::string>& words);

/// What `holdfast __complete` prints: the kind, then a word and its description a line, with a tab between.
std::string to_lines(const Completions& completions);

/// For bash, zsh or fish.
const char* completion_script(const std::string& shell);

} // namespace holdfast::cli
