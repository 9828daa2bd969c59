// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/clock.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>

namespace holdfast::study {

std::string utc_now() {
    using namespace std::chrono;
    const auto now = system_clock::now();
    const std::time_t seconds = system_clock::to_time_t(now);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    const auto milliseconds = duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds);
}

std::optional<std::chrono::system_clock::time_point> from_utc(const std::string& text) {
    using namespace std::chrono;
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milli = 0, end = 0;
    if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &year, &month, &day, &hour, &minute, &second,
                    &milli, &end) != 7 ||
        end != static_cast<int>(text.size()))
        return std::nullopt;
    const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 || milli < 0)
        return std::nullopt;
    return sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + milliseconds(milli);
}

} // namespace holdfast::study
