// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/common/records.hpp"
#include "app/common/revisions.hpp"
#include "app/common/wording.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/gates.hpp"
#include "core/review/imported.hpp"
#include "core/review/rules.hpp"
#include "core/study/counting.hpp"
#include "core/study/fingerprint.hpp"
#include "core/study/isolation.hpp"
#include "core/study/measure.hpp"
#include "core/study/measured_again.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

/// Knob defaults for display; the history can be read without a valid project file.
std::string defaults_of(const Common& common) {
    const auto project = load_project(common.folder);
    return project ? to_json(project->defaults()) : "{}";
}

void print_side(const char* title, const nlohmann::json& side) {
    if (side.is_null())
        return;
    fmt::print("\n{:<10} {}  over {} rounds\n", title, app::effect_text(side), side.at("rounds").get<long>());
    std::vector<std::vector<std::string>> rows;
    for (const auto& workload : side.at("workloads"))
        rows.push_back({"  " + printable(workload.value("name", "")), app::effect_text(workload),
                        fmt::format("n = {}", workload.at("rounds").get<long>())});
    fmt::print("{}", table(rows));
    for (const auto& guard : side.at("guards"))
        if (guard.at("worse").get<bool>())
            fmt::print("  shown broken on {}: {} {}\n", printable(guard.at("workload").get<std::string>()),
                       guard.at("metric").get<std::string>(), guard.at("demand").get<std::string>());
}

/// All of several objectives; the sides above are those of the claimed one.
void print_objectives(const nlohmann::json& effects) {
    if (!effects.contains("objectives"))
        return;
    std::vector<std::vector<std::string>> rows{{"", "objective", "tuning", "held-out", ""}};
    for (const auto& objective : effects.at("objectives"))
        rows.push_back({"", objective.at("metric").get<std::string>(), app::effect_text(objective.at("tuning")),
                        app::effect_text(objective.at("holdout")),
                        objective.at("claimed").get<bool>() ? "claimed" : ""});
    fmt::print("\n{}", table(rows));
}

void print_quality(const nlohmann::json& effects) {
    if (!effects.contains("quality"))
        return;
    std::vector<std::vector<std::string>> rows{{"", "workload", "quality", "difference", "seeds", "worst seed", ""}};
    for (const auto& seen : effects.at("quality")) {
        const auto text = [&](const char* key) {
            if (!seen.at(key).is_number())
                return std::string("?");
            const double value = seen.at(key).get<double>();
            if (std::fabs(value) < 1e-6 * seen.at("margin").get<double>())
                return std::string("0"); // what bisection leaves of it
            return seen.at("relative").get<bool>() ? fmt::format("{:+.2f} %", 100 * value)
                                                   : fmt::format("{:+.4g}", value);
        };
        rows.push_back({"", printable(seen.at("workload").get<std::string>()),
                        seen.at("metric").is_string() ? seen.at("metric").get<std::string>() : "(command)",
                        fmt::format("{} [{}, {}]", text("estimate"), text("low"), text("high")),
                        std::to_string(seen.at("seeds").size()), std::to_string(seen.at("worst-seed").get<long>()),
                        seen.at("lost").get<bool>()   ? "lost"
                        : seen.at("kept").get<bool>() ? "kept"
                                                      : "not shown to be kept"});
    }
    fmt::print("\n{}", table(rows));
}

/// What the search saw: a first look, which is partly luck and never reported as the gain.
void print_search(const study::TrialRecord& trial, const study::VerdictRecord* verdict) {
    const auto seen = nlohmann::json::parse(trial.search_json);
    fmt::print("search     {}", app::standing(trial, verdict));
    if (seen.at("estimate").is_number())
        fmt::print("; looked about {:.1f} % {} than the baseline in {} round(s), luck included",
                   std::fabs(std::expm1(-seen.at("estimate").get<double>())) * 100,
                   seen.at("estimate").get<double>() >= 0 ? "better" : "worse", seen.at("rounds").get<long>());
    fmt::print("\n");
}

