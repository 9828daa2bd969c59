// SPDX-License-Identifier: GPL-3.0-or-later
// What every command's output goes through.
#pragma once

#include "app/cli/commands.hpp"
#include "app/common/places.hpp"

#include <nlohmann/json_fwd.hpp>

namespace holdfast::cli {

/// Prints a whole JSON document on standard output. Text that is not UTF-8 (a path, a log, a patch) gets U+FFFD where
/// it is not: a document is always one that parses.
void print_document(const nlohmann::json& document);

/// The project's history; while another process keeps it busy, a line on standard error says so.
Result<std::unique_ptr<study::Store>> open_history(const Common& common, db::SqliteStore::Mode mode);

} // namespace holdfast::cli
