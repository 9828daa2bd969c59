// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/workbench.hpp"

namespace holdfast::cli {

Result<std::unique_ptr<Workbench>> Workbench::open(const Common& common, const Project& project,
                                                   const git::Repository& repository) {
    std::unique_ptr<Workbench> bench(new Workbench);
    auto runner = start_runner();
    if (!runner)
        return tl::unexpected(runner.error());
    bench->runner_ = std::move(*runner);
    if (auto made = make_state_folder(project, repository); !made)
        return tl::unexpected(made.error());
    auto store = open_history(common, db::SqliteStore::Mode::write);
    if (!store)
        return tl::unexpected(store.error());
    bench->store_ = std::move(*store);
    auto lock = sandbox::MachineLock::acquire(
        {}, [&](const std::string& who) { bench->line_.say("waiting for the machine: " + who); },
        bench->interrupts_.after_sample());
    if (!lock)
        return tl::unexpected(lock.error());
    bench->lock_ = std::move(*lock);
    if (auto marked = bench->store_->mark_interrupted(); !marked)
        return tl::unexpected(marked.error());
    return bench;
}

study::Watch Workbench::watch() {
    return {[this](const study::Progress& progress) { line_.show(progress); },
            [this](const std::string& text) { line_.say(text); }, interrupts_.after_sample(), interrupts_.at_once()};
}

} // namespace holdfast::cli
