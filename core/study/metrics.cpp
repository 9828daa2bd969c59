// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/metrics.hpp"

#include "core/project/pattern.hpp"
#include "core/project/text.hpp"
#include "core/results/results.hpp"
#include "core/study/files.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t max_metric_file = 16ULL << 20;

Result<double> from_output(const Metric& metric, const std::string& output) {
    const std::string attempted = "read the metric " + metric.name;
    const std::vector<std::string> found = match_lines(metric.pattern, output, 2);
    if (found.empty())
        return failed(attempted,
                      "its pattern matches no line of standard output (lines over 4096 bytes are passed over)",
                      "Check the pattern and the program");
    if (found.size() > 1)
        return failed(attempted, "its pattern matches more than one line of standard output", "Print it once");
    double value = 0;
    const auto [end, fault] = std::from_chars(found[0].data(), found[0].data() + found[0].size(), value);
    if (fault != std::errc() || end != found[0].data() + found[0].size())
        return failed(attempted, "'" + printable(found[0]) + "' is not a number", "Print a number");
    return value;
}

Result<std::string> file_of(const Metric& metric, const fs::path& out) {
    auto bytes = read_output(out, metric.file, max_metric_file);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (!bytes->has_value())
        return failed("read the metric " + metric.name, "the run wrote no file " + printable(metric.file),
                      "Check \"file\" and the program");
    return std::move(**bytes);
}

/// In the unit that the project wants: a time in another one of time, anything else only as it is.
Result<double> in_unit(const Metric& metric, const results::Quantity& quantity) {
    const std::string attempted = "read the metric " + metric.name;
    const double number = quantity.number().value_or(NAN);
    const bool known = quantity.unit == "s" || quantity.unit == "1/s" || quantity.unit == "B/s";
    if (known && quantity.better != metric.better)
        return failed(attempted,
                      fmt::format("of {} {} is better, and the project says otherwise", printable(quantity.name),
                                  quantity.better == Better::higher ? "higher" : "lower"),
                      fmt::format("Write \"better\": \"{}\" in the metric",
                                  quantity.better == Better::higher ? "higher" : "lower"));
    if (metric.unit.empty() || metric.unit == quantity.unit || quantity.unit.empty())
        return number;
    for (const auto& [unit, in_a_second] : {std::pair("ns", 1e9), std::pair("us", 1e6), std::pair("ms", 1e3)})
        if (quantity.unit == "s" && metric.unit == unit)
            return number * in_a_second;
    return failed(attempted,
                  fmt::format("{} is in {}, not in {}", printable(quantity.name), printable(quantity.unit),
                              printable(metric.unit)),
                  "Write that unit, or for a time one of ns, us, ms and s");
}

Result<double> from_tool_file(const Metric& metric, const fs::path& out) {
    const std::string attempted = "read the metric " + metric.name;
    const auto format = results::format_from_name(metric.tool);
    if (!format)
        return failed(attempted, "no program of the name " + printable(metric.tool) + " is known", report_defect);
    auto bytes = file_of(metric, out);
    if (!bytes)
        return tl::unexpected(bytes.error());
    const auto file = results::read(*bytes, *format);
    if (!file)
        return failed(attempted, printable(metric.file) + ": " + file.error().found, file.error().remedy);
    const auto quantity = results::quantity_of(*file, metric.benchmark, metric.value);
    if (!quantity)
        return failed(attempted, printable(metric.file) + ": " + quantity.error().found, quantity.error().remedy);
    return in_unit(metric, **quantity);
}

