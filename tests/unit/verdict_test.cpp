// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/verdict.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::decision;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Guard guard(Guard::Kind kind, bool safe, bool worse) {
    Guard result;
    result.kind = kind;
    result.workload = "w";
    result.metric = kind == Guard::Kind::limit ? "p99" : "";
    result.demand = kind == Guard::Kind::limit ? "at most 5" : "at most 3 % worse";
    result.safe = safe;
    result.worse = worse;
    result.log_e_safe = std::log(safe ? 30.0 : 4.0);
    result.log_e_worse = std::log(worse ? 25.0 : 0.5);
    return result;
}

Effect effect(double estimate, double low, double high) {
    Effect result;
    result.estimate = estimate;
    result.interval = {low, high};
    result.rounds = 20;
    return result;
}

Assessment measured(Effect objective, bool accepted = true) {
    Assessment result;
    result.objective = objective;
    result.accepted = accepted;
    result.guards = {guard(Guard::Kind::harm, true, false), guard(Guard::Kind::tail, false, false)};
    result.rounds = 40;
    return result;
}

/// Accepted at about −4 % on tuning, much the same on held-out workloads.
Findings good() {
    Findings findings;
    findings.tuning = measured(effect(0.04, 0.03, 0.05));
    findings.tuning_stop = "accepted after 20 rounds";
    findings.holdout = measured(effect(0.035, 0.02, 0.05), false);
    return findings;
}

bool has_flag(const Verdict& verdict, const std::string& flag) {
    return std::count(verdict.flags.begin(), verdict.flags.end(), flag) == 1;
}

std::string words(const Verdict& verdict) {
    std::string text;
    for (const std::string& reason : verdict.reasons)
        text += reason + "\n";
    return text;
}

} // namespace

TEST_CASE("every kind has a name and every name a kind") {
    for (int i = 0; i <= static_cast<int>(VerdictKind::interrupted); ++i) {
        const auto kind = static_cast<VerdictKind>(i);
        CHECK(verdict_from_text(to_text(kind)) == kind);
    }
    CHECK(to_text(VerdictKind::no_effect) == "no-effect");
    CHECK(to_text(VerdictKind::not_comparable) == "not-comparable");
    CHECK_FALSE(verdict_from_text("fine"));
}

TEST_CASE("a gain that holds on held-out workloads generalises") {
    const Verdict verdict = decide(good());
    CHECK(verdict.kind == VerdictKind::generalises);
    CHECK(verdict.proposal);
    CHECK(verdict.flags.empty());
    CHECK_THAT(words(verdict),
               ContainsSubstring("Held-out workloads: −3.4 % [−4.9, −2.0] over 20 rounds (lower is better)."));
}

TEST_CASE("a smaller gain on held-out workloads is over-stated by tuning") {
    Findings findings = good();
    findings.tuning->objective = effect(0.10, 0.09, 0.11);
    findings.holdout->objective = effect(0.06, 0.05, 0.07);
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::generalises);
    CHECK(verdict.proposal);
    CHECK(has_flag(verdict, "over-stated"));
    CHECK_THAT(words(verdict), ContainsSubstring("smaller by 3.7 points ["));
}

TEST_CASE("less than half of the gain on held-out workloads overfits") {
    Findings findings = good();
    findings.holdout->objective = effect(0.01, 0.005, 0.019);
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::overfits); // before "interval above 0"
    CHECK(verdict.qualifier.empty());
    CHECK_FALSE(verdict.proposal);
    CHECK_THAT(words(verdict), ContainsSubstring("less than half of the −3.9 %"));
}

TEST_CASE("held-out workloads that do not tell leave it inconclusive") {
    Findings findings = good();
    findings.holdout->objective = effect(0.02, -0.01, 0.05);
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK_FALSE(verdict.proposal);
    CHECK_THAT(words(verdict), ContainsSubstring("could be −4.9 % to +1.0 %"));
    findings.holdout->objective = effect(0.02, -infinity, infinity);
    CHECK_THAT(words(decide(findings)), ContainsSubstring("could be anything"));
    findings.holdout->objective = effect(std::nan(""), -infinity, infinity);
    CHECK(decide(findings).kind == VerdictKind::inconclusive);
}

