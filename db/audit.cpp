// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/audit.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "db/auditor.hpp"
#include "db/connection.hpp"
#include "db/digest.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace holdfast::db {

using namespace holdfast::study;
using nlohmann::json;

namespace {
constexpr std::size_t findings_limit = 1000;
}

void Auditor::find(const std::string& text) {
    if (report_.findings.size() < findings_limit)
        report_.findings.push_back(printable(text));
    else
        ++report_.unlisted;
}

void Auditor::check_state(const std::string& what, State state, const Told& told) {
    const std::string said = text_in(told.at("state"), "state");
    if (said != to_text(state))
        find(fmt::format("{} is {}, but the last event about it says {}.", what, to_text(state),
                         said.empty() ? "nothing" : said));
}

/// A history of before events told the digest has none to compare with.
void Auditor::check_row(const std::string& what, const std::string& digest, const Told& told) {
    if (!told.at("row").is_null() && text_in(told.at("row"), "row") != digest)
        find(fmt::format("{} was altered after the last event about it.", what));
}

void Auditor::check_studies() {
    for (const StudyRecord& study : read_studies(database_)) {
        ++report_.studies;
        const std::string what = fmt::format("Study {}", study.number);
        if (!studies_.erase(study.id)) {
            find(fmt::format("{} has no event that announced it.", what));
            continue;
        }
        const Told& told = told_[study.id];
        if (text_in(told.at("added"), "record") != digest_of(study))
            find(fmt::format("{} was altered after its start.", what));
        check_state(what, study.state, told);
        check_row(fmt::format("The end of study {}", study.number), digest_of_changing(study), told);
        check_opening(study, told);
    }
}

void Auditor::check_opening(const StudyRecord& study, const Told& told) {
    if (told.at("opening").is_null()) {
        if (!study.opening_json.empty())
            find(fmt::format("The opening of study {} was written outside Holdfast.", study.number));
        return;
    }
    if (text_in(told.at("opening"), "opening") != sha256(study.opening_json))
        find(fmt::format("The opening of study {} was altered.", study.number));
    if (depth_ == AuditDepth::whole)
        check_opening_samples(study, told);
}

void Auditor::check_opening_samples(const StudyRecord& study, const Told& told) {
    const SamplesDigest samples = opening_samples_of(study.id);
    if (samples.digest != text_in(told.at("opening"), "samples"))
        find(fmt::format("The opening samples of study {} were altered after it was measured: {} then, {} now.",
                         study.number, number_in(told.at("opening"), "sample_count"), samples.count));
}

void Auditor::check_trials() {
    for (const TrialRecord& trial : read_trials(database_)) {
        ++report_.trials;
        trial_of_[trial.id] = trial;
        const std::string what = fmt::format("Trial {}", trial.number);
        if (!trials_.erase(trial.id)) {
            find(fmt::format("{} has no event that announced it.", what));
            continue;
        }
        const Told& told = told_[trial.id];
        if (text_in(told.at("added"), "record") != digest_of(trial))
            find(fmt::format("The candidate of trial {} was altered after it was queued.", trial.number));
        check_state(what, trial.state, told);
        check_row(fmt::format("The study, result, search or end of trial {}", trial.number), digest_of_changing(trial),
                  told);
        check_gates(trial, told);
    }
}

void Auditor::check_gates(const TrialRecord& trial, const Told& told) {
    std::map<std::string, json> expected = told.gates;
    for (const GateRecord& gate : read_gates(database_, trial.id)) {
        ++report_.gates;
        const auto said = expected.find(gate.gate);
        if (said == expected.end()) {
            find(fmt::format("Gate {} of trial {} has no event that announced it.", gate.gate, trial.number));
            continue;
        }
        if (text_in(said->second, "record") != digest_of(gate))
            find(fmt::format("The result of gate {} of trial {} was altered.", gate.gate, trial.number));
        expected.erase(said);
    }
    for (const auto& [gate, detail] : expected)
        find(fmt::format("The result of gate {} of trial {} was removed.", gate, trial.number));
}

