// SPDX-License-Identifier: GPL-3.0-or-later
// How often lines were run, as gcov and Python's trace hook tell it. Both texts come from a candidate's own runs: what
// cannot be read counts as not told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace holdfast::study {

/// Runs by line, of the lines that can be run.
using FileCounts = std::map<std::size_t, std::uint64_t>;
/// By the absolute path inside the sandbox, or by the path below the project folder.
using LineCounts = std::map<std::string, FileCounts>;

/// `text`: documents of `gcov --json-format --stdout`, one a line (format version 1, gcc 9 and later).
void add_gcov(const std::string& text, LineCounts& counts);

/// What the hook left in `folder`, which was /coverage.
void add_python(const std::filesystem::path& folder, LineCounts& counts);

/// Of the file at `path` below the project folder: in {source}, or copied to {build}.
FileCounts counts_of(const LineCounts& counts, const std::string& path);

/// sitecustomize.py: writes FILE.lines, JSON, for each process that ran a file named in /coverage/files.
extern const char* const python_hook;

} // namespace holdfast::study
