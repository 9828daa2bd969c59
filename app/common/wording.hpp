// SPDX-License-Identifier: GPL-3.0-or-later
// Stored records in words.
#pragma once

#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace holdfast::app {

/// "−3.2 % [−4.1, −2.3]" of an effect object of effects_json; "-" for null.
std::string effect_text(const nlohmann::json& effect);

/// A trial's verdict, or the reason why it has none: "searched, not sent on", "queued", ...
std::string standing(const study::TrialRecord& trial, const study::VerdictRecord* verdict);

/// "block_rows 512 → 128", only what differs from `defaults_json`; "patch" is added for one.
std::string change_text(const study::TrialRecord& trial, const std::string& defaults_json);

} // namespace holdfast::app
