// SPDX-License-Identifier: GPL-3.0-or-later
// What make_sheet puts together. `effects`: the stored effects_json, an object. Damaged records leave gaps, never
// throw: the dossier's evidence fault tells about them.
#pragma once

#include "core/review/imported.hpp"
#include "core/review/sheet.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::review {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// A member of an object; null where there is none, or no object.
const nlohmann::json& member(const nlohmann::json& object, const char* key);

/// The stored effect of `role`, null when there is none.
const nlohmann::json& side_of(const nlohmann::json& effects, Role role);
/// Index of the objective that `effects` is about; the first when it is not one of the project's.
std::size_t claimed_objective(const Project& project, const nlohmann::json& effects);
const Metric& claimed_metric(const Project& project, const nlohmann::json& effects);
std::vector<ObjectiveRow> objective_rows(const Project& project, const nlohmann::json& effects);
std::vector<QualityRow> quality_rows(const Dossier& dossier);
std::vector<WorkloadRow> workload_rows(const Dossier& dossier, const nlohmann::json& effects);
/// `metric`: the objective that they show.
std::vector<RunPoint> run_points(const Dossier& dossier, const std::string& metric);
std::vector<ResourceChange> resource_changes(const Dossier& dossier);

/// Fills Sheet::checks and checks_passed from the rows and gates.
void count_checks(const Dossier& dossier, Sheet& sheet);

/// The words of a sheet whose numbers are all there.
std::string title_of(const Dossier& dossier, const Facts& knobs);
std::string subtitle_of(const Dossier& dossier);
std::string verdict_sentence(const Dossier& dossier, const Sheet& sheet);

Facts changed_knobs(const Dossier& dossier, bool with_range); ///< name → "64 → 24 (1 to 8192)"
std::vector<std::string> not_tested(const Dossier& dossier);
Facts cost_of(const Dossier& dossier);
Facts provenance_of(const Dossier& dossier);
std::string reproduce_of(const Dossier& dossier);

/// "1 file, +1 −1".
std::string size_text(const std::vector<git::DiffFile>& files);

} // namespace holdfast::review
