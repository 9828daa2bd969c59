// SPDX-License-Identifier: GPL-3.0-or-later
// A change made for one commit, brought to another.
#include "core/git/handles.hpp"
#include "core/project/text.hpp"

#include <algorithm>

namespace holdfast::git {

namespace {

using Content = std::optional<std::string>;

git_merge_file_input input_of(const std::string& text) {
    git_merge_file_input input = GIT_MERGE_FILE_INPUT_INIT;
    input.ptr = text.data();
    input.size = text.size();
    return input;
}

/// Nothing when both changed the same lines.
Result<Content> merge_texts(const std::string& path, const std::string& base, const std::string& ours,
                            const std::string& theirs) {
    for (const auto* text : {&base, &ours, &theirs})
        if (text->find('\0') != std::string::npos)
            return std::nullopt;
    const auto ancestor = input_of(base), left = input_of(ours), right = input_of(theirs);
    git_merge_file_result result{};
    if (const int code = git_merge_file(&result, &ancestor, &left, &right, nullptr); code < 0)
        return git_failed("merge " + printable(path), code);
    Content merged;
    if (result.automergeable != 0)
        merged = std::string(result.ptr, result.len);
    git_merge_file_result_free(&result);
    return merged;
}

bool is_file(const std::optional<Entry>& entry) {
    return entry && (entry->kind == Entry::Kind::file || entry->kind == Entry::Kind::executable);
}

Content content_of(const std::optional<Entry>& entry) {
    return is_file(entry) ? Content(entry->content) : std::nullopt;
}

/// One path, three ways.
struct Sides {
    std::optional<Entry> base, ours;
    const Content& theirs;
};

enum class Outcome { same, change, conflict };

/// On `change`, `result` is what to do to ours.
Result<Outcome> merge_file(const std::string& path, const Sides& sides, Content& result) {
    const bool folder = sides.ours && sides.ours->kind == Entry::Kind::folder;
    if (sides.ours && !is_file(sides.ours) && !folder)
        return Outcome::conflict; // a link or a submodule has taken its place
    const auto base = content_of(sides.base), ours = content_of(sides.ours);
    if (ours == sides.theirs)
        return Outcome::same;
    result = sides.theirs;
    if (ours == base)
        return sides.theirs == base ? Outcome::same : Outcome::change;
    if (!base || !ours || !sides.theirs)
        return Outcome::conflict; // added twice, or changed here and removed there
    auto merged = merge_texts(path, *base, *ours, *sides.theirs);
    if (!merged)
        return tl::unexpected(merged.error());
    if (!*merged)
        return Outcome::conflict;
    result = std::move(**merged);
    return result == ours ? Outcome::same : Outcome::change;
}

} // namespace

Result<Changes> Repository::merged(const Commit& base, const Commit& ours, const Changes& theirs) const {
    const std::string attempted = "merge the change into " + printable(ours.id);
    const std::string remedy = "Measure the change on the new commit: start a study there.";
    Changes result;
    std::string conflicts;
    for (const auto& [path, content] : theirs) {
        auto before = read(base, path), now = read(ours, path);
        if (!before || !now)
            return tl::unexpected((before ? now : before).error());
        Content merged;
        const auto outcome = merge_file(path, {std::move(*before), std::move(*now), content}, merged);
        if (!outcome)
            return tl::unexpected(outcome.error());
        if (*outcome == Outcome::conflict)
            conflicts += (conflicts.empty() ? "" : ", ") + printable(path);
        if (*outcome == Outcome::change)
            result.emplace_back(path, std::move(merged));
    }
    if (!conflicts.empty())
        return refused(attempted, "both sides changed " + conflicts, remedy);
    // A folder where the other side has a file: seen only with all changes in place.
    if (const auto tree = tree_with(ours, result); !tree)
        return refused(attempted, tree.error().found, remedy);
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
}

} // namespace holdfast::git
