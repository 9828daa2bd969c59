// SPDX-License-Identifier: GPL-3.0-or-later
// Opening and reading. Each failure that users meet often (no commit yet, someone else's repository, SHA-256) is told
// in its own words: libgit2's messages for them name a configuration key or nothing at all.
#include "core/git/repository.hpp"

#include "core/git/files.hpp"
#include "core/git/handles.hpp"
#include "core/project/text.hpp"

#include <array>
#include <fstream>
#include <iterator>

namespace holdfast::git {

/// The library's state lives as long as the process: shutting it down while handles exist in other static objects would
/// free them twice.
void start_libgit2() {
    static const bool started = [] {
        git_libgit2_init();
        // Extensions that change nothing for a reader, but that libgit2 refuses unless told.
        std::array<const char*, 4> known{"worktreeconfig", "partialclone", "preciousobjects", "relativeworktrees"};
        git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, known.data(), known.size());
        git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1); // as git: a commit that was reported survives a power cut
        return true;
    }();
    static_cast<void>(started);
}

namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// The nearest folder with a ".git", for a repository that libgit2 does not open.
std::filesystem::path root_above(std::filesystem::path folder) {
    std::error_code unreadable; // then the search goes on above
    while (!std::filesystem::exists(folder / ".git", unreadable) && folder != folder.parent_path())
        folder = folder.parent_path();
    return folder;
}

tl::unexpected<Error> open_failed(const std::filesystem::path& folder, int code) {
    const std::string attempted = "open the git repository of " + printable(folder.string());
    auto error = git_failed(attempted, code);
    const std::string& found = error.value().found;
    if (code == GIT_EOWNER || contains(found, "safe.directory"))
        return failed(attempted, "it belongs to another user, and git would not trust it either",
                      "If you trust it, run `git config --global --add safe.directory '" +
                          printable(root_above(folder).string()) + "'`.");
    if (contains(found, "objectformat") || contains(found, "object format"))
        return failed(attempted, "its objects are named by SHA-256, which holdfast cannot read",
                      "Use a repository with SHA-1 object names (git's default).");
    if (contains(found, "unsupported extension"))
        return failed(attempted, found, "Use a clone without this repository extension.");
    if (code == GIT_ENOTFOUND)
        return invalid(attempted, "neither this folder nor one above it is a git repository",
                       "Run `git init` and commit the program first.");
    return error;
}

/// `folder` relative to `root`, both without symbolic links; nothing when it is outside or in git's own folder.
std::optional<std::string> prefix_of(const std::filesystem::path& folder, const std::filesystem::path& root) {
    const auto relative = folder.lexically_relative(root);
    if (relative.empty() || *relative.begin() == ".." || *relative.begin() == ".git")
        return std::nullopt;
    return relative == "." ? std::string() : relative.string() + '/';
}

Entry::Kind kind_of(git_filemode_t mode) {
    switch (mode) {
    case GIT_FILEMODE_BLOB_EXECUTABLE:
        return Entry::Kind::executable;
    case GIT_FILEMODE_LINK:
        return Entry::Kind::symlink;
    case GIT_FILEMODE_COMMIT:
        return Entry::Kind::submodule;
    case GIT_FILEMODE_TREE:
        return Entry::Kind::folder;
    default:
        return Entry::Kind::file;
    }
}

} // namespace

tl::unexpected<Error> git_failed(std::string attempted, int code, std::string remedy) {
    const git_error* last = git_error_last();
    std::string found =
        last != nullptr && last->message != nullptr ? printable(last->message) : "git reports no reason";
    if (code == GIT_ENOTFOUND && remedy.empty() && last != nullptr && last->klass == GIT_ERROR_ODB)
        remedy = "The object is not in this clone: run `git fsck`, or in a partial clone `git fetch --refetch`.";
    return failed(std::move(attempted), std::move(found), std::move(remedy));
}

std::string id_text(const git_oid& id) {
    std::string text(GIT_OID_HEXSZ, '0');
    git_oid_fmt(text.data(), &id);
    return text;
}

Result<TreeHandle> find_tree(git_repository* repository, const std::string& id) {
    git_oid oid;
    TreeHandle tree;
    const std::string attempted = "read the tree " + printable(id);
    if (const int code = git_oid_fromstr(&oid, id.c_str()); code < 0)
        return git_failed(attempted, code);
    if (const int code = git_tree_lookup(out(tree), repository, &oid); code < 0)
        return git_failed(attempted, code);
    return tree;
}

Result<CommitHandle> find_commit(git_repository* repository, const std::string& id, const std::string& attempted) {
    git_oid oid;
    CommitHandle commit;
    if (const int code = git_oid_fromstr(&oid, id.c_str()); code < 0)
        return git_failed(attempted, code);
    if (const int code = git_commit_lookup(out(commit), repository, &oid); code < 0)
        return git_failed(attempted, code);
    return commit;
}

Result<BlobHandle> find_blob(git_repository* repository, const git_oid& id, const std::string& path) {
    BlobHandle blob;
    if (const int code = git_blob_lookup(out(blob), repository, &id); code < 0)
        return git_failed("read " + printable(path) + " from the repository", code);
    return blob;
}

std::string_view bytes_of(const git_blob* blob) {
    return {static_cast<const char*>(git_blob_rawcontent(blob)), static_cast<std::size_t>(git_blob_rawsize(blob))};
}

