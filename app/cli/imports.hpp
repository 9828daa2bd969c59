// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.hpp"

namespace holdfast::cli {

/// `import --list`: what was imported so far: one entry for each measurement, and each result file.
Result<int> list_imports(const Common& common);

} // namespace holdfast::cli
