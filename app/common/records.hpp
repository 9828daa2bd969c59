// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that say where every trial stands, read together.
#pragma once

#include "core/review/dossier.hpp"
#include "core/study/store.hpp"

#include <string>
#include <vector>

namespace holdfast::app {

struct Records {
    std::vector<study::TrialRecord> trials; ///< by number
    std::vector<study::VerdictRecord> verdicts;
    std::vector<study::ReviewRecord> reviews;
    std::vector<study::ApplicationRecord> applications;

    const study::VerdictRecord* verdict(const std::string& trial) const; ///< null without one
    review::Standing standing(const std::string& trial) const;
    /// The last commit that applied or reverted the trial; null without one.
    const study::ApplicationRecord* application(const std::string& trial) const;
};

Result<Records> read_records(const study::Store& store);

} // namespace holdfast::app