/// Of what two revisions that were compared differ in.
std::vector<review::Flag> revision_flags(const Common& common, const study::TrialRecord& trial,
                                         const app::Records& records) {
    const std::vector<review::Flag> unknown{
        {"durability: not known", "The compared commits cannot be read here any more."}};
    const auto study = std::find_if(records.studies.begin(), records.studies.end(),
                                    [&](const study::StudyRecord& each) { return each.id == trial.study; });
    const auto project = records.frozen_of(trial).project;
    auto repository = git::Repository::open(common.folder);
    if (study == records.studies.end() || !project || !repository)
        return unknown;
    const auto options = nlohmann::json::parse(study->options_json, nullptr, false);
    auto base = repository->resolve(study->baseline_commit);
    auto candidate = repository->resolve(options.is_object() ? options.value("candidate", "") : "");
    if (!base || !candidate)
        return unknown;
    auto flags = app::flags_between(*project, *repository, *base, *candidate);
    return flags ? *flags : unknown;
}

/// What people decided, and the commits.
void print_review(const study::TrialRecord& trial, const app::Records& records) {
    fmt::print("review     {}\n", review::to_text(records.standing(trial.id)));
    for (const study::ReviewRecord& review : records.reviews)
        if (review.trial == trial.id)
            fmt::print("           {} {} by {} <{}>{}{}\n", review.time, review.decision,
                       printable(review.reviewer_name), printable(review.reviewer_email),
                       review.signature.empty() ? "" : ", signed",
                       review.comment.empty() ? "" : ": " + printable(review.comment));
    for (const study::ApplicationRecord& application : records.applications)
        if (application.trial == trial.id)
            fmt::print("           {} {} as {} on {}\n", application.time, application.action, application.commit,
                       printable(application.branch));
}

/// Of the study that measured it; "" while there is none.
std::string machine_of(const study::TrialRecord& trial, const app::Records& records) {
    for (const study::StudyRecord& study : records.studies)
        if (study.id == trial.study)
            return study.machine_json;
    return "";
}

/// Between that machine and the newest study's.
std::vector<std::string> changes_since(const std::string& machine_json, const app::Records& records) {
    return machine_json.empty() ? std::vector<std::string>()
                                : study::machine_differences(machine_json, records.studies.back().machine_json);
}

/// What the rounds say together with those that the machine disturbed.
void print_dropped(const char* title, const nlohmann::json& side) {
    const auto seen = side.is_object() ? side.find("quarantine") : side.end();
    if (seen == side.end())
        return;
    fmt::print("disturbed  {}: {} round(s) left out; with them {}\n", title, seen->at("dropped").dump(),
               app::effect_text(seen->at("without")));
    if (const auto why = seen->at("switched-off").get<std::string>(); !why.empty())
        fmt::print("           {}\n", printable(why));
}

void print_flags(const std::vector<review::Flag>& flags) {
    for (const review::Flag& flag : flags)
        fmt::print("flag       {}: {}\n", printable(flag.name), printable(flag.evidence));
}

/// `machine`: of its study, as JSON.
void print_effects(const nlohmann::json& effects, const std::string& machine) {
    if (effects.contains("metric"))
        fmt::print("metric     {}, {} is better; changes in percent of the baseline\n",
                   study::metric_label(effects.at("metric").get<std::string>(), machine),
                   effects.at("better").get<std::string>());
    print_side("held-out", effects.at("holdout"));
    print_side("tuning", effects.at("tuning"));
    if (const std::string gap = review::gap_words(effects); !gap.empty())
        fmt::print("\n{}\n", gap);
    print_objectives(effects);
    print_quality(effects);
    print_dropped("held-out", effects.at("holdout"));
    print_dropped("tuning", effects.at("tuning"));
}

void print_isolation(const study::VerdictRecord& verdict) {
    const auto evidence = nlohmann::json::parse(verdict.evidence_json, nullptr, false);
    if (evidence.is_object() && evidence.contains("isolation") && evidence.contains("opening"))
        fmt::print("isolation  {}\n", study::isolation_text(evidence.at("isolation"), evidence.at("opening").dump()));
}