Result<double> from_json(const Metric& metric, const fs::path& out) {
    const std::string attempted = "read the metric " + metric.name;
    auto bytes = file_of(metric, out);
    if (!bytes)
        return tl::unexpected(bytes.error());
    // The same key twice would let a program show one value and be judged by another.
    std::vector<std::set<std::string>> open_objects;
    bool twice = false;
    const auto watch_keys = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::object_start)
            open_objects.emplace_back();
        else if (event == nlohmann::json::parse_event_t::object_end)
            open_objects.pop_back();
        else if (event == nlohmann::json::parse_event_t::key)
            twice = !open_objects.back().insert(parsed.get<std::string>()).second || twice;
        return true;
    };
    const auto json = nlohmann::json::parse(*bytes, watch_keys, false);
    if (json.is_discarded())
        return failed(attempted, printable(metric.file) + " is not valid JSON", "Check the program");
    if (twice)
        return failed(attempted, printable(metric.file) + " holds the same key twice", "Write each key once");
    const nlohmann::json::json_pointer pointer(metric.path);
    if (!json.contains(pointer) || !json.at(pointer).is_number())
        return failed(attempted, printable(metric.file) + " has no number at " + printable(metric.path),
                      "Check \"path\"");
    return json.at(pointer).get<double>();
}

Result<double> value_of(const Metric& metric, const fs::path& out, const std::string& standard_output,
                        const Usage& usage, const Meters& meters) {
    const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
    switch (metric.source) {
    case Metric::Source::wall:
        return seconds(usage.wall);
    case Metric::Source::cpu:
        return seconds(usage.user + usage.system);
    case Metric::Source::peak_memory:
        return static_cast<double>(usage.peak_memory_bytes);
    case Metric::Source::standard_output:
        return from_output(metric, standard_output);
    case Metric::Source::instructions:
        if (usage.instructions)
            return static_cast<double>(*usage.instructions);
        return failed("read the metric " + metric.name,
                      "the kernel did not count all of the run: it has cores of two kinds, or others use its counters",
                      "Run: holdfast doctor");
    case Metric::Source::energy:
        if (meters.joules)
            return *meters.joules;
        return failed("read the metric " + metric.name, "the meters gave no reading", "Run: holdfast doctor");
    case Metric::Source::tool_file:
        return from_tool_file(metric, out);
    case Metric::Source::json_file:
        break;
    }
    return from_json(metric, out);
}

} // namespace

Result<double> read_metric(const Metric& metric, const fs::path& out, const std::string& standard_output) {
    auto value = value_of(metric, out, standard_output, Usage{}, Meters{});
    if (value && !std::isfinite(*value))
        return failed("read the metric " + metric.name, "it is not finite", "Print a finite number");
    return value;
}

std::optional<double> printed_number(const std::string& output) {
    constexpr const char* blank = " \t\r\n";
    const std::size_t first = output.find_first_not_of(blank), last = output.find_last_not_of(blank);
    if (first == std::string::npos)
        return std::nullopt;
    double value = 0;
    const char* const begin = output.data() + first + (output[first] == '+' ? 1 : 0); // from_chars takes no plus
    const auto [end, fault] = std::from_chars(begin, output.data() + last + 1, value);
    const bool whole = fault == std::errc() && end == output.data() + last + 1;
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool needs_ratio(const Project& project, const std::string& metric) {
    return std::find(project.objectives.begin(), project.objectives.end(), metric) != project.objectives.end() ||
           std::any_of(project.limits.begin(), project.limits.end(),
                       [&](const Limit& limit) { return limit.metric == metric && limit.worse_by_at_most; });
}

bool reports(const Metric& metric, const Workload& workload) {
    return metric.workloads.empty() ||
           std::find(metric.workloads.begin(), metric.workloads.end(), workload.name) != metric.workloads.end();
}

tl::expected<Metrics, std::string> read_metrics(const Project& project, const Workload& workload, const fs::path& out,
                                                const std::string& standard_output, const Usage& usage,
                                                const Meters& meters) {
    Metrics metrics;
    for (const Metric& metric : project.metrics) {
        if (!reports(metric, workload) || (metric.source == Metric::Source::instructions && meters.instructions_later))
            continue;
        const auto value = value_of(metric, out, standard_output, usage, meters);
        if (!value)
            return tl::unexpected(fmt::format("workload {}: missing metric {}: {}", printable(workload.name),
                                              metric.name, value.error().found));
        if (!std::isfinite(*value) || (*value <= 0 && needs_ratio(project, metric.name)))
            return tl::unexpected(fmt::format("workload {}: metric {} is {}, which is not a positive finite number",
                                              printable(workload.name), metric.name, *value));
        metrics[metric.name] = *value;
    }
    return metrics;
}

} // namespace holdfast::study
