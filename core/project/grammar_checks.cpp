// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold of a workload's outputs.
#include "core/project/grammar.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holdfast {

using Kind = JsonNode::Kind;

namespace {

/// "same" or {"numeric": {"rtol": R, "atol": A, "ulps": U, "of-range": true}}.
std::optional<Tolerance> read_comparison(Reader& reader, const Spot& at) {
    if (at.node->kind == Kind::text) {
        reader.word_of(at, {"same"});
        return std::nullopt;
    }
    const std::string allowed = "\"same\" or {\"numeric\": {\"rtol\": 1e-6, \"atol\": 0}}";
    if (at.node->kind != Kind::object) {
        reader.wrong(at, allowed);
        return std::nullopt;
    }
    const std::size_t before = reader.problem_count();
    if (!reader.object(at, {"numeric"}) || reader.problem_count() > before)
        return std::nullopt;
    const Spot numeric = reader.need(at, "numeric", allowed);
    if (!numeric || !reader.object(numeric, {"rtol", "atol", "ulps", "of-range"}))
        return std::nullopt;
    Tolerance tolerance;
    const auto read = [&](std::string_view key, double most, const std::string& range, double& target) {
        const Spot spot = Reader::find(numeric, key);
        const auto value = spot ? reader.number(spot, range) : std::nullopt;
        if (value && !(*value >= 0 && *value <= most && std::isfinite(*value)))
            reader.wrong(spot, range);
        else if (value)
            target = *value;
    };
    // A tolerance of the whole value would let a program that prints zeros pass.
    read("rtol", 0.1, "a share of the baseline's number from 0 to 0.1", tolerance.rtol);
    read("atol", 1e300, "a number from 0 to 1e300 in the output's own unit", tolerance.atol);
    if (const Spot ulps = Reader::find(numeric, "ulps")) {
        // 2^48 steps are about a sixteenth of the number.
        const auto steps = reader.integer(ulps, 1, std::int64_t{1} << 48);
        tolerance.ulps = static_cast<std::uint64_t>(steps.value_or(1));
    }
    if (const Spot range = Reader::find(numeric, "of-range")) {
        if (range.node->kind != Kind::boolean)
            reader.wrong(range, "true: \"rtol\" is a share of the largest less the smallest number of the output; or "
                                "false: of the number itself");
        tolerance.of_range = range.node->kind == Kind::boolean && range.node->boolean;
        if (tolerance.of_range && tolerance.rtol == 0)
            reader.problem(range, "\"of-range\" without an \"rtol\" above 0", "the share of the range as \"rtol\"");
    }
    if (tolerance.rtol == 0 && tolerance.atol == 0 && !tolerance.ulps && reader.problem_count() == before)
        reader.wrong(numeric, "one of \"rtol\", \"atol\" and \"ulps\" above 0; for none write \"same\"");
    return tolerance;
}

/// How much worse: a number in the quality's unit, or "1%" of the baseline's.
void read_margin(Reader& reader, const Spot& at, Quality& quality) {
    const std::string allowed = "a number above 0 in the quality's unit, or a share of the baseline's such as \"1%\", "
                                "at most 50%: equal quality could never be shown at 0";
    quality.relative = at.node->kind == Kind::text;
    const auto margin = quality.relative ? reader.fraction(at, allowed) : reader.number(at, allowed);
    if (!margin)
        return;
    quality.margin = *margin;
    if (!(*margin > 0 && *margin <= (quality.relative ? 0.5 : 1e300)))
        reader.wrong(at, allowed);
}

/// A number that the program tells of itself, on this workload.
void read_quality_metric(Reader& reader, const Spot& at, const Project& project, const Workload& workload,
                         Quality& quality) {
    quality.metric = reader.text(at, "the name of a metric that the program reports").value_or("");
    std::vector<std::string> names;
    for (const Metric& metric : project.metrics)
        if (metric.self_reported())
            names.push_back(metric.name);
    if (std::find(names.begin(), names.end(), quality.metric) == names.end()) {
        reader.wrong(at, names.empty() ? "a metric of \"metrics\" that the program reports; it declares none"
                                       : one_of(names));
        return;
    }
    const Metric& metric = project.metric(quality.metric);
    quality.better = metric.better;
    const auto& reporting = metric.workloads;
    if (!reporting.empty() && std::find(reporting.begin(), reporting.end(), workload.name) == reporting.end())
        reader.wrong(at, "a metric that this workload reports");
}

/// Each seed is one observation, so there must be enough of them, and they must be used.
void check_quality_seeds(Reader& reader, const Spot& at, const Workload& workload) {
    const std::size_t seeds =
        workload.fresh_seeds > 0 ? static_cast<std::size_t>(workload.fresh_seeds) : workload.seeds.size();
    if (seeds < least_quality_seeds)
        reader.problem(at, fmt::format("a quality over {} seed{}", seeds, seeds == 1 ? "" : "s"),
                       fmt::format("at least {} in \"seeds\": each is one observation however often it is run, and "
                                   "fewer can never show that quality is kept (E ≥ 20)",
                                   least_quality_seeds));
    const bool used = mentions(workload.generate, "{seed}") || mentions(workload.run, "{seed}") ||
                      (workload.server && mentions(workload.server->start, "{seed}"));
    if (!used)
        reader.problem(at, "a quality over seeds that no command uses",
                       "{seed} in \"run\" or \"generate\": the same run again is no new observation");
}

std::optional<Quality> read_quality(Reader& reader, const Spot& at, const Project& project, const Workload& workload,
                                    const std::vector<std::string>& placeholders) {
    const std::size_t before = reader.problem_count();
    if (!reader.object(at, {"metric", "command", "better", "worse-by-at-most"}))
        return std::nullopt;
    Quality quality;
    const Spot metric = Reader::find(at, "metric"), command = Reader::find(at, "command");
    if (metric && command)
        reader.problem(command, "\"metric\" and \"command\"", "one of them: which says the quality?");
    else if (metric)
        read_quality_metric(reader, metric, project, workload, quality);
    else if (command)
        quality.command = reader.command(command, placeholders);
    else
        reader.wrong(at, "\"metric\", a number that the program reports, or \"command\", which prints one");
    if (const Spot better = Reader::find(at, "better")) {
        if (const auto word = reader.word_of(better, {"higher", "lower"}))
            quality.better = *word == "higher" ? Better::higher : Better::lower;
    } else if (!metric)
        reader.wrong(at, "\"better\": \"higher\" or \"lower\", since a command prints no direction");
    if (const Spot margin = reader.need(at, "worse-by-at-most", "how much worse it may be: 0.5 or \"1%\""))
        read_margin(reader, margin, quality);
    check_quality_seeds(reader, at, workload);
    return reader.problem_count() == before ? std::optional(std::move(quality)) : std::nullopt;
}

} // namespace

