// SPDX-License-Identifier: GPL-3.0-or-later
// A commit's tree as plain files. Written here and not by libgit2's checkout because checkout trusts what it finds in
// the folder, writes through filters, and knows neither held-out inputs nor links that leave the tree.
// Contents are the committed bytes: line endings and $Id$ are not converted, so both arms see what was reviewed.
#include "core/git/files.hpp"
#include "core/git/handles.hpp"
#include "core/git/paths.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <unistd.h>

namespace holdfast::git {

namespace {

constexpr std::size_t deepest_folder = 200; // each open folder costs a descriptor, and 1024 is a common limit
constexpr int most_links_followed = 40;     // Linux stops there with ELOOP
const std::string attempted = "export the commit's files";

using Links = std::map<std::string, std::string>; // path -> target

/// Whether following `path` (a link of `links`) can only end below the root. Links are followed as the kernel does:
/// ".." counts from where a link leads, so a check of the text alone would let "a/link/.." out.
bool stays_inside(const std::string& path, const Links& links) {
    std::vector<std::string> place;
    for (const auto part : components(parent_of(path)))
        if (!part.empty())
            place.emplace_back(part);
    std::vector<std::string> pending; // reversed
    const auto push_target = [&](const std::string& target) {
        const auto parts = components(target);
        pending.insert(pending.end(), parts.rbegin(), parts.rend());
        return !target.empty() && target.front() != '/';
    };
    if (!push_target(links.at(path)))
        return false;
    for (int followed = 0; !pending.empty() && followed <= most_links_followed;) {
        const std::string part = pending.back();
        pending.pop_back();
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            if (place.empty())
                return false;
            place.pop_back();
            continue;
        }
        place.push_back(part);
        std::string joined;
        for (const auto& name : place)
            joined += (joined.empty() ? "" : "/") + name;
        if (const auto link = links.find(joined); link != links.end()) {
            place.pop_back();
            ++followed;
            if (!push_target(link->second))
                return false;
        }
    }
    return true;
}

/// The SHA-256 that a Git LFS pointer names, or nothing when `text` is not a pointer (github.com/git-lfs spec.md).
std::optional<std::string> lfs_object(std::string_view text) {
    if (text.size() > 1024 || !text.starts_with("version https://git-lfs.github.com/spec/"))
        return std::nullopt;
    constexpr std::string_view key = "\noid sha256:";
    const auto at = text.find(key);
    if (at == std::string_view::npos || text.size() < at + key.size() + 64)
        return std::nullopt;
    const auto id = text.substr(at + key.size(), 64);
    if (id.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return std::nullopt;
    return std::string(id);
}

class Exporter {
public:
    Exporter(git_repository* repository, std::filesystem::path lfs, std::vector<std::string> leave_out)
        : repository_(repository), lfs_(std::move(lfs)), leave_out_(std::move(leave_out)) {
        for (auto& path : leave_out_)
            while (!path.empty() && path.back() == '/')
                path.pop_back();
    }

    Result<void> folder(int here, const git_tree* tree, const std::string& prefix, std::size_t depth) {
        if (depth > deepest_folder)
            return invalid(attempted, printable(prefix) + " is too deep",
                           "Move it to fewer folders within each other.");
        const std::size_t count = git_tree_entrycount(tree);
        for (std::size_t i = 0; i < count; ++i) {
            const git_tree_entry* entry = git_tree_entry_byindex(tree, i);
            const std::string name = git_tree_entry_name(entry);
            const std::string path = prefix + name;
            if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
                names_git_folder(name))
                return invalid(attempted, "the commit holds the name '" + printable(path) + "', which no tree may hold",
                               "Run `git fsck`; the repository was made by a broken or hostile program.");
            if (std::find(leave_out_.begin(), leave_out_.end(), path) != leave_out_.end())
                continue;
            if (auto written = one(here, entry, name, path, depth); !written)
                return written;
        }
        return {};
    }

    /// Last, so that no write above can pass through a link.
    Result<void> make_links(int root) const {
        for (const auto& [path, target] : links_) {
            if (!stays_inside(path, links_))
                return invalid(attempted,
                               printable(path) + " is a symbolic link to '" + printable(target) +
                                   "', which leaves the repository",
                               "Commit a relative link to a path inside the repository, or the file itself.");
        }
        for (const auto& [path, target] : links_) {
            auto here = open_below(root, parent_of(path), false, attempted);
            if (!here)
                return tl::unexpected(here.error());
            const auto name = path.substr(path.rfind('/') + 1); // npos + 1 is 0
            if (::symlinkat(target.c_str(), here->number(), name.c_str()) != 0)
                return system_failed(attempted, path, errno);
        }
        return {};
    }

private:
    Result<void> one(int here, const git_tree_entry* entry, const std::string& name, const std::string& path,
                     std::size_t depth) {
        const git_filemode_t mode = git_tree_entry_filemode(entry);
        if (mode == GIT_FILEMODE_COMMIT)
            return invalid(attempted,
                           printable(path) + " is a submodule, and only the repository's own files are exported",
                           "Commit its files to the repository in its place (`git subtree add` keeps their history).");
        if (mode == GIT_FILEMODE_TREE) {
            auto tree = find_tree(repository_, id_text(*git_tree_entry_id(entry)));
            if (!tree)
                return tl::unexpected(tree.error());
            auto made = make_folder(here, name, attempted);
            if (!made)
                return tl::unexpected(made.error());
            return folder(made->number(), tree->get(), path + '/', depth + 1);
        }
        auto blob = find_blob(repository_, *git_tree_entry_id(entry), path);
        if (!blob)
            return tl::unexpected(blob.error());
        const auto content = bytes_of(blob->get());
        if (mode == GIT_FILEMODE_LINK) {
            if (content.empty() || content.find('\0') != std::string_view::npos)
                return invalid(attempted, printable(path) + " is a symbolic link without a usable target",
                               "Remove the link, or make it again, and commit.");
            links_.emplace(path, content);
            return {};
        }
        const bool executable = mode == GIT_FILEMODE_BLOB_EXECUTABLE;
        if (const auto id = lfs_object(content))
            return from_lfs(here, name, path, *id, executable);
        return create_file(here, name, content, executable, attempted);
    }

    /// `git lfs pull` leaves the real bytes beside git's objects; a pointer in the tree stays a pointer.
    Result<void> from_lfs(int here, const std::string& name, const std::string& path, const std::string& id,
                          bool executable) const {
        const auto missing = [&](const std::string& why) {
            return failed(attempted, printable(path) + " is only a Git LFS pointer: " + why,
                          "Run `git lfs pull` in the repository.");
        };
        const auto stored = lfs_ / "objects" / id.substr(0, 2) / id.substr(2, 2) / id;
        const auto hash = sha256_file(stored);
        if (!hash)
            return missing("its content has not been fetched");
        if (*hash != id)
            return missing("the fetched content does not have the recorded SHA-256");
        return create_copy(here, name, stored, executable, attempted);
    }

    git_repository* repository_;
    std::filesystem::path lfs_;
    std::vector<std::string> leave_out_;
    Links links_;
};

} // namespace

