// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/stack.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

/// An application that a commit has.
struct Held {
    const ApplicationRecord* applied = nullptr;
    bool reverted = false; ///< by a commit that is elsewhere
};

/// Of each trial at most one, oldest first.
Result<std::vector<Held>> held_in(const git::Repository& repository, const git::Commit& head,
                                  const std::vector<ApplicationRecord>& all) {
    std::vector<Held> held;
    for (const ApplicationRecord& each : all) {
        const auto earlier =
            std::find_if(held.begin(), held.end(), [&](const Held& of) { return of.applied->trial == each.trial; });
        const auto commit = repository.resolve(each.commit); // gone with its branch: in no other commit's past
        const auto inside = commit ? repository.descends(head, *commit) : Result<bool>(false);
        if (!inside)
            return tl::unexpected(inside.error());
        if (each.action == "reverted" && earlier != held.end()) {
            if (*inside)
                held.erase(earlier);
            else
                earlier->reverted = true;
        } else if (each.action == "applied" && *inside) {
            if (earlier != held.end())
                held.erase(earlier);
            held.push_back({&each});
        }
    }
    return held;
}

std::optional<double> claim(const std::string& effects_json, const char* side) {
    const json effects = json::parse(effects_json, nullptr, false);
    if (!effects.is_object() || !effects.contains(side) || !effects.at(side).is_object())
        return std::nullopt;
    const json& found = effects.at(side);
    if (!found.contains("estimate") || !found.at("estimate").is_number())
        return std::nullopt;
    const bool higher = effects.contains("better") && effects.at("better") == "higher";
    return decision::from_change(found.at("estimate").get<double>(), higher ? Better::higher : Better::lower);
}

void add_claim(std::optional<double>& sum, const std::string& effects_json, const char* side) {
    const auto more = claim(effects_json, side);
    sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

template <class Record, class Member>
const Record* find(const std::vector<Record>& records, const Member& member, const std::string& value) {
    const auto found =
        std::find_if(records.begin(), records.end(), [&](const Record& record) { return record.*member == value; });
    return found == records.end() ? nullptr : &*found;
}

} // namespace

Result<std::optional<Stack>> accepted_stack(const Store& store, const git::Repository& repository,
                                            const git::Commit& head) {
    auto applications = store.applications();
    auto trials = store.trials();
    auto studies = store.studies();
    auto verdicts = store.verdicts();
    if (!applications)
        return tl::unexpected(applications.error());
    if (!trials)
        return tl::unexpected(trials.error());
    if (!studies)
        return tl::unexpected(studies.error());
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    Stack stack;
    stack.claimed_tuning = stack.claimed_holdout = 0;
    auto held = held_in(repository, head, *applications);
    if (!held)
        return tl::unexpected(held.error());
    for (const auto& [applied, reverted] : *held) {
        const TrialRecord* trial = find(*trials, &TrialRecord::id, applied->trial);
        const StudyRecord* study = trial == nullptr ? nullptr : find(*studies, &StudyRecord::id, trial->study);
        const VerdictRecord* verdict = find(*verdicts, &VerdictRecord::trial, applied->trial);
        if (study == nullptr || verdict == nullptr)
            continue;
        if (stack.trials.empty()) {
            auto base = repository.resolve(study->baseline_commit);
            if (!base)
                return tl::unexpected(base.error());
            stack.base = *base;
        }
        stack.trials.push_back(trial->number);
        if (reverted)
            stack.reverted.push_back(trial->number);
        add_claim(stack.claimed_tuning, verdict->effects_json, "tuning");
        add_claim(stack.claimed_holdout, verdict->effects_json, "holdout");
    }
    return stack.trials.empty() ? std::optional<Stack>() : std::optional(std::move(stack));
}

Result<bool> stack_retested(const Store& store, const Stack& stack, const git::Commit& head) {
    auto studies = store.studies();
    auto trials = store.trials();
    if (!studies)
        return tl::unexpected(studies.error());
    if (!trials)
        return tl::unexpected(trials.error());
    for (const TrialRecord& trial : *trials) {
        const StudyRecord* study = find(*studies, &StudyRecord::id, trial.study);
        if (study == nullptr || !by_hand(*study) || study->state != State::done ||
            study->baseline_tree != stack.base.tree || trial.result_tree != head.tree)
            continue;
        const json options = json::parse(study->options_json, nullptr, false);
        if (options.is_object() && options.contains("stack") && options.at("stack") == true)
            return true;
    }
    return false;
}

std::vector<StackSide> stack_sides(const Stack& stack, const Measured& measured, Better better, double minimum_effect) {
    std::vector<StackSide> sides;
    const double minimum = decision::improvement_by(minimum_effect, better);
    const auto add = [&](const char* name, const std::optional<double>& claimed,
                         const std::optional<decision::Assessment>& seen) {
        if (!seen)
            return;
        StackSide side{name, claimed, seen->objective, true, ""};
        const stats::Interval& interval = side.measured.interval;
        const bool shown = interval.low > decision::rounding;
        // Less by what would not have been proposed alone is no news.
        const bool less = claimed && interval.high < *claimed - decision::rounding &&
                          *claimed - side.measured.estimate >= minimum - decision::rounding;
        side.confirmed = shown && !less;
        side.text = fmt::format(
            "{}: {}measured {}: {}", name,
            claimed ? fmt::format("claimed {} %, ", decision::percent_text(decision::as_change(*claimed, better))) : "",
            decision::describe(side.measured, better),
            !shown ? "not shown to be better"
            : less ? "better, by less than claimed"
                   : "confirmed");
        sides.push_back(std::move(side));
    };
    add("tuning", stack.claimed_tuning, measured.tuning);
    add("held-out", stack.claimed_holdout, measured.holdout);
    return sides;
}

} // namespace holdfast::study
