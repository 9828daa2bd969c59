// SPDX-License-Identifier: GPL-3.0-or-later
// The project's tests and the tuning workloads on builds of both sides with the compilers' sanitizers.
#include "core/project/text.hpp"
#include "core/study/probes/probing.hpp"
#include "core/study/probes/sanitized_run.hpp"
#include "core/study/probes/steering.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::study::probes {

namespace {

/// Both sides with one sanitizer; nothing when one cannot be built so, which is told.
Result<std::optional<SanitizedSides>> build_both(Probing& probing, const Sanitizer& sanitizer) {
    using Built = std::optional<SanitizedSides>;
    const std::string name = fmt::format("{} sanitizer", sanitizer.name);
    const auto began = std::chrono::steady_clock::now();
    auto baseline = known_baselines(*probing.bench).of(*probing.bench, sanitizer);
    probing.until += std::chrono::steady_clock::now() - began; // it is for all candidates
    if (!baseline)
        return tl::unexpected(baseline.error());
    if (!(*baseline)->built.folder) {
        probing.gap(name, "the baseline " + (*baseline)->built.why_not);
        return Built();
    }
    auto changed = build_sanitized(*probing.bench, *probing.candidate, sanitizer);
    if (!changed)
        return tl::unexpected(changed.error());
    if (!changed->folder) { // only the candidate is to blame
        probing.gap(name, "the candidate " + changed->why_not);
        probing.found.caution("not probed", probing.found.gaps.back());
        return Built();
    }
    return Built(std::in_place, *probing.bench, *probing.candidate, sanitizer, **baseline, std::move(*changed->folder));
}

/// Whether it could be done.
Result<bool> compare(Probing& probing, SanitizedSides& sides, const Place& place) {
    auto& known = sides.known().findings;
    if (!known.contains(place.name)) {
        const auto began = std::chrono::steady_clock::now();
        auto baseline = sides.run_baseline(*probing.bench, place);
        probing.until += std::chrono::steady_clock::now() - began;
        if (!baseline)
            return tl::unexpected(baseline.error());
        if (!baseline->failure.empty()) {
            probing.gap(fmt::format("{} on {}", sides.name(), place.name),
                        "the baseline itself does not run under it: " + baseline->failure);
            return false;
        }
        known.emplace(place.name, std::move(baseline->findings));
        if (!baseline->wrong.empty())
            sides.known().wrong.insert(place.name);
    }
    auto candidate = sides.run_candidate(*probing.bench, place);
    if (!candidate)
        return tl::unexpected(candidate.error());
    auto fresh = sides.fresh(probing, place, candidate->findings, known.at(place.name));
    if (!fresh)
        return tl::unexpected(fresh.error());
    sides.tell(probing, place, *fresh);
    const bool own_wrong = !candidate->wrong.empty() && !sides.known().wrong.contains(place.name);
    if (own_wrong && !probing.found.decided) { // the candidate's own build is right
        probing.found.caution("uninitialised memory",
                              fmt::format("on {} the answer of the {}'s build is wrong, where memory that nobody wrote "
                                          "is filled: {}",
                                          place.name, sides.name(), printable(candidate->wrong)));
    } else if (!candidate->failure.empty() && !probing.found.decided) {
        const std::string why = fmt::format("{}: {}", place.name, candidate->failure);
        probing.gap(sides.name(), "the candidate does not run under it as the baseline does: " + why);
        probing.found.caution("not probed", fmt::format("the {} on {}", sides.name(), why));
    }
    return true;
}

/// How many places were compared.
Result<std::size_t> compare_all(Probing& probing, SanitizedSides& sides) {
    std::vector<Place> places;
    if (!probing.project().code.test.empty())
        places.push_back({nullptr, "the project's tests"});
    for (const Workload* workload : probing.workloads)
        places.push_back({workload, "workload " + printable(workload->name)});
    std::size_t compared = 0;
    for (const Place& place : places) {
        if (auto go_on = probing.go_on(); !go_on)
            return tl::unexpected(go_on.error());
        if (!probing.time_left()) {
            probing.skip(fmt::format("{} on {}", sides.name(), place.name));
            continue;
        }
        auto done = compare(probing, sides, place);
        if (!done)
            return tl::unexpected(done.error());
        compared += *done ? 1 : 0;
        if (probing.found.decided)
            break;
    }
    return compared;
}

Result<void> run_with(Probing& probing, const Sanitizer& sanitizer) {
    auto sides = build_both(probing, sanitizer);
    if (!sides)
        return tl::unexpected(sides.error());
    if (!*sides)
        return {};
    auto compared = compare_all(probing, **sides);
    if (!compared)
        return tl::unexpected(compared.error());
    if (probing.found.decided)
        return {};
    if (*compared > 0 && !probing.steered) // what it finds would count; that it finds nothing does not
        probing.found.passed.push_back(fmt::format("{}: {}", (*sides)->name(), probing.nothing_new()));
    if (*compared > 0 && sanitizer.on_changed_inputs)
        probing.sanitized.push_back(std::move(**sides));
    return {};
}

/// Says so when the candidate steers them.
void look_for_steering(Probing& probing, const std::vector<std::string>& wanted) {
    const std::string how = steers_sanitizers(probing.patch);
    if (how.empty())
        return;
    probing.steered = true;
    probing.gap(fmt::format("sanitizers ({})", fmt::join(wanted, ", ")), "the candidate steers them: " + how);
    probing.found.caution("not probed", probing.found.gaps.back());
}

} // namespace

Result<void> run_sanitizers(Probing& probing) {
    const auto& wanted = probing.project().probe.sanitizers;
    std::vector<std::string> off;
    for (const Sanitizer& sanitizer : sanitizers)
        if (std::find(wanted.begin(), wanted.end(), sanitizer.name) == wanted.end())
            off.emplace_back(sanitizer.name);
    if (!off.empty())
        probing.gap(fmt::format("sanitizers ({})", fmt::join(off, ", ")), "switched off in holdfast.json");
    if (wanted.empty())
        return {};
    if (probing.project().build.empty()) {
        probing.gap(fmt::format("sanitizers ({})", fmt::join(wanted, ", ")), "the project compiles nothing");
        return {};
    }
    look_for_steering(probing, wanted);
    for (const Sanitizer& sanitizer : sanitizers) {
        if (std::find(wanted.begin(), wanted.end(), sanitizer.name) == wanted.end())
            continue;
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (sanitizer.name == std::string("thread") && !probing.threads && !probing.threads_unknown) {
            probing.found.passed.emplace_back("thread sanitizer: no workload starts a thread");
            continue;
        }
        if (!probing.time_left()) {
            probing.skip(fmt::format("{} sanitizer", sanitizer.name));
            continue;
        }
        if (auto done = run_with(probing, sanitizer); !done || probing.found.decided)
            return done;
    }
    return {};
}

} // namespace holdfast::study::probes
