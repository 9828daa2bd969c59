// SPDX-License-Identifier: GPL-3.0-or-later
// How often a study is wrong, and what that costs: trust [REPEATS [SEED]].
//
// Many studies of 300 candidates each, most of them worthless, go through the decision code as `run` uses it (screen,
// Confirmation, held-out rounds, decide) and through what people do without it. Noise and candidates are those of the
// study that the rule was chosen by: every run has a coefficient of variation of 2 %, and 3 % of the runs take three
// times as long; three tuning workloads share the objective, two more only guard (they weigh next to nothing), two are
// held out; alpha 0.1, harm margin 3 %, at most 150 rounds, 300 confirmations.
//   240 candidates change nothing, 30 gain 4 % everywhere, 15 are overfitted (+6 % on tuning, -6 % on held-out
//   workloads), 15 hurt (+4 % on tuning, -6 % on one guard).
// Every proposal but those of real gains is false. The share is the mean over studies of false / all proposals (0
// without any), the power that of proposed real gains, rounds are those of all phases a candidate.
//
// The last column is the share of the proposed real gains that carry the flag `held-out not settled`.
//
// A second table has single candidates of default studies (ten confirmations): honest gains of several sizes, and gains
// that come with rare slow runs of the candidate's own.
#include "core/decision/rule.hpp"
#include "core/decision/verdict.hpp"
#include "core/stats/random.hpp"
#include "core/study/rounds.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;

namespace {

constexpr std::size_t opening_rounds = 12;
constexpr double slow_factor = 3;

/// A project on a machine.
struct World {
    std::size_t tuning = 3, guards = 2, holdout = 2; ///< workloads; guards are tuning workloads of hardly any weight
    double deviation = 0.02;                         ///< of ln t of a run
    double slow_share = 0.03;                        ///< of all runs
    int max_confirmations = 300, max_pairs = 150;
};

enum class Kind { nothing, gain, overfitted, hurting };

/// Log ratios, positive: better.
struct Candidate {
    Kind kind = Kind::nothing;
    double tuning = 0, guard = 0, other_guard = 0, holdout = 0;
    double slow_share = 0; ///< of its own runs, beside the machine's
};

double better_by(double share) {
    return decision::improvement_by(share, Better::lower);
}
double worse_by(double share) {
    return decision::harm_by(share, Better::lower);
}

Candidate candidate_of(std::size_t place) {
    if (place % 10 == 0)
        return {Kind::gain, better_by(0.04), better_by(0.04), better_by(0.04), better_by(0.04)};
    if (place % 20 == 1)
        return {Kind::overfitted, better_by(0.06), 0, 0, worse_by(0.06)};
    if (place % 20 == 11)
        return {Kind::hurting, better_by(0.04), worse_by(0.06), 0, better_by(0.04)};
    return {};
}

double run_time(stats::Random& random, const World& world, double gain, double own_slow_share) {
    const double slow = random.uniform() < world.slow_share ? std::log(slow_factor) : 0;
    const double own = own_slow_share > 0 && random.uniform() < own_slow_share ? std::log(slow_factor) : 0;
    return std::exp(world.deviation * random.normal() + std::max(slow, own) - gain);
}

/// A candidate's runs, in the order they are asked for.
class Machine {
public:
    Machine(const World& world, const Candidate& candidate, std::uint64_t seed)
        : world_(&world), candidate_(candidate), random_(seed) {}

    /// One round of the tuning workloads, the guards among them.
    decision::Round tuning() {
        decision::Round round;
        for (std::size_t i = 0; i < world_->tuning; ++i)
            add_pair(round, candidate_.tuning);
        for (std::size_t i = 0; i < world_->guards; ++i)
            add_pair(round, i == 0 ? candidate_.guard : candidate_.other_guard);
        return round;
    }
    decision::Round holdout() {
        decision::Round round;
        for (std::size_t i = 0; i < world_->holdout; ++i)
            add_pair(round, candidate_.holdout);
        return round;
    }
    const Candidate& candidate() const { return candidate_; }
    const World& world() const { return *world_; }

private:
    void add_pair(decision::Round& round, double gain) {
        const double baseline = run_time(random_, *world_, 0, 0);
        round.workloads.push_back({{baseline, run_time(random_, *world_, gain, candidate_.slow_share)}, {}});
    }

