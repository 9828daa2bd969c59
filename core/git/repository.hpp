// SPDX-License-Identifier: GPL-3.0-or-later
// The user's repository, read only: nothing here writes to its working tree, index, references or object store
// (writer.hpp does).
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::git {

struct Commit {
    std::string id;   ///< 40 hexadecimal digits
    std::string tree; ///< id of its tree
};

struct Identity {
    std::string name, email;
};

/// What a folder of a commit holds at a path.
struct Entry {
    enum class Kind { file, executable, symlink, submodule, folder };
    Kind kind = Kind::file;
    std::string content; ///< file and executable: bytes; symlink: its target; else empty
};

/// (path from the root, new content or nothing for "removed"). A file that is there keeps its mode, a new one is 0644.
using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Where HEAD is.
struct Head {
    std::string branch; ///< "main"; "" when detached
    Commit commit;
};

class Repository {
public:
    /// The repository that holds `folder` (searched upwards).
    static Result<Repository> open(const std::filesystem::path& folder);

    /// A revision as git spells it ("HEAD", a branch, an abbreviated id). Kind invalid: unknown (naming the nearest
    /// branch or tag) or ambiguous; a shallow clone's error says how to fetch more.
    Result<Commit> resolve(const std::string& revision = "HEAD") const;

    /// `folder` given to open(), relative to the repository's root; "" when it is the root, else with a final '/'.
    const std::string& prefix() const;

    /// Writes the commit's whole tree to `destination`, which must not exist. `leave_out`: paths from the repository's
    /// root that are not written. A symbolic link that leaves the tree, or an LFS pointer, is an error naming it.
    Result<void> export_tree(const Commit& commit, const std::filesystem::path& destination,
                             const std::vector<std::string>& leave_out = {}) const;

    /// The entry at `path` (from the root), or nothing when there is none.
    Result<std::optional<Entry>> read(const Commit& commit, const std::string& path) const;

    /// Tracked files that differ between HEAD and the working tree or index, from the root, at most `limit`.
    Result<std::vector<std::string>> uncommitted(std::size_t limit = 20) const;

    /// Whom git would name as the committer (variables, then settings); an error names the commands that set them.
    Result<Identity> identity() const;

    /// Id of the tree that `commit`'s tree becomes with `changes`; computed in memory.
    Result<std::string> tree_with(const Commit& commit, const Changes& changes) const;

    Result<Head> head() const;

    /// The tip of refs/heads/`name`, or nothing when there is no such branch.
    Result<std::optional<Commit>> branch(const std::string& name) const;

    /// Names of the branches below `prefix` ("holdfast/"), sorted.
    Result<std::vector<std::string>> branches(const std::string& prefix) const;

    /// The commits that branches, tags and remote branches name, at most `limit`.
    Result<std::vector<Commit>> tips(std::size_t limit = 10'000) const;

    /// Whether HEAD of this or a linked working tree is on the branch.
    Result<bool> checked_out(const std::string& branch) const;

    /// The raw message and the ids of the parents.
    struct Details {
        std::string message;
        std::vector<std::string> parents;
    };
    Result<Details> details(const Commit& commit) const;

    /// Whether `ancestor` is `descendant` or one of its ancestors.
    Result<bool> descends(const Commit& descendant, const Commit& ancestor) const;

    /// The newest commit that both have in their history; nothing when none is in this clone.
    Result<std::optional<Commit>> merge_base(const Commit& one, const Commit& other) const;

    /// Whether a part of the history was left out of this clone.
    bool shallow() const;

    /// What turning `from` into `to` does, sorted by path, as full contents byte for byte. Refused, naming the path: a
    /// symbolic link, a submodule or an executable bit that differs, which Changes cannot say.
    Result<Changes> changes(const Commit& from, const Commit& to) const;

    /// The paths at which the two differ in anything, sorted.
    Result<std::vector<std::string>> changed_paths(const Commit& from, const Commit& to) const;

    /// The changes to make to `ours` so that it has `theirs` too, which are changes to the tree of `base`. Files that
    /// both changed are merged line by line; what `ours` has already is left out. Refused, naming the paths, when they
    /// conflict.
    Result<Changes> merged(const Commit& base, const Commit& ours, const Changes& theirs) const;

    /// The git configuration's value as it is now, "" when it is not set.
    Result<std::string> setting(const std::string& key) const;

    /// Where git keeps every object: .git, also for a linked working tree.
    const std::filesystem::path& store() const;

    /// Adds `line` to .git/info/exclude when it is not there.
    Result<void> exclude(const std::string& line) const;

private:
    friend class Writer;
    struct Handle;
    explicit Repository(std::shared_ptr<Handle> handle);
    std::shared_ptr<Handle> handle_;
};

/// Whether `path` matches `glob`: `*` and `?` stop at '/', `**` crosses it.
bool matches(const std::string& glob, const std::string& path);

} // namespace holdfast::git