TEST_CASE("a broken guard on a tuning workload regresses before anything else") {
    Findings findings = good();
    findings.tuning->guards[0] = guard(Guard::Kind::harm, false, true);
    findings.holdout->guards[0] = guard(Guard::Kind::harm, false, true);
    Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::regresses);
    CHECK(verdict.qualifier.empty());
    CHECK_FALSE(verdict.proposal);
    CHECK_THAT(verdict.reasons.front(), ContainsSubstring("objective at most 3 % worse on workload \"w\" (E = 25)"));

    findings.tuning->accepted = false; // the screen ends there
    CHECK(decide(findings).kind == VerdictKind::regresses);
    findings.tuning->guards[0] = guard(Guard::Kind::limit, false, true);
    CHECK(decide(findings).kind == VerdictKind::regresses);
}

TEST_CASE("a broken guard on a held-out workload overfits") {
    Findings findings = good();
    findings.holdout->guards[0] = guard(Guard::Kind::harm, false, true);
    CHECK(decide(findings).kind == VerdictKind::overfits);
    CHECK(decide(findings).qualifier.empty());
    findings.holdout = measured(effect(0.04, 0.03, 0.05), false);
    findings.holdout->guards[1] = guard(Guard::Kind::tail, false, true);
    CHECK(decide(findings).kind == VerdictKind::overfits);
    CHECK(decide(findings).qualifier == "tail");
    findings.holdout->guards[1].worse = false;
    findings.holdout->guards[0].safe = false; // a fixed number of rounds need not settle every guard
    CHECK(decide(findings).kind == VerdictKind::generalises);
}

TEST_CASE("only a tail is called a tail") {
    Findings findings = good();
    findings.tuning->guards[1] = guard(Guard::Kind::tail, false, true);
    Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::regresses);
    CHECK(verdict.qualifier == "tail");
    CHECK_THAT(verdict.reasons.front(), ContainsSubstring("far from the usual"));
    findings.tuning->guards[0] = guard(Guard::Kind::harm, false, true);
    CHECK(decide(findings).qualifier.empty());
}

TEST_CASE("tails that neither side shows alone are shown by both together") {
    Findings findings = good();
    findings.tuning->tails_worse = 3;
    CHECK(decide(findings).kind == VerdictKind::generalises);
    findings.holdout->tails_worse = 4;
    Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::regresses);
    CHECK(verdict.qualifier == "tail");
    CHECK_FALSE(verdict.proposal);
    CHECK_THAT(verdict.reasons.front(),
               ContainsSubstring("in 7 pairs the candidate's alone, in 0 the baseline's alone"));
    findings.tuning->tails_better = 3;
    CHECK(decide(findings).kind == VerdictKind::generalises);
    findings.holdout.reset();
    findings.has_holdout = false;
    findings.tuning->tails_worse = 15;
    CHECK(decide(findings).kind == VerdictKind::regresses);
}

TEST_CASE("an objective that is not accepted") {
    Findings findings = good();
    findings.holdout.reset();
    findings.tuning_stop = "given up after 30 rounds";
    SECTION("has no effect when the interval lies within the minimum effect") {
        findings.tuning = measured(effect(0.001, -0.004, 0.006), false);
        const Verdict verdict = decide(findings);
        CHECK(verdict.kind == VerdictKind::no_effect);
        CHECK_THAT(words(verdict), ContainsSubstring("minimum effect of 1 % either way: could be −0.6 % to +0.4 %"));
        CHECK_THAT(words(verdict), ContainsSubstring("given up after 30 rounds."));
    }
    SECTION("is inconclusive otherwise") {
        for (const auto& wide : {effect(0.001, -0.02, 0.006), effect(0.001, -0.004, 0.02)}) {
            findings.tuning = measured(wide, false);
            CHECK(decide(findings).kind == VerdictKind::inconclusive);
        }
        CHECK_THAT(words(decide(findings)), ContainsSubstring("could be −2.0 % to +0.4 % (lower is better)"));
    }
    SECTION("comes before missing held-out workloads") {
        findings.tuning = measured(effect(0.001, -0.02, 0.02), false);
        findings.has_holdout = false;
        CHECK_FALSE(has_flag(decide(findings), "not held out"));
        CHECK_FALSE(decide(findings).proposal);
    }
    SECTION("of a higher-is-better metric mirrors") {
        findings.better = Better::higher;
        findings.tuning = measured(effect(0.001, -0.02, 0.006), false);
        CHECK_THAT(words(decide(findings)), ContainsSubstring("could be −2.0 % to +0.6 % (higher is better)"));
    }
}

