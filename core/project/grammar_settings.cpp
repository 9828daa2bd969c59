// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/grammar.hpp"
#include "core/project/quantity.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast {

using Kind = JsonNode::Kind;

std::vector<std::string> with_deps(const Project& project, std::vector<std::string> placeholders) {
    if (!project.fetch.empty())
        placeholders.emplace_back("deps");
    return placeholders;
}

void read_fetch(Reader& reader, const Spot& at, Project& project) {
    project.fetch = reader.commands(at, {"source", "deps"});
}

void read_build(Reader& reader, const Spot& at, Project& project) {
    project.build = reader.commands(at, with_deps(project, {"source", "build"}));
}

void read_timeouts(Reader& reader, const Spot& at, Timeouts& timeouts) {
    if (!reader.object(at, {"build", "test", "ready", "run"}))
        return;
    const auto read = [&](std::string_view key, std::chrono::milliseconds& target) {
        const Spot spot = Reader::find(at, key);
        if (!spot)
            return;
        const auto value = spot.node->kind == Kind::text ? parse_duration(spot.node->text) : std::nullopt;
        if (value)
            target = *value;
        else
            reader.wrong(spot, "a text with a number and a unit ms, s, m or h, such as \"60s\", at most 7 days");
    };
    read("build", timeouts.build);
    read("test", timeouts.test);
    read("ready", timeouts.ready);
    read("run", timeouts.run);
}

void read_limits(Reader& reader, const Spot& at, Project& project) {
    if (at.node->kind != Kind::object) {
        reader.wrong(at, "an object with one member for each limited metric");
        return;
    }
    for (const Spot& member : Reader::members(at)) {
        Limit limit;
        limit.metric = member.node->key;
        if (!reader.object(member, {"worse-by-at-most", "at-most"}))
            continue;
        if (member.node->children.empty())
            reader.wrong(member, "\"worse-by-at-most\", \"at-most\" or both");
        if (const Spot worse = Reader::find(member, "worse-by-at-most")) {
            const std::string allowed = "a share of the baseline from 0 to 10, such as \"10%\" or 0.1";
            limit.worse_by_at_most = reader.fraction(worse, allowed);
            if (limit.worse_by_at_most && !(*limit.worse_by_at_most >= 0 && *limit.worse_by_at_most <= 10))
                reader.wrong(worse, allowed);
        }
        if (const Spot most = Reader::find(member, "at-most"))
            limit.at_most = reader.number(most, "a number in the metric's unit");
        project.limits.push_back(std::move(limit));
    }
}

void read_code(Reader& reader, const Spot& at, Project& project) {
    Code& code = project.code;
    if (!reader.object(at, {"editable", "protected", "test"}))
        return;
    const auto globs = [&](std::string_view key, std::vector<std::string>& target) {
        const Spot spot = Reader::find(at, key);
        if (!spot)
            return;
        for (const Spot& item : reader.items(spot, "an array of globs such as \"src/**\"")) {
            const std::string allowed = "a glob relative to the project folder, without \"..\"";
            const auto glob = reader.text(item, allowed);
            if (glob && !path_below(*glob))
                reader.wrong(item, allowed);
            else if (glob)
                target.push_back(*glob);
        }
    };
    globs("editable", code.editable);
    globs("protected", code.protected_paths);
    if (const Spot test = Reader::find(at, "test"))
        code.test = reader.commands(test, with_deps(project, {"source", "build"}));
}

void read_search(Reader& reader, const Spot& at, const Project& project, SearchSettings& search) {
    if (!reader.object(at, {"tuners", "trials", "leaders", "fix"}))
        return;
    if (const Spot tuners = Reader::find(at, "tuners")) {
        search.tuners.clear();
        for (const Spot& item : reader.items(tuners, "an array of tuner names such as \"local\""))
            if (const auto name = reader.text(item, "the name of a tuner"))
                search.tuners.push_back(*name);
    }
    if (const Spot trials = Reader::find(at, "trials"))
        search.trials = static_cast<int>(reader.integer(trials, 0, 1'000'000).value_or(search.trials));
    if (const Spot leaders = Reader::find(at, "leaders"))
        search.leaders = static_cast<int>(reader.integer(leaders, 1, 1000).value_or(search.leaders));
    if (const Spot fix = Reader::find(at, "fix"))
        for (const Spot& item : reader.items(fix, "an array of knob names")) {
            const auto name = reader.text(item, "the name of a knob");
            if (name && project.knob(*name) == nullptr)
                reader.wrong(item, "the name of a knob of this project");
            else if (name)
                search.fixed.push_back(*name);
        }
}

