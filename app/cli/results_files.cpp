// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/results_files.hpp"

#include "app/cli/render.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/results/summary.hpp"
#include "core/review/imported.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace holdfast::cli {

using nlohmann::json;
using results::Benchmark;
using results::Quantity;

namespace {

constexpr std::size_t longest_cell = 60; ///< code units of a name that are shown

std::string time_text(double seconds) {
    constexpr std::array<std::pair<double, const char*>, 4> units = {{{1, "s"}, {1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}}};
    for (const auto& [in_a_second, name] : units)
        if (seconds * in_a_second >= 1 || in_a_second == units.back().first)
            return fmt::format("{:.4g} {}", seconds * in_a_second, name);
    return "";
}

std::string number_text(const Quantity& quantity) {
    const double number = quantity.number().value_or(0);
    if (quantity.unit == "s")
        return time_text(number);
    if (quantity.unit == "B")
        return bytes_text(number);
    if (quantity.unit == "B/s")
        return bytes_text(number) + "/s";
    if (quantity.unit == "1/s")
        return fmt::format("{:.4g} /s", number);
    return fmt::format("{:.4g}{}{}", number, quantity.unit.empty() ? "" : " ", printable(quantity.unit));
}

std::string shortened(const std::string& text) {
    const std::string safe = printable(text);
    if (safe.size() <= longest_cell)
        return safe;
    std::size_t end = longest_cell; // not inside a code point
    while (end > 0 && (static_cast<unsigned char>(safe[end]) & 0xc0) == 0x80)
        --end;
    return safe.substr(0, end) + "…";
}

std::string joined(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes)
        text += (text.empty() ? "" : "; ") + printable(note);
    return text;
}

json given(const std::optional<double>& number) {
    return number ? json(*number) : json(nullptr);
}

json quantity_document(const Quantity& quantity) {
    return {{"name", quantity.name},
            {"unit", quantity.unit},
            {"better", quantity.better == Better::lower ? "lower" : "higher"},
            {"number", given(quantity.number())},
            {"values", quantity.values.size()},
            {"mean", given(quantity.mean)},
            {"median", given(quantity.median)},
            {"deviation", given(quantity.deviation)},
            {"ratio-of-variation", given(results::spread(quantity))},
            {"ordered", quantity.ordered}};
}

json benchmark_document(const Benchmark& benchmark) {
    json quantities = json::array();
    for (const Quantity& quantity : benchmark.quantities)
        quantities.push_back(quantity_document(quantity));
    return {{"name", benchmark.name},
            {"error", benchmark.error.empty() ? json(nullptr) : json(benchmark.error)},
            {"notes", benchmark.notes},
            {"quantities", std::move(quantities)}};
}

} // namespace

const char* const results_caveat =
    "Descriptive only: in which order and on what a busy machine these runs were made is "
    "unknown, so nothing is decided by them and they are never pooled.";

json results_document(const study::ResultsFileRecord& record, const results::File& file) {
    json benchmarks = json::array();
    for (const Benchmark& benchmark : file.benchmarks)
        benchmarks.push_back(benchmark_document(benchmark));
    return {{"format", results::format_name(file.format)},
            {"name", printable(record.name)},
            {"digest", record.digest},
            {"commit", record.commit.empty() ? json(nullptr) : json(record.commit)},
            {"machine", review::machine_text(record.machine_json)},
            {"time", record.time},
            {"notes", file.notes},
            {"caveat", results_caveat},
            {"benchmarks", std::move(benchmarks)}};
}

std::string results_table(const results::File& file, std::size_t most) {
    std::vector<std::vector<std::string>> rows{{"benchmark", "quantity", "number", "spread", "values", "notes"}};
    std::size_t left = 0;
    for (const Benchmark& benchmark : file.benchmarks) {
        if (rows.size() > most) {
            ++left;
            continue;
        }
        if (benchmark.quantities.empty())
            rows.push_back({shortened(benchmark.name), "", "no number", "", "", printable(benchmark.error)});
        for (const Quantity& quantity : benchmark.quantities) {
            const bool first = &quantity == &benchmark.quantities.front();
            const auto spread = results::spread(quantity);
            rows.push_back({first ? shortened(benchmark.name) : "",
                            shortened(quantity.name) + (quantity.better == Better::higher ? " (higher is better)" : ""),
                            number_text(quantity), spread ? fmt::format("{:.1f} %", *spread * 100) : "",
                            quantity.values.empty() ? "" : fmt::format("{}", quantity.values.size()),
                            first ? joined(benchmark.notes) : ""});
        }
    }
    return table(rows) + (left > 0 ? fmt::format("and {} more benchmarks; --json shows all\n", left) : "");
}

std::string results_words(const study::ResultsFileRecord& record, const results::File& file) {
    const auto without = std::count_if(file.benchmarks.begin(), file.benchmarks.end(),
                                       [](const Benchmark& benchmark) { return benchmark.quantities.empty(); });
    std::string text = fmt::format("{}, {}: {} benchmark{}", results::format_name(file.format), printable(record.name),
                                   file.benchmarks.size(), file.benchmarks.size() == 1 ? "" : "s");
    if (without > 0)
        text += fmt::format(", {} without a number", without);
    for (const std::string& note : file.notes)
        text += "; " + printable(note);
    return text;
}

} // namespace holdfast::cli
