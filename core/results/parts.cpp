// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/parts.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace holdfast::results {

using nlohmann::json;

tl::unexpected<Error> unreadable(Format format, std::string found) {
    return invalid(fmt::format("read the {} file", format_name(format)), std::move(found),
                   "Let the program write it again, whole and unchanged.");
}

std::optional<double> number_in(const json& value) {
    if (!value.is_number())
        return std::nullopt;
    const double number = value.get<double>();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

const json* member(const json& object, const char* key) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::optional<double> number_at(const json& object, const char* key) {
    const json* found = member(object, key);
    return found == nullptr ? std::nullopt : number_in(*found);
}

std::string text_at(const json& object, const char* key) {
    const json* found = member(object, key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::size_t take_numbers(const json& array, double per, std::vector<double>& values) {
    std::size_t none = 0;
    for (const json& item : array)
        if (const auto number = number_in(item))
            values.push_back(*number / per);
        else
            ++none;
    return none;
}

std::optional<double> per_second(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 9> units = {{{"ns", 1e9},
                                                                           {"us", 1e6},
                                                                           {"µs", 1e6},
                                                                           {"ms", 1e3},
                                                                           {"s", 1},
                                                                           {"sec", 1},
                                                                           {"min", 1 / 60.0},
                                                                           {"hr", 1 / 3600.0},
                                                                           {"day", 1 / 86400.0}}};
    for (const auto& [name, count] : units)
        if (name == unit)
            return count;
    return std::nullopt;
}

Quantity time_quantity(std::string name) {
    Quantity time;
    time.name = std::move(name);
    time.unit = "s";
    return time;
}

Quantity rate_quantity(std::string name, std::string unit) {
    Quantity rate;
    rate.name = std::move(name);
    rate.unit = std::move(unit);
    rate.better = Better::higher;
    return rate;
}

std::optional<Quantity> rate_of(const Quantity& time, double amount, std::string name, std::string unit) {
    Quantity rate = rate_quantity(std::move(name), std::move(unit));
    rate.ordered = time.ordered;
    for (const double value : time.values) {
        if (!(value > 0))
            return std::nullopt;
        rate.values.push_back(amount / value);
    }
    if (time.values.empty() && time.median && *time.median > 0) // the median of a decreasing function
        rate.median = amount / *time.median;
    return rate.number() ? std::optional(std::move(rate)) : std::nullopt;
}

namespace {

/// Why the quantity is of no use, after "its time is "; "" when it is.
std::string fault_of(const Quantity& quantity) {
    const auto any = [&](const auto& is) { return std::any_of(quantity.values.begin(), quantity.values.end(), is); };
    const auto number = quantity.number();
    if (!number || any([](double value) { return !std::isfinite(value); }))
        return "no number";
    const bool from_zero = quantity.unit == "s" || quantity.unit == "1/s" || quantity.unit == "B/s";
    if (from_zero && (*number < 0 || any([](double value) { return value < 0; })))
        return "below zero";
    return "";
}

} // namespace

void settle(Benchmark& benchmark) {
    if (!benchmark.error.empty()) {
        benchmark.quantities.clear();
        return;
    }
    if (benchmark.quantities.empty())
        benchmark.error = "it has no numbers";
    else if (const std::string fault = fault_of(benchmark.quantities.front()); !fault.empty())
        benchmark.error = fmt::format("its {} is {}", printable(benchmark.quantities.front().name), fault);
    if (!benchmark.error.empty()) {
        benchmark.quantities.clear();
        return;
    }
    std::vector<Quantity> kept;
    for (Quantity& quantity : benchmark.quantities) {
        const std::string name = printable(quantity.name);
        if (const std::string fault = fault_of(quantity); !fault.empty()) {
            benchmark.notes.push_back(name + " left out: " + fault);
            continue;
        }
        const std::vector<double>& values = quantity.values;
        if (values.size() > 1 && std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; }))
            benchmark.notes.push_back(fmt::format("all {} values of {} are equal", values.size(), name));
        kept.push_back(std::move(quantity));
    }
    benchmark.quantities = std::move(kept);
}

} // namespace holdfast::results
