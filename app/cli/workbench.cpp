// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/workbench.hpp"

namespace holdfast::cli {

Result<std::unique_ptr<Workbench>> Workbench::open(const Project& project, const git::Repository& repository) {
    std::unique_ptr<Workbench> bench(new Workbench);
    auto access = app::StudyAccess::open(
        project, repository, [&](const std::string& text) { bench->line_.say(text); },
        bench->interrupts_.after_sample());
    if (!access)
        return tl::unexpected(access.error());
    bench->access_ = std::move(*access);
    return bench;
}

study::Watch Workbench::watch() {
    return {[this](const study::Progress& progress) { line_.show(progress); },
            [this](const std::string& text) { line_.say(text); },
            {},
            interrupts_.after_sample(),
            interrupts_.at_once()};
}

} // namespace holdfast::cli
