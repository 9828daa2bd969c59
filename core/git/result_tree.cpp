// SPDX-License-Identifier: GPL-3.0-or-later
// The id of a changed tree, without an object store: a tree object is a sorted list of "mode name NUL id", so the
// changed folders are serialised and hashed here, and unchanged ones keep the ids they have.
#include "core/git/handles.hpp"
#include "core/git/paths.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace holdfast::git {

namespace {

const std::string attempted = "compute the tree with the change in it";

struct Below {
    std::map<std::string, Below> folders;
    std::map<std::string, const std::optional<std::string>*> files;
};

struct Item {
    unsigned mode = 0;
    git_oid id{};
};
using Items = std::map<std::string, Item>;

bool is_folder(const Item& item) {
    return item.mode == GIT_FILEMODE_TREE;
}

Result<git_oid> hash(std::string_view bytes, git_object_t type) {
    git_oid id;
    if (const int code = git_odb_hash(&id, bytes.data(), bytes.size(), type); code < 0)
        return git_failed(attempted, code);
    return id;
}

Result<Items> items_of(git_repository* repository, const git_oid* id) {
    Items items;
    if (id == nullptr)
        return items;
    auto tree = find_tree(repository, id_text(*id));
    if (!tree)
        return tl::unexpected(tree.error());
    for (std::size_t i = 0; i < git_tree_entrycount(tree->get()); ++i) {
        const git_tree_entry* entry = git_tree_entry_byindex(tree->get(), i);
        // The raw mode: old repositories hold 100664, and normalising it would change the id of an untouched folder.
        items[git_tree_entry_name(entry)] = {static_cast<unsigned>(git_tree_entry_filemode_raw(entry)),
                                             *git_tree_entry_id(entry)};
    }
    return items;
}

Result<git_oid> hash_items(const Items& items) {
    std::vector<const Items::value_type*> order;
    for (const auto& item : items)
        order.push_back(&item);
    const auto key = [](const Items::value_type* item) {
        return is_folder(item->second) ? item->first + '/' : item->first;
    };
    std::sort(order.begin(), order.end(), [&](const auto* left, const auto* right) { return key(left) < key(right); });
    std::string bytes;
    for (const auto* item : order) {
        std::array<char, 16> mode{};
        const auto end = std::to_chars(mode.data(), mode.data() + mode.size(), item->second.mode, 8).ptr;
        bytes.append(mode.data(), end);
        bytes += ' ';
        bytes += item->first;
        bytes += '\0';
        bytes.append(reinterpret_cast<const char*>(item->second.id.id), GIT_OID_RAWSZ);
    }
    return hash(bytes, GIT_OBJECT_TREE);
}

Result<void> change_file(Items& items, const std::string& name, const std::string& path,
                         const std::optional<std::string>& content) {
    const auto present = items.find(name);
    if (present != items.end()) {
        const unsigned type = present->second.mode & 0170000U;
        if (type != 0100000U)
            return failed(attempted, printable(path) + " is a folder, a symbolic link or a submodule, not a file");
    }
    if (!content) {
        if (present == items.end())
            return failed(attempted, printable(path) + " is to be removed but is not there");
        items.erase(present);
        return {};
    }
    auto id = hash(*content, GIT_OBJECT_BLOB);
    if (!id)
        return tl::unexpected(id.error());
    const unsigned mode = present != items.end() ? present->second.mode : unsigned{GIT_FILEMODE_BLOB};
    items[name] = {mode, *id};
    return {};
}

/// The folder's new id, or nothing when it has become empty: git's trees hold no empty folders.
Result<std::optional<git_oid>> rewrite(git_repository* repository, const git_oid* id, const Below& changes,
                                       const std::string& prefix) {
    auto items = items_of(repository, id);
    if (!items)
        return tl::unexpected(items.error());
    for (const auto& [name, content] : changes.files)
        if (auto done = change_file(*items, name, prefix + name, *content); !done)
            return tl::unexpected(done.error());
    for (const auto& [name, below] : changes.folders) {
        const auto present = items->find(name);
        if (present != items->end() && !is_folder(present->second))
            return failed(attempted, printable(prefix + name) + " is not a folder");
        auto folder =
            rewrite(repository, present == items->end() ? nullptr : &present->second.id, below, prefix + name + '/');
        if (!folder)
            return folder;
        if (*folder)
            (*items)[name] = {GIT_FILEMODE_TREE, **folder};
        else if (present != items->end())
            items->erase(present);
    }
    if (items->empty())
        return std::nullopt;
    auto result = hash_items(*items);
    if (!result)
        return tl::unexpected(result.error());
    return *result;
}

} // namespace

Result<std::string> Repository::tree_with(const Commit& commit, const Changes& changes) const {
    const std::lock_guard lock(handle_->guard);
    Below root;
    for (const auto& [path, content] : changes) {
        if (const auto fault = path_fault(path))
            return failed(attempted, "the path '" + printable(path) + "' " + *fault);
        Below* folder = &root;
        if (const auto parent = parent_of(path); !parent.empty())
            for (const auto part : components(parent))
                folder = &folder->folders[std::string(part)];
        if (!folder->files.emplace(path.substr(path.rfind('/') + 1), &content).second) // npos + 1 is 0
            return failed(attempted, printable(path) + " is changed twice");
    }
    git_oid base;
    if (const int code = git_oid_fromstr(&base, commit.tree.c_str()); code < 0)
        return git_failed(attempted, code);
    auto result = rewrite(handle_->repository.get(), &base, root, "");
    if (!result)
        return tl::unexpected(result.error());
    if (*result)
        return id_text(**result);
    auto empty = hash_items({});
    if (!empty)
        return tl::unexpected(empty.error());
    return id_text(*empty);
}

} // namespace holdfast::git
