// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/grammar.hpp"
#include "core/project/pattern.hpp"
#include "core/project/placeholders.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

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

void read_file(Reader& reader, const Spot& at, Metric& metric) {
    if (const Spot file = reader.need(at, "file", below_out)) {
        const auto text = reader.text(file, below_out);
        const auto path = text ? path_below_out(*text) : std::nullopt;
        if (text && !path)
            reader.wrong(file, below_out);
        metric.file = path.value_or("");
    }
}

void read_pointer(Reader& reader, const Spot& at, Metric& metric) {
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

/// What the names of quantities say of themselves; core/results gives them their names.
void take_defaults(Metric& metric) {
    const std::string& value = metric.value;
    const bool rate = value == "throughput" || value.ends_with("_per_second");
    metric.better = rate ? Better::higher : Better::lower;
    if (value.empty() || value == "time" || value == "cpu-time" || value == "user" || value == "system")
        metric.unit = "s";
    else if (value == "peak-memory")
        metric.unit = "B";
    else if (value == "bytes_per_second")
        metric.unit = "B/s";
    else if (value == "items_per_second")
        metric.unit = "1/s";
}

void read_tool_file(Reader& reader, const Spot& at, const std::string& tool, Metric& metric) {
    metric.tool = tool;
    read_file(reader, at, metric);
    for (const auto& [key, into] : {std::pair("benchmark", &metric.benchmark), std::pair("value", &metric.value)})
        if (const Spot spot = Reader::find(at, key)) {
            const std::string allowed = "a name as the file has it; leave it out for the only or the main one";
            *into = reader.text(spot, allowed).value_or("");
            if (into->empty() && spot.node->kind == Kind::text)
                reader.wrong(spot, allowed);
        }
    take_defaults(metric);
}

void read_common(Reader& reader, const Spot& at, Metric& metric) {
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
    if (const Spot accept = Reader::find(at, "accept-self-reported")) {
        metric.accept_self_reported = accept.node->kind == Kind::boolean && accept.node->boolean;
        if (accept.node->kind != Kind::boolean)
            reader.wrong(accept, "true or false");
    }
    if (const Spot proxy = Reader::find(at, "proxy-for"))
        metric.proxy_for = reader.text(proxy, "the name of the metric that users see").value_or("");
}

/// Of a main quantity where less is better, too: each of these programs measures times.
bool is_time(const Metric& metric) {
    const std::string& value = metric.value;
    return (value.empty() && metric.better == Better::lower) || value == "time" || value == "cpu-time" ||
           (metric.tool == "hyperfine" && (value == "user" || value == "system"));
}

void check_time_unit(Reader& reader, const Spot& at, const Metric& metric) {
    const Spot unit = Reader::find(at, "unit");
    const std::vector<std::string> units{"ns", "us", "ms", "s"};
    const bool known = std::find(units.begin(), units.end(), metric.unit) != units.end();
    if (unit && unit.node->kind == Kind::text && !metric.unit.empty() && !known && is_time(metric))
        reader.wrong(unit, one_of(units) + ": it is a time");
}

Metric read_metric(Reader& reader, const Spot& at) {
    Metric metric;
    metric.name = at.node->key;
    const Spot from = Reader::find(at, "from");
    const std::string word = from && from.node->kind == Kind::text ? from.node->text : "";
    const std::vector<std::string>& tools = benchmarking_tools();
    const bool tool = std::find(tools.begin(), tools.end(), word) != tools.end();
    std::vector<std::string> keys{"from", "unit", "better", "workloads", "accept-self-reported", "proxy-for"};
    const auto may = [&](bool here, std::initializer_list<const char*> more) {
        if (here)
            keys.insert(keys.end(), more.begin(), more.end());
    };
    may(word != "json" && !tool, {"pattern"});
    may(word != "stdout", {"file"});
    may(word != "stdout" && !tool, {"path"});
    may(word != "stdout" && word != "json", {"benchmark", "value"});
    if (!reader.object(at, keys))
        return metric;
    std::vector<std::string> sources{"stdout", "json"};
    sources.insert(sources.end(), tools.begin(), tools.end());
    if (const Spot source = reader.need(at, "from", one_of(sources)))
        reader.word_of(source, sources);
    metric.source = word == "json" ? Metric::Source::json_file
                    : tool         ? Metric::Source::tool_file
                                   : Metric::Source::standard_output;
    if (word == "json") {
        read_file(reader, at, metric);
        read_pointer(reader, at, metric);
    }
    if (tool)
        read_tool_file(reader, at, word, metric);
    if (word == "stdout")
        if (const Spot pattern = reader.need(at, "pattern", "a regular expression with one group"))
            read_pattern(reader, pattern, metric);
    read_common(reader, at, metric);
    if (tool)
        check_time_unit(reader, at, metric);
    // The main quantity of a program may be a rate, which the project tells by its direction.
    if (tool && metric.value.empty() && metric.better == Better::higher && !Reader::find(at, "unit"))
        metric.unit = "1/s";
    return metric;
}

/// Every metric is known by then.
void check_proxies(Reader& reader, const Spot& at, const Project& project) {
    std::vector<std::string> names;
    for (const Metric& metric : project.metrics)
        names.push_back(metric.name);
    for (const Spot& member : Reader::members(at)) {
        const Spot proxy = Reader::find(member, "proxy-for");
        if (!proxy || proxy.node->kind != Kind::text)
            continue;
        const std::string& wanted = proxy.node->text;
        const std::string allowed = "the name of the metric that users see, which is no proxy itself";
        const auto found = std::find(names.begin(), names.end(), wanted);
        if (found == names.end()) {
            const std::string near = nearest(wanted, names);
            reader.problem(proxy, fmt::format("the unknown metric \"{}\"", printable(wanted.substr(0, 100))),
                           near.empty() ? one_of(names) : fmt::format("{} (nearest: \"{}\")", one_of(names), near));
        } else if (wanted == member.node->key) {
            reader.problem(proxy, "the metric itself", allowed);
        } else if (const auto& target = project.metrics[static_cast<std::size_t>(found - names.begin())];
                   !target.proxy_for.empty()) {
            reader.problem(proxy, fmt::format("\"{}\", which is a proxy", wanted), allowed);
        }
    }
}

bool is_name(const std::string& name) {
    return !name.empty() && name.size() <= 100 && name.front() != ' ' && name.back() != ' ' && printable(name) == name;
}

void add_metric(Project& project, const char* name, Metric::Source source, const char* unit) {
    Metric metric;
    metric.name = name;
    metric.source = source;
    metric.unit = unit;
    project.metrics.push_back(std::move(metric));
}

} // namespace

