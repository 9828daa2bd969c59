// SPDX-License-Identifier: GPL-3.0-or-later
// Stored records as documents and as words.
#pragma once

#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

/// A trial with its verdict, as `trials --json` gives it.
nlohmann::json trial_document(const study::TrialRecord& trial, const study::VerdictRecord* verdict);

/// "−3.2 % [−4.1, −2.3]" of an effect object of effects_json; "-" for null.
std::string effect_text(const nlohmann::json& effect);

/// The reason a trial without a verdict has none: "searched, not sent on", "queued", ...
std::string standing(const study::TrialRecord& trial, const study::VerdictRecord* verdict);

/// Left-aligned columns; widths by code points.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// "block_rows 512 → 128", only what differs from `defaults_json`; "patch" is added for one.
std::string change_text(const study::TrialRecord& trial, const std::string& defaults_json);

} // namespace holdfast::cli
