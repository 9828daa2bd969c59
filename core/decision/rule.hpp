// SPDX-License-Identifier: GPL-3.0-or-later
// From rounds of paired values to "accepted", "shown worse", "given up": the frozen rule and what it has seen.
#pragma once

#include "core/project/project.hpp"
#include "core/stats/estimate.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::decision {

/// Values of one metric in one pair, in the metric's unit.
struct Pair {
    double baseline = 0, candidate = 0;
};

struct WorkloadPairs {
    Pair objective;
    /// In Rule::limits' order; a limit whose metric this workload does not report has NaN twice.
    std::vector<Pair> limits;
    std::vector<Pair> others = {}; ///< in Rule::others' order
};

/// One pair per workload, in Rule::workloads' order.
struct Round {
    std::vector<WorkloadPairs> workloads;
};

struct RuleWorkload {
    std::string name;
    double weight = 1;         ///< normalised to sum 1 over the rule
    double opening_median = 0; ///< q50 of the objective in the opening A/A rounds; 0: no tail veto
};

struct RuleLimit {
    std::string metric;
    Better better = Better::lower;
    std::optional<double> worse_by_at_most; ///< fraction
    std::optional<double> at_most;          ///< absolute
};

/// The way of deciding that a study began with; an older history goes on by its own.
/// 2: a value that meets an absolute limit exactly speaks for it, and tails count over all workloads together.
/// 3: a value within rounding of a bound meets it.
constexpr int rule_revision = 3;

/// Log ratios that differ by less differ in nothing but the last digits of their logarithms, or in what bisection
/// leaves.
constexpr double rounding = 1e-9;

/// `rounding`, for a study that began with a revision that knows it; else 0.
constexpr double rounding_of(int revision) {
    return revision >= 3 ? rounding : 0;
}

/// An objective beside the first.
struct RuleObjective {
    std::string metric;
    Better better = Better::lower;
    std::vector<double> opening_medians; ///< by workload, as RuleWorkload::opening_median; empty: no tail veto
};

/// Fixed before the first round it judges.
struct Rule {
    std::vector<RuleWorkload> workloads;
    std::vector<RuleLimit> limits;
    Better better = Better::lower; ///< of the objective, the first one of several
    std::string metric;            ///< its name; "" unless there are several
    std::vector<RuleObjective> others;
    std::size_t claimed = 0; ///< which of several a fixed number of rounds is asked about (assess)
    double minimum_effect = 0.01;
    double harm_margin = 0.03;
    double alpha = 0.1;          ///< intervals
    double threshold = 100;      ///< E that accepts the objective; times their number when there are several
    double guard_threshold = 20; ///< E that passes or fails a guard
    std::size_t max_rounds = 200;
    std::size_t headline_rounds = 20;
    int revision = rule_revision;
};

/// ln(baseline/candidate), negated for higher-is-better: positive means the candidate is better. NaN for a value that
/// is not positive and finite.
double log_ratio(const Pair& pair, Better better);

/// A log ratio as the change people read: candidate/baseline - 1, so -0.03 is 3 % less (lower better) and +0.03 is 3 %
/// more (higher better) for an improvement of about 0.03.
double as_change(double log_ratio, Better better);

/// The inverse of as_change: the log ratio of a change. A change of -100 % or less is an infinite log ratio.
double from_change(double change, Better better);
/// Log ratio of an improvement, or of a harm, by `fraction`: lower is better -ln(1-x) and -ln(1+x), higher is better
/// ln(1+x) and ln(1-x).
double improvement_by(double fraction, Better better);
double harm_by(double fraction, Better better);

/// Location of the paired log ratios with its interval, both in log-ratio units (positive: better). The estimate and
/// the mean ratio rest on the headline rounds once there are any (a sample stopped at its luckiest flatters itself),
/// the interval on all rounds (it holds at every stopping time); from revision 2 on it holds the estimate too.
struct Effect {
    double estimate = 0; ///< Hodges-Lehmann; NaN without rounds
    stats::Interval interval;
    double mean_ratio = 1;  ///< mean candidate / mean baseline; over several workloads their weighted geometric mean
    std::size_t rounds = 0; ///< that the estimate rests on
};

/// A guard: one workload's objective, one limit on one workload, or one workload's tail.
struct Guard {
    enum class Kind { harm, limit, tail };
    Kind kind = Kind::harm;
    std::string workload;
    std::string metric;     ///< of a limit, or of one of several objectives; empty: the objective
    double log_e_safe = 0;  ///< best reached, evidence that it holds (tails: unused)
    double log_e_worse = 0; ///< best reached, evidence that it is broken
    bool safe = false, worse = false;
    std::string demand; ///< "at most 3 % worse", "at most 5"
};

/// The guard in words: `p99 at most 5 on workload "server"`.
std::string describe(const Guard& guard);

