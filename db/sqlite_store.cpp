// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/sqlite_store.hpp"

#include "core/project/hash.hpp"
#include "db/audit.hpp"
#include "db/chain.hpp"
#include "db/digest.hpp"
#include "db/rows.hpp"
#include "db/store_events.hpp"
#include "db/store_impl.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::db {

using namespace holdfast::study;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::int64_t next_number(SQLite::Database& database, const char* query) {
    return database.execAndGet(query).getInt64() + 1;
}

/// The writer's lock. An older Holdfast that is at work would not fill the tables that a new step adds, so steps are
/// taken under this lock only, by a short holder of it too: `patient` waits for such a one.
Result<WriterLock> take_lock(const fs::path& file, bool patient, std::chrono::milliseconds timeout) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (true) {
        auto lock = WriterLock::take(file);
        if (lock || !patient || lock.error().kind != Error::Kind::refused || std::chrono::steady_clock::now() > end)
            return lock;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

/// For somebody who is not the writer.
Result<void> bring_up_to_date(const fs::path& file, std::chrono::milliseconds timeout) {
    while (is_of_older_schema(file)) {
        const auto alone = take_lock(file, true, timeout);
        if (!alone)
            return tl::unexpected(alone.error());
        if (auto migrated = open_for_writing(file, timeout); !migrated)
            return tl::unexpected(migrated.error());
    }
    return {};
}

bool is_new(SQLite::Database& database) {
    return database.execAndGet("SELECT count(*) FROM (SELECT 1 FROM events LIMIT 1)").getInt() == 0 &&
           database.execAndGet("SELECT coalesce(max(sequence), 0) FROM chain_head").getInt64() == 0;
}

/// A chain that is broken is not gone on with: what is added would stand on what nobody wrote.
Result<void> check_trail(SQLite::Database& database, const std::vector<KnownEvent>& known, AuditDepth depth,
                         const std::string& attempted) {
    const AuditReport report = audit(database, known, depth);
    if (report.clean())
        return {};
    const std::size_t more = report.findings.size() - 1 + static_cast<std::size_t>(report.unlisted);
    return refused(
        attempted,
        fmt::format("it is not what was written: {}{}", report.findings.front(),
                    more == 0 ? "" : fmt::format(" ({} more)", more)),
        "See all findings with: holdfast audit. Nothing is added to it: restore it from a backup, or move it "
        "away to start a new history.");
}

} // namespace

SqliteStore::SqliteStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<Store>> SqliteStore::open(const fs::path& file, Mode mode) {
    return open(file, mode, {});
}

Result<std::unique_ptr<Store>> SqliteStore::open(const fs::path& file, Mode mode, Options options) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->mode = mode;
    impl->options = std::move(options);
    const auto timeout = impl->options.busy_timeout;
    if (mode == Mode::read) {
        auto database = open_for_reading(file, timeout, impl->options.traceless);
        if (!database)
            return tl::unexpected(database.error());
        impl->database = std::move(*database);
        return std::unique_ptr<Store>(new SqliteStore(std::move(impl)));
    }
    const std::string attempted = fmt::format("open the history {}", file.string());
    const auto resolved = prepare_folder(file);
    if (!resolved)
        return tl::unexpected(resolved.error());
    if (mode == Mode::write) {
        auto lock = take_lock(*resolved, is_of_older_schema(*resolved), timeout);
        if (!lock)
            return tl::unexpected(lock.error());
        impl->lock.emplace(std::move(*lock));
    } else if (auto current = bring_up_to_date(*resolved, timeout); !current) {
        return tl::unexpected(current.error());
    }
    std::error_code missing;
    const bool was_empty = fs::file_size(*resolved, missing) == 0;
    auto database = open_for_writing(*resolved, timeout);
    if (!database)
        return tl::unexpected(database.error());
    if (was_empty && impl->options.waiting)
        impl->options.waiting(fmt::format("the history {} was empty (0 bytes) and is begun anew; if studies were run "
                                          "here before, restore it from a backup",
                                          file.string()));
    impl->database = std::move(*database);
    try {
        // A study that goes on decides by the samples that it finds, so its writer reads them too.
        const AuditDepth depth = mode == Mode::write ? AuditDepth::whole : AuditDepth::trail;
        if (is_new(*impl->database) && !impl->options.known.empty()) {
            impl->options.known.clear();
            if (impl->options.waiting)
                impl->options.waiting("the history that was here before is gone; a new one is begun");
        }
        if (auto sound = check_trail(*impl->database, impl->options.known, depth, attempted); !sound)
            return tl::unexpected(sound.error());
        if (mode == Mode::write)
            impl->seals.load(*impl->database);
    } catch (const SQLite::Exception& exception) {
        return in_words(attempted, file, exception);
    }
    return std::unique_ptr<Store>(new SqliteStore(std::move(impl)));
}

