// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/study_access.hpp"

#include "core/project/text.hpp"

namespace holdfast::app {

Result<StudyAccess> StudyAccess::open(const Project& project, const git::Repository& repository,
                                      const std::function<void(const std::string&)>& say, std::stop_token stop) {
    auto runner = start_runner();
    if (!runner)
        return tl::unexpected(runner.error());
    if (auto made = make_state_folder(project, repository); !made)
        return tl::unexpected(made.error());
    auto store = open_history(project.folder, db::SqliteStore::Mode::write,
                              [say](const std::string& who) { say(printable(who)); });
    if (!store)
        return tl::unexpected(store.error());
    auto lock = sandbox::MachineLock::acquire(
        {}, [&](const std::string& who) { say("waiting for the machine: " + who); }, std::move(stop));
    if (!lock)
        return tl::unexpected(lock.error());
    if (auto marked = (*store)->mark_interrupted(); !marked)
        return tl::unexpected(marked.error());
    return StudyAccess{std::move(*runner), std::move(*store), std::move(*lock)};
}

} // namespace holdfast::app
