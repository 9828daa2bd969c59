// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.hpp"
#include "tests/catch.h"
#include "tests/unit/folder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// The text of a small valid project file whose top-level members can be replaced, added or (with "") left out.
inline std::string project_text(const std::map<std::string, std::string>& changes = {}) {
    std::map<std::string, std::string> members{
        {"name", R"("zorder")"},
        {"build", R"([["cmake", "-S", "{source}", "-B", "{build}"], ["cmake", "--build", "{build}"]])"},
        {"workloads",
         R"([{"name": "skewed", "inputs": ["data/skewed.bin"], "run": ["{build}/zorder", "{inputs}/skewed.bin"],
                           "check": {"stdout": "same"}}])"},
        {"knobs", R"([{"name": "block_rows", "type": "integer", "min": 64, "max": 8192, "scale": "log", "default": 512,
                       "through": {"argument": "--block-rows={value}"}},
                      {"name": "opt", "type": "categorical", "values": ["-O2", "-O3 -g"], "default": "-O2",
                       "through": {"cmake": "CMAKE_CXX_FLAGS_RELEASE"}},
                      {"name": "cache", "type": "real", "min": 0.1, "max": 0.9, "default": 0.5,
                       "through": {"environment": "CACHE"}},
                      {"name": "simd", "type": "boolean", "default": true, "through": {"argument": "{value}"}}])"},
        {"constraints", R"(["block_rows % 64 == 0", "opt == \"-O2\" || simd"])"},
    };
    for (const auto& [key, text] : changes) {
        if (text.empty())
            members.erase(key);
        else
            members[key] = text;
    }
    std::string text = "{\n";
    for (const auto& [key, value] : members)
        text += (text.size() > 2 ? ",\n\"" : "\"") + key + "\": " + value;
    return text + "\n}\n";
}

inline void check_same(const holdfast::Metric& a, const holdfast::Metric& b) {
    CHECK(a.name == b.name);
    CHECK(a.source == b.source);
    CHECK(a.pattern == b.pattern);
    CHECK(a.file == b.file);
    CHECK(a.path == b.path);
    CHECK(a.unit == b.unit);
    CHECK(a.better == b.better);
    CHECK(a.workloads == b.workloads);
    CHECK(a.tool == b.tool);
    CHECK(a.benchmark == b.benchmark);
    CHECK(a.value == b.value);
    CHECK(a.accept_self_reported == b.accept_self_reported);
    CHECK(a.proxy_for == b.proxy_for);
}

inline std::vector<std::string> checked_files(const holdfast::Workload& workload) {
    std::vector<std::string> names;
    for (const holdfast::Compared& compared : workload.check.files)
        names.push_back(compared.file);
    return names;
}

inline void check_same(const holdfast::Workload& a, const holdfast::Workload& b) {
    const auto sorted = [](std::vector<std::string> names) {
        std::sort(names.begin(), names.end());
        return names;
    };
    CHECK(a.name == b.name);
    CHECK(a.role == b.role);
    CHECK(a.weight == b.weight);
    CHECK(a.inputs == b.inputs);
    CHECK(a.seeds == b.seeds);
    CHECK(a.fresh_seeds == b.fresh_seeds);
    CHECK(a.variants.size() == b.variants.size());
    CHECK(a.card.about == b.card.about);
    CHECK(a.prepare == b.prepare);
    CHECK(a.run == b.run);
    CHECK(a.check.standard_output.has_value() == b.check.standard_output.has_value());
    CHECK(sorted(checked_files(a)) == sorted(checked_files(b)));
    CHECK(a.check.command == b.check.command);
    CHECK(a.readable_holdout == b.readable_holdout);
}

inline void check_same(const holdfast::Knob& a, const holdfast::Knob& b) {
    CHECK(a.name == b.name);
    CHECK(a.type == b.type);
    CHECK(a.min == b.min);
    CHECK(a.max == b.max);
    CHECK(a.log_scale == b.log_scale);
    CHECK(a.values == b.values);
    CHECK((a.default_value == b.default_value));
    CHECK(a.through == b.through);
    CHECK(a.target == b.target);
}