    const World* world_;
    Candidate candidate_;
    stats::Random random_;
};

using Source = std::function<decision::Round()>;

std::vector<decision::Round> take(const Source& next, std::size_t count) {
    std::vector<decision::Round> rounds;
    while (rounds.size() < count)
        rounds.push_back(next());
    return rounds;
}

// What the product does

/// The rule of one side, with the medians of opening rounds in which both arms are the baseline.
decision::Rule rule_of(const World& world, std::size_t objective, std::size_t guards, stats::Random& random) {
    decision::Rule rule;
    for (std::size_t i = 0; i < objective + guards; ++i) {
        std::vector<double> opening;
        for (std::size_t run = 0; run < 2 * opening_rounds; ++run)
            opening.push_back(run_time(random, world, 0, 0));
        // 1e-6 is next to nothing, and the weight of a guard cannot be 0 in a project file.
        rule.workloads.push_back({fmt::format("w{}", i), i < objective ? 1 : 1e-6, stats::median(opening)});
    }
    rule.max_rounds = static_cast<std::size_t>(world.max_pairs);
    return rule;
}

/// What one policy knows of a study.
struct Study {
    decision::Rule tuning, holdout;
    DecisionSettings settings;
    int passed = 0;

    Study(const World& world, stats::Random& random)
        : tuning(rule_of(world, world.tuning, world.guards, random)),
          holdout(rule_of(world, world.holdout, 0, random)) {
        settings.max_confirmations = world.max_confirmations;
        settings.max_pairs = world.max_pairs;
    }
};

struct Outcome {
    bool proposed = false;
    bool unsettled = false;                     ///< proposed with the flag `held-out not settled`
    std::size_t rounds = 0, holdout_rounds = 0; ///< the latter within the former
};

Outcome by_the_rule(Study& study, Machine& machine, bool look_at_holdout) {
    Outcome outcome;
    decision::Rule rule = study.tuning;
    rule.threshold = decision::confirmation_threshold(study.settings.false_proposal_rate,
                                                      study.settings.max_confirmations, study.passed);
    const auto screened = take([&] { return machine.tuning(); }, study::screen_rounds);
    outcome.rounds = study::screen_rounds;
    if (decision::assess(rule, screened).lost() || decision::out_of_reach(rule, screened))
        return outcome;
    decision::Confirmation confirmation(rule);
    for (; !confirmation.finished(); ++outcome.rounds)
        confirmation.add(machine.tuning());
    if (confirmation.state() != decision::Confirmation::State::passed)
        return outcome;
    decision::Findings findings;
    findings.tuning = confirmation.assessment();
    findings.has_holdout = look_at_holdout;
    if (look_at_holdout) {
        const decision::Assessment& tuning = *findings.tuning;
        outcome.holdout_rounds = static_cast<std::size_t>(
            study::holdout_rounds(study.settings, tuning.rounds - tuning.headline_rounds,
                                  tuning.rounds * rule.workloads.size(), study.holdout.workloads.size()));
        outcome.rounds += outcome.holdout_rounds;
        findings.holdout =
            decision::assess(study.holdout, take([&] { return machine.holdout(); }, outcome.holdout_rounds));
    }
    const decision::Verdict verdict = decision::decide(findings);
    outcome.proposed = verdict.proposal;
    outcome.unsettled = verdict.proposal && std::count(verdict.flags.begin(), verdict.flags.end(),
                                                       std::string(decision::unsettled_flag)) > 0;
    study.passed += outcome.proposed ? 1 : 0;
    return outcome;
}

// What people do without it

/// Of the workloads that share the objective.
double objective(const decision::Round& round, std::size_t workloads) {
    double sum = 0;
    for (std::size_t i = 0; i < workloads; ++i)
        sum += decision::log_ratio(round.workloads[i].objective, Better::lower);
    return sum / static_cast<double>(workloads);
}

/// Mean over workloads of ln of the ratio of what `summary` makes of each arm's times.
double summarised(const std::vector<decision::Round>& rounds, std::size_t workloads,
                  double (*summary)(std::vector<double>)) {
    double sum = 0;
    for (std::size_t i = 0; i < workloads; ++i) {
        std::vector<double> baseline, candidate;
        for (const decision::Round& round : rounds) {
            baseline.push_back(round.workloads[i].objective.baseline);
            candidate.push_back(round.workloads[i].objective.candidate);
        }
        sum += std::log(summary(std::move(baseline)) / summary(std::move(candidate)));
    }
    return sum / static_cast<double>(workloads);
}

double mean(std::vector<double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Whether a test at 0.05, both sides, calls the differences positive.
using Test = bool (*)(const std::vector<double>& d);

/// Normal approximation with the correction for continuity, good from n = 6 on.
bool wilcoxon(const std::vector<double>& d) {
    std::vector<std::pair<double, bool>> sizes;
    for (const double value : d)
        sizes.emplace_back(std::abs(value), value > 0);
    std::sort(sizes.begin(), sizes.end());
    double positive = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        positive += sizes[i].second ? static_cast<double>(i + 1) : 0;
    const auto n = static_cast<double>(d.size());
    return (positive - n * (n + 1) / 4 - 0.5) / std::sqrt(n * (n + 1) * (2 * n + 1) / 24) > 1.959964;
}

bool t_test(const std::vector<double>& d) {
    const auto n = static_cast<double>(d.size());
    const double centre = mean(d);
    double squares = 0;
    for (const double value : d)
        squares += (value - centre) * (value - centre);
    const double t = centre / std::sqrt(squares / (n - 1) / n);
    return t > 0 && boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1), t)) < 0.025;
}