void SqliteStore::set_waiting(Waiting waiting) {
    const std::scoped_lock guard(impl_->mutex);
    impl_->options.waiting = std::move(waiting);
}

Result<void> SqliteStore::add_study(StudyRecord& study) {
    std::int64_t number = 0;
    auto done = impl_->write("add a study", [&](SQLite::Database& database) -> Result<void> {
        number = next_number(database, "SELECT coalesce(max(number), 0) FROM studies");
        StudyRecord numbered = study;
        numbered.number = number;
        SQLite::Statement project(database,
                                  "INSERT INTO projects (name, first_study) VALUES (?, ?) ON CONFLICT DO NOTHING");
        bind_all(project, study.project, study.started);
        project.exec();
        SQLite::Statement insert(database,
                                 "INSERT INTO studies (id, number, state, project, baseline_commit, baseline_tree, "
                                 "seed, frozen_json, options_json, machine_json, isolation_level, opening_json, "
                                 "started, ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, study.id, number, std::string(to_text(study.state)), study.project, study.baseline_commit,
                 study.baseline_tree, std::to_string(study.seed), study.frozen_json, study.options_json,
                 study.machine_json, study.isolation_level, study.opening_json, study.started, study.ended);
        insert.exec();
        log_study(database, "study started", study.id,
                  {{"state", std::string(to_text(study.state))}, {"number", number}, {"record", digest_of(numbered)}});
        if (!study.opening_json.empty())
            log_opening(database, study);
        return {};
    });
    if (done)
        study.number = number;
    return done;
}

Result<void> SqliteStore::update_study(const StudyRecord& study) {
    const std::string what = "update a study";
    return impl_->write(what, [&](SQLite::Database& database) -> Result<void> {
        const auto before = read_study(database, study.id);
        if (!before)
            return failed(impl_->attempted(what), fmt::format("there is no study {}", study.id), report_defect);
        SQLite::Statement update(database, "UPDATE studies SET state = ?, opening_json = ?, ended = ? WHERE id = ?");
        bind_all(update, std::string(to_text(study.state)), study.opening_json, study.ended, study.id);
        update.exec();
        if (study.opening_json != before->opening_json)
            log_opening(database, study);
        log_study_change(database, *before);
        return {};
    });
}

Result<std::vector<StudyRecord>> SqliteStore::studies() const {
    return impl_->read("read the studies", read_studies);
}

Result<void> SqliteStore::add_trial(TrialRecord& trial) {
    std::int64_t number = 0;
    const auto body = [&](SQLite::Database& database) -> Result<void> {
        number = next_number(database, "SELECT coalesce(max(number), 0) FROM trials");
        TrialRecord numbered = trial;
        numbered.number = number;
        SQLite::Statement insert(database, "INSERT INTO trials (id, number, study, kind, tuner, state, "
                                           "configuration_json, patch, result_tree, confirmation, search_json, "
                                           "created, ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, trial.id, number, Nullable{trial.study}, trial.kind, trial.tuner,
                 std::string(to_text(trial.state)), trial.configuration_json, trial.patch, trial.result_tree,
                 trial.confirmation, trial.search_json, trial.created, trial.ended);
        insert.exec();
        log_trial(database, "candidate queued", trial.id,
                  {{"state", std::string(to_text(trial.state))}, {"number", number}, {"record", digest_of(numbered)}});
        return {};
    };
    auto done = impl_->write("add a candidate", body, trial.state == State::queued);
    if (done)
        trial.number = number;
    return done;
}

Result<void> SqliteStore::update_trial(const TrialRecord& trial) {
    const std::string what = "update a trial";
    return impl_->write(what, [&](SQLite::Database& database) -> Result<void> {
        const auto before = read_trial(database, trial.id);
        if (!before)
            return failed(impl_->attempted(what), fmt::format("there is no trial {}", trial.id), report_defect);
        const bool changed = trial.state != before->state || trial.result_tree != before->result_tree ||
                             trial.confirmation != before->confirmation;
        if (changed && is_decided(database, trial.id))
            return refused(impl_->attempted(what), fmt::format("trial {} is decided", trial.id),
                           "Propose the candidate again for another trial.");
        SQLite::Statement update(database, "UPDATE trials SET study = ?, state = ?, result_tree = ?, confirmation = ?, "
                                           "search_json = ?, ended = ? WHERE id = ?");
        bind_all(update, Nullable{trial.study}, std::string(to_text(trial.state)), trial.result_tree,
                 trial.confirmation, trial.search_json, trial.ended, trial.id);
        update.exec();
        log_trial_change(database, *before);
        return {};
    });
}

