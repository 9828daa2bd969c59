// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine and the commands need from the history. Implemented in db/.
#pragma once

#include "core/project/error.hpp"
#include "core/study/runner.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

// Times are UTC, ISO 8601 with milliseconds. Fields called *_json hold canonical JSON.

enum class State { queued, running, done, interrupted };
std::string_view to_text(State state);
std::optional<State> state_from_text(std::string_view text);

struct StudyRecord {
    std::string id;          ///< UUIDv7
    std::int64_t number = 0; ///< per store, given by add_study
    State state = State::running;
    std::string project; ///< name
    std::string baseline_commit, baseline_tree;
    std::uint64_t seed = 0;
    std::string frozen_json;  ///< Project::canonical
    std::string options_json; ///< tuners, trials, budget, leaders, fixed knobs
    std::string machine_json;
    int isolation_level = 0;
    std::string opening_json; ///< q50 and spread per workload once the opening A/A rounds are done, else ""
    std::string started, ended;
};

struct TrialRecord {
    std::string id;          ///< UUIDv7
    std::int64_t number = 0; ///< per store, given by add_trial
    std::string study;       ///< "" while queued before a study took it
    std::string kind;        ///< "knobs", "patch", "both"
    std::string tuner;       ///< "random", "local", "patch" (queued by hand)
    State state = State::queued;
    std::string configuration_json;
    std::string patch;       ///< the text as proposed; "" without one
    std::string result_tree; ///< id of the measured tree: patch and file knobs; "" until admitted
    int confirmation = 0;    ///< which of the study's confirmations it took, 1-based; 0: none
    std::string search_json; ///< what the search phase saw, "" when it did not search: {"estimate", "rounds", "rank"}
    std::string created, ended;
};

struct GateRecord {
    std::string trial;
    std::string gate;        ///< admit, build, correct, search, screen, confirm, probe, holdout, coverage
    std::string result;      ///< "pass", "fail", "stop"
    std::string reason;      ///< in words
    std::string log;         ///< output that explains it, capped by the writer
    std::string detail_json; ///< hashes, assessments
    std::string started;
    double seconds = 0;
};

struct SampleRecord {
    std::int64_t id = 0; ///< given by add_sample
    std::string study;
    std::string trial; ///< "" for the opening A/A rounds
    std::string phase; ///< opening, search, leaders, screen, confirm, holdout, measure, calibrate, burden-1, stack
    std::int64_t session = 0; ///< 1-based within (study, trial, phase)
    std::int64_t round = 0;   ///< 0: warm-up, never counted; 1-based within (study, trial, phase)
    std::int64_t attempt =
        0; ///< an incomplete round is redrawn under the next attempt; only the highest complete one counts
    std::string workload;
    std::string arm;   ///< "baseline", "candidate"
    int slot = 0;      ///< 0: ran first, 1: second
    bool coin = false; ///< true: candidate first
    std::string executable_hash;
    std::string ending; ///< "ok" or the reason in words
    std::string output_hash;
    std::string metrics_json; ///< {"wall": seconds, "cpu": seconds, "peak-memory": bytes, ...}
    Usage usage;
    MachineReading before, after;
    std::string started;
};

struct VerdictRecord {
    std::string trial;
    std::string verdict, qualifier;
    bool proposal = false;
    std::string reasons_json, flags_json; ///< arrays of strings
    std::string effects_json;             ///< {"tuning": {...}, "holdout": {...}|null, per workload}
    std::string evidence_json, evidence_digest;
    std::string time;
};

struct QuestionRecord {
    std::int64_t id = 0;
    std::string study, trial;
    int rounds = 0; ///< fixed before asking
    std::string asked;
    std::string answer;     ///< "" until answered; then "confirmed" or "not confirmed"
    std::string seeds_json; ///< {"workload": [seeds]} drawn for it, fixed before asking; "" without any
};

/// What a person decided about a decided trial. Never changed; a later one of the same trial replaces it in effect.
struct ReviewRecord {
    std::int64_t id = 0; ///< given by add_review
    std::string trial;
    std::string decision;                      ///< "approved", "rejected", "rework"
    std::string reviewer_name, reviewer_email; ///< from git's configuration
    std::string comment;                       ///< rejected, rework: the reason, never empty
    bool shared = false;                       ///< rework: the tuner may read the reason
    std::string statement_json;                ///< canonical JSON of all that was decided (core/review/statement.hpp)
    std::string signature;                     ///< SSH signature of statement_json; "" when unsigned
    std::string time;
};

/// A commit that brought an approved trial to a branch, or took it back.
struct ApplicationRecord {
    std::int64_t id = 0; ///< given by add_application
    std::string trial;
    std::string action;      ///< "applied", "reverted"
    std::int64_t review = 0; ///< the approval it rests on
    std::string commit, parent;
    std::string branch;   ///< "holdfast/1/3"
    std::string evidence; ///< digest
    std::string who;      ///< "Name <email>"
    std::string time;
};