/// Gates are read in the order of their ids, which no digest holds; a gate passed again stands last.
void Auditor::check_gate_order() {
    SQLite::Statement query(database_, "SELECT trial, gate, id FROM gates ORDER BY id");
    std::int64_t before = 0;
    while (query.executeStep()) {
        const std::string trial = query.getColumn(0).getString(), gate = query.getColumn(1).getString();
        if (query.getColumn(2).getInt64() < 1)
            find(fmt::format("Gate {} of trial {} has a number that Holdfast never gives.", gate, name_of(trial)));
        const auto& order = told_[trial].order;
        const auto place = order.find(gate);
        if (place == order.end())
            continue; // told already: no event announced it
        if (place->second < before)
            find(fmt::format("Gates were re-ordered: {} of trial {} does not stand where it was passed.", gate,
                             name_of(trial)));
        before = place->second;
    }
}

void Auditor::check_verdicts() {
    std::set<std::string> seen;
    std::int64_t before = 0;
    for (const VerdictRecord& verdict : read_verdicts(database_)) {
        ++report_.verdicts;
        seen.insert(verdict.trial);
        const auto& order = told_[verdict.trial].order;
        if (const auto place = order.find(""); place != order.end()) {
            if (place->second < before)
                find(fmt::format("Verdicts were re-ordered: that on trial {} does not stand where it was given.",
                                 name_of(verdict.trial)));
            before = place->second;
        }
        const auto trial = trial_of_.find(verdict.trial);
        check_verdict(verdict, trial == trial_of_.end() ? nullptr : &trial->second, told_[verdict.trial]);
    }
    for (const auto& [subject, told] : told_)
        if (!told.at("decided").is_null() && !seen.contains(subject))
            find(fmt::format("The verdict on trial {} was removed.", subject));
}

void Auditor::check_verdict(const VerdictRecord& verdict, const TrialRecord* trial, const Told& told) {
    const std::string name = name_of(verdict.trial);
    if (sha256(verdict.evidence_json) != verdict.evidence_digest)
        find(fmt::format("The evidence of trial {} does not hash to its digest.", name));
    if (told.at("decided").is_null())
        return find(fmt::format("The verdict on trial {} has no event that announced it.", name));
    if (text_in(told.at("decided"), "evidence") != verdict.evidence_digest)
        find(fmt::format("The evidence digest of trial {} is not the one that was announced.", name));
    if (text_in(told.at("decided"), "record") != digest_of(verdict))
        find(fmt::format("The verdict on trial {} was altered after it was announced.", name));
    const SamplesDigest samples = samples_of(verdict.trial);
    if (depth_ == AuditDepth::whole && samples.digest != text_in(told.at("decided"), "samples"))
        find(fmt::format("The samples of trial {} were altered after its verdict: {} then, {} now.", name,
                         number_in(told.at("decided"), "sample_count"), samples.count));
    if (trial != nullptr && (trial->result_tree != text_in(told.at("decided"), "result_tree") ||
                             trial->confirmation != number_in(told.at("decided"), "confirmation")))
        find(fmt::format("The result tree or confirmation of trial {} was altered after its verdict.", name));
}

void Auditor::check_questions() {
    for (const QuestionRecord& question : read_questions(database_)) {
        ++report_.questions;
        const auto asked = asked_.find(question.id);
        if (asked == asked_.end()) {
            find(fmt::format("Held-out question {} has no event that announced it.", question.id));
            continue;
        }
        if (text_in(asked->second, "record") != digest_of(question))
            find(fmt::format("Held-out question {} was altered.", question.id));
        const auto answered = answered_.find(question.id);
        const std::string said = answered == answered_.end() ? "" : text_in(answered->second, "answer");
        if (said != question.answer)
            find(fmt::format("The answer to held-out question {} was altered.", question.id));
        asked_.erase(asked);
    }
    for (const auto& [id, detail] : asked_)
        find(fmt::format("Held-out question {} was removed.", id));
}

/// A trial's number, or its id when there is no such row.
std::string Auditor::name_of(const std::string& trial) const {
    const auto found = trial_of_.find(trial);
    return found == trial_of_.end() ? trial : std::to_string(found->second.number);
}

