// SPDX-License-Identifier: GPL-3.0-or-later
// What both sides ask of the kernel on each workload, counted from outside. Fewer calls may be right (one fsync for a
// batch), so this shows what a person should look at and decides nothing.
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace holdfast::study::probes {

namespace {

namespace fs = std::filesystem;

constexpr int slower = 5; ///< each stop of a followed program costs some microseconds

/// The others of Observed::calls are those that security rests on.
bool brings_to_disk(const std::string& call) {
    constexpr std::array names{"fsync", "fdatasync",   "sync_file_range", "syncfs",        "sync",
                               "msync", "open O_SYNC", "open O_DSYNC",    "write RWF_SYNC"};
    return std::find(names.begin(), names.end(), call) != names.end();
}

struct Watched {
    Observed seen;
    std::uint64_t disk = 0; ///< bytes left in {out}
};

std::uint64_t bytes_below(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code code;
    auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, code);
    for (; !code && entry != fs::recursive_directory_iterator(); entry.increment(code))
        if (std::error_code ignored; entry->symlink_status(ignored).type() == fs::file_type::regular)
            bytes += entry->file_size(ignored);
    return bytes;
}

/// Nothing when it could not all be followed; the gap is told then.
Result<std::optional<Watched>> watched(Probing& probing, const char* side, const Arm& arm, const Workload& workload) {
    Watched watched;
    ExecutionResult result;
    auto taken = probing.sampler().run_aside(
        arm, workload, workload.seeds.front(),
        [](Execution& execution) {
            execution.observe = true;
            execution.limits.time *= slower;
        },
        [&](const fs::path& out, const std::string&, Taken&) -> Result<void> {
            watched.disk = bytes_below(out);
            return {};
        },
        &result);
    if (!taken)
        return tl::unexpected(taken.error());
    if (taken->outcome == Taken::Outcome::ok && result.observed && result.observed->whole) {
        watched.seen = *result.observed;
        return std::optional(std::move(watched));
    }
    probing.threads_unknown = true;
    probing.gap("the calls of " + printable(workload.name), taken->outcome != Taken::Outcome::ok
                                                                ? fmt::format("the {}: {}", side, taken->reason)
                                                                : fmt::format("the {} could not be followed", side));
    return std::optional<Watched>();
}

struct Comparison {
    Found* found;
    std::string workload;
    bool differs = false;

    void tell(const std::string& flag, const std::string& what) {
        differs = true;
        found->caution(flag, fmt::format("{} on {}", what, workload));
    }
    void more(const std::string& flag, const char* what, std::uint64_t before, std::uint64_t after,
              std::uint64_t floor) {
        if (after >= before + floor && after * 10 > before * 11)
            tell(flag, fmt::format("{} {} → {}", what, before, after));
    }
};

void compare(Comparison& comparison, const Watched& baseline, const Watched& candidate) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> calls;
    for (const auto& [name, count] : baseline.seen.calls)
        calls[name].first = count;
    for (const auto& [name, count] : candidate.seen.calls)
        calls[name].second = count;
    std::vector<std::string> syncs, guards;
    for (const auto& [name, counts] : calls) {
        const auto [before, after] = counts;
        const bool fewer = after * 10 < before * 9, added = before == 0;
        if (fewer || (added && !brings_to_disk(name)))
            (brings_to_disk(name) ? syncs : guards).push_back(fmt::format("{} {} → {}", name, before, after));
    }
    if (!syncs.empty())
        comparison.tell("fewer syncs", fmt::format("{}", fmt::join(syncs, ", ")));
    if (!guards.empty())
        comparison.tell("other security calls", fmt::format("{}", fmt::join(guards, ", ")));
    comparison.more("more threads", "further threads", baseline.seen.threads - baseline.seen.processes,
                    candidate.seen.threads - candidate.seen.processes, 1);
    comparison.more("more processes", "processes", baseline.seen.processes, candidate.seen.processes, 1);
    comparison.more("more files", "files opened for writing", baseline.seen.files_opened, candidate.seen.files_opened,
                    2);
    comparison.more("more disk", "bytes written to {out}", baseline.disk, candidate.disk, 64 << 10);
    if (candidate.seen.denormals_flushed && !baseline.seen.denormals_flushed)
        comparison.tell("floating-point mode", "a thread ended with tiny numbers taken for zero (FTZ or DAZ)");
    if (candidate.seen.rounding_changed && !baseline.seen.rounding_changed)
        comparison.tell("floating-point mode", "a thread ended with another rounding than to nearest");
}

} // namespace

Result<void> compare_calls(Probing& probing) {
    std::size_t same = 0;
    for (const Workload* workload : probing.workloads) {
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (workload->server || !probing.time_left()) {
            probing.threads_unknown = true;
            probing.gap("the calls of " + printable(workload->name),
                        workload->server ? "beside a server nothing is followed" : probing.out_of_time());
            continue;
        }
        auto baseline = watched(probing, "baseline", probing.bench->baseline, *workload);
        if (!baseline)
            return tl::unexpected(baseline.error());
        if (!*baseline)
            continue;
        auto candidate = watched(probing, "candidate", *probing.candidate, *workload);
        if (!candidate)
            return tl::unexpected(candidate.error());
        if (!*candidate)
            continue;
        for (const Watched* side : {&**baseline, &**candidate})
            probing.threads = probing.threads || side->seen.threads > side->seen.processes;
        Comparison comparison{&probing.found, printable(workload->name)};
        compare(comparison, **baseline, **candidate);
        same += comparison.differs ? 0 : 1;
    }
    if (same > 0)
        probing.found.passed.push_back(fmt::format("calls, threads, files and floating-point mode as the baseline's on "
                                                   "{} of {} workloads",
                                                   same, probing.workloads.size()));
    return {};
}

} // namespace holdfast::study::probes
