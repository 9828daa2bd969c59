// SPDX-License-Identifier: GPL-3.0-or-later
// Outputs compared number by number.
#pragma once

#include "core/project/project.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::study {

/// Where `made` first differs from `expected` by more than the tolerance, in words with its line; nothing when it does
/// not. Numbers are what number_text.hpp reads; everything around them is compared byte by byte. A number must be
/// finite where the baseline's is; a NaN or an infinity equals only one of its kind at the same place. Any of
/// |made - expected| <= atol + rtol * |expected| (with of_range: times the largest less the smallest finite number of
/// `expected`) and "at most so many doubles apart" suffices.
std::optional<std::string> numeric_difference(std::string_view expected, std::string_view made,
                                              const Tolerance& tolerance);

} // namespace holdfast::study
