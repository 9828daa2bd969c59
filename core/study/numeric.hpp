// SPDX-License-Identifier: GPL-3.0-or-later
// Outputs compared number by number.
#pragma once

#include "core/project/project.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::study {

/// Where `made` first differs from `expected` by more than the tolerance, in words with its line; nothing when it does
/// not. A number starts where no letter, digit, '_' or '.' stands before it; everything else is compared byte by byte,
/// so a NaN or an infinity only equals itself. |made - expected| <= atol + rtol * |expected|.
std::optional<std::string> numeric_difference(std::string_view expected, std::string_view made,
                                              const Tolerance& tolerance);

} // namespace holdfast::study
