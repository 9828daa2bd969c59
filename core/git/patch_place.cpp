// SPDX-License-Identifier: GPL-3.0-or-later
// What a patch may touch is decided here, before anything is built: on the paths, on what the base holds at them, and
// on the contents.
#include "core/git/patch.hpp"

#include "core/git/patch_parse.hpp"
#include "core/git/paths.hpp"
#include "core/project/danger_scan.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace holdfast::git {

namespace {

using Change = PlacedFile::Change;

constexpr std::array own_files{"holdfast.json", ".holdfast"};

tl::unexpected<Error> refuse(const std::string& path, const std::string& found, const std::string& remedy) {
    return refused("apply the patch to " + printable(path), found, remedy);
}

/// A protected glob that names a folder protects what is in it: "tests" is meant as "tests/**". In any case of letters:
/// where the file system folds it, Tests/a is checked out over tests/a.
bool protects(std::string glob, std::string_view path) {
    while (glob.ends_with('/'))
        glob.pop_back();
    const std::string folded = lower_case(glob);
    for (; !path.empty(); path = parent_of(path))
        if (matches(glob, std::string(path)) || matches(folded, lower_case(path)))
            return true;
    return false;
}

Result<void> check_rules(const std::string& path, const PatchRules& rules) {
    if (!path.starts_with(rules.prefix))
        return refuse(path, "it is outside the project's folder " + printable(rules.prefix),
                      "Give paths from the repository's root and change the project's files only.");
    const std::string inside = path.substr(rules.prefix.size());
    for (const char* own : own_files)
        if (protects(own, inside))
            return refuse(path, "it is Holdfast's own file, which no candidate may change",
                          "Leave it out of the patch.");
    for (const auto& glob : rules.protected_paths)
        if (protects(glob, inside))
            return refuse(path, "it is protected by '" + printable(glob) + "' in code.protected",
                          "Leave it out of the patch.");
    for (const auto& glob : rules.editable)
        if (matches(glob, inside))
            return {};
    return refuse(path, "it matches none of the globs in code.editable", "Change only files that code.editable names.");
}

/// Every folder on the way must be a folder in the base or not exist.
Result<void> check_way(const Repository& repository, const Commit& base, const std::string& path) {
    for (auto folder = parent_of(path); !folder.empty(); folder = parent_of(folder)) {
        const std::string name(folder);
        const auto entry = repository.read(base, name);
        if (!entry)
            return tl::unexpected(entry.error());
        if (!*entry || (*entry)->kind == Entry::Kind::folder)
            continue;
        if ((*entry)->kind == Entry::Kind::symlink)
            return refuse(path, printable(name) + " is a symbolic link", "Name the file where it really is.");
        if ((*entry)->kind == Entry::Kind::submodule)
            return refuse(path, printable(name) + " is a submodule", "Change the repository's own files only.");
        return refuse(path, printable(name) + " is a file, not a folder", "Choose another path.");
    }
    return {};
}

Result<PlacedFile> start_file(const FilePatch& patch, std::optional<Entry>&& entry) {
    PlacedFile file{patch.path, patch.change, "", "", false};
    if (patch.change == Change::added) {
        if (entry)
            return refuse(file.path, "the patch adds it, but it exists",
                          "Make the diff against the study's baseline commit.");
        return file;
    }
    if (!entry)
        return refuse(file.path, "there is no such file in the baseline",
                      "Check the path; a new file has '--- /dev/null' before '+++ b/FILE'.");
    if (entry->kind == Entry::Kind::symlink)
        return refuse(file.path, "it is a symbolic link", "Change the file that it leads to.");
    if (entry->kind == Entry::Kind::folder || entry->kind == Entry::Kind::submodule)
        return refuse(file.path, "it is a folder or a submodule, not a file", "Name a file.");
    file.executable = entry->kind == Entry::Kind::executable;
    file.before = std::move(entry->content);
    if (file.before.find('\0') != std::string::npos)
        return refuse(file.path, "it is a binary file", "Change text files only.");
    if (file.before.starts_with("version https://git-lfs.github.com/spec/"))
        return refuse(file.path, "it is stored in Git LFS, so its text is not in the repository",
                      "Change files outside Git LFS only.");
    return file;
}

Result<void> fill_after(PlacedFile& file, const FilePatch& patch) {
    if (file.change == Change::added)
        for (std::size_t i = 0; i < patch.hunks.size(); ++i)
            for (const auto& line : patch.hunks[i].lines)
                if (line.kind != HunkLine::Kind::added || i > 0)
                    return refuse(file.path,
                                  "hunk " + std::to_string(i + 1) +
                                      " of a new file must be the only one and "
                                      "have added lines alone",
                                  "Make the diff again with `git diff`.");
    auto after = place_hunks(file.path, file.before, patch.hunks);
    if (!after)
        return tl::unexpected(after.error());
    file.after = std::move(*after);
    if (file.change == Change::removed && !file.after.empty())
        return refuse(file.path, "the patch removes the file but not all of its lines",
                      "Make the diff against the study's baseline commit.");
    return {};
}

/// A path that is a file in one part of the patch and a folder in another.
Result<void> check_conflicts(const std::vector<PlacedFile>& files) {
    for (const auto& file : files)
        for (auto folder = parent_of(file.path); !folder.empty(); folder = parent_of(folder)) {
            const auto at =
                std::lower_bound(files.begin(), files.end(), folder,
                                 [](const PlacedFile& left, std::string_view path) { return left.path < path; });
            if (at != files.end() && at->path == folder)
                return refuse(file.path,
                              "the patch also changes the file " + printable(at->path) + ", which is its folder",
                              "Choose another path.");
        }
    return {};
}

Result<PlacedFile> place_file(const Repository& repository, const Commit& base, const FilePatch& patch,
                              const PatchRules& rules) {
    if (auto allowed = check_rules(patch.path, rules); !allowed)
        return tl::unexpected(allowed.error());
    if (auto clear = check_way(repository, base, patch.path); !clear)
        return tl::unexpected(clear.error());
    auto entry = repository.read(base, patch.path);
    if (!entry)
        return tl::unexpected(entry.error());
    auto file = start_file(patch, std::move(*entry));
    if (!file)
        return file;
    if (auto filled = fill_after(*file, patch); !filled)
        return tl::unexpected(filled.error());
    return file;
}

std::string in_units(std::size_t bytes) {
    return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB" : std::to_string(bytes) + " bytes";
}

} // namespace

