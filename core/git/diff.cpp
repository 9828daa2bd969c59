// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/diff.hpp"

#include "core/git/handles.hpp"
#include "core/project/text.hpp"

#include <algorithm>

namespace holdfast::git {

namespace {

bool binary(const std::string& text) {
    return text.find('\0') != std::string::npos;
}

/// Nothing for the remarks that libgit2 adds about a missing final newline.
std::optional<DiffLine> line_of(const git_diff_line& from) {
    DiffLine line;
    if (from.origin == GIT_DIFF_LINE_ADDITION)
        line.kind = DiffLine::Kind::added;
    else if (from.origin == GIT_DIFF_LINE_DELETION)
        line.kind = DiffLine::Kind::removed;
    else if (from.origin != GIT_DIFF_LINE_CONTEXT)
        return std::nullopt;
    line.old_line = static_cast<std::size_t>(std::max(from.old_lineno, 0)); // -1: not on this side
    line.new_line = static_cast<std::size_t>(std::max(from.new_lineno, 0));
    line.text.assign(from.content, from.content_len);
    line.newline = line.text.ends_with('\n');
    if (line.newline)
        line.text.pop_back();
    return line;
}

Result<DiffHunk> hunk_of(git_patch* patch, std::size_t index, const std::string& attempted) {
    const git_diff_hunk* from = nullptr;
    std::size_t count = 0;
    if (const int code = git_patch_get_hunk(&from, &count, patch, index); code < 0)
        return git_failed(attempted, code);
    DiffHunk hunk;
    hunk.old_start = static_cast<std::size_t>(from->old_start);
    hunk.old_count = static_cast<std::size_t>(from->old_lines);
    hunk.new_start = static_cast<std::size_t>(from->new_start);
    hunk.new_count = static_cast<std::size_t>(from->new_lines);
    hunk.lines.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const git_diff_line* line = nullptr;
        if (const int code = git_patch_get_line_in_hunk(&line, patch, index, i); code < 0)
            return git_failed(attempted, code);
        if (auto kept = line_of(*line))
            hunk.lines.push_back(std::move(*kept));
    }
    return hunk;
}

} // namespace

Result<DiffFile> diff_texts(std::string path, std::optional<std::string> before, std::optional<std::string> after,
                            unsigned context) {
    start_libgit2();
    const std::string attempted = "compare the two versions of " + printable(path);
    DiffFile file{std::move(path), std::move(before), std::move(after), false, {}, 0, 0};
    const std::string nothing;
    const std::string& old_text = file.before ? *file.before : nothing;
    const std::string& new_text = file.after ? *file.after : nothing;
    if (old_text == new_text || binary(old_text) || binary(new_text))
        return file;

    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.context_lines = std::min(context, 1000U);
    options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
    PatchHandle patch;
    if (const int code = git_patch_from_buffers(out(patch), old_text.data(), old_text.size(), nullptr, new_text.data(),
                                                new_text.size(), nullptr, &options);
        code < 0)
        return git_failed(attempted, code);
    for (std::size_t i = 0; i < git_patch_num_hunks(patch.get()); ++i) {
        auto hunk = hunk_of(patch.get(), i, attempted);
        if (!hunk)
            return tl::unexpected(hunk.error());
        file.hunks.push_back(std::move(*hunk));
    }
    if (file.hunks.empty())
        return failed(attempted, "texts of this size are not compared", "Compare them with `git diff`.");
    for (const auto& hunk : file.hunks)
        for (const auto& line : hunk.lines) {
            file.lines_added += line.kind == DiffLine::Kind::added ? 1U : 0U;
            file.lines_removed += line.kind == DiffLine::Kind::removed ? 1U : 0U;
        }
    return file;
}

} // namespace holdfast::git
