// SPDX-License-Identifier: GPL-3.0-or-later
// The history in an SQLite file (WAL, one durable transaction per write, each with the event it causes).
#pragma once

#include "core/study/store.hpp"
#include "db/audit.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::db {

class SqliteStore final : public study::Store {
public:
    enum class Mode {
        write,  ///< everything, by the store's one writer: a second one is refused
        append, ///< reading, add_trial of queued candidates, reviews, applications and imports, beside a running writer
        read,   ///< reading, beside a running writer and on a read-only medium
    };

    /// Called with one sentence about every `busy_timeout` while another process keeps the file busy, and once when an
    /// empty file (0 bytes) is begun anew. It is called inside a call of the store and must not call it.
    using Waiting = std::function<void(std::string)>;

    struct Options {
        std::chrono::milliseconds busy_timeout = std::chrono::seconds(10);
        Waiting waiting = {};
        /// Mode `read`: no file is made beside the history. Where nobody writes it is read as it lies there, so a
        /// writer that starts meanwhile may spoil what is read: for a glance only.
        bool traceless = false;
        /// Events that a history which is not new must have (see audit()); else it is not written to, and
        /// verified_head() refuses.
        std::vector<KnownEvent> known = {};
        /// Told the hash of the last event after each write that added one, once it is on the disk.
        std::function<void(const std::string& head)> witness = {};
    };

    /// Makes folder (mode 0700) and file (0600) unless reading; in mode `read` a missing file is an error.
    /// Errors: `refused` when another writer is at work, for a link, and to write to what was altered; `failed` for a
    /// file that is damaged, foreign, of a newer Holdfast, read-only or not a file. None of them changes the file.
    static Result<std::unique_ptr<study::Store>> open(const std::filesystem::path& file, Mode mode, Options options);
    static Result<std::unique_ptr<study::Store>> open(const std::filesystem::path& file, Mode mode);

    ~SqliteStore() override;
    SqliteStore(const SqliteStore&) = delete;
    SqliteStore& operator=(const SqliteStore&) = delete;

    void set_waiting(Waiting waiting);

    // In mode `write` a write waits for as long as another process keeps the file busy: what was measured is not
    // dropped. In mode `append` it gives up after `busy_timeout`. May be called from several threads.
    Result<void> add_study(study::StudyRecord& study) override;
    Result<void> update_study(const study::StudyRecord& study) override;
    Result<std::vector<study::StudyRecord>> studies() const override;
    Result<void> add_trial(study::TrialRecord& trial) override;
    /// A decided trial keeps its result tree and confirmation: `refused` when they differ.
    Result<void> update_trial(const study::TrialRecord& trial) override;
    Result<std::vector<study::TrialRecord>> trials() const override;
    Result<void> add_gate(const study::GateRecord& gate) override;
    Result<std::vector<study::GateRecord>> gates(const std::string& trial) const override;
    /// A decided trial takes no further sample: `refused`.
    Result<void> add_sample(study::SampleRecord& sample) override;
    Result<std::vector<study::SampleRecord>> samples(const std::string& study, const std::string& trial,
                                                     const std::string& phase = "") const override;
    /// One per trial: `refused` for a second. The evidence's digest must be right.
    Result<void> add_verdict(const study::VerdictRecord& verdict) override;
    Result<std::vector<study::VerdictRecord>> verdicts() const override;
    Result<void> ask_question(study::QuestionRecord& question) override; ///< fills id
    /// Once: `refused` for a second, different answer.
    Result<void> answer_question(const study::QuestionRecord& question) override;
    /// `study` "": the questions that belong to no study.
    Result<std::vector<study::QuestionRecord>> questions(const std::string& study) const override;
    /// `refused` without a verdict; `failed` for an unknown decision, a statement that is no JSON, and a rejection or
    /// rework without a reason.
    Result<void> add_review(study::ReviewRecord& review) override;
    Result<std::vector<study::ReviewRecord>> reviews() const override;
    /// What is applied rests on the trial's last review, and applying and reverting take turns: else `refused`.
    Result<void> add_application(study::ApplicationRecord& application,
                                 const std::function<Result<void>()>& act) override;
    Result<std::vector<study::ApplicationRecord>> applications() const override;
    Result<void> add_import(study::ImportRecord& import) override;
    Result<std::vector<study::ImportRecord>> imports() const override;
    Result<void> add_results_file(study::ResultsFileRecord& file) override;
    Result<std::vector<study::ResultsFileRecord>> results_files() const override;
    Result<std::vector<study::EventRecord>> events() const override;
    Result<std::string> verified_head() const override; ///< holds up other calls of this object while it reads
    Result<int> mark_interrupted() override;

private:
    struct Impl;
    explicit SqliteStore(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

} // namespace holdfast::db
