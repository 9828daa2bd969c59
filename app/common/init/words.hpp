// SPDX-License-Identifier: GPL-3.0-or-later
// Commands as people write them, turned into the words of a project file.
#pragma once

#include "app/common/init/found.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app::init {

/// The words of a command line with quotes and backslashes as a shell reads them. Nothing when it needs a shell: pipes,
/// redirections, variables, globs, several commands.
std::optional<Argv> split_words(std::string_view line);

/// The words so that split_words() gives them back.
std::string join_words(const Argv& argv);

/// One way to run a program.
struct Run {
    Argv argv;                       ///< with placeholders
    std::vector<std::string> inputs; ///< relative to the folder
    std::string program;             ///< the Runnable's name; "" for a script or a program of the system
};

/// `words` as a run: the program is one of `programs`, a script of the folder behind an interpreter, or a file of the
/// folder; words that name files of the folder become inputs. Nothing when the program is none of these.
std::optional<Run> run_of_words(const Seen& seen, const std::vector<Runnable>& programs, const Argv& words);

/// Text in lower case; only A-Z change.
std::string lower_case(std::string text);

/// Whether the whole word `word` stands in `text`.
bool has_word(std::string_view text, std::string_view word);

} // namespace holdfast::app::init
