// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.hpp"
#include "app/cli/demo.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<int> demo(const Common& common, const DemoArguments& arguments) {
    const std::filesystem::path resources = resources_folder();
    if (resources.empty())
        return failed("find the bundled examples", "neither a share/holdfast folder nor a checkout's resources folder is near this program",
                      "Run holdfast from its installation or its build folder");
    auto demos = list_demos(resources);
    if (!demos)
        return tl::unexpected(demos.error());
    if (arguments.name.empty()) {
        nlohmann::json list = nlohmann::json::array();
        for (const DemoInfo& info : *demos) {
            list.push_back({{"name", info.name}, {"about", info.about}});
            if (!common.json)
                fmt::print("{:<14} {}\n", info.name, info.about);
        }
        if (common.json)
            print_document(nlohmann::json({{"schema", "holdfast/demo/1"}, {"demos", list}}).dump(2));
        else
            fmt::print("\nMake one with: holdfast demo NAME [DIR]\n");
        return Exit::done;
    }
    const std::filesystem::path folder = arguments.folder.empty() ? arguments.name : arguments.folder;
    auto made = make_demo(arguments.name, folder, resources);
    if (!made)
        return tl::unexpected(made.error());
    Common inside = common;
    inside.folder = made->folder;
    inside.json = false;
    for (const CandidateArguments& candidate : made->proposals)
        if (auto queued = propose(inside, candidate); !queued)
            return queued;
    if (common.json)
        print_document(nlohmann::json({{"schema", "holdfast/demo/1"}, {"folder", made->folder.string()}, {"queued", made->proposals.size()}}).dump(2));
    else
        fmt::print("made {} with {} queued candidate(s)\nNext: holdfast -C {} run\n", made->folder.string(), made->proposals.size(), made->folder.string());
    return Exit::done;
}

} // namespace holdfast::cli
