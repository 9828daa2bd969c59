// SPDX-License-Identifier: GPL-3.0-or-later
// Stored records as documents and as words.
#pragma once

#include "app/common/records.hpp"
#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::cli {

/// A trial with its verdict and where it stands, as `trials --json` gives it.
nlohmann::json trial_document(const study::TrialRecord& trial, const app::Records& records);

/// app::standing() with what the trial costs beside it: "generalises ! durability: fsync = off".
std::string standing_text(const study::TrialRecord& trial, const study::VerdictRecord* verdict,
                          const app::Records& records);

/// "waiting", "approved", ...: what a person has decided or is to decide. An applied trial is an approved one.
std::string review_text(review::Standing standing);

/// The trial of that number ("3", "#3") or id; null when there is none.
const study::TrialRecord* find_trial(const std::vector<study::TrialRecord>& trials, const std::string& id);

/// Left-aligned columns; widths by code points.
std::string table(const std::vector<std::vector<std::string>>& rows);
/// The same with lines of their own before some of the rows, which come in order; row 0 is the head.
std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::pair<std::size_t, std::string>>& lines);

} // namespace holdfast::cli
