// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's small text files. What cannot be read is empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sandbox {

std::string text_of(const std::filesystem::path& file);
std::string line_of(const std::filesystem::path& file); ///< the first line
std::optional<double> number_of(const std::filesystem::path& file);

/// The number after `key` at the start of a line; 0 when there is none.
std::uint64_t number_after(const std::string& text, const std::string& key);

/// A list such as "0-3,8" as numbers in order; empty when it is none. At most 4096 of them.
std::vector<int> numbers_of_list(const std::string& list);

} // namespace holdfast::sandbox
