// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that say where every trial stands, read together.
#pragma once

#include "core/project/project.hpp"
#include "core/review/dossier.hpp"
#include "core/review/rules.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

/// What a study froze that its trials are shown with.
struct Frozen {
    std::int64_t number = 0;
    std::string metric; ///< its objective; "" when the frozen project cannot be read any more
    Better better = Better::lower;
    double band = 0; ///< minimum effect
    std::string defaults_json;
    std::shared_ptr<const Project> project; ///< null when it cannot be read any more
    std::string machine_json;
};

struct Records {
    std::vector<study::StudyRecord> studies; ///< oldest first; frozen_json is left empty
    std::vector<study::TrialRecord> trials;  ///< by number
    std::vector<study::VerdictRecord> verdicts;
    std::vector<study::ReviewRecord> reviews;
    std::vector<study::ApplicationRecord> applications;
    std::vector<study::ImportRecord> imports;              ///< a measurement of another machine each; none is a trial
    std::map<std::string, Frozen> frozen;                  ///< by study
    std::map<std::string, std::vector<std::string>> flags; ///< names: of decided trials those a person must
                                                           ///< acknowledge, of others change_flags()

    const study::VerdictRecord* verdict(const std::string& trial) const; ///< null without one
    review::Standing standing(const std::string& trial) const;
    /// The last commit that applied or reverted the trial; null without one.
    const study::ApplicationRecord* application(const std::string& trial) const;
    /// What its study froze; a candidate that waits for one has the newest study's.
    const Frozen& frozen_of(const study::TrialRecord& trial) const;
    /// Evidence of the same candidate that other machines made.
    std::vector<const study::ImportRecord*> imported(const study::TrialRecord& trial) const;
    /// "block_rows 512 → 128".
    /// review::danger_words() of its flags.
    std::string danger(const study::TrialRecord& trial) const;
    std::string change(const study::TrialRecord& trial) const;
};

/// What a person must acknowledge of a decided trial, with its evidence; of another change_flags(). `verdict`: null
/// while there is none; only a proposal's samples are read. `frozen`: of its study.
Result<std::vector<review::Flag>> flags_of(const study::Store& store, const study::TrialRecord& trial,
                                           const study::VerdictRecord* verdict, const Frozen& frozen);

/// `defaults_json`: the project's knob defaults now, for candidates that wait for a first study.
Result<Records> read_records(const study::Store& store, const std::string& defaults_json);

} // namespace holdfast::app
