// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/grammar.hpp"
#include "core/project/placeholders.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace holdfast {

using Kind = JsonNode::Kind;

namespace {

void read_inputs(Reader& reader, const Spot& at, Workload& workload) {
    std::set<std::string> names;
    for (const Spot& item : reader.items(at, "an array with the paths of files")) {
        const auto path = reader.relative_path(item, "the path of a file inside the project folder, without \"..\"");
        if (!path)
            continue;
        const std::string name = std::filesystem::path(*path).filename().string();
        if (!names.insert(name).second)
            reader.problem(item, fmt::format("a second input called \"{}\"", printable(name)),
                           "inputs with different last components, since a run sees them side by side in {inputs}");
        workload.inputs.push_back(*path);
    }
}

Role read_role(Reader& reader, const Spot& at, bool in_holdout_file) {
    const Role implied = in_holdout_file ? Role::holdout : Role::tuning;
    const Spot spot = Reader::find(at, "role");
    if (!spot)
        return implied;
    const auto word = reader.word_of(spot, {"tuning", "holdout"});
    if (in_holdout_file && word == "tuning") {
        reader.wrong(spot, "\"holdout\": every workload of this file is held out; tuning ones belong in holdfast.json");
        return implied;
    }
    return word ? (*word == "holdout" ? Role::holdout : Role::tuning) : implied;
}

/// What fills a placeholder must be there where it is used.
void check_filled(Reader& reader, const Spot& at, const Argv& command, std::string_view placeholder, const char* key,
                  const std::string& what) {
    if (mentions(command, placeholder))
        reader.problem(at, fmt::format("{} in a workload without \"{}\"", placeholder, key), what);
}

/// {"fresh": N}: seeds drawn anew for each held-out question.
void read_fresh_seeds(Reader& reader, const Spot& spot, Workload& workload) {
    if (!reader.object(spot, {"fresh"}))
        return;
    const Spot fresh = reader.need(spot, "fresh", "how many seeds are drawn for each held-out question");
    if (!fresh)
        return;
    workload.fresh_seeds = static_cast<int>(reader.integer(fresh, 1, 100).value_or(0));
    if (workload.role != Role::holdout)
        reader.problem(spot, "fresh seeds in a tuning workload",
                       "a list of seeds: seeds are drawn anew for held-out questions alone");
}

void read_seeds(Reader& reader, const Spot& at, Workload& workload) {
    const Spot spot = Reader::find(at, "seeds");
    if (!spot)
        return;
    if (spot.node->kind == Kind::object)
        return read_fresh_seeds(reader, spot, workload);
    const std::string allowed = "an array of 1 to 100 different integers from 0, such as [1, 2, 3], or of a held-out "
                                "workload {\"fresh\": 5}";
    const std::size_t before = reader.problem_count();
    std::vector<std::int64_t> seeds;
    for (const Spot& item : reader.items(spot, allowed)) {
        const auto seed = reader.integer(item, 0, (std::int64_t{1} << 53));
        if (seed && std::find(seeds.begin(), seeds.end(), *seed) != seeds.end())
            reader.problem(item, fmt::format("the seed {} a second time", *seed), "each seed once");
        seeds.push_back(seed.value_or(0));
    }
    if (reader.problem_count() == before && (seeds.empty() || seeds.size() > 100))
        reader.wrong(spot, allowed);
    else if (!seeds.empty())
        workload.seeds = std::move(seeds);
}

void read_server(Reader& reader, const Spot& at, const Project& project, Workload& workload) {
    const Spot start = Reader::find(at, "start");
    if (!start) {
        for (const char* key : {"ready", "stop", "keep"})
            if (const Spot extra = Reader::find(at, key))
                reader.problem_at_key(extra, fmt::format("\"{}\" without \"start\"", key),
                                      "a \"start\" command: the server it belongs to");
        return;
    }
    Server server;
    std::vector<std::string> beside = with_deps(project, {"source", "build", "prepared", "scratch", "port"});
    if (const Spot ready = Reader::find(at, "ready"))
        server.ready = reader.command(ready, beside);
    if (const Spot stop = Reader::find(at, "stop"))
        server.stop = reader.command(stop, beside);
    beside.insert(beside.end(), {"inputs", "generated", "knobs"});
    const Spot keep = Reader::find(at, "keep");
    if (keep && keep.node->kind != Kind::boolean)
        reader.wrong(keep, "true: one server for all runs of a session; or false: a fresh one for each run");
    server.keep = keep && keep.node->boolean;
    if (!server.keep)
        beside.emplace_back("seed");
    server.start = reader.command(start, beside);
    if (server.keep && (workload.seeds.size() > 1 || workload.fresh_seeds > 0))
        reader.problem(keep, "a server that is kept and several seeds",
                       "one seed, or \"keep\": false: a kept server is started once, with one input");
    workload.server = std::move(server);
}

void read_commands(Reader& reader, const Spot& at, const Project& project, Workload& workload) {
    read_seeds(reader, at, workload);
    const Spot generate = Reader::find(at, "generate");
    if (generate)
        workload.generate =
            reader.command(generate, with_deps(project, {"source", "build", "inputs", "generated", "seed"}));
    const Spot prepare = Reader::find(at, "prepare");
    if (prepare)
        workload.prepare =
            reader.command(prepare, with_deps(project, {"source", "build", "inputs", "generated", "prepared"}));
    if (mentions(workload.prepare, "{generated}") && (workload.seeds.size() > 1 || workload.fresh_seeds > 0))
        reader.problem(prepare, "{generated} in the \"prepare\" of a workload with several seeds",
                       "one seed: prepare runs once per session, each seed makes an input of its own");
    read_server(reader, at, project, workload);
    const Spot run = reader.need(at, "run", "the command that is measured, an array of texts");
    if (!run)
        return;
    std::vector<std::string> known{"source",   "build",   "out",  "inputs", "generated",
                                   "prepared", "scratch", "seed", "knobs"};
    if (workload.server)
        known.emplace_back("port");
    workload.run = reader.command(run, with_deps(project, known));
    if (workload.fresh_seeds > 0 && !generate && !mentions(workload.run, "{seed}") &&
        !(workload.server && mentions(workload.server->start, "{seed}")))
        reader.problem(Reader::find(at, "seeds"), "fresh seeds that no command of the workload takes",
                       "a \"generate\" command, or {seed} in \"run\" or \"start\"");
    for (const auto& [spot, command] :
         {std::pair(prepare, workload.prepare), std::pair(run, workload.run),
          std::pair(Reader::find(at, "start"), workload.server ? workload.server->start : Argv())}) {
        if (!generate)
            check_filled(reader, spot, command, "{generated}", "generate", "a \"generate\" command that fills it");
        if (!prepare)
            check_filled(reader, spot, command, "{prepared}", "prepare", "a \"prepare\" command that fills it");
    }
}

Workload read_workload(Reader& reader, const Spot& at, bool in_holdout_file, const Project& project) {
    Workload workload;
    if (!reader.object(at, {"name", "role", "weight", "inputs", "generate", "seeds", "prepare", "start", "ready",
                            "stop", "keep", "run", "check", "variants", "card"}))
        return workload;
    if (const Spot name = reader.need(at, "name", "the workload's name"))
        workload.name = reader.name(name).value_or("");
    workload.role = read_role(reader, at, in_holdout_file);
    workload.readable_holdout = workload.role == Role::holdout && !in_holdout_file;
    if (const Spot weight = Reader::find(at, "weight")) {
        const std::string allowed = "a number above 0, at most 1e6";
        workload.weight = reader.number(weight, allowed).value_or(1);
        if (!(workload.weight > 0 && workload.weight <= 1e6))
            reader.wrong(weight, allowed);
    }
    if (const Spot inputs = Reader::find(at, "inputs"))
        read_inputs(reader, inputs, workload);
    read_commands(reader, at, project, workload);
    if (const Spot check =
            reader.need(at, "check",
                        "what must equal the baseline's output, such as {\"stdout\": \"same\"}: a faster "
                        "program that answers wrongly must not pass"))
        read_check(reader, check, project, workload);
    if (const Spot variants = Reader::find(at, "variants")) {
        const std::size_t before = reader.problem_count();
        read_variants(reader, variants, project, workload);
        if (reader.problem_count() == before && Reader::find(at, "check"))
            check_variants(reader, variants, workload);
    }
    if (const Spot card = Reader::find(at, "card"))
        workload.card = read_card(reader, card);
    return workload;
}

} // namespace

bool mentions(const Argv& command, std::string_view placeholder) {
    return std::any_of(command.begin(), command.end(),
                       [&](const std::string& word) { return word.find(placeholder) != std::string::npos; });
}

void read_workloads(Reader& reader, const Spot& at, bool in_holdout_file, Project& project) {
    for (const Spot& item : reader.items(at, "an array of workloads")) {
        Workload workload = read_workload(reader, item, in_holdout_file, project);
        const bool taken = std::any_of(project.workloads.begin(), project.workloads.end(),
                                       [&](const Workload& other) { return other.name == workload.name; });
        if (taken && !workload.name.empty())
            reader.problem(Reader::find(item, "name"), fmt::format("a second workload called \"{}\"", workload.name),
                           "each name once, in holdfast.json and the held-out file together");
        project.workloads.push_back(std::move(workload));
    }
}

} // namespace holdfast
