// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/audit.hpp"

#include "app/cli/context.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

namespace holdfast::cli {

Result<int> audit(const Common& common) {
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::weakly_canonical(common.folder, code);
    auto report = db::audit(history_file(folder));
    if (!report)
        return tl::unexpected(report.error());
    if (common.json) {
        nlohmann::json findings = nlohmann::json::array();
        for (const std::string& finding : report->findings)
            findings.push_back(printable(finding));
        print_document(nlohmann::json({{"schema", "holdfast/audit/1"},
                                       {"clean", report->clean()},
                                       {"findings", findings},
                                       {"events", report->events},
                                       {"samples", report->samples},
                                       {"verdicts", report->verdicts},
                                       {"head", report->head}})
                           .dump(2));
    } else {
        for (const std::string& finding : report->findings)
            fmt::print("{}\n", printable(finding));
        fmt::print("{}: {} events, {} samples, {} verdicts; head of the chain {}\n",
                   report->clean() ? "the history is unbroken" : "the history was changed", report->events,
                   report->samples, report->verdicts, report->head);
    }
    return report->clean() ? Exit::done : Exit::error;
}

} // namespace holdfast::cli