/// Evidence that another machine's history exported, kept to be shown beside this one's trials. It is no trial: nothing
/// pools it, approves it, applies it or counts it.
struct ImportRecord {
    std::int64_t id = 0;                                          ///< given by add_import
    std::string digest;                                           ///< of the document; each is kept once
    std::string whole_digest;                                     ///< of the whole evidence: which measurement it is
    std::string baseline_commit, result_tree, configuration_json; ///< the candidate; the tree is "" when never admitted
    std::string machine_json;
    int isolation_level = 0;
    std::string verdict, qualifier, effects_json;
    bool complete = true;    ///< false: held-out parts were left out
    bool recomputed = false; ///< the verdict, or of an incomplete one the effects, was computed again from its samples
    std::string document;    ///< the file as it was read
    std::string time;
};

/// A file of another benchmarking program, kept to be shown. Nothing is decided by it: the order of its runs is
/// unknown.
struct ResultsFileRecord {
    std::int64_t id = 0;         ///< given by add_results_file
    std::string digest;          ///< SHA-256 of the file's bytes; each is kept once
    std::string format;          ///< results::format_name()
    std::string name;            ///< the file's name, without its folder
    std::string benchmarks_json; ///< what was read of it (results::to_json)
    std::string commit;          ///< of the project when it was imported; "" when there is none
    std::string machine_json;    ///< of the importing machine, which may not be where it was measured
    std::string time;
};

struct EventRecord {
    std::int64_t sequence = 0; ///< 1, 2, 3, ...
    std::string time;
    std::string kind;    ///< "study started", "trial decided", "question asked", ...
    std::string subject; ///< id of what it is about
    std::string detail_json;
    std::string previous, hash; ///< SHA-256; hash covers previous and every field above
};

class Store {
public:
    virtual ~Store() = default;

    virtual Result<void> add_study(StudyRecord& study) = 0;          ///< fills number; logs "study started"
    virtual Result<void> update_study(const StudyRecord& study) = 0; ///< state, opening_json, ended
    virtual Result<std::vector<StudyRecord>> studies() const = 0;    ///< oldest first

    virtual Result<void> add_trial(TrialRecord& trial) = 0; ///< fills number; logs "candidate queued"
    virtual Result<void>
    update_trial(const TrialRecord& trial) = 0; ///< study, state, result_tree, confirmation, search_json, ended
    virtual Result<std::vector<TrialRecord>> trials() const = 0; ///< by number

    virtual Result<void> add_gate(const GateRecord& gate) = 0; ///< replaces an earlier row of the same trial and gate
    virtual Result<std::vector<GateRecord>> gates(const std::string& trial) const = 0;

    /// One durable transaction each.
    virtual Result<void> add_sample(SampleRecord& sample) = 0;
    /// In the order they were taken. `trial` "" means the opening rounds; `phase` "" means all.
    virtual Result<std::vector<SampleRecord>> samples(const std::string& study, const std::string& trial,
                                                      const std::string& phase = "") const = 0;

    virtual Result<void>
    add_verdict(const VerdictRecord& verdict) = 0; ///< and the trial's state done; logs "trial decided" with the digest
    virtual Result<std::vector<VerdictRecord>> verdicts() const = 0;

    virtual Result<void> ask_question(QuestionRecord& question) = 0; ///< before the first held-out run; logs it
    virtual Result<void> answer_question(const QuestionRecord& question) = 0;
    virtual Result<std::vector<QuestionRecord>> questions(const std::string& study) const = 0;

    /// Refused for a trial that is not decided. Logs "change approved", "change rejected" or "rework asked" with the
    /// digest of the row. Beside a running writer too.
    virtual Result<void> add_review(ReviewRecord& review) = 0;
    virtual Result<std::vector<ReviewRecord>> reviews() const = 0; ///< oldest first

    /// Refused when `review` is not an approval of the trial. Logs "change applied" or "change reverted". Beside a
    /// running writer too.
    /// `act` is what is recorded, such as moving the branch: it runs once, inside the transaction and after every
    /// check, so that neither happens without the other; its error leaves nothing recorded.
    virtual Result<void> add_application(ApplicationRecord& application, const std::function<Result<void>()>& act) = 0;
    virtual Result<std::vector<ApplicationRecord>> applications() const = 0; ///< oldest first

    /// Nothing is stored and `import.id` stays 0 when that document is there, or the complete evidence it is a part of.
    /// An altered document of the same evidence keeps none out. Logs "evidence imported". Beside a running writer too.
    virtual Result<void> add_import(ImportRecord& import) = 0;
    virtual Result<std::vector<ImportRecord>> imports() const = 0; ///< oldest first; `document` is left empty

    /// Nothing is stored and `file.id` stays 0 when that file is there. Logs "results imported". Beside a running
    /// writer too.
    virtual Result<void> add_results_file(ResultsFileRecord& file) = 0;
    virtual Result<std::vector<ResultsFileRecord>> results_files() const = 0; ///< oldest first

    virtual Result<std::vector<EventRecord>> events() const = 0;

    /// The hash of the last event after the whole history was checked against the chain of events. Refused, with the
    /// first thing found, when it is not what was written.
    virtual Result<std::string> verified_head() const = 0;

    /// Marks running studies and trials as interrupted; what `run` calls first. Returns how many.
    virtual Result<int> mark_interrupted() = 0;
};

} // namespace holdfast::study