void print_trial(const study::TrialRecord& trial, const app::Records& records,
                 const std::vector<study::GateRecord>& gates, const std::vector<review::Flag>& flags,
                 const nlohmann::json& effects) {
    const study::VerdictRecord* verdict = records.verdict(trial.id);
    fmt::print("trial {} ({})\n", trial.number, trial.id);
    fmt::print("change     {}\ntuner      {}\nstate      {}\n", records.change(trial), printable(trial.tuner),
               study::to_text(trial.state));
    if (verdict != nullptr) {
        fmt::print("\nverdict    {}\n", app::standing(trial, verdict));
        for (const auto& reason : nlohmann::json::parse(verdict->reasons_json))
            fmt::print("           {}\n", printable(reason.get<std::string>()));
        print_flags(flags);
        print_effects(effects, machine_of(trial, records));
        if (const auto since = changes_since(machine_of(trial, records), records); !since.empty())
            fmt::print("machine    another than the newest study's: {}\n", fmt::join(since, "; "));
    } else {
        print_flags(flags);
        if (!effects.is_null()) {
            fmt::print("\nmeasured by hand: a comparison, no verdict; nothing can be approved by it\n");
            print_effects(effects, machine_of(trial, records));
        }
        if (!trial.search_json.empty())
            print_search(trial, verdict);
    }
    if (!gates.empty()) {
        std::vector<std::vector<std::string>> rows{{"", "gate", "result", "time", ""}};
        for (const study::GateRecord& gate : gates)
            rows.push_back({"", gate.gate, review::result_word(gate), fmt::format("{:.1f} s", gate.seconds),
                            printable(gate.reason)});
        fmt::print("\n{}", table(rows));
        for (const study::GateRecord& gate : gates)
            if (!gate.log.empty())
                fmt::print("\nlog of {}:\n{}\n", gate.gate, printable(gate.log, false));
    }
    if (!trial.patch.empty())
        fmt::print("\n{}\n", printable(trial.patch, false));
    if (verdict != nullptr) {
        fmt::print("\nevidence   {}\n", verdict->evidence_digest);
        print_isolation(*verdict);
        print_review(trial, records);
        for (const study::ImportRecord* import : records.imported(trial))
            fmt::print("           {}\n", review::import_words(*import));
    }
}

/// Of its verdict, or of a comparison by hand from its samples; null without either.
Result<nlohmann::json> effects_of(const study::Store& store, const study::TrialRecord& trial,
                                  const app::Records& records) {
    if (const study::VerdictRecord* verdict = records.verdict(trial.id))
        return Result<nlohmann::json>(nlohmann::json::parse(verdict->effects_json));
    const Project* project = records.frozen_of(trial).project.get();
    if (trial.tuner != "measure" || project == nullptr)
        return Result<nlohmann::json>(nlohmann::json());
    const auto samples = store.samples(trial.study, trial.id);
    if (!samples)
        return tl::unexpected(samples.error());
    const std::string effects = study::measured_effects(*project, *samples);
    return Result<nlohmann::json>(effects.empty() ? nlohmann::json() : nlohmann::json::parse(effects));
}

} // namespace

