// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/rows.hpp"

#include "db/statement.hpp"

#include <charconv>
#include <map>

// The statements that read samples differ in their conditions only, and no statement is put together at run time.
#define HOLDFAST_SAMPLE_COLUMNS                                                                                        \
    "study, trial, phase, session, round, attempt, workload, arm, slot, coin, executable_hash, ending, output_hash, "  \
    "metrics_json, wall_ns, user_ns, system_ns, minor_faults, major_faults, voluntary_switches, "                      \
    "involuntary_switches, peak_memory_bytes, memory_source, queue_wait_ns, before_steal_ticks, before_total_ticks, "  \
    "before_swap_in_pages, before_swap_out_pages, before_psi_cpu_us, before_psi_memory_us, before_psi_io_us, "         \
    "before_mhz, before_celsius, after_steal_ticks, after_total_ticks, after_swap_in_pages, after_swap_out_pages, "    \
    "after_psi_cpu_us, after_psi_memory_us, after_psi_io_us, after_mhz, after_celsius, started"
#define HOLDFAST_SELECT_STUDIES                                                                                        \
    "SELECT id, number, state, project, baseline_commit, baseline_tree, seed, frozen_json, options_json, "             \
    "machine_json, isolation_level, opening_json, started, ended FROM studies"
#define HOLDFAST_SELECT_TRIALS                                                                                         \
    "SELECT id, number, study, kind, tuner, state, configuration_json, patch, result_tree, confirmation, "             \
    "search_json, created, ended FROM trials"

