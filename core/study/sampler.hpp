// SPDX-License-Identifier: GPL-3.0-or-later
// One timed run of one arm on one workload: executed, measured, judged.
#pragma once

#include "core/study/build.hpp"
#include "core/study/store.hpp"

#include <map>
#include <set>
#include <string>

namespace holdfast::study {

/// A program to run: what was built and the knobs it runs with.
struct Arm {
    Artifact artifact;
    Configuration configuration;
    std::string hash; ///< behaviour_hash()
};

struct Taken {
    enum class Outcome {
        ok,
        failed, ///< crash, timeout, limit, missing metric: never a number
        wrong,  ///< the check says that the output is not the baseline's
    };
    Outcome outcome = Outcome::ok;
    std::string reason, log; ///< of the two others
    std::map<std::string, double> metrics;
    SampleRecord record; ///< filled but for study, trial, phase, session, round, attempt, arm, slot, coin
};

/// Runs workloads and judges their outputs against the pinned baseline's.
class Sampler {
public:
    Sampler(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch);

    /// Runs the baseline once on `workload` and keeps its checked outputs. An empty output cannot show an error, so it
    /// is one.
    Result<Taken> pin(const Arm& baseline, const Workload& workload, const git::Commit& commit);

    /// Runs the workload's `prepare` for an arm; nothing when it succeeded or there is none, else the failed outcome.
    Result<std::optional<Taken>> prepare(const Arm& arm, const Workload& workload);

    /// A fresh run, judged. pin() must have succeeded for the workload in this process.
    Result<Taken> take(const Arm& arm, const Workload& workload);

private:
    Result<Taken> execute(const Arm& arm, const Workload& workload, const std::filesystem::path& out,
                          std::string& standard_output);
    Result<void> read_metrics(const Workload& workload, const std::filesystem::path& out,
                              const std::string& standard_output, Taken& taken) const;
    Result<void> judge(const Workload& workload, const std::filesystem::path& out, const std::string& standard_output,
                       Taken& taken);
    Result<void> judge_command(const Workload& workload, const std::filesystem::path& out, Taken& taken);

    const Project* project_;
    Workspace* workspace_;
    Runner* runner_;
    const Watch* watch_;
    Arm baseline_; ///< whose {source} and {build} judges see
    std::map<std::string, std::filesystem::path> inputs_;
    std::map<std::string, std::filesystem::path> prepared_;     ///< by arm hash and workload
    std::map<std::string, std::set<std::string>> judged_right_; ///< output hashes a judge command accepted
};

/// Whether a ratio of this metric decides something in `project` (objective, or a limit relative to the baseline).
bool needs_ratio(const Project& project, const std::string& metric);

bool reports(const Metric& metric, const Workload& workload);

} // namespace holdfast::study
