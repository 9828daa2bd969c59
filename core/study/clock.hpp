// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace holdfast::study {

/// UTC, ISO 8601 with milliseconds: "2026-01-31T08:15:00.123Z".
std::string utc_now();

} // namespace holdfast::study
