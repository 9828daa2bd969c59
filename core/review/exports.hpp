// SPDX-License-Identifier: GPL-3.0-or-later
// A trial in the formats of other tools.
#pragma once

#include "core/review/dossier.hpp"
#include "core/review/sheet.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review {

struct Format {
    std::string_view name;      ///< "patch"
    std::string_view about;     ///< one line
    std::string_view file_name; ///< "change.patch"
    bool carries_change;        ///< can bring the change to a system: only for an approved trial
};

/// json, env, patch, cmake-presets, postgresql, redis, sysctl, ini, markdown, html, csv, evidence.
const std::vector<Format>& formats();
/// Unknown: kind invalid, naming the nearest.
Result<const Format*> find_format(const std::string& name);

/// The text in `format`. Refused when it carries the change and the approval does not hold (check_approval). Values
/// that the format cannot hold are errors naming the knob.
Result<std::string> export_as(const Format& format, const Dossier& dossier, const Sheet& sheet,
                              const git::Repository& repository, Signatures& signatures);

/// The evidence file of a trial (study/evidence_file.hpp); without what is held out it is marked as incomplete.
Result<std::string> evidence_file(const Dossier& dossier, bool with_holdout);

} // namespace holdfast::review
