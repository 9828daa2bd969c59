// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of a trial in words, first match wins (docs/guide.md, "Reading a verdict").
#pragma once

#include "core/decision/rule.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::decision {

enum class VerdictKind {
    generalises,
    overfits,
    regresses,
    no_effect,
    inconclusive,
    incorrect,
    unsafe,
    refused,
    failed,
    not_comparable,
    interrupted,
};

/// "generalises", "no-effect", ...
std::string_view to_text(VerdictKind kind);
std::optional<VerdictKind> verdict_from_text(std::string_view text);

/// Flag of a gain that generalises while a held-out workload, or a limit on one, is not shown to stay within its
/// margin, and how the reason that names them begins.
constexpr std::string_view unsettled_flag = "held-out not settled";
constexpr std::string_view unsettled_start = "Not settled on held-out workloads: ";

struct Verdict {
    VerdictKind kind = VerdictKind::inconclusive;
    std::string qualifier;            ///< "tail" for `regresses (tail)`, else empty
    std::vector<std::string> reasons; ///< sentences, most important first
    /// "not held out", "over-stated", "shape changed", "readable held-out", "leaky split", "trade-off: NAME",
    /// "held-out not settled"
    std::vector<std::string> flags;
    bool proposal = false; ///< waits for a person: generalises, or accepted on tuning and `not held out`
};

/// What the gates found when none of them stopped the trial outright.
struct Findings {
    Better better = Better::lower;
    double minimum_effect = 0.01, harm_margin = 0.03;
    std::optional<Assessment> tuning;  ///< confirm (or screen when it stopped there)
    std::string tuning_stop;           ///< why confirm or screen ended, in words
    std::optional<Assessment> holdout; ///< nothing: not asked
    bool has_holdout = true;           ///< the project has held-out workloads
    bool readable_holdout = false;     ///< whoever writes patches can read some of them
    std::string holdout_not_asked;     ///< a reason such as a spent question budget; empty otherwise
    std::string split_leak = {};       ///< which held-out workloads are near copies of tuning ones; empty: none is
    int revision = rule_revision;      ///< of the study's rule
};

Verdict decide(const Findings& findings);

/// [low_t - high_h, high_t - low_h] in log-ratio units.
stats::Interval gap(const Effect& tuning, const Effect& holdout);

/// The same in points of the gain in percent: "4.6 points [0.3, 9.1]", positive when tuning gained more.
std::string gap_text(const Effect& tuning, const Effect& holdout, Better better);

/// A change (0.032 is 3.2 %) in percent, without the unit: "−3.2", "+0.4", "0.0", "+1.2e+07"; infinite "−∞", "∞"; NaN
/// "unknown".
std::string percent_text(double change, int decimals = 1);

/// "−3.2 % [−4.1, −2.3]", a real minus sign; infinite ends as "−∞" and "∞".
std::string describe(const Effect& effect, Better better);

/// The interval alone: "−1.9 to +5.2 %".
std::string range_text(const Effect& effect, Better better);

} // namespace holdfast::decision
