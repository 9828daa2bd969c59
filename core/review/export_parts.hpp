// SPDX-License-Identifier: GPL-3.0-or-later
// One function per kind of export. Whether the change may leave is asked before they are called.
#pragma once

#include "core/review/exports.hpp"
#include "core/review/report.hpp"

#include <string>

namespace holdfast::review {

/// The trial with its evidence, effects and decisions as one JSON document, "schema": "holdfast/trial/1".
std::string trial_json(const Dossier& dossier, const Sheet& sheet);

/// A report for people: as Markdown, and as one HTML file with its plots and samples.
std::string trial_markdown(const Report& report);
std::string trial_html(const Report& report, const Sheet& sheet);

/// A mail that `git am` turns into the approved commit.
Result<std::string> change_mail(const Dossier& dossier, const Statement& statement, const git::Repository& repository);

/// The knobs' values as `format` writes them: env, cmake-presets, postgresql, redis, sysctl, ini.
Result<std::string> knob_file(const Format& format, const Dossier& dossier);

} // namespace holdfast::review
