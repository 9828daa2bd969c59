// SPDX-License-Identifier: GPL-3.0-or-later
// One timed run of one arm on one workload: executed, measured, judged.
#pragma once

#include "core/study/build.hpp"
#include "core/study/burden.hpp"
#include "core/study/counting.hpp"
#include "core/study/metrics.hpp"
#include "core/study/store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace holdfast::study {

/// A program to run: what was built and the knobs it runs with.
struct Arm {
    Artifact artifact;
    Configuration configuration;
    std::string hash;                        ///< behaviour_hash()
    std::optional<Burdening> burdening = {}; ///< calibration alone
};

struct Taken {
    enum class Outcome {
        ok,
        failed,         ///< crash, timeout, limit, missing metric: never a number
        wrong,          ///< the check says that the output is not the baseline's
        unsafe,         ///< a probe found an error that the baseline does not have; never of a single run
        unsettled,      ///< neither that quality is kept nor that it is lost is shown; never of a single run
        not_comparable, ///< the machine is not what it was; of sessions only
    };
    Outcome outcome = Outcome::ok;
    std::string reason, log;       ///< of the others
    Ending ended = Ending::exited; ///< of the program that was at fault
    Metrics metrics;
    SampleRecord record; ///< filled but for study, trial, phase, session, round, attempt, arm, slot, coin
};

/// Leaves of a candidate's run on a held-out workload that is not ok only what no program chose: an output, an exit
/// status, a process's name can hold what was read there, and whoever proposes sees the reason.
void withhold(Taken& taken, const Workload& workload);

/// The one of `seeds` that round `round` (0: the warm-up) runs a workload with.
std::int64_t seed_of(const std::vector<std::int64_t>& seeds, std::int64_t round);

/// Whether a command of the workload names {scratch}.
bool uses_scratch(const Workload& workload);

/// Runs workloads and judges their outputs against the pinned baseline's.
class Sampler {
public:
    Sampler(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch,
            const Counting& counting = {});

    /// Makes the workload's inputs, runs the baseline once on each and keeps its checked outputs. An empty output
    /// cannot show an error, so it is one. Gives the first run, or the one that failed.
    Result<Taken> pin(const Arm& baseline, const Workload& workload, const git::Commit& commit);

    /// The baseline's judged run with that seed, of which pin() kept the outputs.
    const Taken* pinned(const Workload& workload, std::int64_t seed) const;

    /// Whether the workload's check passes for outputs that no run made: `out` and `standard_output` are judged as
    /// those of a run with that seed. A metric that they lack is as in a run: it fails.
    Result<Taken> judge_outputs(const Workload& workload, std::int64_t seed, const std::filesystem::path& out,
                                const std::string& standard_output);

    /// The same of a variant, through its `restore`.
    Result<Taken> judge_restored(const Workload& workload, std::int64_t seed, const Variant& variant,
                                 const std::filesystem::path& out, const std::string& standard_output);

    /// The folders that its runs read inputs from.
    std::vector<std::filesystem::path> input_folders(const Workload& workload, std::int64_t seed) const;

    /// Runs the workload's `prepare` for an arm; nothing when it succeeded or there is none, else the failed outcome.
    /// A server that is kept is started anew by the next take().
    Result<std::optional<Taken>> prepare(const Arm& arm, const Workload& workload);

    /// A fresh run, judged. pin() must have succeeded for the workload in this process.
    Result<Taken> take(const Arm& arm, const Workload& workload, std::int64_t seed);

    /// What pin() does with the workload's own seeds, for others; after it. Gives the run that failed, if one did.
    Result<std::optional<Taken>> pin_seeds(const Workload& workload, const std::vector<std::int64_t>& seeds);
    /// Removes what pin_seeds() keeps.
    Result<void> forget_seeds(const Workload& workload, const std::vector<std::int64_t>& seeds);

    /// Changes what a run sees.
    using Adjust = std::function<void(Execution&)>;
    /// Judges the answers of a run: its output folder and its standard output.
    using Judge =
        std::function<Result<void>(const std::filesystem::path& out, const std::string& standard_output, Taken& taken)>;
    /// A run beside the measured ones, never timed: with folders, `prepare` and server of its own, each as `adjust` has
    /// it. Only outcome, reason and log are filled; `result` with what the programs did, when `prepare` let them run.
    /// pin() must have succeeded.
    Result<Taken> run_aside(const Arm& arm, const Workload& workload, std::int64_t seed, const Adjust& adjust,
                            const Judge& judge = {}, ExecutionResult* result = nullptr);

    /// Judges the outputs of a run whose inputs were others than the pinned ones, against those that keep_expected()
    /// kept of the baseline's run at `expected`. `adjust` shows a judge command the same inputs. Quality is not looked
    /// at.
    Result<Taken> judge_aside(const Workload& workload, std::int64_t seed, const std::filesystem::path& expected,
                              const Adjust& adjust, const std::filesystem::path& out,
                              const std::string& standard_output);

