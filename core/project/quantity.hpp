// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities as people write them in the project file and on the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

/// "500ms", "60s", "1.5h", "10m": above zero, at most 7 days.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// "4GiB", "512 MiB", "1.5GB", "4096B": at least one byte, at most 1 PiB.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// "10%" as 0.1.
std::optional<double> parse_percent(std::string_view text);

/// "310 ms", "45 s", "12 min", "3.1 h".
std::string duration_text(std::chrono::nanoseconds time);

/// "512 B", "1.5 KiB", "169 MiB"; "unknown" for what is no number.
std::string bytes_text(double bytes);

} // namespace holdfast
