// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/effect.hpp"

#include "core/decision/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double number(const nlohmann::json& object, const char* key, double otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

/// Inside the band goes first: an interval that leaves out 0 and stays inside shows a change that does not matter.
EffectView::Direction direction_of(const EffectView& effect, Better better, double band) {
    using Direction = EffectView::Direction;
    constexpr double nothing = decision::rounding; // so near 0 a ratio and its logarithm are the same
    if (effect.low >= -band - nothing && effect.high <= band + nothing)
        return Direction::no_change;
    if (effect.high < -nothing)
        return better == Better::lower ? Direction::better : Direction::worse;
    if (effect.low > nothing)
        return better == Better::lower ? Direction::worse : Direction::better;
    return Direction::unclear;
}

/// The same numbers in the units of the decision, whose words are used. What shows a change alone reads it with "lower
/// is better".
decision::Effect as_decided(const EffectView& effect, Better better = Better::lower) {
    decision::Effect decided;
    decided.estimate = decision::from_change(effect.estimate, better);
    const double a = decision::from_change(effect.low, better), b = decision::from_change(effect.high, better);
    decided.interval = {std::min(a, b), std::max(a, b)};
    decided.rounds = effect.rounds;
    return decided;
}

} // namespace

EffectView effect_view(const nlohmann::json& stored, Better better, double band) {
    EffectView effect;
    if (!stored.is_object()) {
        effect = {std::numeric_limits<double>::quiet_NaN(), -infinity, infinity, 0, {}, ""};
    } else {
        effect.estimate = number(stored, "estimate", std::numeric_limits<double>::quiet_NaN());
        effect.low = number(stored, "low", -infinity);
        effect.high = number(stored, "high", infinity);
        effect.rounds = static_cast<std::size_t>(std::max(0.0, number(stored, "rounds", 0)));
        if (effect.low <= -1) // an open end of the ratio, not a value that fell to nothing
            effect.low = -infinity;
    }
    effect.direction = direction_of(effect, better, band);
    effect.text = effect_text(effect);
    return effect;
}

std::string effect_text(const EffectView& effect) {
    return decision::describe(as_decided(effect), Better::lower);
}

std::string range_text(const EffectView& effect) {
    if (std::isinf(effect.low) && std::isinf(effect.high))
        return "anything";
    return decision::range_text(as_decided(effect), Better::lower);
}

std::string effect_words(const EffectView& effect) {
    if (effect.rounds == 0)
        return "not measured";
    switch (effect.direction) {
    case EffectView::Direction::no_change:
        return fmt::format("no practical change ({})", range_text(effect));
    case EffectView::Direction::unclear:
        return fmt::format("no detectable change (could be {})", range_text(effect));
    case EffectView::Direction::better:
    case EffectView::Direction::worse:
        break;
    }
    return effect_text(effect);
}

std::string gap_words(const nlohmann::json& effects) {
    const auto side = [&](const char* name) {
        const auto found = effects.find(name);
        return found == effects.end() ? nlohmann::json() : *found;
    };
    const Better better = side("better") == "higher" ? Better::higher : Better::lower;
    const EffectView tuning = effect_view(side("tuning"), better, 0),
                     held_out = effect_view(side("holdout"), better, 0);
    if (!side("gap").is_object() || tuning.rounds == 0 || held_out.rounds == 0 || !std::isfinite(tuning.estimate) ||
        !std::isfinite(held_out.estimate))
        return "";
    const double low = number(side("gap"), "log-ratio-low", -infinity);
    const double high = number(side("gap"), "log-ratio-high", infinity);
    return fmt::format("gap {}: {}",
                       decision::gap_text(as_decided(tuning, better), as_decided(held_out, better), better),
                       low > 1e-9     ? "the tuning gain is over-stated"
                       : high < -1e-9 ? "the held-out gain is the larger one"
                                      : "may be none");
}

std::string_view to_text(EffectView::Direction direction) {
    switch (direction) {
    case EffectView::Direction::better:
        return "better";
    case EffectView::Direction::worse:
        return "worse";
    case EffectView::Direction::no_change:
        return "no change";
    case EffectView::Direction::unclear:
        break;
    }
    return "unclear";
}

} // namespace holdfast::review
