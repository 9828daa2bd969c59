// SPDX-License-Identifier: GPL-3.0-or-later
// `trials --front`, which shares its command with the list of trials.
#pragma once

#include "app/cli/commands.hpp"

namespace holdfast::cli {

/// The Pareto fronts of studies with several objectives; `csv`: as comma-separated values.
Result<int> front(const Common& common, bool csv);

} // namespace holdfast::cli