Result<std::vector<TrialRecord>> SqliteStore::trials() const {
    return impl_->read("read the trials", read_trials);
}

Result<void> SqliteStore::add_gate(const GateRecord& gate) {
    return impl_->write("store a gate's result", [&](SQLite::Database& database) -> Result<void> {
        SQLite::Statement insert(database, "INSERT OR REPLACE INTO gates (trial, gate, result, reason, log, "
                                           "detail_json, started, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, gate.trial, gate.gate, gate.result, gate.reason, gate.log, gate.detail_json, gate.started,
                 gate.seconds);
        insert.exec();
        log_event(database, gate_event(gate), gate.trial, {{"gate", gate.gate}, {"record", digest_of(gate)}});
        return {};
    });
}

Result<std::vector<GateRecord>> SqliteStore::gates(const std::string& trial) const {
    return impl_->read("read the gates", [&](SQLite::Database& database) { return read_gates(database, trial); });
}

Result<void> SqliteStore::add_sample(SampleRecord& sample) {
    const std::string what = "store a sample";
    std::int64_t id = 0;
    SampleSeals seals; // those of a transaction that is not committed do not count
    const auto body = [&](SQLite::Database& database) -> Result<void> {
        if (!sample.trial.empty() && is_decided(database, sample.trial))
            return refused(impl_->attempted(what),
                           fmt::format("trial {} is decided and its samples are final", sample.trial),
                           "Propose the candidate again for another trial.");
        auto& insert = impl_->insert_sample; // prepared once: it is the one statement that runs thousands of times
        if (!insert)
            insert = std::make_unique<SQLite::Statement>(database, insert_sample_text);
        insert->tryReset();
        bind_sample(*insert, sample);
        insert->exec();
        insert->tryReset();
        id = database.getLastInsertRowid();
        if (sample.usage.throttled > 0) {
            SQLite::Statement throttled(database, "INSERT INTO throttled_samples (sample, events) VALUES (?, ?)");
            bind_all(throttled, id, sample.usage.throttled);
            throttled.exec();
        }
        seals = impl_->seals;
        SampleRecord numbered = sample;
        numbered.id = id;
        seals.add(database, id, digest_of(numbered));
        return {};
    };
    const std::scoped_lock guard(impl_->mutex);
    auto done = impl_->transact(what, body, false);
    if (!done)
        return done;
    sample.id = id;
    impl_->seals = std::move(seals);
    return done;
}

Result<std::vector<SampleRecord>> SqliteStore::samples(const std::string& study, const std::string& trial,
                                                       const std::string& phase) const {
    return impl_->read("read samples",
                       [&](SQLite::Database& database) { return read_samples(database, study, trial, phase); });
}

Result<void> SqliteStore::add_verdict(const VerdictRecord& verdict) {
    const std::string what = "store a verdict";
    if (sha256(verdict.evidence_json) != verdict.evidence_digest)
        return failed(impl_->attempted(what), "the digest is not that of the evidence", report_defect);
    return impl_->write(what, [&](SQLite::Database& database) -> Result<void> {
        if (is_decided(database, verdict.trial))
            return refused(impl_->attempted(what), fmt::format("trial {} is decided already", verdict.trial),
                           "Propose the candidate again for another trial.");
        const auto trial = read_trial(database, verdict.trial);
        if (!trial)
            return failed(impl_->attempted(what), fmt::format("there is no trial {}", verdict.trial), report_defect);
        json detail = {{"state", std::string(to_text(State::done))},
                       {"before", digest_of_changing(*trial)},
                       {"result_tree", trial->result_tree},
                       {"confirmation", trial->confirmation}};
        SQLite::Statement insert(database, "INSERT INTO verdicts (trial, verdict, qualifier, proposal, reasons_json, "
                                           "flags_json, effects_json, evidence_json, evidence_digest, time) "
                                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, verdict.trial, verdict.verdict, verdict.qualifier, verdict.proposal, verdict.reasons_json,
                 verdict.flags_json, verdict.effects_json, verdict.evidence_json, verdict.evidence_digest,
                 verdict.time);
        insert.exec();
        SQLite::Statement update(database, "UPDATE trials SET state = 'done', "
                                           "ended = CASE ended WHEN '' THEN ?1 ELSE ended END WHERE id = ?2");
        bind_all(update, verdict.time, verdict.trial);
        update.exec();
        const SamplesDigest samples = digest_of_trial_samples(database, verdict.trial);
        detail["verdict"] = verdict.verdict;
        detail["evidence"] = verdict.evidence_digest;
        detail["record"] = digest_of(verdict);
        detail["samples"] = samples.digest;
        detail["sample_count"] = samples.count;
        log_trial(database, "trial decided", verdict.trial, detail);
        return {};
    });
}