Result<void> Repository::export_tree(const Commit& commit, const std::filesystem::path& destination,
                                     const std::vector<std::string>& leave_out) const {
    const std::lock_guard lock(handle_->guard);
    auto tree = find_tree(handle_->repository.get(), commit.tree);
    if (!tree)
        return tl::unexpected(tree.error());
    const auto absolute = std::filesystem::absolute(destination).lexically_normal();
    const auto target = absolute.has_filename() ? absolute : absolute.parent_path();
    std::error_code fault;
    std::filesystem::create_directories(target.parent_path(), fault);
    if (fault)
        return failed(attempted, printable(target.parent_path().string()) + ": " + fault.message(),
                      "Check the permissions of that folder and the free space.");
    auto parent = open_root(target.parent_path(), attempted);
    if (!parent)
        return tl::unexpected(parent.error());
    auto root = make_folder(parent->number(), target.filename().string(), attempted);
    if (!root)
        return tl::unexpected(root.error());

    Exporter exporter(handle_->repository.get(), handle_->common / "lfs", leave_out);
    auto done = exporter.folder(root->number(), tree->get(), "", 0);
    if (done)
        done = exporter.make_links(root->number());
    if (!done) // half a tree must not be taken for one; remove_all follows no links
        std::filesystem::remove_all(target, fault);
    return done;
}

} // namespace holdfast::git
