// SPDX-License-Identifier: GPL-3.0-or-later
// What both sides ask of the kernel on each workload, counted from outside. Fewer calls may be right (one fsync for a
// batch), so this shows what a person should look at and decides nothing. Of calls that bring data to the disk those
// count that did, or one in another place would do for one that was dropped; and what was left of a file on the disk is
// compared by the file's name.
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>
#include <system_error>

namespace holdfast::study::probes {

namespace {

namespace fs = std::filesystem;

constexpr int slower = 5; ///< each stop of a followed program costs some microseconds

/// The others of Observed::calls are those that security rests on.
bool brings_to_disk(const std::string& call) {
    constexpr std::array names{"fsync", "fdatasync",   "sync_file_range", "syncfs",         "sync",
                               "msync", "open O_SYNC", "open O_DSYNC",    "write RWF_SYNC", "fsync of a folder"};
    return std::find(names.begin(), names.end(), call) != names.end();
}

constexpr std::string_view out_inside = "/out/";

struct Watched {
    Observed seen;
    std::uint64_t disk = 0;          ///< bytes left in {out}
    std::set<std::string> left = {}; ///< by path inside: what of some files, which the caller names, is left in {out}
};

/// Of `synced`, the files that are there now.
std::set<std::string> those_left(const fs::path& out, const std::map<std::string, Synced>& synced) {
    std::set<std::string> left;
    for (const auto& [path, file] : synced)
        if (std::error_code ignored;
            path.starts_with(out_inside) &&
            fs::symlink_status(out / path.substr(out_inside.size()), ignored).type() == fs::file_type::regular)
            left.insert(path);
    return left;
}

std::uint64_t bytes_below(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code code;
    auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, code);
    for (; !code && entry != fs::recursive_directory_iterator(); entry.increment(code))
        if (std::error_code ignored; entry->symlink_status(ignored).type() == fs::file_type::regular)
            bytes += entry->file_size(ignored);
    return bytes;
}

/// Nothing when it could not all be followed; the gap is told then. `named`: files of which it is wanted whether they
/// are left.
Result<std::optional<Watched>> watched(Probing& probing, const char* side, const Arm& arm, const Workload& workload,
                                       const std::map<std::string, Synced>& named) {
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
            watched.left = those_left(out, named);
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

using Counts = std::map<std::string, std::uint64_t>;

std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> beside(const Counts& baseline, const Counts& candidate) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> both;
    for (const auto& [name, count] : baseline)
        both[name].first = count;
    for (const auto& [name, count] : candidate)
        both[name].second = count;
    return both;
}

bool fewer(std::uint64_t before, std::uint64_t after) {
    return after * 10 < before * 9;
}

/// Files that the baseline leaves on the disk and the candidate leaves too, but not there; and those that it brings
/// there less than half as often, which is past what threads differ by that share the work.
std::vector<std::string> files_less_synced(const Watched& baseline, const Watched& candidate) {
    std::vector<std::string> files;
    if (!baseline.seen.synced_whole || !candidate.seen.synced_whole)
        return files;
    constexpr std::size_t most = 5;
    std::size_t found = 0;
    for (const auto& [path, before] : baseline.seen.synced) {
        if (!candidate.left.contains(path))
            continue;
        const auto its = candidate.seen.synced.find(path);
        const Synced after = its == candidate.seen.synced.end() ? Synced() : its->second;
        const std::string name = printable(path.substr(1));
        const bool lost = before.last && !after.last;
        if (!lost && after.syncs * 2 >= before.syncs)
            continue;
        if (++found <= most)
            files.push_back(lost ? "not synced: " + name
                                 : fmt::format("syncs of {} {} → {}", name, before.syncs, after.syncs));
    }
    if (found > most)
        files.push_back(fmt::format("and {} more files", found - most));
    return files;
}

void compare_syncs(Comparison& comparison, const Watched& baseline, const Watched& candidate) {
    std::vector<std::string> syncs = files_less_synced(baseline, candidate);
    const auto all = beside(baseline.seen.calls, candidate.seen.calls);
    for (const auto& [name, counts] : beside(baseline.seen.brought, candidate.seen.brought)) {
        if (!fewer(counts.first, counts.second))
            continue;
        std::string words = fmt::format("{} {} → {}", name, counts.first, counts.second);
        // A call that is made and brings nothing is evidence too.
        if (const auto calls = all.find(name); calls != all.end() && calls->second != counts)
            words += fmt::format(" (of {} → {} calls)", calls->second.first, calls->second.second);
        syncs.push_back(std::move(words));
    }
    if (!syncs.empty())
        comparison.tell("fewer syncs", fmt::format("{}", fmt::join(syncs, ", ")));
}

void compare(Comparison& comparison, const Watched& baseline, const Watched& candidate) {
    compare_syncs(comparison, baseline, candidate);
    std::vector<std::string> guards;
    for (const auto& [name, counts] : beside(baseline.seen.calls, candidate.seen.calls))
        if (const auto [before, after] = counts; !brings_to_disk(name) && (fewer(before, after) || before == 0))
            guards.push_back(fmt::format("{} {} → {}", name, before, after));
    if (!guards.empty())
        comparison.tell("other security calls", fmt::format("{}", fmt::join(guards, ", ")));
    if (baseline.seen.looks_for_watcher == 0 && candidate.seen.looks_for_watcher > 0)
        comparison.tell("looks for a watcher", fmt::format("questions whether it is traced or filtered 0 → {}",
                                                           candidate.seen.looks_for_watcher));
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
            const std::string what = "the calls of " + printable(workload->name);
            workload->server ? probing.gap(what, "beside a server nothing is followed") : probing.skip(what);
            continue;
        }
        auto baseline = watched(probing, "baseline", probing.bench->baseline, *workload, {});
        if (!baseline)
            return tl::unexpected(baseline.error());
        if (!*baseline)
            continue;
        auto candidate = watched(probing, "candidate", *probing.candidate, *workload, (*baseline)->seen.synced);
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
