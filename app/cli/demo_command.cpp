// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/common/demo.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<int> demo(const Common& common, const DemoArguments& arguments) {
    const std::filesystem::path resources = app::resources_folder();
    if (resources.empty())
        return failed("find the bundled examples",
                      "neither a share/holdfast folder nor a checkout's resources folder is near this program",
                      "Run holdfast from its installation or its build folder");
    auto demos = app::list_demos(resources);
    if (!demos)
        return tl::unexpected(demos.error());
    if (arguments.name.empty()) {
        nlohmann::json list = nlohmann::json::array();
        for (const app::DemoInfo& info : *demos) {
            list.push_back({{"name", info.name}, {"about", info.about}});
            if (!common.json)
                fmt::print("{:<14} {}\n", info.name, info.about);
        }
        if (common.json)
            print_document({{"schema", "holdfast/demo/1"}, {"demos", list}});
        else
            fmt::print("\nMake one with: holdfast demo NAME [DIR]\n");
        return Exit::done;
    }
    const std::filesystem::path folder = arguments.folder.empty() ? arguments.name : arguments.folder;
    auto made = app::prepare_demo(arguments.name, folder, resources);
    if (!made)
        return tl::unexpected(made.error());
    nlohmann::json list = nlohmann::json::array();
    for (const app::Queued& queued : made->queued)
        list.push_back({{"id", queued.id}, {"number", queued.number}});
    if (common.json)
        print_document({{"schema", "holdfast/demo/1"},
                        {"name", arguments.name},
                        {"folder", made->folder.string()},
                        {"queued", std::move(list)}});
    else
        fmt::print("made {}, with {} candidate(s) queued\nNext: holdfast -C {} run\n", made->folder.string(),
                   list.size(), made->folder.string());
    return Exit::done;
}

} // namespace holdfast::cli
