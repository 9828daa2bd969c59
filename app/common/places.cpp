// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/places.hpp"

#include "app/common/burden_library.hpp"
#include "app/common/witness.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "sandbox/sandbox_runner.hpp"

#include <system_error>
#include <utility>

namespace holdfast::app {

namespace fs = std::filesystem;

namespace {

fs::path program_folder() {
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    return code ? fs::path() : self.parent_path();
}

} // namespace

Result<Opened> open_project_and_repository(const fs::path& folder) {
    auto project = load_project(folder);
    if (!project)
        return tl::unexpected(to_error(project.error()));
    auto repository = git::Repository::open(project->folder);
    if (!repository)
        return tl::unexpected(repository.error());
    return Opened{std::move(*project), std::move(*repository)};
}

fs::path history_file(const fs::path& project_folder) {
    return project_folder / ".holdfast" / "history.sqlite";
}

Result<void> check_project_folder(const fs::path& folder, const std::string& attempted) {
    std::error_code code;
    if (!fs::is_directory(folder, code))
        return invalid(attempted + " of " + printable(folder.string()), "there is no such folder",
                       "Name the project's folder");
    if (!fs::exists(folder / "holdfast.json", code) && !fs::exists(folder / ".holdfast", code))
        return invalid(attempted, printable(folder.string()) + " holds no project: neither holdfast.json nor .holdfast",
                       "Name the project's folder with -C");
    return {};
}

Result<std::unique_ptr<study::Store>> open_history(const fs::path& folder, db::SqliteStore::Mode mode,
                                                   db::SqliteStore::Waiting waiting) {
    std::error_code code;
    if (!fs::is_directory(folder, code))
        return invalid("open the history of " + printable(folder.string()), "there is no such folder",
                       "Name the project's folder");
    const fs::path canonical = fs::weakly_canonical(folder, code);
    if (mode != db::SqliteStore::Mode::read)
        if (const auto tracked = tracked_history(folder))
            return refused("write to the history of " + printable(folder.string()), *tracked,
                           "Take it out of the repository: git rm --cached -r .holdfast");
    const Witness witness = Witness::of(folder);
    const auto note = [witness, waiting, told = false](const std::string& head) mutable {
        const auto noted = witness.note(head);
        if (!noted && waiting && !told)
            waiting("note: " + noted.error().message() + " (an older history that is put back would not be noticed)");
        told = told || !noted;
    };
    return db::SqliteStore::open(history_file(code ? folder : canonical), mode,
                                 {std::chrono::seconds(10), waiting, false, witness.known(), note});
}

Result<std::unique_ptr<study::Store>> open_existing_history(const fs::path& folder, db::SqliteStore::Mode mode,
                                                            db::SqliteStore::Waiting waiting) {
    if (auto there = check_project_folder(folder, "open the history"); !there)
        return tl::unexpected(there.error());
    // Reading makes no file, and tells in words what is missing.
    if (auto there = open_history(folder, db::SqliteStore::Mode::read); !there)
        return there;
    return open_history(folder, mode, std::move(waiting));
}

Result<void> make_state_folder(const Project& project, const git::Repository& repository) {
    if (auto made = study::make_folder(project.folder / ".holdfast", fs::perms::owner_all); !made)
        return made;
    return repository.exclude("/" + repository.prefix() + ".holdfast/");
}

Result<std::unique_ptr<study::Runner>> start_runner() {
    auto runner = sandbox::SandboxRunner::start(program_folder());
    if (!runner)
        return tl::unexpected(runner.error());
    return std::unique_ptr<study::Runner>(std::move(*runner));
}

fs::path burden_library() {
    return program_folder() / "holdfast-burden.so";
}

fs::path resources_folder() {
    const fs::path bin = program_folder();
    // Installed: <prefix>/bin beside <prefix>/share/holdfast. Built: <checkout>/build/<preset>/bin.
    for (const fs::path& place :
         {bin.parent_path() / "share" / "holdfast", bin.parent_path().parent_path().parent_path() / "resources"})
        if (std::error_code code; fs::is_directory(place / "examples", code))
            return place;
    return {};
}

} // namespace holdfast::app
