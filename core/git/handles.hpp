// SPDX-License-Identifier: GPL-3.0-or-later
// libgit2's objects as owning values, for this room only: nothing outside core/git sees <git2.h>.
#pragma once

#include "core/git/repository.hpp"

#include <git2.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace holdfast::git {

template <auto Free> struct Freer {
    template <class T> void operator()(T* handle) const { Free(handle); }
};
template <class T, auto Free> using Owned = std::unique_ptr<T, Freer<Free>>;

using RepositoryHandle = Owned<git_repository, git_repository_free>;
using ObjectHandle = Owned<git_object, git_object_free>;
using TreeHandle = Owned<git_tree, git_tree_free>;
using TreeEntryHandle = Owned<git_tree_entry, git_tree_entry_free>;
using BlobHandle = Owned<git_blob, git_blob_free>;
using ConfigHandle = Owned<git_config, git_config_free>;
using StatusHandle = Owned<git_status_list, git_status_list_free>;
using CommitHandle = Owned<git_commit, git_commit_free>;
using ReferenceHandle = Owned<git_reference, git_reference_free>;
using OdbHandle = Owned<git_odb, git_odb_free>;
using DiffHandle = Owned<git_diff, git_diff_free>;
using PatchHandle = Owned<git_patch, git_patch_free>;
using SignatureHandle = Owned<git_signature, git_signature_free>;
using TransactionHandle = Owned<git_transaction, git_transaction_free>;
using ReferencesHandle = Owned<git_reference_iterator, git_reference_iterator_free>;

/// Lets a libgit2 function fill an owner: `git_tree_lookup(out(tree), ...)`.
template <class Owner> class Out {
public:
    explicit Out(Owner& owner) : owner_(owner) {}
    Out(const Out&) = delete;
    Out& operator=(const Out&) = delete;
    ~Out() { owner_.reset(raw_); }
    operator typename Owner::pointer *() { return &raw_; }

private:
    Owner& owner_;
    typename Owner::pointer raw_ = nullptr;
};
template <class Owner> Out<Owner> out(Owner& owner) {
    return Out<Owner>(owner);
}

/// libgit2 keeps one repository object out of two threads' hands at once only if the caller does: every public method
/// of Repository holds `guard`.
struct Repository::Handle {
    RepositoryHandle repository;
    std::string prefix;
    std::filesystem::path root;   ///< of the working tree
    std::filesystem::path common; ///< the .git folder that linked worktrees share
    std::mutex guard;
};

/// Before the first call of the library; may be called again.
void start_libgit2();

/// Copies libgit2's message, which lives in the thread and only until its next call.
tl::unexpected<Error> git_failed(std::string attempted, int code, std::string remedy = "");

std::string id_text(const git_oid& id);

Result<CommitHandle> find_commit(git_repository* repository, const std::string& id, const std::string& attempted);
Result<TreeHandle> find_tree(git_repository* repository, const std::string& id);
Result<BlobHandle> find_blob(git_repository* repository, const git_oid& id, const std::string& path);
std::string_view bytes_of(const git_blob* blob);

/// Tracked files that differ between HEAD, index and working tree, at most `limit`; `flags`: more GIT_STATUS_OPT_...
Result<std::vector<std::string>> changed_files(git_repository* repository, std::size_t limit, unsigned flags = 0);

/// Where HEAD is. An error (kind invalid) when there is no commit yet.
Result<Head> find_head(git_repository* repository, const std::string& attempted);

/// Whether `ancestor` is `descendant` or one of its ancestors. What a shallow clone has cut off is none.
Result<bool> reaches(git_repository* repository, const git_oid& descendant, const git_oid& ancestor,
                     const std::string& attempted);

} // namespace holdfast::git