/// One side of the workloads: what to ask for and how many share the objective.
struct Side {
    Source next;
    std::size_t workloads;
};
/// Whether the policy believes in a gain on that side; adds the rounds it took.
using Belief = std::function<bool(const Side&, std::size_t& rounds)>;

Belief best_of_means() {
    return [](const Side& side, std::size_t& rounds) {
        rounds += 5;
        return summarised(take(side.next, 5), side.workloads, mean) > 0;
    };
}

Belief median_of_ten() {
    return [](const Side& side, std::size_t& rounds) {
        rounds += 10;
        return summarised(take(side.next, 10), side.workloads, stats::median) >
               decision::improvement_by(0.01, Better::lower);
    };
}

/// Tests after every round from `first` to `last` and stops at the first that is significant.
Belief tested(Test test, std::size_t first, std::size_t last) {
    return [=](const Side& side, std::size_t& rounds) {
        std::vector<double> d;
        while (d.size() < last) {
            d.push_back(objective(side.next(), side.workloads));
            ++rounds;
            if (d.size() >= first && test(d))
                return true;
        }
        return false;
    };
}

Outcome naive(const Belief& belief, Machine& machine, bool look_at_holdout) {
    Outcome outcome;
    outcome.proposed = belief({[&] { return machine.tuning(); }, machine.world().tuning}, outcome.rounds);
    if (outcome.proposed && look_at_holdout) {
        outcome.proposed = belief({[&] { return machine.holdout(); }, machine.world().holdout}, outcome.holdout_rounds);
        outcome.rounds += outcome.holdout_rounds;
    }
    return outcome;
}

// Counting

