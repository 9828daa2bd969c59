// SPDX-License-Identifier: GPL-3.0-or-later
// Whether candidates may be run at the level that the canaries found, and what a study keeps of it.
#pragma once

#include "core/study/runner.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// Below it nothing is run unless a person has accepted the level.
constexpr int level_for_candidates = 3;
/// Below it no change of code is run, whatever was accepted: knobs alone, on the program that the person trusts.
constexpr int level_for_code = 2;

/// Beside the workloads in opening_json, as rule_key is (session.hpp): what isolation_report() gives. Studies of older
/// versions have none.
constexpr const char* isolation_key = " isolation";

/// {"level": 3, "canaries": [{"name", "held", "detail"}, ...]}, as JSON text.
std::string isolation_report(const Isolation& isolation);

/// `opening` (opening_json of a study, may be "") with the report.
std::string with_isolation(const std::string& opening, const Isolation& isolation);

/// The report that `opening` holds; nothing in studies of older versions, or when it cannot be read.
std::optional<Isolation> isolation_of(const std::string& opening);

/// What a program inside could do: the names of the canaries that got through.
std::vector<std::string> gaps_of(const Isolation& isolation);
/// The same as one text: "sees processes of the host; ..."; "" when there is none.
std::string gaps_text(const Isolation& isolation);

/// "L3, 27 escapes tried and stopped", "L2; a program inside sees processes of the host; ..."; the level alone where
/// `opening` has no report. Safe to show.
std::string isolation_text(int level, const std::string& opening);

/// How the flag of a level below level_for_candidates begins.
constexpr const char* isolation_flag_start = "isolation L";
/// "isolation L2"; "" from level_for_candidates on.
std::string isolation_flag(int level);

/// Refused, with the gaps named, below level_for_candidates unless `accepted` is this level or a lower one.
Result<void> sufficient(const Isolation& isolation, int accepted);

/// Why a change of code is not run at this level; "" when it is.
std::string code_refusal(const Isolation& isolation);

} // namespace holdfast::study
