// SPDX-License-Identifier: GPL-3.0-or-later
// One audit: the file itself (audit_file.cpp), then the chain of events (audit_chain.cpp), then every row is held
// against what the events said about it (audit.cpp; samples, of which there are many, in one pass of their own:
// audit_samples.cpp).
#pragma once

#include "core/study/store.hpp"
#include "db/audit.hpp"
#include "db/digest.hpp"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::db {

/// A member of an event's detail as text; "" when it is not there.
std::string text_in(const nlohmann::json& detail, const char* key);
std::int64_t number_in(const nlohmann::json& detail, const char* key); ///< -1 when it is no whole number

class Auditor {
public:
    Auditor(SQLite::Database& database, AuditDepth depth) : database_(database), depth_(depth) {}

    AuditReport run(const std::vector<KnownEvent>& known);
    const AuditReport& so_far() const { return report_; } ///< when run() threw

private:
    /// What the events say about one subject; the last event of a kind counts.
    struct Told {
        std::map<std::string, nlohmann::json> details,
            gates;                                 ///< by "added", "state", "row", "opening", "decided"; by gate
        std::map<std::string, std::int64_t> order; ///< the event's sequence, by gate; "" for the verdict

        const nlohmann::json& at(const char* aspect) const {
            static const nlohmann::json nothing;
            const auto found = details.find(aspect);
            return found == details.end() ? nothing : found->second;
        }
    };

    /// A run of samples that one event announced.
    struct Seal {
        std::int64_t sequence = 0, last = 0, count = 0;
        std::string digest;
    };

    void find(const std::string& text);
    void check_file();
    void check_schema();
    void check_counters();
    void check_words();
    void check_projects();
    void check_unannounced();
    void read_all_samples();
    void check_seal(const Seal& seal, const SamplesDigest& samples);
    SamplesDigest samples_of(const std::string& trial) const;
    SamplesDigest opening_samples_of(const std::string& study) const;
    void check_gate_order();
    void check_chain(const std::vector<KnownEvent>& known);
    void check_order(const std::vector<study::EventRecord>& wrong);
    void check_head(const study::EventRecord& last);
    void note(const study::EventRecord& event);
    void note_subject(const study::EventRecord& event, const nlohmann::json& detail);
    void check_state(const std::string& what, study::State state, const Told& told);
    void check_row(const std::string& what, const std::string& digest, const Told& told);
    void check_studies();
    void check_opening(const study::StudyRecord& study, const Told& told);
    void check_opening_samples(const study::StudyRecord& study, const Told& told);
    void check_trials();
    void check_gates(const study::TrialRecord& trial, const Told& told);
    void check_verdicts();
    void check_verdict(const study::VerdictRecord& verdict, const study::TrialRecord* trial, const Told& told);
    void check_questions();
    void check_reviews();
    void check_applications();
    void check_imports();
    void check_results_files();
    std::string name_of(const std::string& trial) const;
    void check_removed();

    SQLite::Database& database_;
    AuditDepth depth_;
    AuditReport report_;
    std::map<std::int64_t, Seal> seals_; ///< by the first sample
    std::map<std::string, SampleList> trial_samples_,
        opening_samples_; ///< by trial, by study; the latter up to the last that the opening's event names
    std::unordered_map<std::string, std::int64_t> places_;      ///< hash -> sequence
    std::map<std::string, Told> told_;                          ///< by subject
    std::map<std::int64_t, nlohmann::json> asked_, answered_;   ///< by question
    std::map<std::int64_t, nlohmann::json> reviewed_, applied_; ///< by review, by application
    std::map<std::int64_t, nlohmann::json> imported_;           ///< by import
    std::map<std::int64_t, nlohmann::json> results_;            ///< by results file
    std::set<std::string> studies_, trials_;
    std::map<std::string, study::TrialRecord> trial_of_;
};

} // namespace holdfast::db