class Mean {
public:
    void add(double value) {
        ++count_;
        sum_ += value;
        squares_ += value * value;
    }
    double value() const { return count_ > 0 ? sum_ / count_ : 0; }
    double error() const {
        return count_ < 2 ? 0 : std::sqrt(std::max(0.0, squares_ / count_ - value() * value()) / (count_ - 1));
    }

private:
    double count_ = 0, sum_ = 0, squares_ = 0;
};

struct Policy {
    std::string name;
    std::function<Outcome(Study&, Machine&)> judge;
    Mean false_share, power, rounds, tuning_rounds, unsettled; ///< the last of the proposed gains

    Policy(std::string what, std::function<Outcome(Study&, Machine&)> how)
        : name(std::move(what)), judge(std::move(how)) {}
};

std::vector<Policy> policies() {
    const auto without = [](Belief belief) {
        return [belief](Study&, Machine& machine) { return naive(belief, machine, false); };
    };
    const auto with = [](Belief belief) {
        return [belief](Study&, Machine& machine) { return naive(belief, machine, true); };
    };
    const std::vector<std::pair<std::string, Belief>> beliefs = {
        {"better mean of five", best_of_means()},
        {"median of ten better by 1 %", median_of_ten()},
        {"Wilcoxon of 20 at 0.05", tested(wilcoxon, 20, 20)},
        {"Wilcoxon, a look a round to 60", tested(wilcoxon, 6, 60)},
        {"t-test of 20 at 0.05", tested(t_test, 20, 20)},
        {"t-test, a look a round to 60", tested(t_test, 6, 60)},
    };
    std::vector<Policy> all;
    for (const auto& [name, belief] : beliefs) {
        all.emplace_back(name, without(belief));
        all.emplace_back("  and on held-out", with(belief));
    }
    all.emplace_back("Holdfast, nothing held out",
                     [](Study& study, Machine& machine) { return by_the_rule(study, machine, false); });
    all.emplace_back("Holdfast", [](Study& study, Machine& machine) { return by_the_rule(study, machine, true); });
    return all;
}

void one_study(Policy& policy, std::uint64_t seed) {
    constexpr std::size_t candidates = 300;
    const World world;
    stats::Random random(stats::derive(seed, "opening"));
    Study study(world, random);
    std::vector<std::size_t> order(candidates);
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(order);
    double good = 0, bad = 0, gains = 0, rounds = 0, held_out = 0, unsettled = 0;
    for (const std::size_t place : order) {
        Machine machine(world, candidate_of(place), stats::derive(seed, fmt::format("candidate/{}", place)));
        const bool gain = machine.candidate().kind == Kind::gain;
        const Outcome outcome = policy.judge(study, machine);
        gains += gain ? 1 : 0;
        good += outcome.proposed && gain ? 1 : 0;
        bad += outcome.proposed && !gain ? 1 : 0;
        unsettled += outcome.unsettled && gain ? 1 : 0;
        rounds += static_cast<double>(outcome.rounds);
        held_out += static_cast<double>(outcome.holdout_rounds);
    }
    policy.false_share.add(bad > 0 ? bad / (good + bad) : 0);
    policy.power.add(good / gains);
    if (good > 0)
        policy.unsettled.add(unsettled / good);
    policy.rounds.add(rounds / candidates);
    policy.tuning_rounds.add((rounds - held_out) / candidates);
}

/// Far from every figure that the rule has and that naive policies have: no seed comes near.
bool sane(const std::vector<Policy>& all) {
    const Policy& ours = all.back();
    bool naive_is_fooled = true;
    for (std::size_t i = 0; i + 2 < all.size(); i += 2)
        naive_is_fooled = naive_is_fooled && all[i].false_share.value() > 0.2;
    return ours.false_share.value() < 0.1 && ours.power.value() > 0.8 && ours.unsettled.value() < 0.2 &&
           ours.rounds.value() < 60 && naive_is_fooled;
}

struct Single {
    std::string name;
    World world;
    Candidate candidate;
};