inline void check_same_settings(const holdfast::Project& a, const holdfast::Project& b) {
    CHECK(a.timeouts.build == b.timeouts.build);
    CHECK(a.timeouts.test == b.timeouts.test);
    CHECK(a.timeouts.run == b.timeouts.run);
    CHECK(a.probe.sanitizers == b.probe.sanitizers);
    CHECK(a.probe.inputs == b.probe.inputs);
    CHECK(a.probe.time == b.probe.time);
    CHECK(a.code.editable == b.code.editable);
    CHECK(a.code.protected_paths == b.code.protected_paths);
    CHECK(a.code.test == b.code.test);
    CHECK(a.search.tuners == b.search.tuners);
    CHECK(a.search.trials == b.search.trials);
    CHECK(a.search.leaders == b.search.leaders);
    CHECK(a.search.fixed == b.search.fixed);
    CHECK(a.decision.minimum_effect == b.decision.minimum_effect);
    CHECK(a.decision.harm_margin == b.decision.harm_margin);
    CHECK(a.decision.false_proposal_rate == b.decision.false_proposal_rate);
    CHECK(a.decision.max_confirmations == b.decision.max_confirmations);
    CHECK(a.decision.max_pairs == b.decision.max_pairs);
    CHECK(a.decision.holdout_pairs == b.decision.holdout_pairs);
    CHECK(a.decision.holdout_questions == b.decision.holdout_questions);
    CHECK(a.sandbox.memory_bytes == b.sandbox.memory_bytes);
    CHECK(a.sandbox.processes == b.sandbox.processes);
    CHECK(a.sandbox.disk_bytes == b.sandbox.disk_bytes);
}

/// What a study freezes brings the same project back, wherever it is read; objects come in the order of their keys.
inline void check_frozen(holdfast::Project project) {
    auto back = holdfast::project_from_frozen("/nowhere", project.canonical);
    INFO(project.canonical);
    REQUIRE(back);
    const auto by_name = [](const holdfast::Metric& a, const holdfast::Metric& b) { return a.name < b.name; };
    const auto by_metric = [](const holdfast::Limit& a, const holdfast::Limit& b) { return a.metric < b.metric; };
    for (holdfast::Project* each : {&project, &*back}) {
        std::sort(each->metrics.begin(), each->metrics.end(), by_name);
        std::sort(each->limits.begin(), each->limits.end(), by_metric);
    }
    CHECK(back->folder == "/nowhere");
    CHECK(back->canonical == project.canonical);
    CHECK(back->name == project.name);
    CHECK(back->build == project.build);
    CHECK(back->objective == project.objective);
    CHECK(back->objectives == project.objectives);
    CHECK(back->holdout_file == project.holdout_file);
    check_same_settings(*back, project);
    const auto check_all = [](const auto& some, const auto& others) {
        REQUIRE(some.size() == others.size());
        for (std::size_t i = 0; i < some.size(); ++i)
            check_same(some[i], others[i]);
    };
    check_all(back->metrics, project.metrics);
    check_all(back->workloads, project.workloads);
    check_all(back->knobs, project.knobs);
    REQUIRE(back->limits.size() == project.limits.size());
    for (std::size_t i = 0; i < project.limits.size(); ++i) {
        CHECK(back->limits[i].metric == project.limits[i].metric);
        CHECK(back->limits[i].worse_by_at_most == project.limits[i].worse_by_at_most);
        CHECK(back->limits[i].at_most == project.limits[i].at_most);
    }
    REQUIRE(back->constraints.size() == project.constraints.size());
    for (std::size_t i = 0; i < project.constraints.size(); ++i)
        CHECK(back->constraints[i].source() == project.constraints[i].source());
}

/// Every project that can be loaded is also checked to come back from what a study would freeze of it.
inline tl::expected<holdfast::Project, std::vector<holdfast::Problem>> load(const std::string& text,
                                                                            const std::string& holdout = "") {
    const Folder folder;
    folder.write("holdfast.json", text);
    if (!holdout.empty())
        folder.write(".holdfast/holdout.json", holdout);
    auto project = holdfast::load_project(folder.path());
    if (project)
        check_frozen(*project);
    return project;
}
