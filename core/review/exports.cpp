// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/exports.hpp"

#include "core/project/text.hpp"
#include "core/review/export_parts.hpp"
#include "core/study/evidence_file.hpp"
#include "core/study/measure.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

const std::vector<Format>& formats() {
    static const std::vector<Format> all{
        {"json", "the trial with its evidence, effects and decisions", "trial.json", false},
        {"env", "NAME=value lines for a shell or a service", "knobs.env", true},
        {"patch", "the whole change, for git am", "change.patch", true},
        {"cmake-presets", "a configure preset with the cmake knobs", "CMakePresets.json", true},
        {"postgresql", "settings for a conf.d folder of PostgreSQL", "holdfast.conf", true},
        {"redis", "directives to include in redis.conf", "holdfast-redis.conf", true},
        {"sysctl", "kernel parameters for a sysctl.d folder", "90-holdfast.conf", true},
        {"ini", "key = value lines in sections", "holdfast.ini", true},
        {"markdown", "the report for people", "report.md", false},
        {"html", "the report with its plots and samples in one file", "report.html", false},
        {"csv", "every timed run", "samples.csv", false},
        {"evidence", "all of it for another machine's `holdfast import`; held-out commands too", "evidence.json",
         false},
    };
    return all;
}

Result<const Format*> find_format(const std::string& name) {
    std::vector<std::string> names;
    for (const Format& format : formats()) {
        if (format.name == name)
            return &format;
        names.emplace_back(format.name);
    }
    const std::string near = nearest(name, names);
    return invalid("export as " + printable(name), "there is no such format",
                   near.empty() ? fmt::format("Choose one of {}", fmt::join(names, ", "))
                                : fmt::format("Did you mean {}?", near));
}

Result<std::string> export_as(const Format& format, const Dossier& dossier, const Sheet& sheet,
                              const git::Repository& repository, Signatures& signatures) {
    if (format.name == "json")
        return trial_json(dossier, sheet);
    if (format.name == "markdown" || format.name == "html") {
        const auto report = trial_report(dossier, sheet);
        if (!report)
            return tl::unexpected(report.error());
        return format.name == "markdown" ? trial_markdown(*report) : trial_html(*report, sheet);
    }
    if (format.name == "csv")
        return samples_csv(sheet);
    if (format.name == "evidence")
        return evidence_file(dossier, true);
    auto statement = check_approval(dossier, signatures);
    if (!statement)
        return tl::unexpected(statement.error());
    return format.name == "patch" ? change_mail(dossier, *statement, repository) : knob_file(format, dossier);
}

Result<std::string> evidence_file(const Dossier& dossier, bool with_holdout) {
    if (study::compared_revisions(dossier.trial))
        return invalid(
            "export evidence",
            fmt::format("trial {} compared two revisions; evidence is of trials with a verdict", dossier.trial.number),
            "See what was found with: holdfast show");
    if (!dossier.evidence_fault.empty())
        return refused(fmt::format("export the evidence of trial {}", dossier.trial.number),
                       printable(dossier.evidence_fault), "Run `holdfast audit`.");
    study::EvidenceFile file{dossier.study,
                             dossier.trial,
                             dossier.gates,
                             dossier.samples,
                             dossier.verdict,
                             true,
                             dossier.verdict.evidence_digest};
    if (with_holdout)
        return study::write_evidence_file(file);
    auto part = study::without_holdout(file);
    return part ? study::write_evidence_file(*part) : tl::unexpected(part.error());
}

} // namespace holdfast::review
