// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a program could be run with, and others of the same kind to hold out.
#pragma once

#include "app/common/init/found.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app::init {

/// Files that look like data, all of one folder and extension, the largest first; empty when there are none.
std::vector<std::string> data_files(const Seen& seen);

/// The files beside `input` with its extension that look like it, itself among them, the largest first.
std::vector<std::string> family_of(const Seen& seen, const std::string& input);

/// Whether the path is below a folder of tests.
bool belongs_to_tests(std::string_view path);

/// Whether a test may read the file: it is theirs, or a build description or a test's source names it. A held-out input
/// is taken from every tree, so that test would miss it. At most 200 such sources are looked into.
bool needed_by_tests(const Seen& seen, const std::string& path);

/// How a program takes a file, by what its source says.
enum class Reads { nothing, argument, standard_input };
Reads reads_input(const Seen& seen, const Runnable& program);

/// The words to run `program` with the file of {inputs} called `name`; nothing when its source does not tell how.
std::optional<Argv> run_with(const Seen& seen, const Runnable& program, const std::string& name);

/// Other data of the same kind made of a text's lines: shuffled (always in the same way), every fifth left out, a
/// header of .csv and .tsv kept. Nothing when lines of such a file are not records of their own.
std::optional<std::string> variant_of(std::string_view text, std::string_view extension);

} // namespace holdfast::app::init
