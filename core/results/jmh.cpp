// SPDX-License-Identifier: GPL-3.0-or-later
// What JMH writes with -rf json. Numbers that are none are the texts "NaN", "+INF" and "-INF".
#include "core/project/text.hpp"
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace holdfast::results {

using nlohmann::json;

namespace {

/// A unit in base units: a number of it times `times`, divided by `per`.
struct Scale {
    std::string unit;
    Better better = Better::lower;
    double times = 1, per = 1;
};

Scale scale_of(const std::string& unit) {
    if (unit.starts_with("ops/"))
        if (const auto count = per_second(unit.substr(4)))
            return {"1/s", Better::higher, *count, 1};
    if (unit.ends_with("/op"))
        if (const auto count = per_second(unit.substr(0, unit.size() - 3)))
            return {"s", Better::lower, 1, *count};
    if (const auto count = per_second(unit))
        return {"s", Better::lower, 1, *count};
    if (unit == "B/op")
        return {"B", Better::lower, 1, 1};
    if (unit == "MB/sec") // its profiler divides by 1024 twice
        return {"B/s", Better::lower, 1024 * 1024, 1};
    if (unit == "counts" || unit == "---" || unit == "#/op")
        return {"", Better::lower, 1, 1};
    return {printable(unit).substr(0, 20), Better::lower, 1, 1};
}

/// "rawData": forks of iterations.
bool take_raw(const json& forks, const Scale& scale, Quantity& quantity) {
    std::size_t none = 0;
    for (const json& fork : forks)
        none += fork.is_array() ? take_numbers(fork, scale.per, quantity.values) : 1;
    for (double& value : quantity.values)
        value *= scale.times;
    return none == 0;
}

using Bins = std::vector<std::pair<double, double>>; ///< value and how often

/// The median of the `total` values, as JMH's own 50th percentile: between the two middle ones of an even number.
double middle_of(const Bins& sorted, double total) {
    double below = 0, lower = 0;
    bool between = false;
    for (const auto& [value, count] : sorted) {
        if (!(count > 0))
            continue;
        if (between)
            return lower + (value - lower) / 2;
        below += count;
        if (below > total / 2)
            return value;
        lower = value;
        between = below == total / 2;
    }
    return lower;
}

/// "rawDataHistogram": forks of iterations of [value, how often]. Too many to write out each; their weighted median.
bool take_histogram(const json& forks, const Scale& scale, Quantity& quantity, Benchmark& benchmark) {
    Bins bins;
    for (const json& fork : forks)
        for (const json& iteration : fork)
            for (const json& bin : iteration) {
                const auto value = bin.is_array() && bin.size() == 2 ? number_in(bin[0]) : std::nullopt;
                const auto count = value ? number_in(bin[1]) : std::nullopt;
                if (!count || *count < 0)
                    return false;
                bins.emplace_back(*value * scale.times / scale.per, *count);
            }
    const double total =
        std::accumulate(bins.begin(), bins.end(), 0.0, [](double sum, const auto& bin) { return sum + bin.second; });
    if (!(total > 0))
        return bins.empty();
    std::sort(bins.begin(), bins.end());
    quantity.median = middle_of(bins, total);
    benchmark.notes.push_back(fmt::format("the median of a histogram of {:.0f} calls", total));
    return true;
}

/// Whether all its numbers are numbers.
bool take_metric(const json& metric, Quantity& quantity, Benchmark& benchmark) {
    const Scale scale = scale_of(text_at(metric, "scoreUnit"));
    quantity.unit = scale.unit;
    quantity.better = scale.better;
    quantity.ordered = true;
    if (const auto score = number_at(metric, "score"))
        quantity.mean = *score * scale.times / scale.per;
    const json* raw = member(metric, "rawData");
    const json* histogram = member(metric, "rawDataHistogram");
    if (raw != nullptr && raw->is_array())
        return take_raw(*raw, scale, quantity);
    if (histogram != nullptr && histogram->is_array())
        return take_histogram(*histogram, scale, quantity, benchmark);
    return true;
}

bool is_mode(const std::string& mode) {
    return mode == "thrpt" || mode == "avgt" || mode == "sample" || mode == "ss";
}

std::string parameters_of(const json& record) {
    std::string text;
    if (const json* parameters = member(record, "params"); parameters != nullptr && parameters->is_object())
        for (const auto& [name, value] : parameters->items())
            text +=
                (text.empty() ? "" : ", ") + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

std::string take(const json& record, std::vector<Draft>& drafts) {
    const json* primary = member(record, "primaryMetric");
    if (primary == nullptr || !primary->is_object() || text_at(record, "benchmark").empty())
        return "a benchmark in it has no \"benchmark\" or \"primaryMetric\"";
    Draft draft;
    Benchmark& benchmark = draft.benchmark;
    const std::string mode = text_at(record, "mode"), parameters = parameters_of(record);
    benchmark.name = text_at(record, "benchmark") + (parameters.empty() ? "" : " (" + parameters + ")");
    draft.longer = benchmark.name + " [" + mode + "]"; // the same method measured in several modes
    Quantity main = time_quantity(mode == "thrpt" ? "throughput" : "time");
    if (!take_metric(*primary, main, benchmark))
        benchmark.error = "some of its numbers are none";
    else if (!is_mode(mode))
        benchmark.error =
            fmt::format("its mode \"{}\" is none of JMH's: thrpt, avgt, sample, ss", printable(mode.substr(0, 20)));
    else if (main.unit != (mode == "thrpt" ? "1/s" : "s"))
        benchmark.error = fmt::format("its unit \"{}\" is none of its mode \"{}\"",
                                      printable(text_at(*primary, "scoreUnit").substr(0, 20)), mode);
    else
        benchmark.quantities.push_back(std::move(main));
    const json* others = member(record, "secondaryMetrics");
    if (others != nullptr && others->is_object() && benchmark.error.empty())
        for (const auto& [name, metric] : others->items()) {
            Quantity quantity;
            quantity.name = name;
            if (take_metric(metric, quantity, benchmark))
                benchmark.quantities.push_back(std::move(quantity));
            else
                benchmark.notes.push_back(printable(name.substr(0, 100)) + " left out: no number");
        }
    drafts.push_back(std::move(draft));
    return "";
}

} // namespace

Result<std::vector<Draft>> read_jmh(std::string_view text, File& file) {
    std::vector<Draft> drafts;
    auto read = each_record(file.format, text, "", [&](const json& record) { return take(record, drafts); });
    if (!read)
        return tl::unexpected(read.error());
    return drafts;
}

} // namespace holdfast::results
