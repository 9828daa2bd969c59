// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/sanitized_run.hpp"

#include "core/study/files.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace holdfast::study::probes {

namespace fs = std::filesystem;

namespace {

constexpr int larger = 4;
constexpr int more_baselines = 2; ///< runs before a finding is the candidate's own: races do not show every time

/// They go on after a finding, and leave the exit status to the program: each finding is told, and nothing but.
const std::vector<std::pair<std::string, std::string>> options{
    {"ASAN_OPTIONS", "log_path=/sanitizer/log:halt_on_error=0:exitcode=0:detect_leaks=1:"
                     "max_malloc_fill_size=268435456"},
    {"LSAN_OPTIONS", "exitcode=0"},
    {"UBSAN_OPTIONS", "log_path=/sanitizer/log:halt_on_error=0:print_stacktrace=1"},
    {"TSAN_OPTIONS", "log_path=/sanitizer/log:halt_on_error=0:exitcode=0"},
    // AddressSanitizer fills what it gives out by itself; the library does so by the one name or the other.
    {"MALLOC_PERTURB_", "165"},
    {"GLIBC_TUNABLES", "glibc.malloc.perturb=165"}};

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

} // namespace

SanitizedSides::SanitizedSides(const Bench& bench, const Arm& candidate, const Sanitizer& sanitizer,
                               KnownBaseline& baseline, ScratchFolder built)
    : sanitizer_(&sanitizer), name_(fmt::format("{} sanitizer", sanitizer.name)), known_(&baseline),
      built_(std::move(built)), baseline_(bench.baseline), candidate_(candidate) {
    baseline_.artifact.build = baseline.built.folder->path();
    candidate_.artifact.build = built_.path();
}

Result<SanitizedRun> SanitizedSides::run(Bench& bench, const Place& place, const Arm& arm) {
    auto logs = ScratchFolder::make(*bench.workspace);
    if (!logs)
        return tl::unexpected(logs.error());
    const auto adjust = [&](Execution& execution) {
        if (place.adjust)
            place.adjust(execution);
        execution.sanitizer = true;
        execution.limits.time *= place.slower;
        execution.limits.memory_bytes *= larger;
        execution.limits.disk_bytes *= 2;
        execution.mounts.push_back({logs->path(), "/sanitizer", true});
        execution.environment.insert(execution.environment.end(), options.begin(), options.end());
    };
    SanitizedRun ran;
    if (place.workload == nullptr) {
        auto failure = run_tests(*bench.project, *bench.workspace, *bench.runner, *bench.watch, arm.artifact, adjust);
        if (!failure)
            return tl::unexpected(failure.error());
        if (*failure)
            ran.failure = (*failure)->reason;
    } else {
        ExecutionResult did;
        const Workload& workload = *place.workload;
        const std::int64_t seed = workload.seeds.front();
        const auto judge = [&](const fs::path& out, const std::string& standard_output, Taken&) -> Result<void> {
            auto judged = bench.sampler->judge_outputs(workload, seed, out, standard_output);
            if (!judged)
                return tl::unexpected(judged.error());
            if (judged->outcome == Taken::Outcome::wrong)
                ran.wrong = judged->reason;
            return {};
        };
        const bool own_input = !place.adjust;
        auto taken = bench.sampler->run_aside(arm, workload, seed, adjust,
                                              own_input && !workload.check.quality ? judge : Sampler::Judge(), &did);
        if (!taken)
            return tl::unexpected(taken.error());
        if (taken->outcome != Taken::Outcome::ok)
            ran.failure = taken->reason;
        ran.ended = did.ending == Ending::exited;
    }
    read_logs(logs->path(), ran.findings);
    return ran;
}

Result<Findings> SanitizedSides::fresh(Probing& probing, const Place& place, const Findings& candidate,
                                       Findings& known) {
    Findings own = without_known(candidate, known, probing.renames);
    for (int i = 0; i < more_baselines && !own.empty(); ++i) {
        auto again = run_baseline(*probing.bench, place);
        if (!again)
            return tl::unexpected(again.error());
        known.insert(again->findings.begin(), again->findings.end());
        own = without_known(candidate, known, probing.renames);
    }
    return own;
}

void SanitizedSides::tell(Probing& probing, const Place& place, const Findings& fresh) const {
    for (const auto& [finding, report] : fresh) {
        probing.found.log += report;
        if (finding.is_leak())
            probing.found.caution("new leaks", fmt::format("{} ({})", finding.text(), place.name));
        else if (!probing.found.decided)
            probing.found.decided = Stopped{
                Taken::Outcome::unsafe,
                fmt::format("the {} finds what the baseline does not have: {} ({})", name_, finding.text(), place.name),
                report};
    }
}

} // namespace holdfast::study::probes
