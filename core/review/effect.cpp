// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/effect.hpp"

#include "core/decision/verdict.hpp"

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
    if (effect.low >= -band && effect.high <= band)
        return Direction::no_change;
    if (effect.high < 0)
        return better == Better::lower ? Direction::better : Direction::worse;
    if (effect.low > 0)
        return better == Better::lower ? Direction::worse : Direction::better;
    return Direction::unclear;
}

/// The same numbers in the units of the decision, whose words are used: a change read with "lower is better".
decision::Effect as_decided(const EffectView& effect) {
    decision::Effect decided;
    decided.estimate = decision::from_change(effect.estimate, Better::lower);
    decided.interval = {decision::from_change(effect.high, Better::lower),
                        decision::from_change(effect.low, Better::lower)};
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