Result<int> trials(const Common& common) {
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto records = app::read_records(**store, defaults_of(common));
    if (!records)
        return tl::unexpected(records.error());
    if (common.json) {
        nlohmann::json list = nlohmann::json::array();
        for (const study::TrialRecord& trial : records->trials)
            list.push_back(trial_document(trial, *records));
        print_document({{"schema", "holdfast/trials/1"}, {"trials", list}, {"imported", records->imports.size()}});
        return Exit::done;
    }
    std::vector<std::vector<std::string>> rows{{"trial", "tuner", "verdict", "tuning", "held-out", "review", "change"}};
    std::size_t searched = 0;
    for (const study::TrialRecord& trial : records->trials) {
        const study::VerdictRecord* verdict = records->verdict(trial.id);
        if (verdict == nullptr && trial.state == study::State::done && trial.tuner != "measure") {
            ++searched;
            continue;
        }
        const std::string standing(review::to_text(records->standing(trial.id)));
        const auto effects =
            verdict != nullptr ? nlohmann::json::parse(verdict->effects_json) : nlohmann::json::object();
        // Of several objectives the claimed one is shown, by its name.
        const std::string metric =
            effects.contains("objectives") ? " " + printable(effects.at("metric").get<std::string>()) : "";
        const auto side = [&](const char* name) {
            const nlohmann::json effect = effects.value(name, nlohmann::json());
            return app::effect_text(effect) + (effect.is_null() ? "" : metric);
        };
        rows.push_back({fmt::format("#{}", trial.number), printable(trial.tuner),
                        standing_text(trial, verdict, *records), side("tuning"), side("holdout"),
                        standing == "none" ? "-" : standing, records->change(trial)});
    }
    if (rows.size() > 1)
        fmt::print("{}", table(rows));
    if (searched > 0)
        fmt::print("and {} configuration(s) the search looked at and did not send on (see --json)\n", searched);
    for (const study::StudyRecord& study : records->studies)
        if (const auto since = changes_since(study.machine_json, *records); !since.empty())
            fmt::print("study {} was measured before the machine changed: {}\n", study.number, fmt::join(since, "; "));
    if (!records->imports.empty())
        fmt::print("imported: {} measurement{} of other machines (holdfast import --list)\n", records->imports.size(),
                   records->imports.size() == 1 ? "" : "s");
    if (rows.size() == 1 && searched == 0)
        fmt::print("No trial yet. Queue one with: holdfast propose --set NAME=VALUE, or search with: holdfast run\n");
    return Exit::done;
}

Result<int> show(const Common& common, const std::string& id) {
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto records = app::read_records(**store, defaults_of(common));
    if (!records)
        return tl::unexpected(records.error());
    const study::TrialRecord* trial = find_trial(records->trials, id);
    if (trial == nullptr)
        return invalid(
            "show trial " + printable(id),
            fmt::format("the history has {}, none of that number or id",
                        records->trials.size() == 1 ? "one trial" : fmt::format("{} trials", records->trials.size())),
            "List them with: holdfast trials");
    auto gates = (*store)->gates(trial->id);
    if (!gates)
        return tl::unexpected(gates.error());
    const study::VerdictRecord* verdict = records->verdict(trial->id);
    auto flags = study::compared_revisions(*trial)
                     ? Result<std::vector<review::Flag>>(revision_flags(common, *trial, *records))
                     : app::flags_of(**store, *trial, verdict, records->frozen_of(*trial));
    if (!flags)
        return tl::unexpected(flags.error());
    const auto effects = effects_of(**store, *trial, *records);
    if (!effects)
        return tl::unexpected(effects.error());
    if (!common.json) {
        print_trial(*trial, *records, *gates, *flags, *effects);
        return Exit::done;
    }
    nlohmann::json document = trial_document(*trial, *records);
    document["schema"] = "holdfast/show/1";
    const auto given = [](const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); };
    document["flags"] = nlohmann::json::array();
    for (const review::Flag& flag : *flags)
        document["flags"].push_back(flag.name);
    document["created"] = trial->created;
    document["ended"] = given(trial->ended);
    document["patch"] = given(trial->patch);
    document["result-tree"] = given(trial->result_tree);
    document["gates"] = nlohmann::json::array();
    for (const study::GateRecord& gate : *gates)
        document["gates"].push_back({{"gate", gate.gate},
                                     {"result", gate.result},
                                     {"reason", gate.reason},
                                     {"log", gate.log},
                                     {"seconds", gate.seconds}});
    document["imported"] = nlohmann::json::array();
    for (const study::ImportRecord* import : records->imported(*trial))
        document["imported"].push_back(review::import_document(*import));
    document["effects"] = *effects;
    document["evidence-document"] =
        verdict == nullptr ? nlohmann::json() : nlohmann::json::parse(verdict->evidence_json);
    print_document(document);
    return Exit::done;
}

} // namespace holdfast::cli
