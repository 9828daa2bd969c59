// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/audit.hpp"

#include "app/cli/output.hpp"
#include "core/project/text.hpp"
#include "core/review/apply.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

namespace holdfast::cli {

Result<int> audit(const Common& common) {
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::weakly_canonical(common.folder, code);
    // A history that was rewritten as a whole is consistent in itself; the heads in commits are out of its reach.
    std::vector<std::string> anchors;
    if (auto repository = git::Repository::open(folder))
        if (auto found = review::anchors(*repository))
            anchors = std::move(*found);
    auto report = db::audit(app::history_file(folder), anchors);
    if (!report)
        return tl::unexpected(report.error());
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
                        {"events", report->events},
                        {"head", report->head}});
    } else {
        for (const std::string& finding : report->findings)
            fmt::print("{}\n", printable(finding));
        if (report->unlisted > 0)
            fmt::print("and {} more\n", report->unlisted);
        fmt::print("{}: {} events, {} samples, {} verdicts, {} reviews, {} applied or reverted; head of the chain {}\n",
                   report->clean() ? "the history is unbroken" : "the history was changed", report->events,
                   report->samples, report->verdicts, report->reviews, report->applications, report->head);
    }
    return report->clean() ? Exit::done : Exit::error;
}

} // namespace holdfast::cli
