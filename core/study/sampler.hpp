// SPDX-License-Identifier: GPL-3.0-or-later
// One timed run of one arm on one workload: executed, measured, judged.
#pragma once

#include "core/study/build.hpp"
#include "core/study/counting.hpp"
#include "core/study/metrics.hpp"
#include "core/study/store.hpp"

#include <map>
#include <memory>
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
        failed,         ///< crash, timeout, limit, missing metric: never a number
        wrong,          ///< the check says that the output is not the baseline's
        not_comparable, ///< the machine is not what it was; of sessions only
    };
    Outcome outcome = Outcome::ok;
    std::string reason, log; ///< of the two others
    Metrics metrics;
    SampleRecord record; ///< filled but for study, trial, phase, session, round, attempt, arm, slot, coin
};

/// The seed that round `round` (0: the warm-up) runs the workload with.
std::int64_t seed_of(const Workload& workload, std::int64_t round);

/// Runs workloads and judges their outputs against the pinned baseline's.
class Sampler {
public:
    Sampler(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch,
            const Counting& counting = {});

    /// Makes the workload's inputs, runs the baseline once on each and keeps its checked outputs. An empty output
    /// cannot show an error, so it is one. Gives the first run, or the one that failed.
    Result<Taken> pin(const Arm& baseline, const Workload& workload, const git::Commit& commit);

    /// Runs the workload's `prepare` for an arm; nothing when it succeeded or there is none, else the failed outcome.
    /// A server that is kept is started anew by the next take().
    Result<std::optional<Taken>> prepare(const Arm& arm, const Workload& workload);

    /// A fresh run, judged. pin() must have succeeded for the workload in this process.
    Result<Taken> take(const Arm& arm, const Workload& workload, std::int64_t seed);

    /// What differs between the machine now and when this was made, in words; "" when samples may be pooled.
    std::string machine_changes() const;

    /// Ends the servers that are kept between runs.
    void stop_servers();

private:
    /// What a run may write.
    struct Folders {
        std::filesystem::path out, scratch; ///< scratch: empty where no command names it
    };
    struct Kept {
        std::unique_ptr<KeptSandbox> sandbox;
        Folders folders;
        std::string workload;
    };

    void stop_server(const std::string& key);
    void drop_server(const std::string& key); ///< it must be kept
    std::vector<Mount> mounts_of(const Arm& arm, const Workload& workload, std::int64_t seed) const;
    /// Runs `execution` with `place` as the folder it fills, on disk at `folder`. Nothing when it succeeded, else the
    /// failed outcome; `what` begins its reason.
    Result<std::optional<Taken>> fill(Execution execution, const std::filesystem::path& folder, const char* place,
                                      std::vector<Mount> mounts, const std::string& what);
    Result<std::optional<Taken>> generate(const Arm& baseline, const Workload& workload, std::int64_t seed);
    Result<std::filesystem::path> scratch_for(const Arm& arm, const Workload& workload) const;
    Result<Folders> folders_for(const Arm& arm, const Workload& workload);
    Execution execution_of(const Arm& arm, const Workload& workload, std::int64_t seed, const Folders& folders);
    Result<ExecutionResult> run(const Arm& arm, const Workload& workload, const Execution& execution,
                                const Folders& folders);
    Result<Taken> execute(const Arm& arm, const Workload& workload, std::int64_t seed, const Folders& folders,
                          std::string& standard_output);
    Result<void> judge(const Workload& workload, std::int64_t seed, const std::filesystem::path& out,
                       const std::string& standard_output, Taken& taken);
    Result<void> judge_command(const Workload& workload, std::int64_t seed, const std::filesystem::path& out,
                               Taken& taken);
    Result<void> add_instructions(const Arm& arm, const Workload& workload, std::int64_t seed, Taken& taken);
    Result<void> clear(const Arm& arm, const Workload& workload, const Folders& folders);
    Result<Taken> pin_seed(const Arm& baseline, const Workload& workload, std::int64_t seed);

    const Project* project_;
    Workspace* workspace_;
    Runner* runner_;
    const Watch* watch_;
    Counting counting_;
    std::string machine_; ///< when this was made
    Arm baseline_;        ///< whose {source} and {build} judges see
    std::map<std::string, std::filesystem::path> inputs_;
    std::map<std::pair<std::string, std::int64_t>, std::filesystem::path> generated_; ///< by workload and seed
    std::map<std::string, std::filesystem::path> prepared_;                           ///< by arm hash and workload
    std::map<std::string, Kept> kept_;                                                ///< likewise
    std::set<std::string> unstopped_; ///< workloads whose kept server did not stop, each told once
    std::map<std::pair<std::string, std::int64_t>, std::set<std::string>>
        judged_right_; ///< output hashes a judge command accepted, by workload and seed
};

} // namespace holdfast::study