Repository::Repository(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {}

Result<Repository> Repository::open(const std::filesystem::path& folder) {
    start_libgit2();
    const std::string attempted = "open the git repository of " + printable(folder.string());
    std::error_code fault;
    const auto here = std::filesystem::canonical(folder, fault);
    if (fault)
        return invalid(attempted, fault.message(), "Name an existing folder.");

    auto handle = std::make_shared<Handle>();
    if (const int code = git_repository_open_ext(out(handle->repository), here.c_str(), 0, nullptr); code < 0)
        return open_failed(here, code);
    const char* root = git_repository_workdir(handle->repository.get());
    if (root == nullptr)
        return invalid(attempted, "the repository is bare: it has no working tree",
                       "Clone it, or run `git worktree add` and use that folder.");
    handle->root = std::filesystem::canonical(root, fault);
    if (fault)
        return failed(attempted, printable(root) + std::string(": ") + fault.message(),
                      "Check that the folder exists and can be read.");
    const auto prefix = prefix_of(here, handle->root);
    if (!prefix)
        return invalid(attempted, "the folder is git's own, not a part of the working tree",
                       "Use " + printable(handle->root.string()) + " or a folder below it.");
    handle->prefix = *prefix;
    handle->common = git_repository_commondir(handle->repository.get());
    return Repository(std::move(handle));
}

const std::string& Repository::prefix() const {
    return handle_->prefix;
}

Result<std::optional<Entry>> Repository::read(const Commit& commit, const std::string& path) const {
    const std::lock_guard lock(handle_->guard);
    git_repository* repository = handle_->repository.get();
    auto tree = find_tree(repository, commit.tree);
    if (!tree)
        return tl::unexpected(tree.error());
    std::string place = path;
    while (!place.empty() && place.back() == '/')
        place.pop_back();
    if (place.empty())
        return Entry{Entry::Kind::folder, ""};
    if (place.find('\0') != std::string::npos)
        return std::nullopt;

    TreeEntryHandle entry;
    const int code = git_tree_entry_bypath(out(entry), tree->get(), place.c_str());
    // A missing object deep in the tree is GIT_ENOTFOUND too; only libgit2's tree class means "no such name".
    if (code == GIT_ENOTFOUND && git_error_last() != nullptr && git_error_last()->klass == GIT_ERROR_TREE)
        return std::nullopt;
    if (code < 0)
        return git_failed("read " + printable(place) + " in commit " + commit.id, code);
    Entry found{kind_of(git_tree_entry_filemode(entry.get())), ""};
    if (found.kind == Entry::Kind::folder || found.kind == Entry::Kind::submodule)
        return found;
    auto blob = find_blob(repository, *git_tree_entry_id(entry.get()), place);
    if (!blob)
        return tl::unexpected(blob.error());
    found.content = bytes_of(blob->get());
    return found;
}

Result<std::vector<std::string>> changed_files(git_repository* repository, std::size_t limit, unsigned flags) {
    git_status_options options = GIT_STATUS_OPTIONS_INIT;
    options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
    options.flags = GIT_STATUS_OPT_SORT_CASE_SENSITIVELY | flags; // no untracked files, and the index is not rewritten
    StatusHandle list;
    if (const int code = git_status_list_new(out(list), repository, &options); code < 0)
        return git_failed("compare the working tree with HEAD", code);
    std::vector<std::string> paths;
    const std::size_t count = git_status_list_entrycount(list.get());
    for (std::size_t i = 0; i < count && paths.size() < limit; ++i) {
        const git_status_entry* entry = git_status_byindex(list.get(), i);
        const git_diff_delta* delta = entry->head_to_index != nullptr ? entry->head_to_index : entry->index_to_workdir;
        if (delta != nullptr && entry->status != GIT_STATUS_CURRENT)
            paths.emplace_back(delta->old_file.path != nullptr ? delta->old_file.path : delta->new_file.path);
    }
    return paths;
}

Result<std::vector<std::string>> Repository::uncommitted(std::size_t limit) const {
    const std::lock_guard lock(handle_->guard);
    return changed_files(handle_->repository.get(), limit);
}

const std::filesystem::path& Repository::store() const {
    return handle_->common;
}

Result<void> Repository::exclude(const std::string& line) const {
    const std::lock_guard lock(handle_->guard);
    const auto file = handle_->common / "info" / "exclude";
    const std::string attempted = "add a line to " + printable(file.string());
    if (line.empty() || line.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos)
        return invalid(attempted, "'" + printable(line) + "' is not one line",
                       "Rename the folder: git cannot exclude such a name.");
    std::error_code fault;
    std::filesystem::create_directories(file.parent_path(), fault);
    if (fault)
        return failed(attempted, fault.message(), "Check the permissions of the folder.");

    std::string text;
    if (std::ifstream in(file, std::ios::binary); in)
        text.assign(std::istreambuf_iterator<char>(in), {});
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        auto present = std::string_view(text).substr(begin, end - begin);
        if (present.ends_with('\r'))
            present.remove_suffix(1);
        if (present == line)
            return {};
        begin = end + 1;
    }
    const bool unfinished = !text.empty() && text.back() != '\n';
    return append_to_file(file, (unfinished ? "\n" : "") + line + '\n', attempted);
}

} // namespace holdfast::git