const std::vector<std::string>& benchmarking_tools() {
    static const std::vector<std::string> tools{"google-benchmark", "hyperfine", "pytest-benchmark", "jmh", "nanobench",
                                                "criterion",        "catch2"};
    return tools;
}

const std::string below_out = "the path of a file below {out}, without \"..\"";

std::optional<std::string> path_below_out(const std::string& text) {
    constexpr std::string_view prefix = "{out}/";
    auto path = path_below(text.starts_with(prefix) ? text.substr(prefix.size()) : text);
    if (path && next_placeholder(*path, 0))
        return std::nullopt;
    return path;
}

void add_standard_metrics(Project& project) {
    add_metric(project, "wall", Metric::Source::wall, "s");
    add_metric(project, "cpu", Metric::Source::cpu, "s");
    add_metric(project, "peak-memory", Metric::Source::peak_memory, "B");
}

void add_counted_metrics(Project& project) {
    const auto add = [&](const char* name, Metric::Source source, const char* unit) {
        const bool named =
            std::find(project.objectives.begin(), project.objectives.end(), name) != project.objectives.end() ||
            std::any_of(project.limits.begin(), project.limits.end(),
                        [&](const Limit& limit) { return limit.metric == name; });
        const bool declared = std::any_of(project.metrics.begin(), project.metrics.end(),
                                          [&](const Metric& metric) { return metric.name == name; });
        if (named && !declared)
            add_metric(project, name, source, unit);
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
    check_proxies(reader, at, project);
}

void read_objective(Reader& reader, const Spot& at, Project& project) {
    const std::string allowed = "the name of one metric, or an array with two or three different ones";
    if (at.node->kind == JsonNode::Kind::text) {
        project.objectives = {reader.text(at, allowed).value_or("wall")};
        return;
    }
    if (at.node->kind != JsonNode::Kind::array || at.node->children.size() < 2 || at.node->children.size() > 3) {
        reader.wrong(at, allowed);
        return;
    }
    std::vector<std::string> names;
    for (const Spot& item : reader.items(at, allowed)) {
        const auto name = reader.text(item, "the name of a metric");
        if (name && std::find(names.begin(), names.end(), *name) != names.end())
            reader.problem(item, fmt::format("the objective \"{}\" a second time", printable(*name)), "each once");
        names.push_back(name.value_or("wall"));
    }
    project.objectives = std::move(names);
}

} // namespace holdfast
