// SPDX-License-Identifier: GPL-3.0-or-later
// The id of a changed tree, without an object store: a tree object is a sorted list of "mode name NUL id", so the
// changed folders are serialised and hashed here, and unchanged ones keep the ids they have.
#include "core/git/result_tree.hpp"

#include "core/git/paths.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace holdfast::git {

namespace {

const std::string attempted = "compute the tree with the change in it";
constexpr const char* same_base = "Make the change anew from the commit it is based on.";

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

std::string serialised(const Items& items) {
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
    return bytes;
}

class Rewriter {
public:
    Rewriter(git_repository* repository, const ObjectSink& sink) : repository_(repository), sink_(sink) {}

    /// The folder's new id, or nothing when it has become empty: git's trees hold no empty folders.
    Result<std::optional<git_oid>> folder(const git_oid* id, const Below& changes, const std::string& prefix) const {
        auto items = items_of(repository_, id);
        if (!items)
            return tl::unexpected(items.error());
        // In this order a file can make way for a folder of its name, and a folder that became empty for a file.
        for (const auto& [name, content] : changes.files)
            if (auto done = *content ? Result<void>() : remove_file(*items, name, prefix + name); !done)
                return tl::unexpected(done.error());
        for (const auto& [name, below] : changes.folders)
            if (auto done = change_folder(*items, name, below, prefix + name); !done)
                return tl::unexpected(done.error());
        for (const auto& [name, content] : changes.files)
            if (auto done = *content ? write_file(*items, name, prefix + name, **content) : Result<void>(); !done)
                return tl::unexpected(done.error());
        if (items->empty())
            return std::nullopt;
        return sink_(serialised(*items), GIT_OBJECT_TREE).map([](git_oid result) { return std::optional(result); });
    }

private:
    static Result<void> check_file(const Item& item, const std::string& path) {
        if ((item.mode & 0170000U) == 0100000U)
            return {};
        return failed(attempted, printable(path) + " is a folder, a symbolic link or a submodule, not a file",
                      same_base);
    }

    static Result<void> remove_file(Items& items, const std::string& name, const std::string& path) {
        const auto present = items.find(name);
        if (present == items.end())
            return failed(attempted, printable(path) + " is to be removed but is not there", same_base);
        if (auto file = check_file(present->second, path); !file)
            return file;
        items.erase(present);
        return {};
    }

    Result<void> write_file(Items& items, const std::string& name, const std::string& path,
                            const std::string& content) const {
        const auto present = items.find(name);
        if (present != items.end())
            if (auto file = check_file(present->second, path); !file)
                return file;
        const auto id = sink_(content, GIT_OBJECT_BLOB);
        if (!id)
            return tl::unexpected(id.error());
        const unsigned mode = present != items.end() ? present->second.mode : unsigned{GIT_FILEMODE_BLOB};
        items[name] = {mode, *id};
        return {};
    }

    Result<void> change_folder(Items& items, const std::string& name, const Below& changes,
                               const std::string& path) const {
        const auto present = items.find(name);
        if (present != items.end() && !is_folder(present->second))
            return failed(attempted, printable(path) + " is not a folder", same_base);
        const auto result = folder(present == items.end() ? nullptr : &present->second.id, changes, path + '/');
        if (!result)
            return tl::unexpected(result.error());
        if (*result)
            items[name] = {GIT_FILEMODE_TREE, **result};
        else if (present != items.end())
            items.erase(present);
        return {};
    }

    git_repository* repository_;
    const ObjectSink& sink_;
};

Result<git_oid> hash(std::string_view bytes, git_object_t type) {
    git_oid id;
    if (const int code = git_odb_hash(&id, bytes.data(), bytes.size(), type); code < 0)
        return git_failed(attempted, code);
    return id;
}

} // namespace

Result<std::string> changed_tree(git_repository* repository, const std::string& tree, const Changes& changes,
                                 const ObjectSink& sink) {
    Below root;
    for (const auto& [path, content] : changes) {
        if (const auto fault = path_fault(path))
            return failed(attempted, "the path '" + printable(path) + "' " + *fault, same_base);
        Below* folder = &root;
        if (const auto parent = parent_of(path); !parent.empty())
            for (const auto part : components(parent))
                folder = &folder->folders[std::string(part)];
        if (!folder->files.emplace(path.substr(path.rfind('/') + 1), &content).second) // npos + 1 is 0
            return failed(attempted, printable(path) + " is changed twice", report_defect);
    }
    git_oid base;
    if (const int code = git_oid_fromstr(&base, tree.c_str()); code < 0)
        return git_failed(attempted, code);
    const auto result = Rewriter(repository, sink).folder(&base, root, "");
    if (!result)
        return tl::unexpected(result.error());
    return (*result ? Result<git_oid>(**result) : sink(serialised({}), GIT_OBJECT_TREE)).map(id_text);
}

Result<std::string> Repository::tree_with(const Commit& commit, const Changes& changes) const {
    const std::lock_guard lock(handle_->guard);
    return changed_tree(handle_->repository.get(), commit.tree, changes, hash);
}

} // namespace holdfast::git
