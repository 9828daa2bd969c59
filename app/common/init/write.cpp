// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/write.hpp"

#include "app/common/init/render.hpp"
#include "app/common/places.hpp"
#include "core/git/files.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::app::init {

namespace fs = std::filesystem;

namespace {

const std::string project_file = "holdfast.json", holdout_file = ".holdfast/holdout.json";

/// A folder that goes with the object.
class Trial {
public:
    Trial() {
        std::error_code code;
        std::string pattern = (fs::temp_directory_path(code) / "holdfast-init-XXXXXX").string();
        if (!code && ::mkdtemp(pattern.data()) != nullptr)
            path_ = pattern;
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial() {
        std::error_code ignored;
        if (!path_.empty())
            fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

bool is_there(const fs::path& file) {
    std::error_code code;
    return fs::exists(fs::symlink_status(file, code));
}

/// Complete under another name first, so that no reader and no crash sees half of it.
Result<void> put(const fs::path& file, const std::string& text, bool replace) {
    const std::string attempted = "write " + printable(file.string());
    std::string temporary = file.string() + ".XXXXXX";
    const git::Descriptor made(::mkostemp(temporary.data(), O_CLOEXEC));
    if (made.number() < 0)
        return failed(attempted, std::strerror(errno), "Check the folder's permissions and the disk's free space");
    bool done = ::fchmod(made.number(), 0644) == 0;
    for (std::size_t at = 0; done && at < text.size();) {
        const ssize_t count = ::write(made.number(), text.data() + at, text.size() - at);
        done = count > 0 || (count < 0 && errno == EINTR);
        at += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    done = done && ::fsync(made.number()) == 0;
    // A link fails where a file is; a rename replaces it.
    done = done && (replace ? ::rename(temporary.c_str(), file.c_str()) : ::link(temporary.c_str(), file.c_str())) == 0;
    const int fault = errno;
    ::unlink(temporary.c_str());
    if (!done)
        return failed(attempted, std::strerror(fault),
                      fault == EEXIST ? "Give --force to replace it" : "Check the disk's free space");
    return {};
}

Result<void> keep_out_of_git(const Project& project) {
    const auto repository = git::Repository::open(project.folder);
    if (repository)
        return make_state_folder(project, *repository);
    // There is no repository yet: when there is, its first `git add` must not take the held-out workloads.
    if (auto made = study::make_folder(project.folder / ".holdfast", fs::perms::owner_all); !made)
        return made;
    return put(project.folder / ".holdfast" / ".gitignore", "*\n", true);
}

Result<void> write_beside(const fs::path& folder, const Texts& texts) {
    std::error_code code;
    for (const NewFile& file : texts.files) {
        fs::create_directories((folder / file.path).parent_path(), code);
        if (code)
            return failed("make a folder for " + printable(file.path), code.message(),
                          "Check the folder's permissions");
        if (auto written = put(folder / file.path, file.content, true); !written)
            return written;
    }
    return texts.holdout.empty() ? Result<void>() : put(folder / holdout_file, texts.holdout, true);
}

std::vector<NewFile> all_files(const Texts& texts) {
    std::vector<NewFile> files = texts.files;
    files.push_back({project_file, texts.project});
    if (!texts.holdout.empty())
        files.push_back({holdout_file, texts.holdout});
    return files;
}

/// A name below .holdfast/ that nothing has: "holdout.json.bak", "holdout.json.bak.2", ...
std::string free_name(const fs::path& folder, const std::string& path) {
    const std::string first =
        (path.starts_with(".holdfast/") ? path : ".holdfast/" + fs::path(path).filename().string()) + ".bak";
    std::string name = first;
    for (int i = 2; is_there(folder / name); ++i)
        name = fmt::format("{}.{}", first, i);
    return name;
}

/// A person's own text may be in no commit: it is copied before it is replaced.
Result<void> keep_copies(const fs::path& folder, const std::vector<NewFile>& files,
                         std::vector<std::pair<std::string, std::string>>& copies) {
    for (const NewFile& file : files) {
        std::ifstream old(folder / file.path, std::ios::binary);
        std::error_code code;
        if (!fs::is_regular_file(folder / file.path, code) || !old)
            continue;
        const std::string text(std::istreambuf_iterator<char>(old), {});
        if (text == file.content)
            continue;
        const std::string copy = free_name(folder, file.path);
        if (auto kept = put(folder / copy, text, false); !kept)
            return kept;
        copies.emplace_back(file.path, copy);
    }
    return {};
}

} // namespace

Texts texts_of(const Proposal& proposal) {
    return {render_project(proposal), render_holdout(proposal), proposal.files};
}

tl::expected<Project, std::vector<Problem>> check_texts(const fs::path& folder, const Texts& texts) {
    const Trial trial;
    auto done = study::write_file(trial.path() / project_file, texts.project);
    if (done && !texts.holdout.empty()) {
        done = study::make_folder(trial.path() / ".holdfast", fs::perms::owner_all);
        if (done)
            done = study::write_file(trial.path() / holdout_file, texts.holdout);
    }
    if (!done || trial.path().empty())
        return tl::unexpected(std::vector<Problem>{
            {folder / project_file, 0, 0, "", "no way to check it: the system's temporary folder cannot be written",
             "a writable TMPDIR with free space"}});
    auto project = load_project(trial.path());
    if (!project) {
        for (Problem& problem : project.error())
            problem.file = folder / problem.file.lexically_relative(trial.path());
        return project;
    }
    project->folder = folder;
    return project;
}

Result<Written> write_project(const fs::path& folder, const Texts& texts, Existing existing) {
    const std::string attempted = "write a project file in " + printable(folder.string());
    std::error_code code;
    const fs::path place = fs::canonical(folder, code);
    if (code || !fs::is_directory(place))
        return invalid(attempted, code ? code.message() : "it is not a folder", "Name the folder of your program");
    const std::vector<NewFile> files = all_files(texts);
    for (const NewFile& file : files)
        if (existing == Existing::refused && is_there(place / file.path))
            return invalid(attempted, "there is a " + printable(file.path) + " already",
                           "Change it by hand, or give --force to replace it");
    auto project = check_texts(place, texts);
    if (!project)
        return tl::unexpected(to_error(project.error()));
    auto done = keep_out_of_git(*project);
    Written written{std::move(*project), {}, ""};
    if (done && existing == Existing::copied)
        done = keep_copies(place, files, written.copies);
    if (done)
        done = write_beside(place, texts);
    if (done)
        done = put(place / project_file, texts.project, existing != Existing::refused);
    if (!done)
        return tl::unexpected(done.error());
    if (texts.holdout.empty() && is_there(place / holdout_file))
        written.old_holdout = holdout_file;
    return written;
}

} // namespace holdfast::app::init
