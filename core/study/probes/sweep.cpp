// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of programs with threads on few processors: a candidate that is right only while each of its threads has a
// processor of its own, or only while they take turns, is wrong.
#include "core/project/text.hpp"
#include "core/study/probes/probing.hpp"

#include <array>
#include <fmt/format.h>

namespace holdfast::study::probes {

namespace {

namespace fs = std::filesystem;

struct Place {
    unsigned processors; ///< 0: all
    const char* words;
};
constexpr std::array places{Place{1, "one processor"}, Place{2, "two processors"}, Place{0, "all processors"}};
constexpr int repeats = 2;
constexpr int slower = 5;

Result<Taken> ask(Probing& probing, const Arm& arm, const Workload& workload, unsigned processors) {
    const std::int64_t seed = workload.seeds.front();
    return probing.sampler().run_aside(
        arm, workload, seed,
        [&](Execution& execution) {
            execution.processors = processors;
            execution.limits.time *= slower;
        },
        [&](const fs::path& out, const std::string& standard_output, Taken& taken) -> Result<void> {
            auto judged = probing.sampler().judge_outputs(workload, seed, out, standard_output);
            if (!judged)
                return tl::unexpected(judged.error());
            taken.outcome = judged->outcome;
            taken.reason = judged->reason;
            return {};
        });
}

/// Whether the baseline always answers right there.
Result<bool> baseline_is_right(Probing& probing, const Workload& workload, unsigned processors) {
    for (int i = 0; i < 2 * repeats; ++i) {
        auto taken = ask(probing, probing.bench->baseline, workload, processors);
        if (!taken)
            return tl::unexpected(taken.error());
        if (taken->outcome != Taken::Outcome::ok)
            return false;
    }
    return true;
}

/// Whether it was done, wholly or in part.
Result<bool> sweep(Probing& probing, const Workload& workload) {
    for (const Place& place : places)
        for (int i = 0; i < repeats; ++i) {
            if (auto go_on = probing.go_on(); !go_on)
                return tl::unexpected(go_on.error());
            if (!probing.time_left()) {
                probing.skip("few processors on " + printable(workload.name));
                return false;
            }
            auto taken = ask(probing, *probing.candidate, workload, place.processors);
            if (!taken)
                return tl::unexpected(taken.error());
            if (taken->outcome == Taken::Outcome::ok)
                continue;
            auto right = baseline_is_right(probing, workload, place.processors);
            if (!right)
                return tl::unexpected(right.error());
            if (!*right) {
                probing.gap(fmt::format("{} on {}", place.words, printable(workload.name)),
                            "the baseline itself does not always answer right there");
                break;
            }
            probing.found.decided = Stopped{
                Taken::Outcome::wrong,
                fmt::format("on {} the baseline is right and the candidate is not: {}", place.words, taken->reason),
                taken->log};
            return true;
        }
    return true;
}

} // namespace

Result<void> sweep_threads(Probing& probing) {
    if (!probing.threads && !probing.threads_unknown) {
        probing.found.passed.emplace_back("no threads to sweep");
        return {};
    }
    std::size_t swept = 0;
    for (const Workload* workload : probing.workloads) {
        if (workload->check.quality) {
            probing.gap("few processors on " + printable(workload->name), "its answers are judged by their quality");
            continue;
        }
        auto done = sweep(probing, *workload);
        if (!done)
            return tl::unexpected(done.error());
        if (probing.found.decided)
            return {};
        swept += *done ? 1 : 0;
    }
    if (swept > 0)
        probing.found.passed.push_back(fmt::format("the same answers on one, two and all processors ({} workload{})",
                                                   swept, swept == 1 ? "" : "s"));
    return {};
}

} // namespace holdfast::study::probes
