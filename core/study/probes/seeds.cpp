// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides on fresh seeds of workloads that take one. A fault in what nobody runs shows as another answer.
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace holdfast::study::probes {

namespace {

bool names_seed(const Argv& command) {
    return std::any_of(command.begin(), command.end(),
                       [](const std::string& word) { return word.find("{seed}") != std::string::npos; });
}

bool takes_seed(const Workload& workload) {
    return !workload.generate.empty() || names_seed(workload.run);
}

/// What came of one seed.
struct Tried {
    enum class End { compared, no_answer, same_input };
    End end = End::no_answer;
    Taken candidate; ///< when compared
};

/// Whether what was generated for `seed`, which alone tells a run of it, is what was generated for a pinned one.
Result<bool> is_pinned_input(const Probing& probing, const Workload& workload, std::int64_t seed) {
    if (workload.generate.empty() || names_seed(workload.run))
        return false;
    auto made = hash_folder(probing.sampler().generated_of(workload, seed));
    if (!made)
        return tl::unexpected(made.error());
    for (const std::int64_t pinned : workload.seeds) {
        auto known = hash_folder(probing.sampler().generated_of(workload, pinned));
        if (!known)
            return tl::unexpected(known.error());
        if (*known == *made)
            return true;
    }
    return false;
}

Result<Tried> try_seed(Probing& probing, const Workload& workload, std::int64_t seed) {
    auto pinned = probing.sampler().pin_seeds(workload, {seed});
    if (!pinned)
        return tl::unexpected(pinned.error());
    if (*pinned)
        return Tried();
    auto same = is_pinned_input(probing, workload, seed);
    if (!same)
        return tl::unexpected(same.error());
    if (*same)
        return Tried{Tried::End::same_input, {}};
    auto again = probing.sampler().take(probing.bench->baseline, workload, seed);
    if (!again)
        return tl::unexpected(again.error());
    if (again->outcome != Taken::Outcome::ok)
        return Tried();
    auto taken = probing.sampler().take(*probing.candidate, workload, seed);
    if (!taken)
        return tl::unexpected(taken.error());
    return Tried{Tried::End::compared, std::move(*taken)};
}

} // namespace

Result<void> draw_seeds(Probing& probing) {
    std::vector<const Workload*> takers;
    for (const Workload* workload : probing.workloads)
        if (takes_seed(*workload) && !workload->check.quality)
            takers.push_back(workload);
    const auto wanted = takers.empty() ? 0 : (static_cast<std::size_t>(probing.project().probe.inputs) + 3) / 4;
    std::size_t tried = 0, left_out = 0;
    std::map<const Workload*, std::size_t> same;
    for (std::size_t i = 0; i < wanted; ++i) {
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (!probing.time_left()) {
            probing.skip(fmt::format("{} of {} fresh seeds", wanted - i, wanted));
            break;
        }
        const Workload& workload = *takers[i % takers.size()];
        constexpr std::uint64_t most = 0x7fffffff;
        const auto seed = static_cast<std::int64_t>(1 + probing.random() % most);
        if (std::find(workload.seeds.begin(), workload.seeds.end(), seed) != workload.seeds.end())
            continue;
        auto one = try_seed(probing, workload, seed);
        probing.sampler().stop_servers();
        if (auto forgotten = probing.sampler().forget_seeds(workload, {seed}); !forgotten)
            return forgotten;
        if (!one)
            return tl::unexpected(one.error());
        tried += one->end == Tried::End::compared ? 1 : 0;
        left_out += one->end == Tried::End::no_answer ? 1 : 0;
        if (one->end == Tried::End::same_input)
            ++same[&workload];
        if (one->end == Tried::End::compared && one->candidate.outcome != Taken::Outcome::ok) {
            probing.found.decided =
                Stopped{Taken::Outcome::wrong, fmt::format("with the fresh seed {}: {}", seed, one->candidate.reason),
                        one->candidate.log};
            return {};
        }
    }
    for (const auto& [workload, count] : same)
        probing.gap(fmt::format("{} fresh seed{} of {}", count, count == 1 ? "" : "s", printable(workload->name)),
                    "its generator gave the same inputs as for a seed of the workload");
    tell_tried(probing, "fresh seeds", tried, left_out);
    return {};
}

} // namespace holdfast::study::probes
