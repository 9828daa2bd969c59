// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/files.hpp"
#include "core/git/patch.hpp"
#include "core/git/paths.hpp"
#include "core/project/text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::git {

namespace {

/// git keeps no empty folders, so the tree would not be the recorded one if they stayed.
void remove_empty_folders(int root, std::string_view folder, const std::string& attempted) {
    for (; !folder.empty(); folder = parent_of(folder)) {
        const auto above = open_below(root, parent_of(folder), false, attempted);
        const std::string name(folder.substr(folder.rfind('/') + 1)); // npos + 1 is 0
        if (!above || ::unlinkat(above->number(), name.c_str(), AT_REMOVEDIR) != 0)
            return; // it holds other files
    }
}

/// Mode 0 when there is nothing under that name.
Result<mode_t> mode_of(int folder, const std::string& name, const std::string& attempted) {
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? Result<mode_t>(0) : system_failed(attempted, name, errno);
    if (!S_ISREG(status.st_mode))
        return failed(attempted, printable(name) + " is not a regular file in the exported tree",
                      "Patch regular files only.");
    return status.st_mode;
}

Result<void> write_file(int root, const std::string& path, const std::optional<std::string>& content) {
    const std::string attempted = "change " + printable(path) + " in the exported tree";
    if (const auto fault = path_fault(path))
        return refused(attempted, "the path " + *fault, "Place the patch again.");
    auto folder = open_below(root, parent_of(path), content.has_value(), attempted);
    if (!folder)
        return tl::unexpected(folder.error());
    const auto name = path.substr(path.rfind('/') + 1); // npos + 1 is 0
    const auto mode = mode_of(folder->number(), name, attempted);
    if (!mode)
        return tl::unexpected(mode.error());
    if (*mode == 0 && !content)
        return failed(attempted, "it is to be removed but is not there", "Export the tree again.");
    // A new file in its place, not new content: an exported tree may share its files with others by hard links.
    if (*mode != 0 && ::unlinkat(folder->number(), name.c_str(), 0) != 0)
        return system_failed(attempted, path, errno);
    if (content)
        return create_file(folder->number(), name, *content, (*mode & S_IXUSR) != 0, attempted);
    remove_empty_folders(root, parent_of(path), attempted);
    return {};
}

} // namespace

Result<void> write_changes(const Changes& changes, const std::filesystem::path& tree) {
    auto root = open_root(tree, "change the exported tree");
    if (!root)
        return tl::unexpected(root.error());
    for (const auto& [path, content] : changes)
        if (auto written = write_file(root->number(), path, content); !written)
            return written;
    return {};
}

} // namespace holdfast::git
