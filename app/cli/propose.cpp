// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<int> propose(const Common& common, const app::CandidateArguments& arguments) {
    auto queued = app::queue_candidate(common.folder, arguments);
    if (!queued)
        return tl::unexpected(queued.error());
    if (common.json)
        print_document({{"schema", "holdfast/propose/1"}, {"id", queued->id}, {"number", queued->number}});
    else
        fmt::print("queued as {} ({}); the next `holdfast run` measures it\n", queued->number, queued->id);
    return Exit::done;
}

} // namespace holdfast::cli
