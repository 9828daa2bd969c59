// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/common/calibration_words.hpp"
#include "app/common/places.hpp"
#include "app/common/uncommitted.hpp"
#include "core/decision/rule.hpp"
#include "core/git/measured_changes.hpp"
#include "core/project/card.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/clock.hpp"
#include "core/study/counting.hpp"
#include "core/study/execution.hpp"
#include "core/study/leakage.hpp"
#include "core/study/metric_trust.hpp"
#include "core/study/questions.hpp"
#include "core/study/readable_holdout.hpp"
#include "sandbox/folders.hpp"
#include "sandbox/machine.hpp"
#include "sandbox/read_paths.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <variant>

namespace holdfast::cli {

namespace {

int report_problems(const Common& common, const std::vector<Problem>& problems) {
    nlohmann::json list = nlohmann::json::array();
    for (const Problem& problem : problems) {
        fmt::print(stderr, "{}\n", problem.text());
        list.push_back({{"file", printable(problem.file.string())},
                        {"line", problem.line},
                        {"column", problem.column},
                        {"pointer", printable(problem.pointer)},
                        {"found", printable(problem.found)},
                        {"allowed", printable(problem.allowed)}});
    }
    if (common.json)
        print_document({{"schema", "holdfast/validate/1"}, {"valid", false}, {"problems", list}});
    else
        fmt::print(stderr, "{} problem(s); nothing can run until the project file is right.\n", problems.size());
    return Exit::usage;
}

std::string range_of(const Knob& knob) {
    switch (knob.type) {
    case Knob::Type::boolean:
        return "true, false";
    case Knob::Type::categorical: {
        std::string text;
        for (const std::string& value : knob.values)
            text += (text.empty() ? "" : ", ") + value;
        return text;
    }
    case Knob::Type::integer:
    case Knob::Type::real:
        return fmt::format("{} to {}{}", knob.min, knob.max, knob.log_scale ? ", log scale" : "");
    }
    return "";
}

std::string place_of(const Knob& knob) {
    return knob.through == Knob::Through::file ? fmt::format("; {} in {}", knob.key, knob.target) : "";
}

nlohmann::json through_document(const Knob& knob) {
    switch (knob.through) {
    case Knob::Through::argument:
        return {{"argument", knob.target}};
    case Knob::Through::environment:
        return {{"environment", knob.target}};
    case Knob::Through::cmake:
        return {{"cmake", knob.target}};
    case Knob::Through::make:
        return {{"make", knob.target}};
    case Knob::Through::file:
        return {{"file", knob.target}, {"format", to_text(knob.format)}, {"key", knob.key}, {"value", knob.text}};
    }
    return {};
}

nlohmann::json knob_document(const Knob& knob) {
    nlohmann::json document = {{"name", knob.name}, {"through", through_document(knob)}};
    std::visit([&](const auto& value) { document["default"] = value; }, knob.default_value);
    switch (knob.type) {
    case Knob::Type::boolean:
        document["type"] = "boolean";
        break;
    case Knob::Type::categorical:
        document["type"] = "categorical";
        document["values"] = knob.values;
        break;
    case Knob::Type::integer:
        document["type"] = "integer";
        document["min"] = static_cast<std::int64_t>(knob.min);
        document["max"] = static_cast<std::int64_t>(knob.max);
        document["scale"] = knob.log_scale ? "log" : "linear";
        break;
    case Knob::Type::real:
        document["type"] = "real";
        document["min"] = knob.min;
        document["max"] = knob.max;
        document["scale"] = knob.log_scale ? "log" : "linear";
        break;
    }
    return document;
}

/// What the file alone cannot tell: that its inputs exist, and whether there is a commit to measure.
struct Surroundings {
    std::vector<Problem> problems;
    std::vector<std::string> warnings;
    std::map<std::string, std::string> readable; ///< held-out workloads that tuners can read, and where
    std::vector<study::ProxyProof> proxies;
    std::optional<study::Split> split; ///< nothing: the inputs could not be compared
    std::optional<int> asked_by_hand;  ///< held-out questions; nothing: the history cannot be read
};

/// What measuring would say to "sandbox.read". Rights and files that are missing here may be there on the machine that
/// measures, so they are warnings.
void look_at_read_places(const Project& project, const git::Repository& repository, Surroundings& seen) {
    if (project.sandbox.read.empty())
        return;
    const auto cache = sandbox::cache_path();
    if (!cache) {
        seen.warnings.push_back("nothing can be measured yet: " + cache.error().found + ". " + cache.error().remedy);
        return;
    }
    study::Execution execution;
    execution.hidden = study::hidden_places(project, repository);
    const std::vector<std::string> places = study::read_places(project);
    for (std::size_t i = 0; i < places.size(); ++i) {
        execution.read = {places[i]};
        const auto readable = sandbox::readable_paths(execution, *cache);
        if (readable)
            continue;
        const Error& error = readable.error();
        if (error.kind == Error::Kind::failed)
            seen.warnings.push_back(fmt::format("nothing can be measured yet: cannot {}: {}. {}", error.attempted,
                                                error.found, error.remedy));
        else
            seen.problems.push_back({project.folder / "holdfast.json", 0, 0, fmt::format("/sandbox/read/{}", i),
                                     fmt::format("\"{}\": {}", printable(places[i]), error.found),
                                     "a folder or file that programs may see. " + error.remedy});
    }
}

/// By inputs and commands alone; `run` compares what is generated, too.
Result<void> look_for_copies(const Project& project, const git::Repository& repository, const git::Commit& commit,
                             Surroundings& seen) {
    auto split = study::split_of_inputs(project, repository, commit);
    if (!split)
        return tl::unexpected(split.error());
    if (const std::string leak = study::leak_text(*split); !leak.empty())
        seen.warnings.push_back(leak + " Trials will carry the flag leaky split. Hold out other data: another week's, "
                                       "another user's, another size");
    seen.split = std::move(*split);
    return {};
}

/// What trials would be flagged for, and what measuring would miss.
Result<void> look_into_commit(const Project& project, const git::Repository& repository, const git::Commit& commit,
                              Surroundings& seen) {
    auto readable = study::readable_holdouts(project, repository, commit);
    if (!readable)
        return tl::unexpected(readable.error());
    for (const auto& [workload, where] : *readable) {
        seen.readable[workload->name] = where;
        seen.warnings.push_back(fmt::format(
            "whoever writes patches can read the held-out workload \"{}\" ({}{}): trials will carry the flag readable "
            "held-out. Move it to {}, which is not in git, with inputs below .holdfast/",
            workload->name, where, workload->readable_holdout ? "" : " is in the commit", project.holdout_file));
    }
    if (seen.problems.empty()) // else an input is missing
        if (auto looked = look_for_copies(project, repository, commit, seen); !looked)
            return looked;
    auto missing = app::not_in_commit(project, repository, commit);
    if (!missing)
        return tl::unexpected(missing.error());
    if (!missing->empty())
        seen.warnings.push_back(
            fmt::format("HEAD is what is measured, and it does not have {}. Commit with: git add {}",
                        fmt::join(*missing, ", "), app::pathspecs(*missing)));
    return {};
}

/// What measuring would say to metrics that need a meter or a counter. Another machine may have it, so it is a warning.
void look_at_meters(const Project& project, Surroundings& seen) {
    const auto needs = [](const Metric& metric) {
        return metric.source == Metric::Source::energy || metric.source == Metric::Source::instructions;
    };
    if (std::none_of(project.metrics.begin(), project.metrics.end(), needs))
        return;
    std::vector<const Workload*> workloads;
    for (const Workload& workload : project.workloads)
        workloads.push_back(&workload);
    auto runner = app::start_runner();
    const auto counting = runner ? study::counting_for(project, workloads, **runner)
                                 : Result<study::Counting>(tl::unexpected(runner.error()));
    if (!counting)
        seen.warnings.push_back(fmt::format("nothing can be measured on this machine: cannot {}: {}. {}",
                                            counting.error().attempted, counting.error().found,
                                            counting.error().remedy));
}

/// How far the history shows that a proxy stands for what it stands for.
void look_at_proxies(const Project& project, Surroundings& seen) {
    for (const Metric& metric : project.metrics)
        if (!metric.proxy_for.empty())
            seen.proxies.push_back({metric.name, metric.proxy_for, {}});
    std::error_code code;
    if (seen.proxies.empty() || !std::filesystem::exists(app::history_file(project.folder), code))
        return;
    auto store = app::open_existing_history(project.folder, db::SqliteStore::Mode::read);
    auto proofs = store ? study::proxy_proofs(project, **store) : tl::unexpected(store.error());
    if (proofs)
        seen.proxies = std::move(*proofs);
    else
        seen.warnings.push_back("proxies cannot be told: " + proofs.error().found + ". " + proofs.error().remedy);
}

/// 0 where nothing was ever measured; nothing where it cannot be told.
std::optional<int> asked_by_hand(const Project& project, const Result<git::Repository>& repository,
                                 const Result<git::Commit>& commit) {
    std::error_code code;
    if (!std::filesystem::exists(app::history_file(project.folder), code))
        return code ? std::nullopt : std::optional(0);
    if (!commit)
        return std::nullopt;
    auto digests = study::asked_digests(project, *repository, *commit, project.with_role(Role::holdout));
    auto store = app::open_existing_history(project.folder, db::SqliteStore::Mode::read);
    if (!digests || !store)
        return std::nullopt;
    const auto asked = study::questions_by_hand(**store, project.canonical, *digests);
    return asked ? std::optional(*asked) : std::nullopt;
}

Surroundings look_around(const Project& project) {
    Surroundings seen;
    look_at_proxies(project, seen);
    look_at_meters(project, seen);
    for (const Workload* workload : project.with_role(Role::holdout))
        if (workload->readable_holdout)
            seen.readable[workload->name] = "holdfast.json";
    auto repository = git::Repository::open(project.folder);
    auto commit = repository ? repository->resolve() : Result<git::Commit>(tl::unexpected(repository.error()));
    seen.asked_by_hand = asked_by_hand(project, repository, commit);
    if (!commit)
        seen.warnings.push_back("nothing can be measured yet: " + commit.error().found + ". " + commit.error().remedy);
    for (const Workload& workload : project.workloads)
        for (const std::string& input : workload.inputs) {
            std::error_code code;
            bool there = std::filesystem::is_regular_file(project.folder / input, code);
            if (!there && commit) {
                auto tracked = repository->read(*commit, repository->prefix() + input);
                there = tracked && tracked->has_value();
            }
            if (!there)
                seen.problems.push_back(
                    {project.folder / "holdfast.json", 0, 0, "/workloads",
                     fmt::format("the input \"{}\" of workload \"{}\", which is neither in the commit nor in "
                                 "the folder",
                                 printable(input), printable(workload.name)),
                     "a file that exists"});
        }
    if (repository)
        look_at_read_places(project, *repository, seen);
    if (!commit)
        return seen;
    if (auto looked = look_into_commit(project, *repository, *commit, seen); !looked)
        seen.warnings.push_back("no way to " + looked.error().attempted + ": " + looked.error().found);
    if (auto set = git::measured_changes(project, *repository, *commit, project.defaults(), nullptr); !set)
        seen.problems.push_back({project.folder / "holdfast.json", 0, 0, "/knobs",
                                 printable("no way to " + set.error().attempted + ": " + set.error().found),
                                 "files of the commit that hold the knobs' keys"});
    if (auto committed = repository->read(*commit, repository->prefix() + "holdfast.json"); committed) {
        std::ifstream file(project.folder / "holdfast.json", std::ios::binary);
        if (!*committed)
            seen.warnings.push_back("holdfast.json is not in git: the one in the folder rules, and nobody who has the "
                                    "commit can measure by it. Run: git add holdfast.json && git commit");
        else if ((*committed)->content != std::string(std::istreambuf_iterator<char>(file), {}))
            seen.warnings.push_back(
                "holdfast.json differs from HEAD's: the one in the folder rules. Commit it with: git "
                "commit holdfast.json");
    }
    return seen;
}

nlohmann::json proxies_document(const std::vector<study::ProxyProof>& proxies) {
    nlohmann::json list = nlohmann::json::array();
    for (const study::ProxyProof& proof : proxies) {
        const stats::Correlation& found = proof.correlation;
        const bool known = std::isfinite(found.value);
        list.push_back({{"metric", proof.metric},
                        {"for", proof.stands_for},
                        {"correlation", known ? nlohmann::json(found.value) : nlohmann::json()},
                        {"low", known ? nlohmann::json(found.interval.low) : nlohmann::json()},
                        {"high", known ? nlohmann::json(found.interval.high) : nlohmann::json()},
                        {"trials", found.pairs},
                        {"proven", proof.proven()}});
    }
    return list;
}

/// Pairs that share nothing are left out.
nlohmann::json split_document(const std::optional<study::Split>& split) {
    if (!split)
        return nullptr;
    nlohmann::json pairs = nlohmann::json::array();
    for (const study::SplitPair& pair : split->pairs)
        if (pair.content > 0)
            pairs.push_back({{"tuning", printable(pair.tuning)},
                             {"holdout", printable(pair.holdout)},
                             {"similarity", pair.content},
                             {"near-copy", pair.near_copy()},
                             {"how", pair.how}});
    return {{"leakage", split->leakage}, {"leaky", split->leaky()}, {"pairs", std::move(pairs)}};
}

std::vector<std::string> variant_names(const Workload& workload) {
    std::vector<std::string> names;
    for (const Variant& variant : workload.variants)
        names.push_back(printable(variant.name));
    return names;
}

nlohmann::json card_document(const WorkloadCard& card) {
    if (card_text(card).empty())
        return nullptr;
    return {{"about", printable(card.about)},
            {"use", printable(card.use)},
            {"size", printable(card.size)},
            {"sensitivity", printable(card.sensitivity)}};
}

using Standings = std::vector<study::CalibrationStanding>;

/// What calibrations tell of the project's workloads; nothing without a history.
Standings calibrated(const Common& common, const Project& project, Surroundings& around) {
    std::error_code code;
    if (!std::filesystem::exists(app::history_file(project.folder), code))
        return {};
    const auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store) // told by other means
        return {};
    auto standings = study::calibration_standings(
        **store, project, study::subject_at_head(project, sandbox::describe_machine(), study::utc_now()));
    if (!standings) {
        around.warnings.push_back("calibrations cannot be told: " + standings.error().found + ". " +
                                  standings.error().remedy);
        return {};
    }
    for (const study::CalibrationStanding& standing : *standings)
        if (!standing.faults.empty())
            around.warnings.push_back(fmt::format("the calibration of study {} failed on {}: {}. {}", standing.study,
                                                  standing.workload, standing.faults.front().what,
                                                  standing.faults.front().remedy));
    return std::move(*standings);
}

const study::CalibrationStanding* standing_of(const Standings& standings, const std::string& workload,
                                              const std::string& metric) {
    const auto found = std::find_if(standings.begin(), standings.end(), [&](const auto& standing) {
        return standing.workload == workload && standing.metric == metric;
    });
    return found == standings.end() ? nullptr : &*found;
}

void print_workload(const Workload& workload, const Surroundings& around, const Standings& known) {
    std::string notes = workload.role == Role::tuning ? "tuning" : "held-out";
    if (around.readable.contains(workload.name))
        notes += ", readable by tuners";
    if (workload.fresh_seeds > 0)
        notes += fmt::format(", {} fresh seeds for each question", workload.fresh_seeds);
    if (!workload.variants.empty())
        notes += ", variants: " + fmt::format("{}", fmt::join(variant_names(workload), ", "));
    fmt::print("workload    {} ({})\n", printable(workload.name), notes);
    for (const study::CalibrationStanding& standing : known)
        if (standing.workload == workload.name)
            if (const std::string text = app::standing_text(standing); !text.empty())
                fmt::print("            {}\n", text);
    if (const std::string card = card_text(workload.card); !card.empty())
        fmt::print("            {}\n", printable(card));
}

/// The effect that a study of as many rounds as it may take proves in eight of ten.
nlohmann::json provable_document(const study::CalibrationStanding* known) {
    if (known == nullptr || !known->calibration || !known->faults.empty() || known->calibration->self.provable.empty())
        return nullptr;
    const stats::Provable& last = known->calibration->self.provable.back();
    const double effect = std::abs(decision::as_change(last.effect, known->calibration->better));
    return {{"rounds", last.rounds},
            {"effect", std::isfinite(last.effect) ? nlohmann::json(effect) : nlohmann::json()}};
}

nlohmann::json project_document(const Project& project, const Surroundings& around, double threshold,
                                const Standings& known) {
    nlohmann::json workloads = nlohmann::json::array(), knobs = nlohmann::json::array();
    for (const Workload& workload : project.workloads)
        workloads.push_back(
            {{"name", workload.name},
             {"role", workload.role == Role::tuning ? "tuning" : "holdout"},
             {"readable",
              workload.role == Role::tuning || workload.readable_holdout || around.readable.contains(workload.name)},
             {"fresh-seeds", workload.fresh_seeds},
             {"variants", variant_names(workload)},
             {"card", card_document(workload.card)},
             {"smallest-provable", provable_document(standing_of(known, workload.name, project.objective))}});
    for (const Knob& knob : project.knobs)
        knobs.push_back(knob_document(knob));
    const DecisionSettings& rule = project.decision;
    return {{"schema", "holdfast/validate/1"},
            {"valid", true},
            {"problems", nlohmann::json::array()},
            {"name", project.name},
            {"objective", project.objective},
            {"objectives", project.objectives},
            {"better", project.metric(project.objective).better == Better::lower ? "lower" : "higher"},
            {"workloads", std::move(workloads)},
            {"knobs", std::move(knobs)},
            {"self-reported", project.metric(project.objective).self_reported()},
            {"proxies", proxies_document(around.proxies)},
            {"threshold", threshold},
            {"split", split_document(around.split)},
            {"questions",
             {{"budget", rule.holdout_questions},
              {"asked-by-hand", around.asked_by_hand ? nlohmann::json(*around.asked_by_hand) : nlohmann::json()}}},
            {"decision",
             {{"minimum-effect", rule.minimum_effect},
              {"harm-margin", rule.harm_margin},
              {"false-proposal-rate", rule.false_proposal_rate},
              {"max-confirmations", rule.max_confirmations},
              {"max-pairs", rule.max_pairs},
              {"holdout-pairs", rule.holdout_pairs ? nlohmann::json(*rule.holdout_pairs) : nlohmann::json()},
              {"holdout-questions", rule.holdout_questions},
              {"quarantine", rule.quarantine}}}};
}

void print_limits(const Project& project) {
    for (const Limit& limit : project.limits) {
        if (limit.worse_by_at_most)
            fmt::print("limit       {} worse by at most {:g} %\n", limit.metric, *limit.worse_by_at_most * 100);
        if (limit.at_most)
            fmt::print("limit       {} at most {:g} {}\n", limit.metric, *limit.at_most,
                       project.metric(limit.metric).unit);
    }
    for (const Expression& constraint : project.constraints)
        fmt::print("constraint  {}\n", printable(constraint.source()));
}

} // namespace

