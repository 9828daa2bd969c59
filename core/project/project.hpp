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
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast {

using Argv = std::vector<std::string>;

enum class Better { lower, higher };

struct Metric {
    enum class Source { wall, cpu, peak_memory, instructions, energy, standard_output, json_file, tool_file };
    std::string name;
    Source source = Source::wall;
    std::string pattern;   ///< standard_output: ECMAScript regular expression with exactly one group
    std::string file;      ///< json_file, tool_file: path below {out}
    std::string path;      ///< json_file: JSON pointer to a number
    std::string tool;      ///< tool_file: the program that wrote it, as in results::format_name()
    std::string benchmark; ///< tool_file: the name of one of its benchmarks; empty: the file must hold one only
    std::string value;     ///< tool_file: which of the benchmark's quantities; empty: the tool's main one
    std::string unit;      ///< wall and cpu: s; peak-memory: B; energy: J; else as the project says, may be empty
    Better better = Better::lower;
    std::vector<std::string> workloads; ///< those that report it; empty: all
    /// The person's word that a number the measured program tells of itself may be the only objective.
    bool accept_self_reported = false;
    std::string proxy_for; ///< the metric that users see and that this one stands for; empty: none

    /// Told by the measured program itself, not measured by the harness.
    bool self_reported() const {
        return source == Source::standard_output || source == Source::json_file || source == Source::tool_file;
    }
};

/// How far a number may be from the baseline's: |a - b| <= atol + rtol * s, where s is |b| or, with `of_range`, the
/// largest less the smallest finite number of the baseline's output; or, with `ulps`, at most so many representable
/// doubles apart. Any of them suffices. Everything around numbers is compared as it is, and a number must be finite
/// where the baseline's is.
struct Tolerance {
    double rtol = 0, atol = 0; ///< finite, not negative
    std::optional<std::uint64_t> ulps;
    bool of_range = false;
};

/// What an approximate or stochastic program must keep: a number of its output's quality, over the workload's seeds.
struct Quality {
    std::string metric; ///< a metric that the run reports; empty: `command` prints it
    Argv command;       ///< judge command whose standard output is the number; sees what Check::command sees
    Better better = Better::higher;
    double margin = 0;     ///< how much worse it may be; at least 0
    bool relative = false; ///< `margin` is a fraction of the baseline's value, else in its unit
};

/// An output and how it is compared: byte by byte, or number by number within a tolerance.
struct Compared {
    std::string file; ///< path below {out}; "" for standard output
    std::optional<Tolerance> numeric;
};

/// What must equal the baseline's output. Several: all must hold.
struct Check {
    std::optional<Compared> standard_output;
    std::vector<Compared> files;
    Argv command; ///< judge command, exit 0 = right; sees {out}, {inputs}, {expected}; empty: none
    std::optional<Quality> quality;
    bool empty() const { return !standard_output && files.empty() && command.empty() && !quality; }
};

/// Other inputs that must give the same answer: renamed, permuted, rescaled.
struct Variant {
    std::string name;
    Argv make; ///< run by the baseline's build: reads {inputs} and {generated}, writes {variant}
    /// Judge command: turns the answers in {out} into those of the original, in {restored}; empty: they are the same as
    /// they are.
    Argv restore;
};

/// What a person should know of a workload before trusting its numbers. All may be empty.
struct WorkloadCard {
    std::string about;       ///< what it stands for
    std::string use;         ///< its weight in real use, in words
    std::string size;        ///< how large, beside what is met in real use
    std::string sensitivity; ///< what its result depends on
};

/// A program that stays in the foreground beside `ready`, `run` and `stop`, in one sandbox with a loopback of its own.
struct Server {
    Argv start;
    Argv ready;        ///< tried until it exits 0; empty: ready at once
    Argv stop;         ///< empty: SIGTERM to the server
    bool keep = false; ///< one server for all runs of an arm in a session; else a fresh one for each run
};

enum class Role { tuning, holdout };

struct Workload {
    std::string name;
    Role role = Role::tuning;
    double weight = 1; ///< relative, positive
    std::vector<std::string>
        inputs; ///< files, relative to the project folder; seen in {inputs} under their last component
    /// Makes inputs: run once per seed by the baseline's build, writes {generated}, which both arms read; may be empty.
    Argv generate;
    /// {seed} of generate, prepare and run. Round r uses seed (r - 1) mod n, so all are used equally; never empty.
    std::vector<std::int64_t> seeds{1};
    /// Above 0: so many seeds are drawn anew for each held-out question, so that nothing can be learned by heart;
    /// `seeds` serve the opening rounds and calibration only. Needs `generate` or {seed}; held-out workloads alone.
    int fresh_seeds = 0;
    std::vector<Variant> variants;
    WorkloadCard card;
    Argv prepare; ///< once per arm and session; writes {prepared}, which `run` may read; may be empty
    std::optional<Server> server;
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
    enum class Through { argument, environment, cmake, make, file };
    /// What a change of the knob may cost beside speed. A candidate that changes such a knob carries a flag.
    enum class Danger { none, durability, security };
    std::string name;
    Type type = Type::integer;
    double min = 0, max = 0;         ///< integer, real
    bool log_scale = false;          ///< integer, real; needs min > 0
    std::vector<std::string> values; ///< categorical, in the file's order
    Value default_value;
    Through through = Through::argument;
    /// argument: template with {value}; environment, cmake and make: the variable's name; file: its path, relative to
    /// the project folder
    std::string target;
    ConfigFormat format = ConfigFormat::ini; ///< file
    std::string key;                         ///< file: what set_config() sets there
    std::string text = "{value}";            ///< file: what is written there, a template with {value}: "{value}MB"
    std::optional<Expression> when;          ///< where it is false the knob is omitted; names knobs declared before it
    std::optional<Danger> danger;            ///< as declared; absent: known settings are recognised (danger.hpp)
};

struct DecisionSettings {
    double minimum_effect = 0.01;
    double harm_margin = 0.03;
    double false_proposal_rate = 0.1;
    int max_confirmations = 10;
    int max_pairs = 200;
    std::optional<int> holdout_pairs;
    int holdout_questions = 50;
    bool quarantine = true; ///< rounds that the machine disturbed are taken again (study/quarantine.hpp)
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
    std::vector<std::string> read;         ///< absolute paths or "~/...", seen read-only at the same place
    std::vector<std::string> environment;  ///< names of variables whose values here are passed on
};

/// What an approval of this project needs beside a person.
struct ReviewSettings {
    bool signatures_required = false;
    std::string allowed_signers; ///< ssh-keygen's allowed-signers file, relative to the folder; "": none
};

/// What is done to a changed program beside timing it, before held-out workloads are asked.
struct ProbeSettings {
    std::vector<std::string> sanitizers{"address", "undefined", "thread"}; ///< builds to run; empty: none
    int inputs = 20;                                                       ///< changed or newly generated ones
    std::chrono::milliseconds time = std::chrono::minutes(5);              ///< after it nothing more is begun
};

struct Timeouts {
    std::chrono::milliseconds build = std::chrono::minutes(30);
    std::chrono::milliseconds test = std::chrono::minutes(10);
    std::chrono::milliseconds ready = std::chrono::seconds(30); ///< of a server, and again for its stop
    std::chrono::milliseconds run = std::chrono::seconds(60);
};

struct Project {
    std::filesystem::path folder; ///< absolute; holds holdfast.json
    std::string name;
    std::vector<Argv> fetch; ///< once on the baseline, with network after consent; writes {deps}; may be empty
    std::vector<Argv> build; ///< may be empty
    Timeouts timeouts;
    std::vector<Metric> metrics;         ///< the declared ones and wall, cpu, peak-memory, instructions, energy
    std::string objective;               ///< the first of `objectives`
    std::vector<std::string> objectives; ///< one to three metrics, none twice
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
    ProbeSettings probe;
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

/// The same with other texts than the folder's, such as a commit's. `read`: a file's text by its path below the folder,
/// nothing when there is none.
tl::expected<Project, std::vector<Problem>>
load_project(const std::filesystem::path& folder,
             const std::function<std::optional<std::string>(const std::string& path)>& read);

/// The project that a study froze (StudyRecord::frozen_json, Project::canonical), as if it were in `folder`, which is
/// not looked at. Its canonical text is `frozen_json`; metrics, limits and checked files come in the order of their
/// names.
tl::expected<Project, std::vector<Problem>> project_from_frozen(const std::filesystem::path& folder,
                                                                const std::string& frozen_json);

/// `problems` as one error of kind `invalid`.
Error to_error(const std::vector<Problem>& problems);

} // namespace holdfast
