// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/files.hpp"
#include "core/git/patch.hpp"
#include "core/git/paths.hpp"
#include "core/project/text.hpp"

#include <cerrno>
#include <fcntl.h>
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

Result<void> write_file(int root, const PlacedFile& file) {
    const std::string attempted = "apply the patch to " + printable(file.path);
    if (const auto fault = path_fault(file.path))
        return refused(attempted, "the path " + *fault, "Place the patch again.");
    const bool added = file.change == PlacedFile::Change::added;
    auto folder = open_below(root, parent_of(file.path), added, attempted);
    if (!folder)
        return tl::unexpected(folder.error());
    const auto name = file.path.substr(file.path.rfind('/') + 1);
    if (!added) {
        const auto present = read_file(folder->number(), name, attempted);
        if (!present)
            return tl::unexpected(present.error());
        if (*present != file.before)
            return failed(attempted, "the exported file is not the one the patch was placed on",
                          "Export the tree again.");
        // A new file in its place, not new content: an exported tree may share its files with others by hard links.
        if (::unlinkat(folder->number(), name.c_str(), 0) != 0)
            return system_failed(attempted, file.path, errno);
    }
    if (file.change != PlacedFile::Change::removed)
        return create_file(folder->number(), name, file.after, file.executable, attempted);
    remove_empty_folders(root, parent_of(file.path), attempted);
    return {};
}

} // namespace

Result<void> write_patch(const PlacedPatch& patch, const std::filesystem::path& tree) {
    auto root = open_root(tree, "apply the patch to the exported tree");
    if (!root)
        return tl::unexpected(root.error());
    for (const auto& file : patch.files)
        if (auto written = write_file(root->number(), file); !written)
            return written;
    return {};
}

} // namespace holdfast::git
