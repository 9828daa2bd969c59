// SPDX-License-Identifier: GPL-3.0-or-later
// What the worker reads for the pages that show plots of several trials or studies; as project_work.hpp.
#pragma once

#include "app/desktop/compare_screen.hpp"
#include "app/desktop/history_screen.hpp"
#include "core/review/front.hpp"

#include <filesystem>
#include <vector>

namespace holdfast::desktop::work {

/// Errors: review::compare()'s, and a trial that is unknown or not decided.
Result<Compared> compare(const std::filesystem::path& folder, const QList<qint64>& numbers);
/// Without a history: nothing.
Result<History> read_history(const std::filesystem::path& folder);
Result<std::vector<review::Front>> read_fronts(const std::filesystem::path& folder);

} // namespace holdfast::desktop::work
