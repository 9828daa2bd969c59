// SPDX-License-Identifier: GPL-3.0-or-later
// Other machines' evidence beside this history's trials: shown, never pooled.
#pragma once

#include "core/project/error.hpp"
#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review {

/// An evidence file checked whole (study/evidence_file.hpp), as a record to be stored: id and time are left out.
/// Refused: rows and evidence differ, or effects or verdict do not follow from the samples.
Result<study::ImportRecord> check_import(std::string_view text);

/// One record of each measurement, in the order it was first imported: a complete one before those that lack held-out
/// parts, then the newest.
std::vector<study::ImportRecord> measurements(std::vector<study::ImportRecord> imports);

/// Whether the import measured this trial's candidate: the same commit, result tree and configuration.
bool same_candidate(const study::ImportRecord& import, const std::string& baseline_commit,
                    const study::TrialRecord& trial);

/// "also measured on Intel Xeon, 2 cores: generalises, held-out ..., tuning ..., isolation L4 (imported, not pooled)".
std::string import_words(const study::ImportRecord& import);

/// "Intel Xeon, 2 cores" of a study's machine_json.
std::string machine_text(const std::string& machine_json);

nlohmann::json import_document(const study::ImportRecord& import);

} // namespace holdfast::review