Result<int> validate(const Common& common) {
    const auto loaded = load_project(common.folder);
    if (!loaded)
        return report_problems(common, loaded.error());
    const Project& project = *loaded;
    Surroundings around = look_around(project);
    if (!around.problems.empty())
        return report_problems(common, around.problems);
    const DecisionSettings& rule = project.decision;
    const double threshold = decision::confirmation_threshold(rule.false_proposal_rate, rule.max_confirmations, 0) *
                             static_cast<double>(project.objectives.size());
    const Standings known = calibrated(common, project, around);
    if (common.json) {
        nlohmann::json document = project_document(project, around, threshold, known);
        document["warnings"] = nlohmann::json::array();
        for (const std::string& warning : around.warnings)
            document["warnings"].push_back(printable(warning));
        print_document(document);
        return Exit::done;
    }
    fmt::print("{}: valid\n\n", printable(project.name));
    for (const std::string& name : project.objectives) {
        const Metric& objective = project.metric(name);
        fmt::print("objective   {} ({} is better{})\n", name, objective.better == Better::lower ? "lower" : "higher",
                   objective.self_reported() ? "; the program tells it of itself" : "");
    }
    for (const study::ProxyProof& proof : around.proxies)
        fmt::print("proxy       {} for {}: {}; {}\n", printable(proof.metric), printable(proof.stands_for),
                   study::describe(proof),
                   proof.proven() ? "shown" : fmt::format("at least {} must be shown", study::proxy_correlation));
    for (const Workload& workload : project.workloads)
        print_workload(workload, around, known);
    for (const Knob& knob : project.knobs)
        fmt::print("knob        {} = {} ({}{})\n", knob.name, printable(to_text(knob.default_value)),
                   printable(range_of(knob)), printable(place_of(knob)));
    print_limits(project);
    for (const std::string& warning : around.warnings)
        fmt::print("warning     {}\n", printable(warning));
    if (project.with_role(Role::holdout).empty())
        fmt::print("warning     no held-out workloads: a win can never be told from overfitting. Put some in {}\n",
                   printable(project.holdout_file));
    else
        fmt::print(
            "questions   {} held-out question(s) for each study; measure has asked {} of {} on these workloads\n",
            rule.holdout_questions, around.asked_by_hand ? std::to_string(*around.asked_by_hand) : "unknown",
            rule.holdout_questions);
    fmt::print(
        "rule        a candidate is accepted at E >= {:.0f} for an effect of at least {:g} %, at most {} rounds,\n"
        "            {} confirmations per study, expected share of false proposals at most {:g} %;\n"
        "            a workload shown worse by more than {:g} % ends it; tuning workloads must be shown not to be, a "
        "held-out\n"
        "            one that is not carries the flag `held-out not settled`\n",
        threshold, rule.minimum_effect * 100, rule.max_pairs, rule.max_confirmations, rule.false_proposal_rate * 100,
        rule.harm_margin * 100);
    return Exit::done;
}

} // namespace holdfast::cli
