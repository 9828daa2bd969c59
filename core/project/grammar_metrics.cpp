// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/grammar.hpp"
#include "core/project/pattern.hpp"
#include "core/project/placeholders.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast {

using Kind = JsonNode::Kind;

namespace {

// std::regex compiles recursively and copies what it repeats, so long patterns are the ones that hurt.
constexpr std::size_t longest_pattern = 500;

void read_pattern(Reader& reader, const Spot& at, Metric& metric) {
    const std::string allowed = "an ECMAScript regular expression with one group, which matches a number";
    const auto pattern = reader.text(at, allowed);
    if (!pattern)
        return;
    metric.pattern = *pattern;
    if (pattern->size() > longest_pattern) {
        reader.problem(at, fmt::format("a pattern of {} bytes", pattern->size()),
                       fmt::format("at most {} bytes", longest_pattern));
        return;
    }
    const auto groups = count_groups(*pattern);
    if (!groups)
        reader.problem(at, fmt::format("{}: {}", at.node->description(), printable(groups.error())), allowed);
    else if (*groups != 1)
        reader.problem(at, fmt::format("{} groups in {}", *groups, at.node->description()),
                       "exactly one group; write (?:...) for those that only bracket");
}

void read_json_source(Reader& reader, const Spot& at, Metric& metric) {
    if (const Spot file = reader.need(at, "file", below_out)) {
        const auto text = reader.text(file, below_out);
        const auto path = text ? path_below_out(*text) : std::nullopt;
        if (text && !path)
            reader.wrong(file, below_out);
        metric.file = path.value_or("");
    }
    const std::string allowed = "a JSON pointer to a number, such as \"/latency/p99\"";
    if (const Spot path = reader.need(at, "path", allowed)) {
        metric.path = reader.text(path, allowed).value_or("/");
        bool valid = metric.path.starts_with('/');
        for (auto tilde = metric.path.find('~'); tilde != std::string::npos; tilde = metric.path.find('~', tilde + 1))
            valid = valid && (metric.path.substr(tilde, 2) == "~0" || metric.path.substr(tilde, 2) == "~1");
        if (!valid)
            reader.wrong(path, allowed);
    }
}

Metric read_metric(Reader& reader, const Spot& at) {
    Metric metric;
    metric.name = at.node->key;
    const Spot from = Reader::find(at, "from");
    const bool json = from && from.node->kind == Kind::text && from.node->text == "json";
    const bool standard_output = from && from.node->kind == Kind::text && from.node->text == "stdout";
    std::vector<std::string> keys{"from", "unit", "better", "workloads"};
    if (!json)
        keys.emplace_back("pattern");
    if (!standard_output) {
        keys.emplace_back("file");
        keys.emplace_back("path");
    }
    if (!reader.object(at, keys))
        return metric;
    if (const Spot source = reader.need(at, "from", "\"stdout\" or \"json\""))
        reader.word_of(source, {"stdout", "json"});
    metric.source = json ? Metric::Source::json_file : Metric::Source::standard_output;
    if (json)
        read_json_source(reader, at, metric);
    if (standard_output)
        if (const Spot pattern = reader.need(at, "pattern", "a regular expression with one group"))
            read_pattern(reader, pattern, metric);
    if (const Spot unit = Reader::find(at, "unit")) {
        const std::string allowed = "a unit: at most 20 bytes of printable text";
        metric.unit = reader.text(unit, allowed).value_or("");
        if (metric.unit.size() > 20 || printable(metric.unit) != metric.unit)
            reader.wrong(unit, allowed);
    }
    if (const Spot better = Reader::find(at, "better"))
        metric.better = reader.word_of(better, {"lower", "higher"}) == "higher" ? Better::higher : Better::lower;
    if (const Spot workloads = Reader::find(at, "workloads")) {
        const std::string allowed = "an array with the names of the workloads that report it; leave it out for all";
        metric.workloads = reader.texts(workloads, allowed);
        if (workloads.node->kind == Kind::array && workloads.node->children.empty())
            reader.wrong(workloads, allowed);
    }
    return metric;
}

bool is_name(const std::string& name) {
    return !name.empty() && name.size() <= 100 && name.front() != ' ' && name.back() != ' ' && printable(name) == name;
}

} // namespace

const std::string below_out = "the path of a file below {out}, without \"..\"";

std::optional<std::string> path_below_out(const std::string& text) {
    constexpr std::string_view prefix = "{out}/";
    auto path = path_below(text.starts_with(prefix) ? text.substr(prefix.size()) : text);
    if (path && next_placeholder(*path, 0))
        return std::nullopt;
    return path;
}

void add_standard_metrics(Project& project) {
    const auto add = [&](const char* name, Metric::Source source, const char* unit) {
        Metric metric;
        metric.name = name;
        metric.source = source;
        metric.unit = unit;
        project.metrics.push_back(std::move(metric));
    };
    add("wall", Metric::Source::wall, "s");
    add("cpu", Metric::Source::cpu, "s");
    add("peak-memory", Metric::Source::peak_memory, "B");
}

void add_counted_metrics(Project& project) {
    const auto add = [&](const char* name, Metric::Source source, const char* unit) {
        const bool named =
            std::find(project.objectives.begin(), project.objectives.end(), name) != project.objectives.end() ||
            std::any_of(project.limits.begin(), project.limits.end(),
                        [&](const Limit& limit) { return limit.metric == name; });
        const bool declared = std::any_of(project.metrics.begin(), project.metrics.end(),
                                          [&](const Metric& metric) { return metric.name == name; });
        if (!named || declared)
            return;
        Metric metric;
        metric.name = name;
        metric.source = source;
        metric.unit = unit;
        project.metrics.push_back(std::move(metric));
    };
    add("instructions", Metric::Source::instructions, "");
    add("energy", Metric::Source::energy, "J");
}

void read_metrics(Reader& reader, const Spot& at, Project& project) {
    if (at.node->kind != Kind::object) {
        reader.wrong(at, "an object with one member for each metric");
        return;
    }
    std::vector<Metric> declared;
    for (const Spot& member : Reader::members(at)) {
        const std::string& name = member.node->key;
        const bool standard = std::any_of(project.metrics.begin(), project.metrics.end(),
                                          [&](const Metric& metric) { return metric.name == name; });
        if (standard)
            reader.problem_at_key(member, fmt::format("the metric \"{}\"", name),
                                  "another name: wall, cpu and peak-memory exist without being declared");
        else if (!is_name(name))
            reader.problem_at_key(member, fmt::format("the metric name \"{}\"", printable(name.substr(0, 100))),
                                  "1 to 100 bytes of printable text, no space at its ends");
        declared.push_back(read_metric(reader, member));
    }
    project.metrics.insert(project.metrics.end(), declared.begin(), declared.end());
}

} // namespace holdfast