TEST_CASE("an open guard leaves it inconclusive and is named") {
    Findings findings = good();
    findings.tuning->guards[0] = guard(Guard::Kind::limit, false, false);
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK_FALSE(verdict.proposal);
    CHECK_THAT(verdict.reasons.front(),
               ContainsSubstring("Not settled: p99 at most 5 on workload \"w\" (E = 4 so far)"));
    findings.has_holdout = false;
    findings.holdout.reset();
    CHECK_FALSE(decide(findings).proposal);
}

TEST_CASE("without a held-out workload a person may still approve") {
    Findings findings = good();
    findings.holdout.reset();
    findings.has_holdout = false;
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK(verdict.proposal);
    CHECK(has_flag(verdict, "not held out"));
}

TEST_CASE("held-out workloads that were not asked leave it inconclusive") {
    Findings findings = good();
    findings.holdout.reset();
    findings.holdout_not_asked = "the 50 questions of this study are spent; bring new held-out workloads";
    Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK_FALSE(verdict.proposal);
    CHECK_THAT(words(verdict), ContainsSubstring("not asked: the 50 questions"));
    findings.holdout_not_asked.clear();
    verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK_FALSE(verdict.proposal);
}

TEST_CASE("nothing measured is inconclusive and says why") {
    Findings findings;
    findings.tuning_stop = "the screen was not reached";
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK_THAT(words(verdict), ContainsSubstring("the screen was not reached."));
}

TEST_CASE("flags travel with any verdict") {
    Findings findings = good();
    findings.readable_holdout = true;
    findings.tuning->shape_changed = true;
    CHECK(has_flag(decide(findings), "readable held-out"));
    CHECK(has_flag(decide(findings), "shape changed"));
    findings.tuning->guards[0].worse = true;
    CHECK(has_flag(decide(findings), "shape changed"));
}

TEST_CASE("a counter that never changes has no effect") {
    Rule rule;
    rule.workloads = {{"only", 1, 0}};
    Confirmation confirmation(rule);
    Round round;
    round.workloads = {{{7, 7}, {}}};
    while (!confirmation.finished())
        confirmation.add(round);
    Findings findings;
    findings.tuning = confirmation.assessment();
    findings.tuning_stop = confirmation.reason();
    CHECK(decide(findings).kind == VerdictKind::no_effect);
}

TEST_CASE("effects in words") {
    CHECK(describe(effect(std::log(1 / 0.968), std::log(1 / 0.977), std::log(1 / 0.959)), Better::lower) ==
          "−3.2 % [−4.1, −2.3]");
    CHECK(describe(effect(0.03, 0.02, 0.04), Better::higher) == "+3.0 % [+2.0, +4.1]");
    CHECK(describe(effect(0.03, -infinity, infinity), Better::lower) == "−3.0 % [−∞, ∞]");
    CHECK(describe(effect(0, 0, 0), Better::lower) == "0.0 % [0.0, 0.0]");
    CHECK(describe(effect(-0.00001, -0.01, 0.01), Better::lower) == "0.0 % [−1.0, +1.0]");
    CHECK(describe(effect(0.0003, 0.0001, 0.0005), Better::higher) == "+0.030 % [+0.010, +0.050]");
    CHECK(describe(effect(std::nan(""), -infinity, infinity), Better::lower) == "unknown % [−∞, ∞]");
}

