// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/growth.hpp"

#include "core/project/quantity.hpp"
#include "core/study/build_marker.hpp"
#include "core/study/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr double larger = 0.1, longer = 1.5;
constexpr std::uint64_t least_bytes = 64 << 10;
constexpr std::chrono::seconds least_time{1};

std::string compared(const std::string& after, const std::string& before) {
    return fmt::format("{}, the baseline's {}", after, before);
}

/// That the build commands took, from nothing and without a compiler's cache; nothing when they failed.
Result<std::optional<std::chrono::nanoseconds>> clean_build(const Bench& bench, const Arm& arm) {
    auto place = bench.workspace->scratch();
    if (!place)
        return tl::unexpected(place.error());
    const auto began = std::chrono::steady_clock::now();
    auto failure = build_beside(*bench.project, *bench.workspace, *bench.runner, *bench.watch, arm.artifact.source,
                                arm.configuration, {{"CCACHE_DISABLE", "1"}}, *place);
    const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - began;
    if (auto removed = remove_tree(*place); !removed)
        return tl::unexpected(removed.error());
    if (!failure)
        return tl::unexpected(failure.error());
    return failure->empty() ? std::optional(time) : std::nullopt;
}

/// Of the executables below {build}, summed.
std::uint64_t bytes_of(const Artifact& artifact) {
    std::uint64_t bytes = 0;
    for (const auto& [name, hash] : artifact.executables)
        if (std::error_code code; !fs::path(name).is_absolute())
            if (const auto size = fs::file_size(artifact.build / name, code); !code)
                bytes += size;
    return bytes;
}

/// That the build commands took when it was built; 0 where nobody knows.
std::chrono::milliseconds time_of(const Artifact& artifact) {
    const auto marker = read_marker(artifact.build);
    return marker ? marker->time : std::chrono::milliseconds(0);
}

} // namespace

json growth_json(const Artifact& baseline, const Artifact& candidate) {
    return {{"baseline-bytes", bytes_of(baseline)},
            {"candidate-bytes", bytes_of(candidate)},
            {"baseline-milliseconds", time_of(baseline).count()},
            {"candidate-milliseconds", time_of(candidate).count()}};
}

std::vector<std::pair<std::string, std::string>> growth_words(const std::string& detail_json) {
    const json detail = json::parse(detail_json, nullptr, false);
    const json growth = detail.is_object() ? detail.value("growth", json()) : json();
    const auto number = [&](const char* key) { return growth.value(key, json()); };
    for (const char* key : {"baseline-bytes", "candidate-bytes", "baseline-milliseconds", "candidate-milliseconds"})
        if (!growth.is_object() || !number(key).is_number())
            return {};
    const auto bytes = [&](const char* key) { return bytes_text(number(key).get<double>()); };
    const auto time = [&](const char* key) {
        return duration_text(std::chrono::milliseconds(number(key).get<long>()));
    };
    std::vector<std::pair<std::string, std::string>> words;
    if (number("candidate-bytes") != 0)
        words.emplace_back("executables", compared(bytes("candidate-bytes"), bytes("baseline-bytes")));
    if (number("candidate-milliseconds") != 0)
        words.emplace_back("build", compared(time("candidate-milliseconds"), time("baseline-milliseconds")));
    return words;
}

bool grew(std::uint64_t before, std::uint64_t after) {
    return after > before + least_bytes && static_cast<double>(after) > (1 + larger) * static_cast<double>(before);
}

bool took_longer(std::chrono::nanoseconds before, std::chrono::nanoseconds after) {
    return after > before + least_time &&
           static_cast<double>(after.count()) > longer * static_cast<double>(before.count());
}

Result<void> add_growth(Bench& bench, const Arm& arm, decision::Verdict& verdict) {
    const std::uint64_t before = bytes_of(bench.baseline.artifact), after = bytes_of(arm.artifact);
    if (grew(before, after)) {
        verdict.flags.emplace_back(larger_program_flag);
        verdict.reasons.push_back(
            fmt::format("{}{}: answers or other variants of the code may be in them.", larger_program_start,
                        compared(bytes_text(static_cast<double>(after)), bytes_text(static_cast<double>(before)))));
    }
    if (!took_longer(time_of(bench.baseline.artifact), time_of(arm.artifact)))
        return {};
    bench.watch->say("the candidate's build took longer: both are built again to compare");
    auto candidate = clean_build(bench, arm);
    auto baseline = clean_build(bench, bench.baseline);
    if (!candidate || !baseline)
        return tl::unexpected(candidate ? baseline.error() : candidate.error());
    if (*candidate && *baseline && !took_longer(**baseline, **candidate))
        return {};
    verdict.flags.emplace_back(longer_build_flag);
    verdict.reasons.push_back(fmt::format("{}{}: work may have moved to it.", longer_build_start,
                                          compared(*candidate ? duration_text(**candidate) : "unknown time",
                                                   *baseline ? duration_text(**baseline) : "unknown")));
    return {};
}

} // namespace holdfast::study
