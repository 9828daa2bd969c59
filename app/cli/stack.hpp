// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.hpp"

namespace holdfast::cli {

/// `measure --stack`: HEAD with every accepted change against what the first of them was measured against. Of
/// `arguments` only how to measure and report counts.
Result<int> measure_stack(const Common& common, const MeasureArguments& arguments);

} // namespace holdfast::cli