bool is_protected(const PatchRules& rules, const std::string& path) {
    if (!path.starts_with(rules.prefix))
        return false;
    const std::string inside = path.substr(rules.prefix.size());
    const auto protects_it = [&](const std::string& glob) { return protects(glob, inside); };
    return std::any_of(own_files.begin(), own_files.end(), protects_it) ||
           std::any_of(rules.protected_paths.begin(), rules.protected_paths.end(), protects_it);
}

Result<PlacedPatch> place_patch(const Repository& repository, const Commit& base, std::string_view text,
                                const PatchRules& rules) {
    if (text.size() > rules.max_bytes)
        return refused("read the patch",
                       "it is " + std::to_string(text.size()) + " bytes, the limit is " + in_units(rules.max_bytes),
                       "Propose a smaller change.");
    const auto parsed = parse_patch(text);
    if (!parsed)
        return tl::unexpected(parsed.error());
    if (parsed->size() > rules.max_files)
        return refused("read the patch",
                       "it changes " + std::to_string(parsed->size()) + " files, the limit is " +
                           std::to_string(rules.max_files),
                       "Propose a smaller change.");
    PlacedPatch placed;
    Changes changes;
    for (const auto& patch : *parsed) {
        auto file = place_file(repository, base, patch, rules);
        if (!file)
            return tl::unexpected(file.error());
        if (file->change == Change::modified && file->before == file->after)
            continue; // "-x +x": nothing that a person could review
        for (const auto& hunk : patch.hunks)
            for (const auto& line : hunk.lines) {
                placed.lines_added += line.kind == HunkLine::Kind::added ? 1 : 0;
                placed.lines_removed += line.kind == HunkLine::Kind::removed ? 1 : 0;
            }
        changes.emplace_back(file->path, file->change == Change::removed ? std::nullopt : std::optional(file->after));
        placed.files.push_back(std::move(*file));
    }
    if (placed.files.empty())
        return refused("apply the patch", "it leaves every file as it was", "Propose a patch that changes something.");
    std::sort(placed.files.begin(), placed.files.end(),
              [](const PlacedFile& left, const PlacedFile& right) { return left.path < right.path; });
    if (auto clear = check_conflicts(placed.files); !clear)
        return tl::unexpected(clear.error());
    auto tree = repository.tree_with(base, changes);
    if (!tree)
        return tl::unexpected(tree.error());
    placed.result_tree = std::move(*tree);
    return placed;
}

} // namespace holdfast::git
