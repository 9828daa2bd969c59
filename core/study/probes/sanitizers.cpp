// SPDX-License-Identifier: GPL-3.0-or-later
// Builds of both sides with the compilers' sanitizers, on which the project's tests and the tuning workloads are run.
//
// The compilers are reached through wrappers at the front of PATH that add the flags, so that a build need not take any
// from its environment; that they arrived is looked up in what was built. Reports go to a folder of their own, since a
// test's output may go anywhere.
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/probes/probing.hpp"
#include "core/study/probes/sanitizer_log.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>
#include <set>
#include <system_error>

namespace holdfast::study::probes {

namespace {

namespace fs = std::filesystem;

constexpr int slower = 20; ///< a thread sanitizer's program, and then some
constexpr int larger = 4;
constexpr int more_baselines = 2; ///< runs before a finding is the candidate's own: races do not show every time

struct Sanitizer {
    const char* name;
    const char* flags;
    const char* symbol; ///< in every file that was built with it
};
constexpr std::array sanitizers{
    Sanitizer{"address", "-fsanitize=address -fsanitize-recover=address -fno-omit-frame-pointer -g", "__asan_init"},
    Sanitizer{"undefined", "-fsanitize=undefined -fsanitize-recover=undefined -fno-omit-frame-pointer -g", "ubsan"},
    Sanitizer{"thread", "-fsanitize=thread -fno-omit-frame-pointer -g", "__tsan_init"}};

/// They go on after a finding, and leave the exit status to the program: each finding is told, and nothing but.
const std::vector<std::pair<std::string, std::string>> options{
    {"ASAN_OPTIONS", "log_path=/sanitizer/log:halt_on_error=0:exitcode=0:detect_leaks=1"},
    {"LSAN_OPTIONS", "exitcode=0"},
    {"UBSAN_OPTIONS", "log_path=/sanitizer/log:halt_on_error=0:print_stacktrace=1"},
    {"TSAN_OPTIONS", "log_path=/sanitizer/log:halt_on_error=0:exitcode=0"}};

/// What one side did at one place.
struct Ran {
    std::string failure; ///< why it did not end as it should; "" when it did
    Findings findings;
};

/// The tests, or a workload.
struct Place {
    const Workload* workload = nullptr; ///< none: the project's tests
    std::string name;
};

class Sanitized {
public:
    Sanitized(Probing& probing, const Sanitizer& sanitizer)
        : probing_(&probing), sanitizer_(&sanitizer), name_(fmt::format("{} sanitizer", sanitizer.name)) {}
    Result<void> run();

private:
    Result<std::optional<ScratchFolder>> build(const Arm& arm, const char* side);
    Result<void> compare(const Place& place);
    Result<Ran> run_at(const Place& place, const Arm& arm);
    Result<void> judge(const Place& place, const Ran& baseline, const Ran& candidate);

