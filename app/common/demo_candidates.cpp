// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/demo.hpp"

#include <algorithm>

namespace holdfast::app {

namespace {

/// The arguments of `holdfast propose` as an example lists them.
CandidateArguments candidate_of(const std::vector<std::string>& words, const std::filesystem::path& folder) {
    CandidateArguments candidate;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        if (words[i] == "--set")
            candidate.set.push_back(words[i + 1]);
        else if (words[i] == "--patch")
            candidate.patch = (folder / words[i + 1]).string();
    }
    return candidate;
}

} // namespace

Result<PreparedDemo> prepare_demo(const std::string& name, const std::filesystem::path& folder,
                                  const std::filesystem::path& resources) {
    auto demos = list_demos(resources);
    if (!demos)
        return tl::unexpected(demos.error());
    auto made = make_demo(name, folder, resources);
    if (!made)
        return tl::unexpected(made.error());
    const auto info =
        std::find_if(demos->begin(), demos->end(), [&](const DemoInfo& demo) { return demo.name == name; });
    PreparedDemo prepared{std::move(*made), {}};
    for (const auto& words : info->propose) {
        auto queued = queue_candidate(prepared.folder, candidate_of(words, prepared.folder));
        if (!queued)
            return tl::unexpected(queued.error());
        prepared.queued.push_back(std::move(*queued));
    }
    return prepared;
}

} // namespace holdfast::app