namespace holdfast::db {

using namespace holdfast::study;

const char* const insert_sample_text = "INSERT INTO samples (" HOLDFAST_SAMPLE_COLUMNS
                                       ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                       "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

std::uint64_t read_seed(const std::string& text) {
    std::uint64_t seed = 0;
    std::from_chars(text.data(), text.data() + text.size(), seed);
    return seed;
}

namespace {

// The CHECK constraints allow no other word; an altered file that does is found by the audit.
State read_state(const std::string& text) {
    return state_from_text(text).value_or(State::interrupted);
}

MachineReading read_reading(Row& row) {
    MachineReading reading;
    reading.steal_ticks = row.natural();
    reading.total_ticks = row.natural();
    reading.swap_in_pages = row.natural();
    reading.swap_out_pages = row.natural();
    reading.psi_cpu_us = row.natural();
    reading.psi_memory_us = row.natural();
    reading.psi_io_us = row.natural();
    reading.mhz = row.real();
    reading.celsius = row.real();
    return reading;
}

Usage read_usage(Row& row) {
    Usage usage;
    usage.wall = row.duration();
    usage.user = row.duration();
    usage.system = row.duration();
    usage.minor_faults = row.natural();
    usage.major_faults = row.natural();
    usage.voluntary_switches = row.natural();
    usage.involuntary_switches = row.natural();
    usage.peak_memory_bytes = row.natural();
    usage.memory_source = row.text();
    usage.queue_wait = row.duration();
    return usage;
}

/// Throttling events by sample; of those alone that had any, which are few.
using Throttled = std::map<std::int64_t, std::uint64_t>;

Throttled read_throttled(SQLite::Database& database) {
    Throttled throttled;
    if (!database.tableExists("throttled_samples"))
        return throttled;
    SQLite::Statement query(database, "SELECT sample, events FROM throttled_samples");
    while (query.executeStep()) {
        Row row(query);
        const std::int64_t sample = row.integer();
        throttled[sample] = row.natural();
    }
    return throttled;
}

SampleRecord read_sample(SQLite::Statement& statement, const Throttled& throttled) {
    Row row(statement);
    SampleRecord sample;
    sample.id = row.integer();
    sample.study = row.text();
    sample.trial = row.text();
    sample.phase = row.text();
    sample.session = row.integer();
    sample.round = row.integer();
    sample.attempt = row.integer();
    sample.workload = row.text();
    sample.arm = row.text();
    sample.slot = row.small();
    sample.coin = row.flag();
    sample.executable_hash = row.text();
    sample.ending = row.text();
    sample.output_hash = row.text();
    sample.metrics_json = row.text();
    sample.usage = read_usage(row);
    sample.before = read_reading(row);
    sample.after = read_reading(row);
    sample.started = row.text();
    if (const auto events = throttled.find(sample.id); events != throttled.end())
        sample.usage.throttled = events->second;
    return sample;
}

StudyRecord study_in(SQLite::Statement& query) {
    Row row(query);
    StudyRecord study;
    study.id = row.text();
    study.number = row.integer();
    study.state = read_state(row.text());
    study.project = row.text();
    study.baseline_commit = row.text();
    study.baseline_tree = row.text();
    study.seed = read_seed(row.text());
    study.frozen_json = row.text();
    study.options_json = row.text();
    study.machine_json = row.text();
    study.isolation_level = row.small();
    study.opening_json = row.text();
    study.started = row.text();
    study.ended = row.text();
    return study;
}

TrialRecord trial_in(SQLite::Statement& query) {
    Row row(query);
    TrialRecord trial;
    trial.id = row.text();
    trial.number = row.integer();
    trial.study = row.text();
    trial.kind = row.text();
    trial.tuner = row.text();
    trial.state = read_state(row.text());
    trial.configuration_json = row.text();
    trial.patch = row.text();
    trial.result_tree = row.text();
    trial.confirmation = row.small();
    trial.search_json = row.text();
    trial.created = row.text();
    trial.ended = row.text();
    return trial;
}

} // namespace

void bind_sample(SQLite::Statement& statement, const SampleRecord& sample) {
    const Usage& usage = sample.usage;
    const MachineReading& before = sample.before;
    const MachineReading& after = sample.after;
    bind_all(statement, Nullable{sample.study}, Nullable{sample.trial}, sample.phase, sample.session, sample.round,
             sample.attempt, sample.workload, sample.arm, sample.slot, sample.coin, sample.executable_hash,
             sample.ending, sample.output_hash, sample.metrics_json, usage.wall, usage.user, usage.system,
             usage.minor_faults, usage.major_faults, usage.voluntary_switches, usage.involuntary_switches,
             usage.peak_memory_bytes, usage.memory_source, usage.queue_wait, before.steal_ticks, before.total_ticks,
             before.swap_in_pages, before.swap_out_pages, before.psi_cpu_us, before.psi_memory_us, before.psi_io_us,
             before.mhz, before.celsius, after.steal_ticks, after.total_ticks, after.swap_in_pages,
             after.swap_out_pages, after.psi_cpu_us, after.psi_memory_us, after.psi_io_us, after.mhz, after.celsius,
             sample.started);
}

std::vector<StudyRecord> read_studies(SQLite::Database& database) {
    SQLite::Statement query(database, HOLDFAST_SELECT_STUDIES " ORDER BY number");
    std::vector<StudyRecord> studies;
    while (query.executeStep())
        studies.push_back(study_in(query));
    return studies;
}

std::optional<StudyRecord> read_study(SQLite::Database& database, const std::string& id) {
    SQLite::Statement query(database, HOLDFAST_SELECT_STUDIES " WHERE id = ?");
    bind_all(query, id);
    if (!query.executeStep())
        return std::nullopt;
    return study_in(query);
}

std::vector<TrialRecord> read_trials(SQLite::Database& database) {
    SQLite::Statement query(database, HOLDFAST_SELECT_TRIALS " ORDER BY number");
    std::vector<TrialRecord> trials;
    while (query.executeStep())
        trials.push_back(trial_in(query));
    return trials;
}

std::optional<TrialRecord> read_trial(SQLite::Database& database, const std::string& id) {
    SQLite::Statement query(database, HOLDFAST_SELECT_TRIALS " WHERE id = ?");
    bind_all(query, id);
    if (!query.executeStep())
        return std::nullopt;
    return trial_in(query);
}

std::vector<GateRecord> read_gates(SQLite::Database& database, const std::string& trial) {
    SQLite::Statement query(database, "SELECT trial, gate, result, reason, log, detail_json, started, seconds "
                                      "FROM gates WHERE trial = ? ORDER BY id");
    bind_all(query, trial);
    std::vector<GateRecord> gates;
    while (query.executeStep()) {
        Row row(query);
        GateRecord& gate = gates.emplace_back();
        gate.trial = row.text();
        gate.gate = row.text();
        gate.result = row.text();
        gate.reason = row.text();
        gate.log = row.text();
        gate.detail_json = row.text();
        gate.started = row.text();
        gate.seconds = row.real();
    }
    return gates;
}

std::vector<VerdictRecord> read_verdicts(SQLite::Database& database) {
    SQLite::Statement query(database, "SELECT trial, verdict, qualifier, proposal, reasons_json, flags_json, "
                                      "effects_json, evidence_json, evidence_digest, time "
                                      "FROM verdicts ORDER BY rowid");
    std::vector<VerdictRecord> verdicts;
    while (query.executeStep()) {
        Row row(query);
        VerdictRecord& verdict = verdicts.emplace_back();
        verdict.trial = row.text();
        verdict.verdict = row.text();
        verdict.qualifier = row.text();
        verdict.proposal = row.flag();
        verdict.reasons_json = row.text();
        verdict.flags_json = row.text();
        verdict.effects_json = row.text();
        verdict.evidence_json = row.text();
        verdict.evidence_digest = row.text();
        verdict.time = row.text();
    }
    return verdicts;
}

std::vector<QuestionRecord> read_questions(SQLite::Database& database) {
    const std::string seeds = database.tableExists("question_seeds")
                                  ? "coalesce((SELECT seeds_json FROM question_seeds WHERE question = id), '')"
                                  : "''";
    SQLite::Statement query(database,
                            "SELECT id, study, trial, rounds, asked, answer, " + seeds + " FROM questions ORDER BY id");
    std::vector<QuestionRecord> questions;
    while (query.executeStep()) {
        Row row(query);
        QuestionRecord& question = questions.emplace_back();
        question.id = row.integer();
        question.study = row.text();
        question.trial = row.text();
        question.rounds = row.small();
        question.asked = row.text();
        question.answer = row.text();
        question.seeds_json = row.text();
    }
    return questions;
}

std::vector<ReviewRecord> read_reviews(SQLite::Database& database, const std::string& trial) {
    std::vector<ReviewRecord> reviews;
    if (!database.tableExists("reviews"))
        return reviews;
    SQLite::Statement query(database, "SELECT id, trial, decision, reviewer_name, reviewer_email, comment, shared, "
                                      "statement_json, signature, time FROM reviews "
                                      "WHERE ?1 IS NULL OR trial = ?1 ORDER BY id");
    bind_all(query, Nullable{trial});
    while (query.executeStep()) {
        Row row(query);
        ReviewRecord& review = reviews.emplace_back();
        review.id = row.integer();
        review.trial = row.text();
        review.decision = row.text();
        review.reviewer_name = row.text();
        review.reviewer_email = row.text();
        review.comment = row.text();
        review.shared = row.flag();
        review.statement_json = row.text();
        review.signature = row.text();
        review.time = row.text();
    }
    return reviews;
}

std::vector<ApplicationRecord> read_applications(SQLite::Database& database, const std::string& trial) {
    std::vector<ApplicationRecord> applications;
    if (!database.tableExists("applications"))
        return applications;
    SQLite::Statement query(database, "SELECT id, trial, action, review, commit_id, parent_id, branch, evidence, who, "
                                      "time FROM applications WHERE ?1 IS NULL OR trial = ?1 ORDER BY id");
    bind_all(query, Nullable{trial});
    while (query.executeStep()) {
        Row row(query);
        ApplicationRecord& application = applications.emplace_back();
        application.id = row.integer();
        application.trial = row.text();
        application.action = row.text();
        application.review = row.integer();
        application.commit = row.text();
        application.parent = row.text();
        application.branch = row.text();
        application.evidence = row.text();
        application.who = row.text();
        application.time = row.text();
    }
    return applications;
}

std::vector<ImportRecord> read_imports(SQLite::Database& database, bool with_documents) {
    std::vector<ImportRecord> imports;
    if (!database.tableExists("imports"))
        return imports;
    SQLite::Statement query(database, "SELECT id, digest, whole_digest, baseline_commit, result_tree, "
                                      "configuration_json, machine_json, isolation_level, verdict, qualifier, "
                                      "effects_json, complete, recomputed, time, iif(?, document, '') "
                                      "FROM imports ORDER BY id");
    bind_all(query, with_documents);
    while (query.executeStep()) {
        Row row(query);
        ImportRecord& import = imports.emplace_back();
        import.id = row.integer();
        import.digest = row.text();
        import.whole_digest = row.text();
        import.baseline_commit = row.text();
        import.result_tree = row.text();
        import.configuration_json = row.text();
        import.machine_json = row.text();
        import.isolation_level = row.small();
        import.verdict = row.text();
        import.qualifier = row.text();
        import.effects_json = row.text();
        import.complete = row.flag();
        import.recomputed = row.flag();
        import.time = row.text();
        import.document = row.text();
    }
    return imports;
}

std::vector<ResultsFileRecord> read_results_files(SQLite::Database& database) {
    std::vector<ResultsFileRecord> files;
    if (!database.tableExists("results_files"))
        return files;
    SQLite::Statement query(database, "SELECT id, digest, format, name, benchmarks_json, commit_id, machine_json, time "
                                      "FROM results_files ORDER BY id");
    while (query.executeStep()) {
        Row row(query);
        ResultsFileRecord& file = files.emplace_back();
        file.id = row.integer();
        file.digest = row.text();
        file.format = row.text();
        file.name = row.text();
        file.benchmarks_json = row.text();
        file.commit = row.text();
        file.machine_json = row.text();
        file.time = row.text();
    }
    return files;
}

std::vector<SampleRecord> read_samples(SQLite::Database& database, const std::string& study, const std::string& trial,
                                       const std::string& phase) {
    SQLite::Statement query(database, "SELECT id, " HOLDFAST_SAMPLE_COLUMNS " FROM samples "
                                      "WHERE study IS ?1 AND trial IS ?2 AND (?3 IS NULL OR phase = ?3) ORDER BY id");
    bind_all(query, Nullable{study}, Nullable{trial}, Nullable{phase});
    const Throttled throttled = read_throttled(database);
    std::vector<SampleRecord> samples;
    while (query.executeStep())
        samples.push_back(read_sample(query, throttled));
    return samples;
}

void each_sample(SQLite::Database& database, std::int64_t after, const EachSample& each) {
    SQLite::Statement query(database, "SELECT id, " HOLDFAST_SAMPLE_COLUMNS " FROM samples WHERE id > ? ORDER BY id");
    bind_all(query, after);
    const Throttled throttled = read_throttled(database);
    while (query.executeStep())
        each(read_sample(query, throttled));
}

void each_sample_of_trial(SQLite::Database& database, const std::string& trial, const EachSample& each) {
    SQLite::Statement query(database,
                            "SELECT id, " HOLDFAST_SAMPLE_COLUMNS " FROM samples WHERE trial = ? ORDER BY id");
    bind_all(query, trial);
    const Throttled throttled = read_throttled(database);
    while (query.executeStep())
        each(read_sample(query, throttled));
}

void each_opening_sample(SQLite::Database& database, const std::string& study, std::int64_t last,
                         const EachSample& each) {
    SQLite::Statement query(database, "SELECT id, " HOLDFAST_SAMPLE_COLUMNS " FROM samples "
                                      "WHERE study = ? AND trial IS NULL AND id <= ? ORDER BY id");
    bind_all(query, study, last);
    const Throttled throttled = read_throttled(database);
    while (query.executeStep())
        each(read_sample(query, throttled));
}

void each_event(SQLite::Database& database, const EachEvent& each) {
    SQLite::Statement query(
        database, "SELECT sequence, time, kind, subject, detail_json, previous, hash FROM events ORDER BY sequence");
    while (query.executeStep()) {
        Row row(query);
        EventRecord event;
        event.sequence = row.integer();
        event.time = row.text();
        event.kind = row.text();
        event.subject = row.text();
        event.detail_json = row.text();
        event.previous = row.text();
        event.hash = row.text();
        each(event);
    }
}

} // namespace holdfast::db