/// Rounds that the machine disturbed and that were left out (study/quarantine.hpp), and what all rounds say together.
struct Quarantined {
    std::size_t dropped = 0;
    std::size_t baseline_flags = 0, candidate_flags = 0; ///< disturbed runs of either side
    std::string switched_off;                            ///< why no further round was dropped; "" otherwise
    Effect without; ///< of the objective with the dropped rounds in; the estimate, too, is of all rounds
};

/// What a set of rounds says of one of several objectives.
struct ObjectiveSeen {
    std::string metric;
    Better better = Better::lower;
    Effect effect;                 ///< of the weighted mean
    std::vector<Effect> workloads; ///< in the rule's order
    std::vector<Guard> guards;     ///< its harm and tail
    double log_e = 0;              ///< as Assessment::log_e
    bool accepted = false;         ///< crossed its own threshold
    bool shape_changed = false;
    bool shown_worse() const; ///< than the harm margin, on a workload
    bool out() const;         ///< shown worse, or its tail is: it cannot be claimed
};

/// All that a set of rounds says under a rule. Of several objectives, about the claimed one.
struct Assessment {
    Effect objective;              ///< of the weighted mean
    std::vector<Effect> workloads; ///< in the rule's order
    std::vector<Guard> guards;
    double log_e = 0;           ///< best reached by the objective: against the minimum effect, in assess against 0
    bool accepted = false;      ///< the objective crossed the threshold (sticky)
    bool shape_changed = false; ///< the two families disagree: f alone rejects, g alone is not even shown (E >= 20)
    std::size_t rounds = 0;     ///< all
    std::size_t headline_rounds = 0; ///< of them after acceptance and every guard safe
    /// Pairs of all workloads in which the candidate's run alone lies far from the usual, or the baseline's alone; none
    /// before revision 2.
    std::size_t tails_worse = 0, tails_better = 0;
    std::vector<ObjectiveSeen> objectives = {};  ///< all of several, in the rule's order; empty with one
    std::size_t claimed = 0;                     ///< which of them; the first while none is accepted
    std::optional<Quarantined> quarantined = {}; ///< nothing: no round was dropped. Filled in by who took the rounds

    bool any_worse() const; ///< a guard of `guards` is shown worse
    /// Shown not worth going on with: a limit is shown worse, or the objective (each of several) is shown not to
    /// improve.
    bool lost() const;
};

/// The confirm phase, round by round. Replaying stored rounds gives the same state.
/// The objective is accepted when E >= threshold against "the effect is at most minimum_effect". That is sticky: rounds
/// go on until every guard is safe, one is shown worse or max_rounds is reached; then headline_rounds more, beyond
/// max_rounds if need be. Before acceptance, from round 12 on, it gives up when no bet can reach the threshold.
/// A tail is a veto: it may be shown worse, and need not be shown safe.
///
/// Of k objectives each has an e-process of its own, accepted at k times the threshold (Bonferroni). The first to be
/// accepted without being shown worse is the claimed one (of several in one round the one with the most evidence); its
/// guards then decide as with one objective, and each other one must be settled: safe, or shown worse, which is a trade
/// that the person who declared both has to see.
class Confirmation {
public:
    explicit Confirmation(Rule rule);
    ~Confirmation();
    Confirmation(Confirmation&&) noexcept;
    Confirmation& operator=(Confirmation&&) noexcept;

    /// A value that is not positive and finite (a limit's may be zero) counts against whatever is claimed of it. Rounds
    /// after the end change nothing.
    void add(const Round& round);

    enum class State {
        deciding, ///< objective or a guard still open
        headline, ///< accepted, every guard safe; counting headline rounds
        passed,   ///< headline done
        worse,    ///< a guard is shown worse
        futile,   ///< cannot reach the threshold any more
        capped,   ///< max_rounds without a decision
    };
    State state() const;
    bool finished() const;           ///< none of deciding, headline
    std::size_t rounds_left() const; ///< at most, for progress
    std::string reason() const;      ///< in words, for the finished states
    Assessment assessment() const;

private:
    struct State_;
    std::unique_ptr<State_> state_;
};

/// A fixed number of rounds (screen, held-out, `measure`) under the same rule, without stopping or acceptance.
/// The estimate uses all rounds.
Assessment assess(const Rule& rule, const std::vector<Round>& rounds);

/// What the screen stops too: no bet on the minimum effect, projected to max_rounds by its mean log growth plus two
/// standard errors, reaches the threshold. Costs power only; Confirmation, which has more rounds, gives up by one.
/// False while the rounds are too few to say what the effect could be (six at alpha below 0.092): then confirm finds
/// out.
bool out_of_reach(const Rule& rule, const std::vector<Round>& screened);

/// The acceptance threshold of confirmation: 1 / (alpha * gamma_t * (passed + 1)), gamma_t = 1 / max_confirmations
/// (e-LOND, Xu and Ramdas 2024). `passed`: trials of the study so far that passed confirm and held-out.
double confirmation_threshold(double false_proposal_rate, int max_confirmations, int passed);

} // namespace holdfast::decision
