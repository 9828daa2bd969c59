// SPDX-License-Identifier: GPL-3.0-or-later
// A digest shows that nothing was changed since it was computed; that effects and verdict follow from the samples is
// shown by computing them.
#include "core/study/evidence_file.hpp"

#include "core/decision/verdict.hpp"
#include "core/study/evidence.hpp"
#include "core/study/session.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using decision::Assessment;
using nlohmann::json;

constexpr double digits = 1e-9;              ///< other machines' logarithms end in other last digits
constexpr std::size_t max_samples = 200'000; ///< of a series; no study comes near

bool alike(const json& a, const json& b) {
    if (a.is_number() && b.is_number()) {
        const double x = a.get<double>(), y = b.get<double>();
        return std::fabs(x - y) <= digits * std::max({1.0, std::fabs(x), std::fabs(y)});
    }
    if (a.type() != b.type() || a.size() != b.size())
        return false;
    if (a.is_object()) {
        for (const auto& [key, value] : a.items())
            if (!b.contains(key) || !alike(value, b.at(key)))
                return false;
        return true;
    }
    if (a.is_array())
        return std::equal(a.begin(), a.end(), b.begin(), alike);
    return a == b;
}

class Check {
public:
    Check(const EvidenceFile& file, const Project& project)
        : file_(&file), project_(&project), effects_(json::parse(file.verdict.effects_json)) {}

    Recomputed run() {
        using decision::VerdictKind;
        const auto kind = decision::verdict_from_text(file_->verdict.verdict);
        const bool by_samples = kind == VerdictKind::generalises || kind == VerdictKind::overfits ||
                                kind == VerdictKind::regresses || kind == VerdictKind::no_effect ||
                                kind == VerdictKind::inconclusive;
        if (!by_samples || !effects_.at("tuning").is_object())
            return {};
        decision::Findings findings;
        findings.minimum_effect = project_->decision.minimum_effect;
        findings.harm_margin = project_->decision.harm_margin;
        findings.tuning = tuning();
        if (!findings.tuning)
            return {true, "the effects on tuning workloads do not follow from its samples"};
        findings.better = better_of(*project_, *findings.tuning);
        if (!same_quality())
            return {true, "the quality does not follow from its samples"};
        if (!file_->complete)
            return {true, ""};
        const auto held_out = project_->with_role(Role::holdout);
        findings.revision = rule(held_out).revision;
        findings.has_holdout = !held_out.empty();
        if (effects_.at("holdout").is_object()) {
            decision::Rule frozen = rule(held_out);
            frozen.claimed = findings.tuning->claimed;
            const Replay asked = replay("holdout", held_out);
            findings.holdout = decision::assess(frozen, asked.rounds);
            findings.holdout->quarantined = quarantined(frozen, asked);
            if (!same({}, findings.holdout))
                return {true, "the effects on held-out workloads do not follow from its samples"};
        }
        const decision::Verdict verdict = decision::decide(findings);
        if (verdict.kind != kind || verdict.qualifier != file_->verdict.qualifier)
            return {true, "its samples make the verdict " + std::string(decision::to_text(verdict.kind))};
        return {true, ""};
    }

private:
    using Workloads = std::vector<const Workload*>;

    decision::Rule rule(const Workloads& workloads) const {
        return rule_for(*project_, workloads, file_->study.opening_json);
    }

    Replay replay(const char* phase, const Workloads& workloads) const {
        std::vector<SampleRecord> series;
        for (const SampleRecord& sample : file_->samples)
            if (sample.phase == phase)
                series.push_back(sample);
        return replay_of(*project_, workloads, series, quarantine_rule(file_->study.opening_json));
    }

    bool same(const std::optional<Assessment>& tuning, const std::optional<Assessment>& holdout) const {
        const json made = json::parse(effects_json(*project_, tuning, holdout));
        const char* side = tuning ? "tuning" : "holdout";
        return alike(made.at(side), effects_.at(side)) && same_objectives(made, side, tuning.has_value());
    }

    bool same_objectives(const json& made, const char* side, bool with_claim) const {
        if (made.contains("objectives") != effects_.contains("objectives"))
            return false;
        if (!made.contains("objectives"))
            return true;
        const json &ours = made.at("objectives"), &theirs = effects_.at("objectives");
        if (!theirs.is_array() || theirs.size() != ours.size())
            return false;
        for (std::size_t i = 0; i < ours.size(); ++i)
            for (const char* key : {"metric", "better", "claimed", side})
                if ((with_claim || key != std::string("claimed")) && !alike(ours[i].at(key), theirs[i].at(key)))
                    return false;
        return !with_claim || alike(made.at("metric"), effects_.at("metric"));
    }

    /// Of an incomplete file the held-out runs are not there, nor what was seen of them.
    bool same_quality() const {
        const auto seen = all_quality(*project_, file_->samples);
        if (seen.empty() || !effects_.contains("quality"))
            return seen.empty() != effects_.contains("quality");
        return alike(quality_json(seen), effects_.at("quality"));
    }

    /// The confirmation's assessment, else the screen's; nothing when neither gives the effects of the file. How many
    /// trials of the study had passed before, which the threshold depends on, is not in the file: each number that is
    /// possible is tried.
    std::optional<Assessment> tuning() const {
        const Workloads workloads = project_->with_role(Role::tuning);
        if (file_->trial.confirmation == 0) {
            Assessment seen = decision::assess(rule(workloads), replay("screen", workloads).rounds);
            return same(seen, {}) ? std::optional(seen) : std::nullopt;
        }
        const Replay confirmed = replay("confirm", workloads);
        for (int passed = 0; passed < file_->trial.confirmation; ++passed) {
            decision::Rule frozen = rule(workloads);
            frozen.threshold = decision::confirmation_threshold(project_->decision.false_proposal_rate,
                                                                project_->decision.max_confirmations, passed);
            decision::Confirmation confirmation(frozen);
            for (const decision::Round& round : confirmed.rounds)
                confirmation.add(round);
            Assessment seen = confirmation.assessment();
            frozen.claimed = seen.claimed;
            seen.quarantined = quarantined(frozen, confirmed);
            if (same(seen, {}))
                return seen;
        }
        return std::nullopt;
    }

    const EvidenceFile* file_;
    const Project* project_;
    json effects_;
};

} // namespace

Recomputed recompute(const EvidenceFile& file) {
    const auto project = project_from_frozen(".", file.study.frozen_json);
    if (!project)
        return {};
    if (file.samples.size() > max_samples)
        return {true, "it has more samples than a study takes"};
    try {
        return Check(file, *project).run();
    } catch (const json::exception&) {
        return {true, "its samples or effects are not what a study writes"};
    }
}

} // namespace holdfast::study
