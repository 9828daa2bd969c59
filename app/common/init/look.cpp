// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/look.hpp"

#include "core/git/files.hpp"
#include "core/git/repository.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <git2.h>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::app::init {

namespace fs = std::filesystem;

namespace {

constexpr std::array left_out = {".git",   ".holdfast",   ".hg",   ".svn",        "node_modules",
                                 ".venv",  "venv",        ".tox",  "target",      ".cache",
                                 "vendor", "third_party", ".idea", "__pycache__", ".vscode"};

/// Asks git which names it ignores and which HEAD has; none outside a repository. Paths are from the repository's root.
class Known {
public:
    explicit Known(const fs::path& folder) {
        git_libgit2_init();
        if (git_repository_open_ext(&repository_, folder.c_str(), 0, nullptr) != 0)
            repository_ = nullptr;
        if (repository_ == nullptr || git_revparse_single(&tree_, repository_, "HEAD^{tree}") != 0)
            tree_ = nullptr;
    }
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;
    ~Known() {
        git_object_free(tree_);
        git_repository_free(repository_);
        git_libgit2_shutdown();
    }
    bool committed(const std::string& path) const {
        git_tree_entry* entry = nullptr;
        if (tree_ == nullptr ||
            git_tree_entry_bypath(&entry, reinterpret_cast<const git_tree*>(tree_), path.c_str()) != 0)
            return false;
        git_tree_entry_free(entry);
        return true;
    }
    bool ignored(const std::string& path) const {
        int ignored = 0;
        return repository_ != nullptr && git_ignore_path_is_ignored(&ignored, repository_, path.c_str()) == 0 &&
               ignored != 0;
    }

private:
    git_repository* repository_ = nullptr;
    git_object* tree_ = nullptr;
};

/// A name that may stand in a project file: a command's placeholder or a control character in it would mean something
/// else there.
bool usable(const std::string& name) {
    return !name.empty() && printable(name) == name && name.find_first_of("{}\\") == std::string::npos;
}

bool made_by_tools(const std::string& name) {
    return std::find(left_out.begin(), left_out.end(), name) != left_out.end() || name == "build" ||
           name.starts_with("build-") || name.starts_with("cmake-build");
}

struct Walk {
    Seen& seen;
    const LookLimits& limits;
    const Known git{seen.folder};
    std::deque<std::pair<std::string, std::size_t>> folders{{"", 0}}; ///< path with a final '/', depth
    std::size_t entries = 0;

    void entry(const fs::directory_entry& entry, const std::string& parent, std::size_t depth) {
        const std::string name = entry.path().filename().string();
        std::error_code code;
        const fs::file_status status = entry.symlink_status(code);
        if (code || !usable(name)) {
            ++seen.passed_over;
            return;
        }
        const std::string path = parent + name;
        if (fs::is_directory(status)) {
            if (made_by_tools(name) || git.ignored(seen.prefix + path + "/"))
                return;
            if (depth < limits.depth)
                folders.emplace_back(path + "/", depth + 1);
            else
                seen.whole = false;
        } else if (fs::is_regular_file(status) && !git.ignored(seen.prefix + path)) {
            const std::uintmax_t size = entry.file_size(code);
            if (code)
                ++seen.passed_over;
            else
                seen.files.push_back({path, size, (status.permissions() & fs::perms::owner_exec) != fs::perms::none,
                                      git.committed(seen.prefix + path)});
        }
    }

    /// Whether the folder could be read.
    bool step() {
        const auto [parent, depth] = folders.front();
        folders.pop_front();
        std::error_code code;
        fs::directory_iterator it(seen.folder / parent, code);
        if (code) {
            ++seen.passed_over;
            return false;
        }
        for (const fs::directory_iterator end; it != end && !code; it.increment(code)) {
            if (++entries > limits.entries) {
                seen.whole = false;
                folders.clear();
                return true;
            }
            entry(*it, parent, depth);
        }
        return true;
    }
};

} // namespace

const SeenFile* Seen::file(std::string_view path) const {
    const auto at = std::lower_bound(files.begin(), files.end(), path,
                                     [](const SeenFile& file, std::string_view wanted) { return file.path < wanted; });
    return at != files.end() && at->path == path ? &*at : nullptr;
}

bool Seen::ignores(const std::string& path) const {
    return Known(folder).ignored(prefix + path);
}

bool Seen::has_folder(std::string_view path) const {
    const std::string below = std::string(path) + "/";
    const auto at =
        std::lower_bound(files.begin(), files.end(), below,
                         [](const SeenFile& file, const std::string& wanted) { return file.path < wanted; });
    return at != files.end() && at->path.starts_with(below);
}

std::string Seen::text(std::string_view path, std::size_t most) const {
    // O_NONBLOCK: what was a file when it was seen may be a pipe now.
    const git::Descriptor file(
        ::open((folder / path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    std::string bytes(file.number() < 0 ? 0 : most, '\0');
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t count = ::read(file.number(), bytes.data() + size, bytes.size() - size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        size += static_cast<std::size_t>(count);
    }
    bytes.resize(size);
    return bytes;
}

Result<Seen> look(const fs::path& folder, const LookLimits& limits) {
    const std::string attempted = "look at the folder " + printable(folder.string());
    std::error_code code;
    Seen seen;
    seen.folder = fs::canonical(folder, code);
    if (code || !fs::is_directory(seen.folder, code))
        return invalid(attempted, code ? code.message() : "it is not a folder", "Name the folder of your program");
    seen.text_bytes = limits.text_bytes;
    if (const auto repository = git::Repository::open(seen.folder)) {
        seen.in_repository = true;
        seen.prefix = repository->prefix();
        seen.has_commit = repository->resolve().has_value();
    }
    Walk walk{seen, limits};
    if (!walk.step())
        return failed(attempted, "it cannot be read", "Check its permissions");
    while (!walk.folders.empty())
        walk.step();
    std::sort(seen.files.begin(), seen.files.end(),
              [](const SeenFile& a, const SeenFile& b) { return a.path < b.path; });
    return seen;
}

std::string folder_of(std::string_view path) {
    return fs::path(path).parent_path().string();
}
std::string name_of(std::string_view path) {
    return fs::path(path).filename().string();
}
std::string extension_of(std::string_view path) {
    return fs::path(path).extension().string();
}
std::string stem_of(std::string_view path) {
    return fs::path(path).stem().string();
}

} // namespace holdfast::app::init
