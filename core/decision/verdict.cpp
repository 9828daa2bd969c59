// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the verdicts is the rule: each step below either decides or leaves the question to the next one.
#include "core/decision/verdict.hpp"

#include "core/decision/guard.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

namespace holdfast::decision {

namespace {

constexpr std::array<std::pair<VerdictKind, std::string_view>, 11> names = {{
    {VerdictKind::generalises, "generalises"},
    {VerdictKind::overfits, "overfits"},
    {VerdictKind::regresses, "regresses"},
    {VerdictKind::no_effect, "no-effect"},
    {VerdictKind::inconclusive, "inconclusive"},
    {VerdictKind::incorrect, "incorrect"},
    {VerdictKind::unsafe, "unsafe"},
    {VerdictKind::refused, "refused"},
    {VerdictKind::failed, "failed"},
    {VerdictKind::not_comparable, "not-comparable"},
    {VerdictKind::interrupted, "interrupted"},
}};

constexpr double tails_shown = 20; ///< E-value

/// As as_change, but an unbounded log ratio stays unbounded instead of ending at −100 %.
double end_as_change(double log_ratio, Better better) {
    if (std::isinf(log_ratio))
        return better == Better::lower ? -log_ratio : log_ratio;
    return as_change(log_ratio, better);
}

struct Range {
    double low, high;
    int decimals;
};

/// The interval as changes, in rising order, with as many decimals as its width gives meaning to.
Range as_changes(const Effect& effect, Better better) {
    double low = end_as_change(effect.interval.low, better), high = end_as_change(effect.interval.high, better);
    if (low > high)
        std::swap(low, high);
    const double width = high - low;
    const int decimals = width > 0.005 || width == 0 ? 1 : width > 0.0005 ? 2 : 3;
    return {low, high, decimals};
}

std::string sense(Better better) {
    return better == Better::lower ? "lower is better" : "higher is better";
}

/// "could be −1.2 % to +0.8 %"
std::string could_be(const Effect& effect, Better better) {
    const Range range = as_changes(effect, better);
    if (std::isinf(range.low) && std::isinf(range.high))
        return "could be anything";
    const std::string low = percent_text(range.low, range.decimals), high = percent_text(range.high, range.decimals);
    return low == high ? fmt::format("is {} %", low) : fmt::format("could be {} % to {} %", low, high);
}

std::string whole_sentence(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    if (!text.empty() && text.back() != '.')
        text += '.';
    return text;
}

std::string measured(std::string_view where, const Assessment& seen, Better better) {
    std::string text = fmt::format("{}: {}{} over {} rounds ({}).", where,
                                   seen.objectives.empty() ? "" : seen.objectives[seen.claimed].metric + " ",
                                   describe(seen.objective, better), seen.objective.rounds, sense(better));
    for (std::size_t i = 0; i < seen.objectives.size(); ++i)
        if (const ObjectiveSeen& other = seen.objectives[i]; i != seen.claimed)
            text += fmt::format(" Beside it {} {} ({}).", other.metric, describe(other.effect, other.better),
                                sense(other.better));
    return text;
}

void add_stop(const Findings& findings, Verdict& verdict) {
    if (!findings.tuning_stop.empty())
        verdict.reasons.push_back(whole_sentence("Measuring on the tuning workloads ended: " + findings.tuning_stop));
}

/// The harm of the objectives that are not claimed.
std::vector<Guard> beside(const Assessment& assessment) {
    std::vector<Guard> guards;
    for (std::size_t i = 0; i < assessment.objectives.size(); ++i)
        if (i != assessment.claimed)
            std::copy_if(assessment.objectives[i].guards.begin(), assessment.objectives[i].guards.end(),
                         std::back_inserter(guards),
                         [](const Guard& guard) { return guard.kind == Guard::Kind::harm; });
    return guards;
}

/// What stands against the trial. A worse objective is a trade only where another one is accepted.
std::vector<Guard> held_against(const Assessment& assessment, bool accepted) {
    std::vector<Guard> guards = assessment.guards;
    if (!accepted)
        for (Guard& guard : beside(assessment))
            guards.push_back(std::move(guard));
    std::erase_if(guards, [](const Guard& guard) { return !guard.worse; });
    return guards;
}

/// One sentence per guard shown broken. The qualifier is "tail" when nothing but tails is.
void add_worse(const std::vector<Guard>& broken, Verdict& verdict) {
    bool only_tails = true;
    for (const Guard& guard : broken) {
        only_tails = only_tails && guard.kind == Guard::Kind::tail;
        // A whole workload that moved has all of its runs far from the usual: that is no matter of rare ones.
        if (guard.kind == Guard::Kind::tail && std::any_of(broken.begin(), broken.end(), [&](const Guard& other) {
                return other.kind != Guard::Kind::tail && other.workload == guard.workload;
            }))
            continue;
        const double e = std::exp(guard.log_e_worse);
        verdict.reasons.push_back(
            guard.kind == Guard::Kind::tail
                ? fmt::format("More runs than the baseline's lie far from the usual on workload \"{}\" (E = {:.3g}).",
                              guard.workload, e)
                : fmt::format("Shown not to hold: {} (E = {:.3g}).", describe(guard), e));
    }
    if (only_tails)
        verdict.qualifier = "tail";
}

/// Rare slow runs may be too few on one workload to show anything: here those of all workloads, tuning and held-out,
/// count together.
bool tails_shown_worse(const Findings& findings, Verdict& verdict) {
    std::size_t worse = 0, better = 0;
    for (const auto* seen : {&findings.tuning, &findings.holdout})
        if (*seen) {
            worse += (*seen)->tails_worse;
            better += (*seen)->tails_better;
        }
    const stats::LogE log_e = tail_log_e(worse, better);
    if (log_e < std::log(tails_shown))
        return false;
    verdict.kind = VerdictKind::regresses;
    verdict.qualifier = "tail";
    verdict.reasons.push_back(
        fmt::format("More runs than the baseline's lie far from the usual over all workloads: in {} "
                    "pairs the candidate's alone, in {} the baseline's alone (E = {:.3g}).",
                    worse, better, std::exp(log_e)));
    return true;
}

/// Objectives that an accepted one is paid with: a person has to want that.
void add_trades(const Findings& findings, Verdict& verdict) {
    if (!findings.tuning || !findings.tuning->accepted)
        return;
    for (const auto* seen : {&findings.tuning, &findings.holdout}) {
        if (!*seen)
            continue;
        for (const Guard& guard : beside(**seen)) {
            const std::string flag = "trade-off: " + guard.metric;
            if (guard.worse && std::find(verdict.flags.begin(), verdict.flags.end(), flag) == verdict.flags.end())
                verdict.flags.push_back(flag);
        }
    }
}

/// No change that matters: the whole interval lies within the minimum effect, on either side.
bool inside_minimum_effect(const Effect& effect, const Findings& findings) {
    const double slack = rounding_of(findings.revision);
    return effect.interval.low >= harm_by(findings.minimum_effect, findings.better) - slack &&
           effect.interval.high <= improvement_by(findings.minimum_effect, findings.better) + slack;
}

void not_accepted(const Findings& findings, Verdict& verdict) {
    const Effect& effect = findings.tuning->objective;
    const double minimum = 100 * findings.minimum_effect;
    const std::string range = fmt::format("{} ({})", could_be(effect, findings.better), sense(findings.better));
    if (inside_minimum_effect(effect, findings)) {
        verdict.kind = VerdictKind::no_effect;
        verdict.reasons.push_back(
            fmt::format("The effect lies within the minimum effect of {:.4g} % either way: {}.", minimum, range));
    } else {
        verdict.reasons.push_back(
            fmt::format("An improvement of at least {:.4g} % is not shown: the effect {}.", minimum, range));
    }
    add_stop(findings, verdict);
}

/// An accepted objective with guards that nothing has settled.
bool guard_left_open(const Findings& findings, Verdict& verdict) {
    std::vector<Guard> guards = findings.tuning->guards;
    for (Guard& guard : beside(*findings.tuning))
        if (!guard.worse)
            guards.push_back(std::move(guard));
    for (const Guard& guard : guards)
        if (guard.kind != Guard::Kind::tail && !guard.safe)
            verdict.reasons.push_back(
                fmt::format("Not settled: {} (E = {:.3g} so far).", describe(guard), std::exp(guard.log_e_safe)));
    if (verdict.reasons.empty())
        return false;
    verdict.reasons.push_back(measured("Tuning workloads", *findings.tuning, findings.better));
    add_stop(findings, verdict);
    return true;
}

/// Accepted on tuning with every guard safe, and no answer from held-out workloads.
void without_holdout(const Findings& findings, Verdict& verdict) {
    if (!findings.holdout_not_asked.empty()) {
        verdict.reasons.push_back(
            whole_sentence("The held-out workloads were not asked: " + findings.holdout_not_asked));
    } else if (findings.has_holdout) {
        verdict.reasons.emplace_back("The held-out workloads were not asked.");
    } else {
        verdict.reasons.emplace_back("The project has no held-out workload: nothing shows that the gain generalises.");
        verdict.flags.emplace_back("not held out");
        verdict.proposal = true;
    }
    verdict.reasons.push_back(measured("Tuning workloads", *findings.tuning, findings.better));
}

void measured_both(const Findings& findings, Verdict& verdict) {
    verdict.reasons.push_back(measured("Tuning workloads", *findings.tuning, findings.better));
    verdict.reasons.push_back(measured("Held-out workloads", *findings.holdout, findings.better));
}

struct Unsettled {
    std::string flagged; ///< what may be worse than its margin, with its interval; empty: nothing
    void add(std::string text) { flagged += (flagged.empty() ? "" : "; ") + std::move(text); }
};

/// Of the harm guards the one at place i is that of workload i.
void add_unsettled(const std::vector<Guard>& guards, const std::vector<Effect>& workloads, Better better,
                   Unsettled& unsettled) {
    std::size_t place = 0;
    for (const Guard& guard : guards) {
        const std::size_t i = guard.kind == Guard::Kind::harm ? place++ : workloads.size();
        if (guard.kind == Guard::Kind::tail || guard.safe || guard.worse)
            continue;
        if (i < workloads.size())
            unsettled.add(fmt::format("{}{} {}: not shown to be {}", guard.workload,
                                      guard.metric.empty() ? "" : " " + guard.metric, describe(workloads[i], better),
                                      guard.demand));
        else
            unsettled.add(fmt::format("{}: not shown, E = {:.3g} so far", describe(guard), std::exp(guard.log_e_safe)));
    }
}

/// A mean over held-out workloads may hide one that is worse: what is not shown to stay within its margin a person has
/// to see.
void flag_unsettled(const Assessment& holdout, Better better, Verdict& verdict) {
    Unsettled unsettled;
    add_unsettled(holdout.guards, holdout.workloads, better, unsettled);
    for (std::size_t i = 0; i < holdout.objectives.size(); ++i)
        if (i != holdout.claimed)
            add_unsettled(holdout.objectives[i].guards, holdout.objectives[i].workloads, holdout.objectives[i].better,
                          unsettled);
    if (unsettled.flagged.empty())
        return;
    verdict.flags.emplace_back(unsettled_flag);
    verdict.reasons.push_back(fmt::format("{}{}.", unsettled_start, unsettled.flagged));
}

void decide_on_holdout(const Findings& findings, Verdict& verdict) {
    const Effect& tuning = findings.tuning->objective;
    const Effect& holdout = findings.holdout->objective;
    const double slack = rounding_of(findings.revision);
    const std::string range = fmt::format("{} ({})", could_be(holdout, findings.better), sense(findings.better));
    if (holdout.interval.high < tuning.estimate / 2 - slack) {
        verdict.kind = VerdictKind::overfits;
        verdict.reasons.push_back(
            fmt::format("The effect on held-out workloads {}: less than half of the {} % on tuning workloads.", range,
                        percent_text(as_change(tuning.estimate, findings.better), 1)));
    } else if (holdout.interval.low > slack) {
        verdict.kind = VerdictKind::generalises;
        verdict.proposal = true;
        verdict.reasons.emplace_back("The improvement is shown on the held-out workloads too.");
        const stats::Interval difference = gap(tuning, holdout);
        if (difference.low > rounding) {
            verdict.flags.emplace_back("over-stated");
            verdict.reasons.push_back(
                fmt::format("The tuning workloads over-state it: the held-out effect is smaller by {}.",
                            gap_text(tuning, holdout, findings.better)));
        }
        flag_unsettled(*findings.holdout, findings.better, verdict);
    } else {
        verdict.reasons.push_back(fmt::format("The effect on held-out workloads {}.", range));
    }
    measured_both(findings, verdict);
}

} // namespace

std::string_view to_text(VerdictKind kind) {
    for (const auto& [known, text] : names)
        if (known == kind)
            return text;
    return "inconclusive"; // not reached: every kind has its name above
}

std::optional<VerdictKind> verdict_from_text(std::string_view text) {
    for (const auto& [kind, known] : names)
        if (known == text)
            return kind;
    return std::nullopt;
}

Verdict decide(const Findings& findings) {
    Verdict verdict;
    if (findings.readable_holdout)
        verdict.flags.emplace_back("readable held-out");
    if (!findings.split_leak.empty())
        verdict.flags.emplace_back("leaky split");
    if ((findings.tuning && findings.tuning->shape_changed) || (findings.holdout && findings.holdout->shape_changed))
        verdict.flags.emplace_back("shape changed");
    add_trades(findings, verdict);
    using Broken = std::vector<Guard>;
    const bool accepted = findings.tuning && findings.tuning->accepted;
    const Broken on_tuning = findings.tuning ? held_against(*findings.tuning, accepted) : Broken();
    const Broken on_holdout = findings.holdout ? held_against(*findings.holdout, accepted) : Broken();

    if (!findings.tuning) {
        verdict.reasons.emplace_back("Nothing was measured on the tuning workloads.");
        add_stop(findings, verdict);
    } else if (!on_tuning.empty()) {
        verdict.kind = VerdictKind::regresses;
        add_worse(on_tuning, verdict);
        verdict.reasons.push_back(measured("Tuning workloads", *findings.tuning, findings.better));
    } else if (!on_holdout.empty()) {
        verdict.kind = VerdictKind::overfits;
        add_worse(on_holdout, verdict);
        measured_both(findings, verdict);
    } else if (tails_shown_worse(findings, verdict)) {
        verdict.reasons.push_back(measured("Tuning workloads", *findings.tuning, findings.better));
    } else if (!findings.tuning->accepted) {
        not_accepted(findings, verdict);
    } else if (!guard_left_open(findings, verdict)) {
        if (findings.holdout)
            decide_on_holdout(findings, verdict);
        else
            without_holdout(findings, verdict);
    }
    if (!findings.split_leak.empty())
        verdict.reasons.push_back(findings.split_leak);
    return verdict;
}

stats::Interval gap(const Effect& tuning, const Effect& holdout) {
    return {tuning.interval.low - holdout.interval.high, tuning.interval.high - holdout.interval.low};
}

std::string gap_text(const Effect& tuning, const Effect& holdout, Better better) {
    const auto gain = [better](double log_ratio) {
        return 100 * (better == Better::lower ? -1 : 1) * end_as_change(log_ratio, better);
    };
    const auto points = [](double value) {
        if (std::isinf(value))
            return std::string(value < 0 ? "−∞" : "∞");
        const std::string digits = fmt::format("{:.1f}", std::abs(value));
        return (value < 0 && digits != "0.0" ? "−" : "") + digits;
    };
    return fmt::format("{} points [{}, {}]", points(gain(tuning.estimate) - gain(holdout.estimate)),
                       points(gain(tuning.interval.low) - gain(holdout.interval.high)),
                       points(gain(tuning.interval.high) - gain(holdout.interval.low)));
}

std::string percent_text(double change, int decimals) {
    if (std::isnan(change))
        return "unknown";
    if (std::isinf(change))
        return change < 0 ? "−∞" : "∞";
    // A hostile metric can differ by hundreds of digits, which would push everything else out of a table.
    if (std::abs(change) >= 1e4)
        return fmt::format("{}{:.1e}", change < 0 ? "−" : "+",
                           std::min(100 * std::abs(change), std::numeric_limits<double>::max()));
    const std::string digits = fmt::format("{:.{}f}", std::abs(100 * change), decimals);
    const bool zero = digits.find_first_not_of("0.") == std::string::npos;
    return (zero ? "" : change < 0 ? "−" : "+") + digits;
}

std::string range_text(const Effect& effect, Better better) {
    const Range range = as_changes(effect, better);
    return fmt::format("{} to {} %", percent_text(range.low, range.decimals), percent_text(range.high, range.decimals));
}

std::string describe(const Effect& effect, Better better) {
    const Range range = as_changes(effect, better);
    return fmt::format("{} % [{}, {}]", percent_text(end_as_change(effect.estimate, better), range.decimals),
                       percent_text(range.low, range.decimals), percent_text(range.high, range.decimals));
}

} // namespace holdfast::decision
