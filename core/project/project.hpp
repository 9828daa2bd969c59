// SPDX-License-Identifier: GPL-3.0-or-later
// The project file as value types. Grammar: docs/guide.md.
#pragma once

#include "core/project/config_file.hpp"
#include "core/project/error.hpp"
#include "core/project/expression.hpp"
#include "core/project/value.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast {

using Argv = std::vector<std::string>;

enum class Better { lower, higher };

struct Metric {
    enum class Source { wall, cpu, peak_memory, standard_output, json_file };
    std::string name;
    Source source = Source::wall;
    std::string pattern; ///< standard_output: ECMAScript regular expression with exactly one group
    std::string file;    ///< json_file: path below {out}
    std::string path;    ///< json_file: JSON pointer to a number
    std::string unit;    ///< wall and cpu: s; peak-memory: B; else as the project says, may be empty
    Better better = Better::lower;
    std::vector<std::string> workloads; ///< those that report it; empty: all
};

/// What must equal the baseline's output. Several: all must hold.
struct Check {
    bool standard_output = false;
    std::vector<std::string> files; ///< paths below {out}, compared byte by byte
    Argv command;                   ///< judge command, exit 0 = right; sees {out}, {inputs}, {expected}; empty: none
    bool empty() const { return !standard_output && files.empty() && command.empty(); }
};

enum class Role { tuning, holdout };

struct Workload {
    std::string name;
    Role role = Role::tuning;
    double weight = 1; ///< relative, positive
    std::vector<std::string>
        inputs;   ///< files, relative to the project folder; seen in {inputs} under their last component
    Argv prepare; ///< once per arm and session; writes {prepared}, which `run` may read; may be empty
    Argv run;
    Check check;
    bool readable_holdout = false; ///< a held-out workload written in holdfast.json, where tuners can read it
};

struct Limit {
    std::string metric;
    std::optional<double> worse_by_at_most; ///< fraction of the baseline, 0.1 = 10 %
    std::optional<double> at_most;          ///< the candidate's median, in the metric's unit
};

struct Knob {
    enum class Type { integer, real, categorical, boolean };
    enum class Through { argument, environment, cmake, file };
    std::string name;
    Type type = Type::integer;
    double min = 0, max = 0;         ///< integer, real
    bool log_scale = false;          ///< integer, real; needs min > 0
    std::vector<std::string> values; ///< categorical, in the file's order
    Value default_value;
    Through through = Through::argument;
    /// argument: template with {value}; environment and cmake: the variable's name; file: its path, relative to the
    /// project folder
    std::string target;
    ConfigFormat format = ConfigFormat::ini; ///< file
    std::string key;                         ///< file: what set_config() sets there
};

struct DecisionSettings {
    double minimum_effect = 0.01;
    double harm_margin = 0.03;
    double false_proposal_rate = 0.1;
    int max_confirmations = 10;
    int max_pairs = 200;
    std::optional<int> holdout_pairs;
    int holdout_questions = 50;
};

struct Code {
    std::vector<std::string> editable; ///< globs relative to the project folder; empty: no code change is admitted
    std::vector<std::string> protected_paths; ///< globs; holdfast.json is always protected
    std::vector<Argv> test;
};

/// What `run` does when its options do not say otherwise.
struct SearchSettings {
    std::vector<std::string> tuners{"local"};
    int trials = 50;                ///< configurations the search looks at
    int leaders = 3;                ///< of them at most this many go through the gates
    std::vector<std::string> fixed; ///< knobs the search leaves at their default
};

struct SandboxSettings {
    std::uint64_t memory_bytes = 4ULL << 30;
    unsigned processes = 256;
    std::uint64_t disk_bytes = 1ULL << 30; ///< all that one sandbox may write to {build}, {out} or {prepared}
};

/// What an approval of this project needs beside a person.
struct ReviewSettings {
    bool signatures_required = false;
    std::string allowed_signers; ///< ssh-keygen's allowed-signers file, relative to the folder; "": none
};

struct Timeouts {
    std::chrono::milliseconds build = std::chrono::minutes(30);
    std::chrono::milliseconds test = std::chrono::minutes(10);
    std::chrono::milliseconds run = std::chrono::seconds(60);
};

struct Project {
    std::filesystem::path folder; ///< absolute; holds holdfast.json
    std::string name;
    std::vector<Argv> build; ///< may be empty
    Timeouts timeouts;
    std::vector<Metric> metrics; ///< the declared ones and wall, cpu, peak-memory
    std::string objective;
    std::vector<Limit> limits;
    std::vector<Workload> workloads; ///< tuning ones first, then held-out ones
    std::string holdout_file;        ///< relative to the folder
    std::vector<Knob> knobs;
    std::vector<Expression> constraints;
    Code code;
    SearchSettings search;
    DecisionSettings decision;
    SandboxSettings sandbox;
    ReviewSettings review;
    std::string canonical; ///< canonical JSON of both files: what a study freezes

    const Metric& metric(const std::string& name) const; ///< must exist
    const Knob* knob(const std::string& name) const;     ///< null when there is none
    std::vector<const Workload*> with_role(Role role) const;
    Configuration defaults() const;
};

/// One thing wrong with a project file.
struct Problem {
    std::filesystem::path file;
    int line = 0, column = 0; ///< 1-based; 0 when the whole file is meant
    std::string pointer;      ///< JSON pointer, "/knobs/2/min"
    std::string found, allowed;
    std::string text() const; ///< "holdfast.json:12:9: /knobs/2/min: found ..., allowed: ..."
};

/// Reads and checks FOLDER/holdfast.json and the held-out file it names (absent: no held-out workloads). Every problem
/// that can be told in one pass is reported.
tl::expected<Project, std::vector<Problem>> load_project(const std::filesystem::path& folder);

/// The project that a study froze (StudyRecord::frozen_json, Project::canonical), as if it were in `folder`, which is
/// not looked at. Its canonical text is `frozen_json`; metrics, limits and checked files come in the order of their
/// names.
tl::expected<Project, std::vector<Problem>> project_from_frozen(const std::filesystem::path& folder,
                                                                const std::string& frozen_json);

/// `problems` as one error of kind `invalid`.
Error to_error(const std::vector<Problem>& problems);

} // namespace holdfast