std::vector<Single> singles() {
    std::vector<Single> all;
    const auto add = [&](const std::string& name, std::size_t tuning, std::size_t holdout, double deviation,
                         double gain, double own_slow_share) {
        World world{tuning, 0, holdout, deviation, 0, 10, 200};
        const double by = better_by(gain);
        all.push_back({fmt::format("{}, {}+{} workloads, CV {:.3g} %", name, tuning, holdout, 100 * deviation),
                       world,
                       {Kind::gain, by, by, by, by, own_slow_share}});
    };
    add("nothing", 1, 1, 0.03, 0, 0);
    add("2 %", 1, 1, 0.01, 0.02, 0);
    add("4 %", 1, 1, 0.03, 0.04, 0);
    add("5 %", 1, 1, 0.01, 0.05, 0);
    add("5 %", 1, 1, 0.03, 0.05, 0);
    add("5 %", 3, 2, 0.03, 0.05, 0);
    for (const double deviation : {0.01, 0.03})
        add("5 %, 10 % of runs x3", 1, 1, deviation, 0.05, 0.1);
    for (const double deviation : {0.01, 0.03})
        add("5 %, 10 % of runs x3", 3, 2, deviation, 0.05, 0.1);
    add("5 %, 5 % of runs x3", 3, 2, 0.01, 0.05, 0.05);
    add("5 %", 3, 3, 0.05, 0.05, 0);
    add("10 %", 3, 3, 0.1, 0.1, 0);
    add("20 %", 1, 4, 0.2, 0.2, 0);
    return all;
}

/// The share proposed, and the rounds it took.
void single(const Single& what, int repeats, std::uint64_t seed) {
    Mean proposed, rounds, unsettled;
    for (int i = 0; i < repeats; ++i) {
        stats::Random random(stats::derive(seed, fmt::format("{}/{}/opening", what.name, i)));
        Study study(what.world, random);
        Machine machine(what.world, what.candidate, stats::derive(seed, fmt::format("{}/{}", what.name, i)));
        const Outcome outcome = by_the_rule(study, machine, true);
        proposed.add(outcome.proposed ? 1 : 0);
        rounds.add(static_cast<double>(outcome.rounds));
        if (outcome.proposed)
            unsettled.add(outcome.unsettled ? 1 : 0);
    }
    fmt::print("{:<44} {:>7.4f} ± {:.4f} {:>8.1f} {:>12.3f}\n", what.name, proposed.value(), proposed.error(),
               rounds.value(), unsettled.value());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 100;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20240501;
    if (argc > 3 || repeats < 1) {
        fmt::print(stderr, "usage: trust [REPEATS [SEED]]\n");
        return 2;
    }
    std::vector<Policy> all = policies();
    fmt::print("{} studies of 300 candidates\n{:<32} {:>16} {:>7} {:>8} {:>12} {:>12}\n", repeats, "policy",
               "false share", "power", "rounds", "of them held", "not settled");
    for (Policy& policy : all) {
        for (int i = 0; i < repeats; ++i)
            one_study(policy, stats::derive(seed, fmt::format("study/{}", i)));
        fmt::print("{:<32} {:>7.4f} ± {:.4f} {:>7.3f} {:>8.1f} {:>12.1f} {:>12.3f}\n", policy.name,
                   policy.false_share.value(), policy.false_share.error(), policy.power.value(), policy.rounds.value(),
                   policy.rounds.value() - policy.tuning_rounds.value(), policy.unsettled.value());
        std::fflush(stdout);
    }
    fmt::print("\n{} candidates each\n{:<44} {:>16} {:>8} {:>12}\n", 20 * repeats, "a gain of", "proposed", "rounds",
               "not settled");
    for (const Single& what : singles())
        single(what, 20 * repeats, seed);
    const bool ok = sane(all);
    if (!ok)
        fmt::print("NOT OK: figures far from what the rule promises\n");
    return ok ? 0 : 1;
}
