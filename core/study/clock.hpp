// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::study {

/// UTC, ISO 8601 with milliseconds: "2026-01-31T08:15:00.123Z".
std::string utc_now();

/// The time that utc_now() wrote; nothing for any other text.
std::optional<std::chrono::system_clock::time_point> from_utc(const std::string& text);

} // namespace holdfast::study
