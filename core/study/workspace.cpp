// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/workspace.hpp"

#include "core/git/patch.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/input_bytes.hpp"

#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr auto passable = fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec;
constexpr const char* note = "project"; // the path of the project whose trees these are

/// The folder's name in the cache.
std::string name_of(const fs::path& project) {
    return sha256(project.string()).substr(0, 16);
}

/// What inputs made for one seed are called.
std::string with_seed(const Workload& workload, std::int64_t seed) {
    return fmt::format("{} (seed {})", workload.name, seed);
}

/// A tree becomes visible under its final name only when it is whole.
Result<void> publish(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::rename(from, to, code);
    if (code && !fs::exists(to))
        return failed("publish the folder " + to.string(), code.message(), "Check the cache folder's permissions");
    return {};
}

} // namespace

Workspace::Workspace(const Project& project, const git::Repository& repository, Runner& runner)
    : project_(&project), repository_(&repository), runner_(&runner),
      folder_(runner.cache() / name_of(project.folder)) {}

Result<Workspace> Workspace::open(const Project& project, const git::Repository& repository, Runner& runner) {
    Workspace workspace(project, repository, runner);
    if (auto removed = remove_tree(workspace.folder_ / "runs"); !removed)
        return tl::unexpected(removed.error());
    for (const char* name : {"", "trees", "builds", "fetched", "inputs", "runs"})
        if (auto made = make_folder(workspace.folder_ / name, passable); !made)
            return tl::unexpected(made.error());
    if (auto made = make_folder(workspace.folder_ / "expected", fs::perms::owner_all); !made)
        return tl::unexpected(made.error());
    // For cleaning up: a name alone does not tell whether the project is still there.
    if (auto written = write_file(workspace.folder_ / note, project.folder.string()); !written)
        return tl::unexpected(written.error());
    std::error_code code;
    fs::permissions(workspace.folder_ / note, fs::perms::owner_read | fs::perms::owner_write, code);
    if (code)
        return failed("protect " + (workspace.folder_ / note).string(), code.message(),
                      "Check the cache folder's permissions");
    return workspace;
}

std::optional<fs::path> Workspace::project_of(const fs::path& folder) {
    const auto text = read_output(folder, note, 1 << 16);
    if (!text || !*text || name_of(**text) != folder.filename())
        return std::nullopt;
    return fs::path(**text);
}

Result<fs::path> Workspace::tree(const git::Commit& commit, const git::Changes& changes,
                                 const std::string& tree) const {
    // Also where the project tracks them in git: what tuners must not know is in no tree that a candidate sees.
    std::vector<std::string> leave_out{repository_->prefix() + ".holdfast",
                                       repository_->prefix() + project_->holdout_file};
    for (const Workload* workload : project_->with_role(Role::holdout))
        for (const std::string& input : workload->inputs)
            leave_out.push_back(repository_->prefix() + input);
    std::string key = tree;
    for (const std::string& path : leave_out)
        key += '\0' + path;
    const fs::path final_place = folder_ / "trees" / sha256(key).substr(0, 24);
    if (!fs::exists(final_place)) {
        const fs::path draft = final_place.string() + ".draft";
        auto done = remove_tree(draft);
        if (done)
            done = repository_->export_tree(commit, draft, leave_out);
        if (done)
            done = git::write_changes(changes, draft);
        if (done)
            done = runner_->give(draft);
        if (done)
            done = publish(draft, final_place);
        if (!done)
            return tl::unexpected(done.error());
    }
    return final_place / repository_->prefix();
}

Result<fs::path> Workspace::inputs(const Workload& workload, const git::Commit& commit) {
    const fs::path draft = folder_ / "inputs" / "draft";
    auto done = remove_tree(draft);
    if (done)
        done = make_folder(draft, passable);
    std::map<std::string, std::string> hashes;
    for (const std::string& input : workload.inputs) {
        if (!done)
            break;
        const std::string name = fs::path(input).filename().string();
        auto bytes = input_bytes(*project_, *repository_, commit, workload, input);
        if (!bytes)
            return tl::unexpected(bytes.error());
        hashes[name] = sha256(*bytes);
        done = write_file(draft / name, *bytes);
    }
    const std::string hash = combined_hash(hashes);
    const fs::path place = made_place(workload.name, hash);
    if (done)
        done = remove_tree(place);
    if (done)
        done = runner_->give(draft);
    if (done)
        done = publish(draft, place);
    if (!done)
        return tl::unexpected(done.error());
    input_hashes_[workload.name] = hash;
    return place;
}

fs::path Workspace::made_place(const std::string& name, const std::string& hash) const {
    return folder_ / "inputs" / sha256(name + '\0' + hash).substr(0, 24);
}

/// `name` among the hashes of inputs.
Result<fs::path> Workspace::keep_made(const std::string& name, const fs::path& made) {
    auto hashes = hash_folder(made);
    if (!hashes)
        return tl::unexpected(hashes.error());
    const std::string hash = combined_hash(*hashes);
    const fs::path place = made_place(name, hash);
    auto done = remove_tree(place);
    if (done)
        done = publish(made, place);
    if (!done)
        return tl::unexpected(done.error());
    input_hashes_[name] = hash;
    return place;
}

Result<fs::path> Workspace::generated(const Workload& workload, std::int64_t seed, const fs::path& made) {
    return keep_made(with_seed(workload, seed), made);
}

Result<fs::path> Workspace::varied(const Workload& workload, std::int64_t seed, const Variant& variant,
                                   const fs::path& made) {
    return keep_made(fmt::format("{} variant {}", with_seed(workload, seed), variant.name), made);
}

Result<std::string> Workspace::changed_input() const {
    for (const auto& [name, hash] : input_hashes_) {
        auto hashes = hash_folder(made_place(name, hash));
        if (!hashes)
            return tl::unexpected(hashes.error());
        if (combined_hash(*hashes) != hash)
            return name;
    }
    return std::string();
}

Result<void> Workspace::forget(const Workload& workload, std::int64_t seed) {
    const std::string name = with_seed(workload, seed);
    Result<void> done;
    for (auto each = input_hashes_.begin(); each != input_hashes_.end();) {
        if (each->first != name && !each->first.starts_with(name + " variant ")) {
            ++each;
            continue;
        }
        if (auto removed = remove_tree(made_place(each->first, each->second)); !removed)
            done = removed;
        each = input_hashes_.erase(each);
    }
    auto removed = remove_tree(expected(workload, seed));
    return removed ? done : removed;
}

fs::path Workspace::expected(const Workload& workload, std::int64_t seed) const {
    return folder_ / "expected" / sha256(fmt::format("{}\n{}", workload.name, seed)).substr(0, 24);
}

Result<fs::path> Workspace::scratch() const {
    const fs::path folder = folder_ / "runs" / fmt::format("{}-{}", ::getpid(), next_scratch_++);
    auto done = make_folder(folder, fs::perms::owner_all);
    if (done)
        done = runner_->give(folder);
    if (!done)
        return tl::unexpected(done.error());
    return folder;
}

} // namespace holdfast::study
