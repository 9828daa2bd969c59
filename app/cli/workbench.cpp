// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/workbench.hpp"

#include "app/cli/terminal.hpp"
#include "core/project/knobs.hpp"

namespace holdfast::cli {

Result<std::unique_ptr<Workbench>> Workbench::open(const Project& project, const git::Repository& repository,
                                                   const Consent& consent) {
    std::unique_ptr<Workbench> bench(new Workbench);
    bench->consent_ = consent;
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
            interrupts_.at_once(),
            [this](const std::vector<Argv>& commands) { return may_fetch(commands); },
            consent_.isolation.empty() ? study::level_for_candidates : consent_.isolation.back() - '0'};
}

bool Workbench::may_fetch(const std::vector<Argv>& commands) {
    if (consent_.fetch)
        return true;
    line_.finish();
    auto terminal = Terminal::open("agree to the network");
    if (!terminal) // a script: the refusal names --fetch
        return false;
    terminal->say("These commands of the project need the network, once for this baseline; nothing else gets it:\n");
    for (const Argv& command : commands)
        terminal->say("  " + shown(command) + "\n");
    const auto answer = terminal->ask("Allow it? [y/N] ");
    return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

} // namespace holdfast::cli
