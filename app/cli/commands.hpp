// SPDX-License-Identifier: GPL-3.0-or-later
// One function per command. Each returns the exit code or an error that main() prints and maps to one.
#pragma once

#include "app/common/candidate.hpp"
#include "core/project/error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

enum Exit : int { done = 0, error = 1, usage = 2, nothing_passed = 3, gate_refused = 4, interrupted = 130 };

int exit_code(Error::Kind kind);
/// "failed", "invalid", "refused", "interrupted".
const char* kind_text(Error::Kind kind);

struct Common {
    std::filesystem::path folder = "."; ///< -C
    bool json = false;
};

/// What a person has agreed to on the command line.
struct Consent {
    bool fetch = false;    ///< the project's fetch commands may use the network
    std::string isolation; ///< "L2", "L1" or "L0": the lowest level to run at; "": L3
};

struct RunArguments {
    std::vector<std::string> tuners;
    std::optional<int> trials, leaders;
    std::string budget;             ///< "" without one
    std::vector<std::string> fixed; ///< "knob" (at its default) or "knob=value"
    std::optional<std::uint64_t> seed;
    bool resume = false;
    Consent consent;
};

struct MeasureArguments {
    app::CandidateArguments candidate;
    std::string trial; ///< number or id of the trial whose candidate it is; "": `candidate` says it
    std::vector<std::string> workloads;
    int rounds = 40;
    std::optional<std::uint64_t> seed;
    Consent consent;
    std::string fail_on;            ///< "" or "regresses"
    std::string base;               ///< revision; "": HEAD
    std::string candidate_revision; ///< its tree is the candidate; "": the arguments above say it
    std::string format = "text";    ///< or "markdown"
    std::string file;               ///< "": standard output
    bool force = false;
};

struct DemoArguments {
    std::string name, folder;
};

struct InitArguments {
    std::string folder; ///< "": the project folder
    std::string server; ///< "", "postgresql", "redis", "sqlite"
    bool yes = false, force = false, dry_run = false;
    bool try_once = false; ///< run the baseline though nobody is asked
};

struct ApproveArguments {
    std::string trial, comment;
    std::vector<std::string> overrides; ///< "gate=reason"
};

struct DeclineArguments {
    std::string trial, reason;
    bool share = false; ///< rework: the tuner may read the reason
};

struct ApplyArguments {
    std::string trial;
    bool fast_forward = false, dry_run = false;
};

struct ImportArguments {
    std::string file; ///< "-": standard input
};

struct ExportArguments {
    std::string id, format;
    bool without_holdout = false; ///< evidence: leaves out what is held out
    std::string file;             ///< "": standard output
    bool force = false;
};

struct GcArguments {
    bool apply = false; ///< false: only say what would be freed
    std::string keep = "7d";
    bool history = false; ///< compact the project's history too
};

struct HistoryArguments {
    std::string workload; ///< "": all studies in brief
    std::string metric;   ///< "": the newest study's objective
};

Result<int> version(const Common& common);
Result<int> validate(const Common& common);
/// `profile`: prints the AppArmor profile for bubblewrap instead.
Result<int> doctor(const Common& common, bool profile);
Result<int> init(const Common& common, const InitArguments& arguments);
Result<int> demo(const Common& common, const DemoArguments& arguments);
Result<int> propose(const Common& common, const app::CandidateArguments& arguments);
Result<int> run(const Common& common, const RunArguments& arguments);
Result<int> trials(const Common& common);
Result<int> show(const Common& common, const std::string& id);
Result<int> measure(const Common& common, const MeasureArguments& arguments);
Result<int> compare(const Common& common, const std::vector<std::string>& ids);
/// Evidence of another machine, or a result file of another benchmarking program.
Result<int> import_file(const Common& common, const ImportArguments& arguments);
Result<int> export_trial(const Common& common, const ExportArguments& arguments);
Result<int> audit(const Common& common);
Result<int> history(const Common& common, const HistoryArguments& arguments);
Result<int> gc(const Common& common, const GcArguments& arguments);
Result<int> approve(const Common& common, const ApproveArguments& arguments);
/// Rejects, or asks for rework.
Result<int> decline(const Common& common, const DeclineArguments& arguments, bool rework);
/// Applies, or reverts.
Result<int> apply(const Common& common, const ApplyArguments& arguments, bool revert);

} // namespace holdfast::cli