void Auditor::check_reviews() {
    for (const ReviewRecord& review : read_reviews(database_)) {
        ++report_.reviews;
        const auto said = reviewed_.find(review.id);
        if (said == reviewed_.end()) {
            find(
                fmt::format("Review {} of trial {} has no event that announced it.", review.id, name_of(review.trial)));
            continue;
        }
        if (text_in(said->second, "record") != digest_of(review))
            find(fmt::format("Review {} of trial {} was altered.", review.id, name_of(review.trial)));
        reviewed_.erase(said);
    }
    for (const auto& [id, detail] : reviewed_)
        find(fmt::format("Review {} was removed.", id));
}

void Auditor::check_applications() {
    for (const ApplicationRecord& application : read_applications(database_)) {
        ++report_.applications;
        const auto said = applied_.find(application.id);
        if (said == applied_.end()) {
            find(fmt::format("Application {} of trial {} has no event that announced it.", application.id,
                             name_of(application.trial)));
            continue;
        }
        if (text_in(said->second, "record") != digest_of(application))
            find(fmt::format("Application {} of trial {} was altered.", application.id, name_of(application.trial)));
        applied_.erase(said);
    }
    for (const auto& [id, detail] : applied_)
        find(fmt::format("Application {} was removed.", id));
}

void Auditor::check_imports() {
    for (const ImportRecord& import : read_imports(database_, true)) {
        ++report_.imports;
        const auto said = imported_.find(import.id);
        if (said == imported_.end()) {
            find(fmt::format("Imported evidence {} has no event that announced it.", import.id));
            continue;
        }
        if (text_in(said->second, "record") != digest_of(import))
            find(fmt::format("Imported evidence {} was altered.", import.id));
        imported_.erase(said);
    }
    for (const auto& [id, detail] : imported_)
        find(fmt::format("Imported evidence {} was removed.", id));
}

void Auditor::check_results_files() {
    for (const ResultsFileRecord& file : read_results_files(database_)) {
        ++report_.results_files;
        const auto said = results_.find(file.id);
        if (said == results_.end()) {
            find(fmt::format("Results file {} has no event that announced it.", file.id));
            continue;
        }
        if (text_in(said->second, "record") != digest_of(file))
            find(fmt::format("Results file {} was altered.", file.id));
        results_.erase(said);
    }
    for (const auto& [id, detail] : results_)
        find(fmt::format("Results file {} was removed.", id));
}

void Auditor::check_removed() {
    for (const std::string& id : studies_)
        find(fmt::format("Study {} was removed.", id));
    for (const std::string& id : trials_)
        find(fmt::format("Trial {} was removed.", id));
}

AuditReport Auditor::run(const std::vector<KnownEvent>& known) {
    SQLite::Transaction snapshot(database_); // rolled back at the end: it only read
    if (depth_ == AuditDepth::whole)
        check_file();
    check_schema();
    check_counters();
    check_words();
    check_chain(known);
    check_unannounced();
    if (depth_ == AuditDepth::whole)
        read_all_samples();
    check_projects();
    check_studies();
    check_trials();
    check_gate_order();
    check_verdicts();
    check_questions();
    check_reviews();
    check_applications();
    check_imports();
    check_results_files();
    check_removed();
    return std::move(report_);
}

AuditReport audit(SQLite::Database& database, const std::vector<KnownEvent>& known, AuditDepth depth) {
    Auditor auditor(database, depth);
    try {
        return auditor.run(known);
    } catch (const SQLite::Exception& exception) {
        if (exception.getErrorCode() != SQLITE_CORRUPT && exception.getErrorCode() != SQLITE_NOTADB)
            throw;
        AuditReport report = auditor.so_far();
        report.findings.push_back(
            fmt::format("The file is damaged and could not be read to its end: {}.", printable(exception.what())));
        return report;
    }
}

Result<AuditReport> audit(const std::filesystem::path& file, const std::vector<KnownEvent>& known) {
    auto database = open_for_reading(file, std::chrono::seconds(10));
    if (!database)
        return tl::unexpected(database.error());
    try {
        return audit(**database, known);
    } catch (const SQLite::Exception& exception) {
        return in_words("audit the history", file, exception);
    }
}

} // namespace holdfast::db