void read_decision(Reader& reader, const Spot& at, DecisionSettings& decision) {
    if (!reader.object(at, {"minimum-effect", "harm-margin", "false-proposal-rate", "max-confirmations", "max-pairs",
                            "holdout-pairs", "holdout-questions", "quarantine"}))
        return;
    if (const Spot effect = Reader::find(at, "minimum-effect")) {
        const std::string allowed = "a share from 0 to below 0.5, such as \"1%\" or 0.01";
        decision.minimum_effect = reader.fraction(effect, allowed).value_or(decision.minimum_effect);
        if (!(decision.minimum_effect >= 0 && decision.minimum_effect < 0.5))
            reader.wrong(effect, allowed);
    }
    if (const Spot margin = Reader::find(at, "harm-margin")) {
        const std::string allowed = "a share above 0 and below 0.5, such as \"3%\" or 0.03";
        decision.harm_margin = reader.fraction(margin, allowed).value_or(decision.harm_margin);
        if (!(decision.harm_margin > 0 && decision.harm_margin < 0.5))
            reader.wrong(margin, allowed);
    }
    if (const Spot rate = Reader::find(at, "false-proposal-rate")) {
        const std::string allowed = "a number above 0 and below 0.5, such as 0.1";
        decision.false_proposal_rate = reader.number(rate, allowed).value_or(decision.false_proposal_rate);
        if (!(decision.false_proposal_rate > 0 && decision.false_proposal_rate < 0.5))
            reader.wrong(rate, allowed);
    }
    const auto count = [&](std::string_view key, int least, int most, int otherwise) {
        const Spot spot = Reader::find(at, key);
        return spot ? static_cast<int>(reader.integer(spot, least, most).value_or(otherwise)) : otherwise;
    };
    decision.max_confirmations = count("max-confirmations", 1, 1000, decision.max_confirmations);
    decision.max_pairs = count("max-pairs", 12, 10000, decision.max_pairs);
    decision.holdout_questions = count("holdout-questions", 1, 1000, decision.holdout_questions);
    if (Reader::find(at, "holdout-pairs"))
        decision.holdout_pairs = count("holdout-pairs", 6, 10000, 6);
    if (const Spot quarantine = Reader::find(at, "quarantine")) {
        if (quarantine.node->kind != Kind::boolean)
            reader.wrong(quarantine, "true or false");
        decision.quarantine = quarantine.node->kind != Kind::boolean || quarantine.node->boolean;
    }
}

namespace {

/// "/opt/data" or "~/.venv": names something and stays below where it starts.
bool is_outside_path(const std::string& path) {
    if (path.starts_with("~/"))
        return path_below(path.substr(2)).has_value();
    return path.starts_with('/') && path_below(path.substr(1)).has_value();
}

} // namespace

void read_sandbox(Reader& reader, const Spot& at, SandboxSettings& sandbox) {
    if (!reader.object(at, {"memory", "processes", "disk", "read", "environment"}))
        return;
    const auto bytes = [&](std::string_view key, std::uint64_t& target) {
        const Spot spot = Reader::find(at, key);
        if (!spot)
            return;
        const auto value = spot.node->kind == Kind::text ? parse_bytes(spot.node->text) : std::nullopt;
        if (value && *value >= (1ULL << 20))
            target = *value;
        else
            reader.wrong(spot, "a text with a number and a unit, such as \"4GiB\", from 1MiB to 1024TiB");
    };
    bytes("memory", sandbox.memory_bytes);
    bytes("disk", sandbox.disk_bytes);
    if (const Spot processes = Reader::find(at, "processes"))
        sandbox.processes = static_cast<unsigned>(reader.integer(processes, 1, 1 << 22).value_or(sandbox.processes));
    if (const Spot read = Reader::find(at, "read"))
        for (const Spot& item : reader.items(read, "an array of paths such as \"~/.venv\"")) {
            const std::string allowed =
                "an absolute path of something below /, or one that starts with ~/, without \"..\"";
            const auto path = reader.text(item, allowed);
            if (path && !is_outside_path(*path))
                reader.wrong(item, allowed);
            else if (path)
                sandbox.read.push_back(*path);
        }
    if (const Spot environment = Reader::find(at, "environment"))
        for (const Spot& item : reader.items(environment, "an array of names such as \"LANG\"")) {
            const std::string allowed = "the name of a variable, other than PATH, HOME, TMPDIR and LD_*";
            const auto name = reader.text(item, allowed);
            if (name && (!is_variable_name(*name) || decides_what_runs(*name)))
                reader.wrong(item, allowed);
            else if (name)
                sandbox.environment.push_back(*name);
        }
}

void read_probe(Reader& reader, const Spot& at, ProbeSettings& probe) {
    if (!reader.object(at, {"sanitizers", "inputs", "time"}))
        return;
    if (const Spot sanitizers = Reader::find(at, "sanitizers")) {
        probe.sanitizers.clear();
        for (const Spot& item : reader.items(sanitizers, "an array of \"address\", \"undefined\" and \"thread\""))
            if (const auto name = reader.word_of(item, {"address", "undefined", "thread"})) {
                if (std::find(probe.sanitizers.begin(), probe.sanitizers.end(), *name) != probe.sanitizers.end())
                    reader.wrong(item, "each name once");
                probe.sanitizers.push_back(*name);
            }
    }
    if (const Spot inputs = Reader::find(at, "inputs"))
        probe.inputs = static_cast<int>(reader.integer(inputs, 0, 10'000).value_or(probe.inputs));
    if (const Spot time = Reader::find(at, "time")) {
        const auto value = time.node->kind == Kind::text ? parse_duration(time.node->text) : std::nullopt;
        if (value)
            probe.time = *value;
        else
            reader.wrong(time, "a text with a number and a unit ms, s, m or h, such as \"5m\"");
    }
}

void read_review(Reader& reader, const Spot& at, ReviewSettings& review) {
    if (!reader.object(at, {"signatures", "allowed-signers"}))
        return;
    const Spot signatures = Reader::find(at, "signatures");
    if (signatures)
        review.signatures_required = reader.word_of(signatures, {"required", "optional"}) == "required";
    const Spot signers = Reader::find(at, "allowed-signers");
    if (signers)
        review.allowed_signers =
            reader.relative_path(signers, "the path of a file in the repository, without \"..\"").value_or("");
    else if (review.signatures_required)
        reader.problem(signatures, "\"required\" without \"allowed-signers\"",
                       "\"allowed-signers\": the path of the file that says whose key is whose");
}

} // namespace holdfast