    /// Runs an arm once on each of the workload's variants for a pinned seed; never timed. Nothing when every answer,
    /// restored, agrees with the original's by the workload's check, else the outcome, which names the variant.
    Result<std::optional<Taken>> try_variants(const Arm& arm, const Workload& workload, std::int64_t seed);
    /// What differs between the machine now and when this was made, in words; "" when samples may be pooled.
    std::string machine_changes() const;

    /// Ends the servers that are kept between runs.
    void stop_servers();

    /// The folder of the workload's pinned inputs; of what was generated for `seed`, empty without any.
    std::filesystem::path inputs_of(const Workload& workload) const { return inputs_.at(workload.name); }
    std::filesystem::path generated_of(const Workload& workload, std::int64_t seed) const;

private:
    /// What a run may write.
    struct Folders {
        std::filesystem::path out, scratch; ///< scratch: empty where no command names it
    };
    struct Kept {
        std::unique_ptr<KeptSandbox> sandbox;
        Folders folders;
        std::string workload;
        bool held_out;
    };

    void stop_server(const std::string& key);
    void drop_server(const std::string& key); ///< it must be kept
    std::vector<Mount> mounts_of(const Arm& arm, const Workload& workload, std::int64_t seed) const;
    /// Runs `execution` with `place` as the folder it fills, on disk at `folder`. Nothing when it succeeded, else the
    /// failed outcome; `what` begins its reason.
    Result<std::optional<Taken>> fill(Execution execution, const std::filesystem::path& folder, const char* place,
                                      std::vector<Mount> mounts, const std::string& what);
    Result<std::optional<Taken>> generate(const Arm& baseline, const Workload& workload, std::int64_t seed);
    Result<std::optional<Taken>> prepare_in(const std::filesystem::path& folder, const Arm& arm,
                                            const Workload& workload, std::int64_t seed, const Adjust& adjust);
    Result<bool> same_as_original(const Workload& workload, std::int64_t seed, const std::filesystem::path& made) const;
    Result<std::optional<Taken>> make_variants(const Workload& workload, std::int64_t seed);
    Result<std::optional<Taken>> try_variant(const Arm& arm, const Workload& workload, std::int64_t seed,
                                             const Variant& variant);
    Result<Taken> run_in(const Folders& folders, const std::filesystem::path& prepared, const Arm& arm,
                         const Workload& workload, std::int64_t seed, const Adjust& adjust, ExecutionResult& result);
    Result<void> judge_variant(const Workload& workload, std::int64_t seed, const Variant& variant,
                               const std::filesystem::path& out, const std::string& standard_output, Taken& taken);
    Result<std::filesystem::path> scratch_for(const Arm& arm, const Workload& workload) const;
    Result<Folders> folders_for(const Arm& arm, const Workload& workload);
    Execution execution_of(const Arm& arm, const Workload& workload, std::int64_t seed, const Folders& folders);
    Result<ExecutionResult> run(const Arm& arm, const Workload& workload, const Execution& execution,
                                const Folders& folders);
    Result<Taken> execute(const Arm& arm, const Workload& workload, std::int64_t seed, const Folders& folders,
                          std::string& standard_output);
    Result<void> judge(const Workload& workload, std::int64_t seed, const std::filesystem::path& out,
                       const std::string& standard_output, Taken& taken);
    Result<ExecutionResult> run_judge(const Workload& workload, const Argv& command, std::int64_t seed,
                                      const std::filesystem::path& out, const std::filesystem::path& expected,
                                      const Adjust& adjust = {});
    Result<void> judge_command(const Workload& workload, std::int64_t seed, const std::filesystem::path& out,
                               Taken& taken);
    Result<void> judge_quality(const Workload& workload, std::int64_t seed, const std::filesystem::path& out,
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
    std::map<std::tuple<std::string, std::int64_t, std::string>, std::filesystem::path>
        varied_;                                            ///< by workload, seed and variant
    std::map<std::string, std::filesystem::path> prepared_; ///< by arm hash and workload
    std::map<std::string, Kept> kept_;                      ///< likewise
    std::set<std::string> unstopped_; ///< workloads whose kept server did not stop, each told once
    std::map<std::pair<std::string, std::int64_t>, std::set<std::string>>
        judged_right_; ///< output hashes a judge command accepted, by workload and seed
    std::map<std::pair<std::string, std::int64_t>, std::map<std::string, double>>
        judged_quality_; ///< what the quality command said, by workload and seed, then output hash
    std::map<std::pair<std::string, std::int64_t>, Taken> pinned_; ///< by workload and seed
};

} // namespace holdfast::study