Result<std::vector<VerdictRecord>> SqliteStore::verdicts() const {
    return impl_->read("read the verdicts", read_verdicts);
}

Result<void> SqliteStore::ask_question(QuestionRecord& question) {
    std::int64_t id = 0;
    auto done = impl_->write("log a held-out question", [&](SQLite::Database& database) -> Result<void> {
        SQLite::Statement insert(database,
                                 "INSERT INTO questions (study, trial, rounds, asked, answer) VALUES (?, ?, ?, ?, '')");
        bind_all(insert, Nullable{question.study}, Nullable{question.trial}, question.rounds, question.asked);
        insert.exec();
        id = database.getLastInsertRowid();
        if (!question.seeds_json.empty()) {
            SQLite::Statement seeds(database, "INSERT INTO question_seeds (question, seeds_json) VALUES (?, ?)");
            bind_all(seeds, id, question.seeds_json);
            seeds.exec();
        }
        QuestionRecord numbered = question;
        numbered.id = id;
        log_event(database, "question asked", question.trial,
                  {{"question", id}, {"rounds", question.rounds}, {"record", digest_of(numbered)}});
        return {};
    });
    if (done)
        question.id = id;
    return done;
}

Result<void> SqliteStore::answer_question(const QuestionRecord& question) {
    const std::string what = "log the answer to a held-out question";
    return impl_->write(what, [&](SQLite::Database& database) -> Result<void> {
        SQLite::Statement query(database, "SELECT answer, coalesce(trial, '') FROM questions WHERE id = ?");
        bind_all(query, question.id);
        if (!query.executeStep())
            return failed(impl_->attempted(what), fmt::format("there is no question {}", question.id), report_defect);
        const std::string before = query.getColumn(0).getString();
        const std::string trial = query.getColumn(1).getString();
        query.reset();
        if (question.answer.empty())
            return failed(impl_->attempted(what), "the answer is empty", report_defect);
        if (before == question.answer)
            return {};
        if (!before.empty())
            return refused(impl_->attempted(what),
                           fmt::format("question {} was answered already: {}", question.id, before),
                           "Ask a new question.");
        SQLite::Statement update(database, "UPDATE questions SET answer = ? WHERE id = ?");
        bind_all(update, question.answer, question.id);
        update.exec();
        log_event(database, "question answered", trial, {{"question", question.id}, {"answer", question.answer}});
        return {};
    });
}

Result<std::vector<QuestionRecord>> SqliteStore::questions(const std::string& study) const {
    return impl_->read("read the held-out questions", [&](SQLite::Database& database) {
        std::vector<QuestionRecord> questions = read_questions(database);
        std::erase_if(questions, [&](const QuestionRecord& question) { return question.study != study; });
        return questions;
    });
}

Result<std::vector<EventRecord>> SqliteStore::events() const {
    return impl_->read("read the events", [](SQLite::Database& database) {
        std::vector<EventRecord> events;
        each_event(database, [&](const EventRecord& event) { events.push_back(event); });
        return events;
    });
}

Result<int> SqliteStore::mark_interrupted() {
    int count = 0;
    const auto mark = [&](SQLite::Database& database, const char* query, const char* change, const char* kind) {
        std::vector<std::string> ids;
        SQLite::Statement running(database, query);
        while (running.executeStep())
            ids.push_back(running.getColumn(0).getString());
        for (const std::string& id : ids) {
            SQLite::Statement update(database, change);
            bind_all(update, id);
            update.exec();
            log_event(database, kind, id, {{"state", std::string(to_text(State::interrupted))}});
            ++count;
        }
    };
    auto done = impl_->write("mark what was interrupted", [&](SQLite::Database& database) -> Result<void> {
        count = 0;
        mark(database, "SELECT id FROM trials WHERE state = 'running' ORDER BY number",
             "UPDATE trials SET state = 'interrupted' WHERE id = ?", "trial interrupted");
        mark(database, "SELECT id FROM studies WHERE state = 'running' ORDER BY number",
             "UPDATE studies SET state = 'interrupted' WHERE id = ?", "study interrupted");
        return {};
    });
    if (!done)
        return tl::unexpected(done.error());
    return count;
}

} // namespace holdfast::db
