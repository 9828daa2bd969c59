// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as programs print them, in the middle of other text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast::study {

/// A number in a text; a NaN or an infinity has no finite value.
struct NumberText {
    double value = 0;
    std::size_t size = 0; ///< bytes it takes
};

/// The number that starts at `at`, where no letter, digit, '_' or '.' stands before it; nothing when none does, or when
/// it is too large for a double.
std::optional<NumberText> number_at(std::string_view text, std::size_t at);

/// A whole word that says a NaN or an infinity in any case ("nan", "-NaN", "Inf", "+infinity") at `at`. The sign of a
/// NaN means nothing and is dropped.
std::optional<NumberText> not_finite_at(std::string_view text, std::size_t at);

} // namespace holdfast::study