TEST_CASE("the gap takes the far ends") {
    const stats::Interval difference = gap(effect(0.1, 0.08, 0.12), effect(0.05, 0.03, 0.07));
    CHECK(difference.low == Approx(0.01));
    CHECK(difference.high == Approx(0.09));
}

TEST_CASE("no verdict is proposed unless tuning accepted it and nothing is shown worse") {
    CHECK(rc::check([](bool accepted, bool safe, bool worse, bool tail, bool asked, bool has_holdout, bool held_worse) {
        Findings findings = good();
        findings.tuning->accepted = accepted;
        findings.tuning->guards = {guard(Guard::Kind::harm, safe, worse), guard(Guard::Kind::tail, false, tail)};
        findings.holdout->guards = {guard(Guard::Kind::harm, false, held_worse)};
        findings.has_holdout = has_holdout;
        if (!asked || !has_holdout)
            findings.holdout.reset();
        const double low = *rc::gen::inRange(-50, 50) / 1000.0;
        if (findings.holdout)
            findings.holdout->objective = effect(low + 0.01, low, low + 0.02);
        const Verdict verdict = decide(findings);
        RC_ASSERT(!verdict.reasons.empty());
        if (verdict.proposal) {
            RC_ASSERT(accepted && safe && !worse && !tail);
            RC_ASSERT(!has_holdout || (asked && !held_worse && low > 0));
        }
        RC_ASSERT((verdict.kind == VerdictKind::regresses) == (worse || tail));
        RC_ASSERT(verdict.qualifier.empty() || verdict.kind == VerdictKind::regresses ||
                  verdict.kind == VerdictKind::overfits);
    }));
}

TEST_CASE("a change is shown in few characters, however absurd the metric") {
    CHECK(percent_text(-0.0321) == "−3.2");
    CHECK(percent_text(0.004) == "+0.4");
    CHECK(percent_text(1e-9) == "0.0");
    CHECK(percent_text(2e300) == "+2.0e+302");
    CHECK(percent_text(std::numeric_limits<double>::infinity()) == "∞");
    CHECK(percent_text(std::nan("")) == "unknown");
    CHECK(percent_text(1e308) == "+1.8e+308");
}

TEST_CASE("what rounding leaves of nothing is no gain on held-out workloads") {
    Findings findings = good();
    findings.holdout->objective = effect(0.02, 3.388e-14, 0.05);
    CHECK(decide(findings).kind == VerdictKind::inconclusive);
    findings.revision = 2; // a study that began so is judged so
    CHECK(decide(findings).kind == VerdictKind::generalises);
    findings = good();
    findings.holdout->objective = effect(0.02, 0.02, 0.02 - 1e-14); // exactly half
    CHECK(decide(findings).kind == VerdictKind::generalises);
}

TEST_CASE("a held-out workload that is not settled is flagged, with its interval") {
    Findings findings = good();
    findings.holdout->workloads = {effect(0.1, 0.05, 0.15), effect(-0.08, -0.19, 0.02)};
    Guard settled = guard(Guard::Kind::harm, true, false), open = guard(Guard::Kind::harm, false, false);
    settled.workload = "g";
    open.workload = "h";
    findings.holdout->guards = {settled, guard(Guard::Kind::tail, false, false), open,
                                guard(Guard::Kind::limit, false, false)};
    const Verdict verdict = decide(findings);
    CHECK(verdict.kind == VerdictKind::generalises); // the mean is shown; a person has to see the rest
    CHECK(has_flag(verdict, std::string(unsettled_flag)));
    CHECK_THAT(
        words(verdict),
        ContainsSubstring("Not settled on held-out workloads: h +8.3 % [−2.0, +20.9]: not shown to be at most 3 % "
                          "worse; p99 at most 5 on workload \"w\": not shown, E = 4 so far."));
    findings.holdout->guards = {settled};
    CHECK(decide(findings).flags.empty());
}
