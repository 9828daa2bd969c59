// SPDX-License-Identifier: GPL-3.0-or-later
// What dropping disturbed rounds does to the decision, by simulation: quarantine [REPEATS] prints a table and fails
// when it makes an A/A comparison "faster" or "slower" more often than it may.
//
// A run's ln t is normal with a standard deviation of 3 %. The machine is stolen from in spells (on average one run in
// 50 begins one, and it lasts 5 runs): such a run takes 30 % longer and sees stolen ticks. The rule is frozen from
// twelve opening rounds, then up to 200 rounds are judged (E >= 20 on either side, so at most 0.05 each).
// "Its own doing": the candidate makes the machine swap in every tenth run and is slowed by it, the worst case for a
// quarantine that a candidate can cause.
#include "core/study/quarantine.hpp"
#include "core/stats/random.hpp"
#include "core/stats/sequential.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace holdfast;
using study::DisturbedArms;
using study::QuarantineRule;
using study::QuarantineState;
using study::SampleRecord;

namespace {

constexpr std::uint64_t seed = 20260401;
constexpr int opening_rounds = 12, most_rounds = 200;
constexpr double noise = 0.03, slower_by = 0.3, spell_begins = 0.02, spell_goes_on = 0.8, own_share = 0.1;
const double shown = std::log(20.0);

struct World {
    double effect = 0;      ///< ln: positive, the candidate is faster
    bool own_doing = false; ///< the candidate swaps by itself
};

/// One run after the other, on a machine with spells.
class Machine {
public:
    Machine(const World& world, stats::Random& random) : world_(&world), random_(&random) {}

    /// The sample's counters, and ln of its time.
    std::pair<SampleRecord, double> run(bool candidate) {
        spell_ = random_->uniform() < (spell_ ? spell_goes_on : spell_begins);
        const bool swaps = world_->own_doing && candidate && random_->uniform() < own_share;
        SampleRecord sample;
        sample.round = 1;
        sample.workload = "w";
        sample.arm = candidate ? "candidate" : "baseline";
        sample.ending = "ok";
        sample.usage.wall = std::chrono::seconds(1);
        sample.after.steal_ticks = spell_ ? 25 : static_cast<std::uint64_t>(random_->uniform() < 0.3 ? 1 : 0);
        sample.after.swap_in_pages = swaps ? 5000 : 0;
        const double time = noise * random_->normal() + (spell_ || swaps ? std::log1p(slower_by) : 0) -
                            (candidate ? world_->effect : 0);
        return {sample, time};
    }

private:
    const World* world_;
    stats::Random* random_;
    bool spell_ = false;
};

struct Tally {
    int faster = 0, slower = 0, switched_off = 0;
    double rounds = 0, dropped = 0, most_dropped = 0;
};

struct Judged {
    double difference = 0; ///< ln baseline less ln candidate
    DisturbedArms disturbed;
};

Judged round(Machine& machine, const QuarantineRule& rule, stats::Random& random) {
    Judged judged;
    const bool candidate_first = random.coin();
    for (const bool candidate : {candidate_first, !candidate_first}) {
        const auto [sample, time] = machine.run(candidate);
        judged.difference += candidate ? -time : time;
        if (study::disturbance(rule, sample))
            judged.disturbed.add(sample);
    }
    return judged;
}

void judge(const World& world, bool quarantine, stats::Random random, Tally& tally) {
    Machine machine(world, random);
    std::vector<SampleRecord> opening;
    for (int i = 0; i < 2 * opening_rounds; ++i)
        opening.push_back(machine.run(false).first);
    const QuarantineRule rule = quarantine ? study::quarantine_rule(opening) : QuarantineRule();
    QuarantineState state;
    stats::EProcess faster(0), slower(0);
    while (faster.size() < most_rounds && faster.log_e() < shown && slower.log_e() < shown) {
        const Judged next = round(machine, rule, random);
        if (quarantine && state.drops(next.disturbed))
            continue;
        faster.add(next.difference);
        slower.add(-next.difference);
    }
    tally.faster += faster.log_e() >= shown ? 1 : 0;
    tally.slower += slower.log_e() >= shown ? 1 : 0;
    tally.switched_off += state.switched_off().empty() ? 0 : 1;
    tally.rounds += static_cast<double>(faster.size());
    const double share =
        state.rounds() == 0 ? 0 : static_cast<double>(state.dropped()) / static_cast<double>(state.rounds());
    tally.dropped += share;
    tally.most_dropped = std::max(tally.most_dropped, share);
}

Tally simulate(const char* name, const World& world, bool quarantine, int repeats) {
    Tally tally;
    for (int i = 0; i < repeats; ++i) // the same machine with and without
        judge(world, quarantine, stats::Random(stats::derive(seed, fmt::format("{}/{}", name, i))), tally);
    const double n = repeats;
    fmt::print("{:<24} {:<8} {:>8.4f} {:>8.4f} {:>8.1f} {:>9.3f} {:>9.3f} {:>11.3f}\n", name,
               quarantine ? "with" : "without", tally.faster / n, tally.slower / n, tally.rounds / n, tally.dropped / n,
               tally.most_dropped, tally.switched_off / n);
    return tally;
}

} // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 2000;
    fmt::print("{:<24} {:<8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>11}\n", "", "quarant.", "faster", "slower", "rounds",
               "dropped", "at most", "switched off");
    bool fine = true;
    const double most = 0.05 + 3 * std::sqrt(0.05 * 0.95 / repeats);
    for (const bool quarantine : {false, true}) {
        const Tally same = simulate("A/A", {}, quarantine, repeats);
        fine = fine && same.faster <= most * repeats && same.slower <= most * repeats && same.most_dropped <= 0.1;
    }
    for (const bool quarantine : {false, true})
        simulate("3 % faster", {0.03, false}, quarantine, repeats);
    for (const bool quarantine : {false, true}) {
        const Tally own = simulate("A/A, its own doing", {0, true}, quarantine, repeats);
        fine = fine && own.faster <= most * repeats && own.most_dropped <= 0.1;
    }
    if (!fine)
        fmt::print("More often than {:.4f}, or more dropped than a tenth.\n", most);
    return fine ? 0 : 1;
}
