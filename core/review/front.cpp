// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/front.hpp"

#include "core/decision/dominance.hpp"
#include "core/decision/verdict.hpp"
#include "core/review/effect.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

EffectView unchanged() {
    EffectView effect;
    effect.direction = EffectView::Direction::no_change;
    effect.text = effect_text(effect);
    return effect;
}

/// Right answers that were measured.
bool counts(const study::VerdictRecord& verdict) {
    using decision::VerdictKind;
    const auto kind = decision::verdict_from_text(verdict.verdict);
    return kind == VerdictKind::generalises || kind == VerdictKind::overfits || kind == VerdictKind::regresses ||
           kind == VerdictKind::no_effect || kind == VerdictKind::inconclusive;
}

/// Of each objective on one side of the stored effects; nothing when one was not measured.
std::optional<std::vector<EffectView>> side_of(const Project& project, const json& objectives, const char* side) {
    std::vector<EffectView> effects;
    for (std::size_t i = 0; i < project.objectives.size(); ++i) {
        const json& objective = objectives[i];
        if (!objective.is_object() || !objective.contains(side) || !objective.at(side).is_object())
            return std::nullopt;
        effects.push_back(effect_view(objective.at(side), project.metric(project.objectives[i]).better,
                                      project.decision.minimum_effect));
    }
    return effects;
}

/// Nothing when an objective was not measured, or its record is damaged.
std::optional<FrontPoint> point_of(const Project& project, const study::TrialRecord& trial,
                                   const study::VerdictRecord& verdict) {
    const json effects = json::parse(verdict.effects_json, nullptr, false);
    const auto objectives = effects.is_object() ? effects.find("objectives") : effects.end();
    if (!effects.is_object() || objectives == effects.end() || !objectives->is_array() ||
        objectives->size() != project.objectives.size())
        return std::nullopt;
    auto tuning = side_of(project, *objectives, "tuning");
    if (!tuning)
        return std::nullopt;
    FrontPoint point;
    point.trial = trial.number;
    point.id = trial.id;
    point.verdict = verdict.verdict;
    point.holds = verdict.proposal;
    point.effects = std::move(*tuning);
    if (auto holdout = side_of(project, *objectives, "holdout"))
        point.holdout = std::move(*holdout);
    return point;
}

/// The gains that `end` of each effect stands for.
template <class End> decision::Gains gains_of(const Front& front, const FrontPoint& point, const End& end) {
    decision::Gains gains;
    for (std::size_t i = 0; i < point.effects.size(); ++i)
        gains.push_back(decision::from_change(end(point.effects[i], front.better[i]), front.better[i]));
    return gains;
}

double estimate(const EffectView& effect, Better) {
    return effect.estimate;
}
double best_end(const EffectView& effect, Better better) {
    return better == Better::lower ? effect.low : effect.high;
}
double worst_end(const EffectView& effect, Better better) {
    return better == Better::lower ? effect.high : effect.low;
}

/// Whether `other`, at the best its intervals allow, could beat `point` at the worst of its own.
bool may_be_beaten(const decision::Gains& worst, const decision::Gains& best_of_other) {
    for (std::size_t i = 0; i < worst.size(); ++i)
        if (worst[i] > best_of_other[i])
            return false;
    return true;
}

Front empty_front(const study::StudyRecord& study, const Project& project) {
    Front front;
    front.study = study.id;
    front.number = study.number;
    FrontPoint baseline;
    for (const std::string& name : project.objectives) {
        const Metric& metric = project.metric(name);
        front.objectives.push_back(name);
        front.units.push_back(metric.unit);
        front.better.push_back(metric.better);
        baseline.effects.push_back(unchanged());
    }
    front.points.push_back(std::move(baseline));
    return front;
}

} // namespace

void mark(Front& front) {
    std::vector<FrontPoint*> holding;
    std::vector<decision::Gains> estimates, best, worst;
    for (FrontPoint& point : front.points) {
        if (!point.holds)
            continue;
        holding.push_back(&point);
        estimates.push_back(gains_of(front, point, estimate));
        best.push_back(gains_of(front, point, best_end));
        worst.push_back(gains_of(front, point, worst_end));
    }
    const std::vector<bool> on_front = decision::non_dominated(estimates);
    for (std::size_t i = 0; i < holding.size(); ++i) {
        holding[i]->on_front = on_front[i];
        holding[i]->certain = on_front[i];
        for (std::size_t j = 0; j < holding.size(); ++j)
            if (j != i && may_be_beaten(worst[i], best[j]))
                holding[i]->certain = false;
    }
}

Result<std::vector<Front>> fronts(const study::Store& store) {
    auto verdicts = store.verdicts();
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    auto trials = store.trials(); // after the verdicts: each of them finds its trial
    if (!trials)
        return tl::unexpected(trials.error());
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    std::vector<Front> all;
    for (const study::StudyRecord& study : *studies) {
        const auto project = project_from_frozen(".", study.frozen_json);
        if (!project || project->objectives.size() < 2)
            continue;
        Front front = empty_front(study, *project);
        for (const study::TrialRecord& trial : *trials) {
            if (trial.study != study.id)
                continue;
            for (const study::VerdictRecord& verdict : *verdicts)
                if (verdict.trial == trial.id && counts(verdict))
                    if (auto point = point_of(*project, trial, verdict))
                        front.points.push_back(std::move(*point));
        }
        if (front.points.size() < 2)
            continue;
        mark(front);
        all.push_back(std::move(front));
    }
    return all;
}

} // namespace holdfast::review