    Probing* probing_;
    const Sanitizer* sanitizer_;
    std::string name_;
    Arm baseline_, candidate_; ///< with their sanitizer builds
    std::size_t compared_ = 0;
};

bool is_compiler(const std::string& name) {
    static const std::regex pattern(
        "([a-z0-9_]+-linux-gnu-)?(cc|c\\+\\+|c89|c99|gcc|g\\+\\+|clang|clang\\+\\+)(-[0-9.]+)?");
    return std::regex_match(name, pattern);
}

/// Programs with the compilers' names that call them with more flags.
Result<void> write_wrappers(const fs::path& folder, const char* flags) {
    std::set<std::string> seen;
    for (const char* place : {"/usr/local/bin", "/usr/bin"}) { // in PATH's order: the first of a name is what runs
        std::error_code code;
        for (auto entry = fs::directory_iterator(place, code); !code && entry != fs::directory_iterator();
             entry.increment(code)) {
            const std::string name = entry->path().filename().string();
            if (!is_compiler(name) || !seen.insert(name).second)
                continue;
            auto done =
                write_file(folder / name, fmt::format("#!/bin/sh\nexec {} \"$@\" {}\n", entry->path().string(), flags));
            if (!done)
                return done;
            std::error_code ignored;
            fs::permissions(folder / name, fs::perms(0755), ignored);
        }
    }
    return {};
}

/// Whether some built program or library holds the sanitizer.
Result<bool> holds(const fs::path& build, const char* symbol) {
    constexpr std::uint64_t largest = 256ULL << 20;
    auto files = hash_executables(build);
    if (!files)
        return tl::unexpected(files.error());
    for (const auto& [name, hash] : *files)
        if (auto bytes = read_output(build, name, largest);
            bytes && *bytes && (*bytes)->find(symbol) != std::string::npos)
            return true;
    return false;
}

/// Nothing when it cannot be built so; that is told.
Result<std::optional<ScratchFolder>> Sanitized::build(const Arm& arm, const char* side) {
    using Built = std::optional<ScratchFolder>;
    Bench& bench = *probing_->bench;
    auto wrappers = ScratchFolder::make(*bench.workspace), place = ScratchFolder::make(*bench.workspace);
    if (!wrappers || !place)
        return tl::unexpected(wrappers ? place.error() : wrappers.error());
    auto done = write_wrappers(wrappers->path(), sanitizer_->flags);
    if (done)
        done = bench.runner->give(wrappers->path());
    if (!done)
        return tl::unexpected(done.error());
    auto failure = build_beside(*bench.project, *bench.workspace, *bench.runner, *bench.watch, arm.artifact.source,
                                arm.configuration,
                                {{"PATH", "/compilers:/usr/local/bin:/usr/bin:/bin"},
                                 // Programs that the build itself runs must not fail it.
                                 {"ASAN_OPTIONS", "halt_on_error=0:exitcode=0:detect_leaks=0"},
                                 {"TSAN_OPTIONS", "halt_on_error=0:exitcode=0"}},
                                place->path(), {{wrappers->path(), "/compilers", false}});
    if (!failure)
        return tl::unexpected(failure.error());
    if (!failure->empty()) {
        probing_->gap(name_, fmt::format("the {} does not build with it: {}", side, *failure));
        return Built();
    }
    auto held = holds(place->path(), sanitizer_->symbol);
    if (!held)
        return tl::unexpected(held.error());
    if (!*held) {
        probing_->gap(name_, fmt::format("no program that the {}'s build makes holds it", side));
        return Built();
    }
    return Built(std::move(*place));
}

void read_logs(const fs::path& folder, Findings& findings) {
    constexpr std::uint64_t largest = 1 << 20;
    constexpr std::size_t most = 200;
    std::vector<std::string> names;
    std::error_code code;
    for (auto entry = fs::directory_iterator(folder, code); !code && entry != fs::directory_iterator();
         entry.increment(code))
        names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    names.resize(std::min(names.size(), most));
    for (const std::string& name : names)
        if (auto text = read_output(folder, name, largest); text && *text)
            read_sanitizer_log(**text, findings);
}

Result<Ran> Sanitized::run_at(const Place& place, const Arm& arm) {
    Bench& bench = *probing_->bench;
    auto logs = ScratchFolder::make(*bench.workspace);
    if (!logs)
        return tl::unexpected(logs.error());
    const auto adjust = [&](Execution& execution) {
        execution.sanitizer = true;
        execution.limits.time *= slower;
        execution.limits.memory_bytes *= larger;
        execution.limits.disk_bytes *= 2;
        execution.mounts.push_back({logs->path(), "/sanitizer", true});
        execution.environment.insert(execution.environment.end(), options.begin(), options.end());
    };
    Ran ran;
    if (place.workload == nullptr) {
        auto failure = run_tests(*bench.project, *bench.workspace, *bench.runner, *bench.watch, arm.artifact, adjust);
        if (!failure)
            return tl::unexpected(failure.error());
        if (*failure)
            ran.failure = (*failure)->reason;
    } else {
        auto taken = bench.sampler->run_aside(arm, *place.workload, place.workload->seeds.front(), adjust);
        if (!taken)
            return tl::unexpected(taken.error());
        if (taken->outcome != Taken::Outcome::ok)
            ran.failure = taken->reason;
    }
    read_logs(logs->path(), ran.findings);
    return ran;
}

Result<void> Sanitized::judge(const Place& place, const Ran& baseline, const Ran& candidate) {
    Findings own = candidate.findings;
    const auto forget = [&](const Findings& known) {
        std::erase_if(own, [&](const auto& each) { return known.contains(each.first); });
    };
    forget(baseline.findings);
    for (int i = 0; i < more_baselines && !own.empty(); ++i) {
        auto again = run_at(place, baseline_);
        if (!again)
            return tl::unexpected(again.error());
        forget(again->findings);
    }
    for (const auto& [finding, report] : own) {
        probing_->found.log += report;
        if (is_leak(finding))
            probing_->found.caution("new leaks", fmt::format("{} ({})", finding, place.name));
        else if (!probing_->found.decided)
            probing_->found.decided = Stopped{
                Taken::Outcome::unsafe,
                fmt::format("the {} finds what the baseline does not have: {} ({})", name_, finding, place.name),
                report};
    }
    if (!candidate.failure.empty() && !probing_->found.decided) {
        const std::string why = fmt::format("{}: {}", place.name, candidate.failure);
        probing_->gap(name_, "the candidate does not run under it as the baseline does: " + why);
        probing_->found.caution("not probed", fmt::format("the {} on {}", name_, why));
    }
    return {};
}

Result<void> Sanitized::compare(const Place& place) {
    auto baseline = run_at(place, baseline_);
    if (!baseline)
        return tl::unexpected(baseline.error());
    if (!baseline->failure.empty()) {
        probing_->gap(fmt::format("{} on {}", name_, place.name),
                      "the baseline itself does not run under it: " + baseline->failure);
        return {};
    }
    auto candidate = run_at(place, candidate_);
    if (!candidate)
        return tl::unexpected(candidate.error());
    ++compared_;
    return judge(place, *baseline, *candidate);
}

Result<void> Sanitized::run() {
    baseline_ = probing_->bench->baseline;
    candidate_ = *probing_->candidate;
    auto base = build(baseline_, "baseline");
    if (!base)
        return tl::unexpected(base.error());
    if (!*base)
        return {};
    auto changed = build(candidate_, "candidate");
    if (!changed)
        return tl::unexpected(changed.error());
    if (!*changed) { // only the candidate is to blame
        probing_->found.caution("not probed", probing_->found.gaps.back());
        return {};
    }
    baseline_.artifact.build = (*base)->path();
    candidate_.artifact.build = (*changed)->path();
    std::vector<Place> places;
    if (!probing_->project().code.test.empty())
        places.push_back({nullptr, "the project's tests"});
    for (const Workload* workload : probing_->workloads)
        places.push_back({workload, "workload " + printable(workload->name)});
    for (const Place& place : places) {
        if (auto go_on = probing_->go_on(); !go_on)
            return go_on;
        if (!probing_->time_left()) {
            probing_->gap(fmt::format("{} on {}", name_, place.name), probing_->out_of_time());
            continue;
        }
        if (auto done = compare(place); !done || probing_->found.decided)
            return done;
    }
    if (compared_ > 0)
        probing_->found.passed.push_back(fmt::format("{}: nothing that the baseline lacks", name_));
    return {};
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
            probing.gap(fmt::format("{} sanitizer", sanitizer.name), probing.out_of_time());
            continue;
        }
        if (auto done = Sanitized(probing, sanitizer).run(); !done || probing.found.decided)
            return done;
    }
    return {};
}

} // namespace holdfast::study::probes
