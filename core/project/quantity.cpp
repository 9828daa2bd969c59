// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace holdfast {

namespace {

struct Measured {
    double number = 0;
    std::string_view unit;
};

std::optional<Measured> split(std::string_view text) {
    Measured result;
    const auto parsed =
        std::from_chars(text.data(), text.data() + text.size(), result.number, std::chars_format::fixed);
    if (parsed.ec != std::errc() || !std::isfinite(result.number))
        return std::nullopt;
    result.unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
    if (result.unit.starts_with(' '))
        result.unit.remove_prefix(1);
    return result;
}

template <std::size_t N>
std::optional<double> scaled(std::string_view text, const std::pair<std::string_view, double> (&units)[N]) {
    const auto measured = split(text);
    if (!measured)
        return std::nullopt;
    for (const auto& [unit, factor] : units)
        if (unit == measured->unit)
            return measured->number * factor;
    return std::nullopt;
}

} // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    static constexpr std::pair<std::string_view, double> units[] = {{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};
    const auto value = scaled(text, units);
    if (!value || std::round(*value) < 1 || *value > 7 * 24 * 3.6e6)
        return std::nullopt;
    return std::chrono::milliseconds(std::llround(*value));
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    static constexpr std::pair<std::string_view, double> units[] = {{"B", 1},        {"kB", 1e3},     {"MB", 1e6},
                                                                    {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
                                                                    {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    const auto value = scaled(text, units);
    if (!value || *value < 1 || *value > 0x1p50)
        return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<double> parse_percent(std::string_view text) {
    const auto measured = split(text);
    if (!measured || measured->unit != "%")
        return std::nullopt;
    return measured->number / 100;
}

std::string duration_text(std::chrono::nanoseconds time) {
    const double seconds = std::chrono::duration<double>(time).count();
    if (seconds < 1)
        return fmt::format("{:.0f} ms", seconds * 1e3);
    if (seconds < 90)
        return fmt::format("{:.0f} s", seconds);
    if (seconds < 5400)
        return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string bytes_text(double bytes) {
    if (!std::isfinite(bytes))
        return "unknown";
    constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; std::abs(bytes) >= 1024 && unit + 1 < units.size(); ++unit)
        bytes /= 1024;
    return fmt::format("{:.{}f} {}", bytes, unit > 0 && std::abs(bytes) < 10 ? 1 : 0, units[unit]);
}

} // namespace holdfast
