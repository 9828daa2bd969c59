// SPDX-License-Identifier: GPL-3.0-or-later
// A run's outputs against the baseline's. Nothing a candidate made is followed or waited for.
#pragma once

#include "core/project/project.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::study {

/// Keeps the outputs that `check` compares, and the folder they are in, at `expected`. The text says why they could
/// never show an error: a checked file is missing, or all that is compared is empty.
Result<std::optional<std::string>> keep_expected(const Check& check, const std::filesystem::path& out,
                                                 const std::string& standard_output,
                                                 const std::filesystem::path& expected);

/// The standard output among what is kept at `expected`.
Result<std::string> expected_standard_output(const std::filesystem::path& expected);

/// The first difference that `check` finds between a run's outputs and those kept at `expected`; nothing when there is
/// none. The check's command is not run.
Result<std::optional<std::string>> output_difference(const Check& check, const std::filesystem::path& expected,
                                                     const std::filesystem::path& out,
                                                     const std::string& standard_output);

/// What is among the outputs that nobody should open, in words: a pipe or device, which would keep a judge waiting; a
/// link, absolute or upwards, which would lead it to the expected output; a file or folder that cannot be read; or, by
/// their lengths, more than `most` bytes, of which a sparse file holds few. Nothing when there is none.
std::optional<std::string> odd_output(const std::filesystem::path& out, std::uint64_t most);

/// SHA-256 over every file below `out` and standard output.
Result<std::string> output_hash(const std::filesystem::path& out, const std::string& standard_output);

} // namespace holdfast::study
