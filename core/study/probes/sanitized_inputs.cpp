// SPDX-License-Identifier: GPL-3.0-or-later
// Changed inputs once more, on the sanitizers' builds: what overruns on a larger or a malformed input need not show in
// an answer. The candidate runs first, alone; the baseline is asked only about what the candidate showed. An input on
// which the baseline has another fault of its own says nothing.
#include "core/project/text.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::study::probes {

namespace {

constexpr int slower = 3;                        ///< than longest_run
constexpr auto least = std::chrono::seconds(10); ///< of time for all of them

/// False: it did not end.
Result<bool> sanitize(Probing& probing, SanitizedSides& sides, const InputChange& change, const ChangedInput& input) {
    const Workload& workload = *change.source.workload;
    const Place place{&workload,
                      fmt::format("workload {} with a changed input, {}", printable(workload.name), input.what), slower,
                      [show = shows(workload, input.folder.path())](Execution& execution) {
                          execution.limits.time = std::min(execution.limits.time, longest_run);
                          show(execution);
                      }};
    auto candidate = sides.run_candidate(*probing.bench, place);
    if (!candidate)
        return tl::unexpected(candidate.error());
    // What a program does not free before it gives up on an input, its end frees; and leaks need telling only once.
    if (!candidate->failure.empty() || probing.found.has("new leaks"))
        std::erase_if(candidate->findings, [](const auto& each) { return each.first.is_leak(); });
    Findings known;
    auto fresh = sides.fresh(probing, place, candidate->findings, known);
    if (!fresh)
        return tl::unexpected(fresh.error());
    // Where the baseline has a fault on such an input that the candidate lacks, the fault may only have moved.
    for (const auto& known_one : known)
        if (!candidate->findings.contains(known_one.first))
            std::erase_if(*fresh, [&](const auto& each) { return each.first.is_leak() == known_one.first.is_leak(); });
    sides.tell(probing, place, *fresh);
    return candidate->ended;
}

} // namespace

Result<void> sanitize_changes(Probing& probing) {
    if (probing.sanitized.empty() || probing.changes.empty())
        return {};
    std::vector<std::string> names;
    for (const SanitizedSides& sides : probing.sanitized)
        names.emplace_back(sides.sanitizer().name);
    const std::string what = fmt::format("changed inputs with sanitizers ({})", fmt::join(names, ", "));
    // A slow program's probe must not take several times as long as without these: the first tell most.
    const auto enough = std::chrono::steady_clock::now() +
                        std::max<std::chrono::steady_clock::duration>(least, probing.changes_took / 2);
    std::size_t tried = 0;
    for (std::size_t i = 0; i < probing.changes.size(); ++i) {
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (std::chrono::steady_clock::now() > enough)
            break;
        if (!probing.time_left()) {
            probing.skip(fmt::format("{} of {} {}", probing.changes.size() - i, probing.changes.size(), what));
            break;
        }
        auto input = make_input(probing, probing.changes[i]);
        if (!input)
            return tl::unexpected(input.error());
        bool ended = true;
        for (SanitizedSides& sides : probing.sanitized) {
            auto done = sanitize(probing, sides, probing.changes[i], *input);
            if (!done)
                return tl::unexpected(done.error());
            if (probing.found.decided)
                return {};
            ended = ended && *done;
        }
        tried += ended ? 1 : 0;
    }
    if (tried > 0 && !probing.steered)
        probing.found.passed.push_back(
            fmt::format("{} of {} {}: {}", tried, probing.changes.size(), what, probing.nothing_new()));
    return {};
}

} // namespace holdfast::study::probes
