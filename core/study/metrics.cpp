// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/metrics.hpp"

#include "core/project/pattern.hpp"
#include "core/project/text.hpp"
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

Result<double> from_json(const Metric& metric, const fs::path& out) {
    const std::string attempted = "read the metric " + metric.name;
    auto bytes = read_output(out, metric.file, max_metric_file);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (!bytes->has_value())
        return failed(attempted, "the run wrote no file " + printable(metric.file), "Check \"file\" and the program");
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
    const auto json = nlohmann::json::parse(**bytes, watch_keys, false);
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
        return failed("read the metric " + metric.name, "nothing reads it yet", "Choose another metric");
    case Metric::Source::json_file:
        break;
    }
    return from_json(metric, out);
}

} // namespace

bool needs_ratio(const Project& project, const std::string& metric) {
    return metric == project.objective ||
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