void read_check(Reader& reader, const Spot& at, const Project& project, Workload& workload) {
    Check& check = workload.check;
    if (!reader.object(at, {"stdout", "files", "command", "quality"}))
        return;
    const auto placeholders = with_deps(project, {"source", "build", "out", "inputs", "generated", "expected", "seed"});
    if (const Spot standard_output = Reader::find(at, "stdout")) {
        check.standard_output = Compared{"", read_comparison(reader, standard_output)};
    }
    if (const Spot files = Reader::find(at, "files")) {
        if (files.node->kind != Kind::object || files.node->children.empty())
            reader.wrong(files, "an object with one member for each compared file: {\"answers\": \"same\"}");
        else
            for (const Spot& file : Reader::members(files)) {
                const auto path = path_below_out(file.node->key);
                if (!path)
                    reader.problem_at_key(
                        file, fmt::format("the file name \"{}\"", printable(file.node->key.substr(0, 100))), below_out);
                check.files.push_back({path.value_or(""), read_comparison(reader, file)});
            }
    }
    if (const Spot command = Reader::find(at, "command"))
        check.command = reader.command(command, placeholders);
    if (const Spot quality = Reader::find(at, "quality"))
        check.quality = read_quality(reader, quality, project, workload, placeholders);
    if (at.node->children.empty())
        reader.wrong(at, "at least one of \"stdout\", \"files\", \"command\" or \"quality\": a faster program that "
                         "answers wrongly must not pass");
}

} // namespace holdfast
