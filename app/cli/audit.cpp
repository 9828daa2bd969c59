// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/audit.hpp"

#include "app/cli/output.hpp"
#include "app/common/records.hpp"
#include "app/common/witness.hpp"
#include "core/project/text.hpp"
#include "core/review/apply.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

namespace holdfast::cli {

namespace {

/// What the repository's commits say of the history. A history that was rewritten, or put back, as a whole is
/// consistent in itself; the commits are out of its reach.
struct Commits {
    std::vector<db::KnownEvent> known;
    std::vector<std::string> unrecorded; ///< findings
};

/// Empty where there is no readable history: that is told elsewhere. Where git cannot be asked, that is a finding: what
/// is outside of the history was not compared with it.
Commits commits_of(const std::filesystem::path& folder) {
    Commits commits;
    const auto repository = git::Repository::open(folder);
    const auto store = app::open_history(folder, db::SqliteStore::Mode::read);
    if (!store)
        return commits;
    if (!repository) {
        commits.unrecorded.push_back("The history could not be compared with the repository's commits and notes: " +
                                     repository.error().found);
        return commits;
    }
    const auto records = app::read_records(**store, "{}");
    const auto anchors = records ? review::anchors(*repository, records->trials)
                                 : Result<std::vector<review::Anchor>>(tl::unexpected(records.error()));
    if (!anchors) {
        commits.unrecorded.push_back("The history could not be compared with the repository's commits: " +
                                     anchors.error().found);
        return commits;
    }
    for (const review::Anchor& anchor : *anchors)
        commits.known.push_back({anchor.chain, fmt::format("commit {:.10}", anchor.commit)});
    for (const review::Anchor& anchor : review::unrecorded(*anchors, records->applications))
        commits.unrecorded.push_back(
            fmt::format("The commit {:.10} is of trial {}, and the history does not say so: an "
                        "apply was cut off, or the history was put back.",
                        anchor.commit, printable(anchor.trial)));
    return commits;
}

} // namespace

Result<int> audit(const Common& common) {
    if (auto there = app::check_project_folder(common.folder, "verify the history"); !there)
        return tl::unexpected(there.error());
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::weakly_canonical(common.folder, code);
    const Commits commits = commits_of(folder);
    std::vector<db::KnownEvent> known = commits.known, noted = app::Witness::of(folder).known();
    known.insert(known.end(), noted.begin(), noted.end());
    auto report = db::audit(app::history_file(folder), known);
    if (!report)
        return tl::unexpected(report.error());
    if (const auto tracked = app::tracked_history(folder))
        report->findings.push_back(*tracked);
    report->findings.insert(report->findings.end(), commits.unrecorded.begin(), commits.unrecorded.end());
    if (common.json) {
        nlohmann::json findings = nlohmann::json::array();
        for (const std::string& finding : report->findings)
            findings.push_back(printable(finding));
        print_document({{"schema", "holdfast/audit/1"},
                        {"clean", report->clean()},
                        {"findings", findings},
                        {"unlisted", report->unlisted},
                        {"studies", report->studies},
                        {"trials", report->trials},
                        {"gates", report->gates},
                        {"samples", report->samples},
                        {"verdicts", report->verdicts},
                        {"questions", report->questions},
                        {"reviews", report->reviews},
                        {"applications", report->applications},
                        {"imports", report->imports},
                        {"results-files", report->results_files},
                        {"events", report->events},
                        {"head", report->head}});
    } else {
        for (const std::string& finding : report->findings)
            fmt::print("{}\n", printable(finding));
        if (report->unlisted > 0)
            fmt::print("and {} more\n", report->unlisted);
        fmt::print("{}: {} events, {} samples, {} verdicts, {} reviews, {} applied or reverted, {} imported, {} result "
                   "files; head of the "
                   "chain {}\n",
                   report->clean() ? "the history is unbroken" : "the history was changed", report->events,
                   report->samples, report->verdicts, report->reviews, report->applications, report->imports,
                   report->results_files, report->head);
    }
    return report->clean() ? Exit::done : Exit::error;
}

} // namespace holdfast::cli
