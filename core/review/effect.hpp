// SPDX-License-Identifier: GPL-3.0-or-later
// Effects as they are stored (study::effects_json) and as they are shown.
#pragma once

#include "core/review/sheet.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace holdfast::review {

/// An effect object of effects_json; what is missing or damaged in it is unknown. `band`: the minimum effect.
EffectView effect_view(const nlohmann::json& stored, Better better, double band);

/// The interval alone, as in effect_text: "−1.9 to +5.2 %"; "anything" when both ends are open.
std::string range_text(const EffectView& effect);

/// What the interval says, in words: "no detectable change (could be −1.9 to +5.2 %)", "no practical change (−0.2 to
/// +0.3 %)", "not measured"; effect_text when it is better or worse.
std::string effect_words(const EffectView& effect);

/// What tuning gained more than held-out, of an effects_json: "gap 4.6 points [0.3, 9.1]: the tuning gain is
/// over-stated"; "" when one of the two was not measured.
std::string gap_words(const nlohmann::json& effects);

/// "better", "worse", "no change", "unclear".
std::string_view to_text(EffectView::Direction direction);

} // namespace holdfast::review
