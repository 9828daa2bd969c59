// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/probe.hpp"

#include "core/project/hash.hpp"
#include "core/project/quantity.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace holdfast::study::probes {

namespace {

constexpr std::string_view gaps_mark = "not probed: ";

} // namespace

std::string reason_start(const std::string& flag) {
    return "Probe, " + flag + ": ";
}

std::string Caution::reason() const {
    return reason_start(flag) + words + ".";
}

bool Found::has(const std::string& flag) const {
    return std::any_of(cautions.begin(), cautions.end(), [&](const Caution& each) { return each.flag == flag; });
}

void Found::caution(const std::string& flag, const std::string& words) {
    const auto known =
        std::find_if(cautions.begin(), cautions.end(), [&](const Caution& each) { return each.flag == flag; });
    if (known == cautions.end())
        cautions.push_back({flag, words});
    else
        known->words += "; " + words;
}

std::string Found::text() const {
    std::vector<std::string> parts;
    if (decided)
        parts.push_back(decided->reason);
    for (const Caution& each : cautions)
        parts.push_back(each.flag + ": " + each.words);
    parts.insert(parts.end(), passed.begin(), passed.end());
    if (!gaps.empty())
        parts.push_back(fmt::format("{}{}", gaps_mark, fmt::join(gaps, "; ")));
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string Found::json() const {
    nlohmann::json flags = nlohmann::json::array();
    for (const Caution& each : cautions)
        flags.push_back({{"flag", each.flag}, {"words", each.words}});
    return nlohmann::json{{"decided", decided ? nlohmann::json(decided->reason) : nlohmann::json(nullptr)},
                          {"passed", passed},
                          {"not-probed", gaps},
                          {"flags", std::move(flags)}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string gaps_of(const std::string& text) {
    const std::size_t at = text.rfind(gaps_mark);
    return at == std::string::npos ? "" : text.substr(at + gaps_mark.size());
}

void Probing::skip(const std::string& what) {
    gap(what, fmt::format("the time of {} was spent", duration_text(project().probe.time)));
    if (!found.has("not probed"))
        found.caution("not probed", found.gaps.back());
}

Result<void> Probing::go_on() const {
    if (bench->watch->after_sample.stop_requested())
        return tl::unexpected(stopped_on_request("probe the candidate"));
    return {};
}

Result<Found> probe(Bench& bench, const Arm& candidate, const TrialRecord& trial, std::uint64_t seed,
                    const std::vector<const Workload*>& workloads) {
    auto placed =
        git::place_patch(*bench.repository, bench.commit, trial.patch, patch_rules(*bench.project, *bench.repository));
    if (!placed)
        return tl::unexpected(placed.error());
    const Renames renames(*placed);
    const std::string drawn = sha256(fmt::format("probe {} {}", seed, trial.patch));
    Probing probing{&bench,
                    &candidate,
                    std::move(*placed),
                    renames,
                    workloads,
                    std::mt19937_64(std::stoull(drawn.substr(0, 16), nullptr, 16)),
                    std::chrono::steady_clock::now() + bench.project->probe.time};
    // What costs most comes last: when the time is spent the rest is done.
    for (auto* const step :
         {compare_calls, run_sanitizers, draw_seeds, change_inputs, sweep_threads, sanitize_changes}) {
        auto done = probing.go_on();
        if (done)
            done = step(probing);
        if (!done)
            return tl::unexpected(done.error());
        if (probing.found.decided)
            break;
    }
    return std::move(probing.found);
}

} // namespace holdfast::study::probes
