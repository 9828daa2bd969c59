// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/diff_lines.hpp"

#include "app/desktop/diff_inks.hpp"
#include "core/project/text.hpp"
#include "core/project/utf8.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::desktop {

namespace {

using Kind = ShownLine::Kind;
using Line = git::DiffLine;

constexpr std::size_t longest = 4000; // bytes in one row: wider ones are slow to draw and weary to scroll

std::string ink(std::size_t size, Ink ink) {
    return std::string(size, static_cast<char>(ink));
}

ShownLine said(Kind kind, std::string text, Ink colour) {
    std::string inks = ink(text.size(), colour);
    return {kind, std::move(text), std::move(inks), 0, 0, false};
}

/// One file at a time into both forms.
class Builder {
public:
    explicit Builder(ShownDiff& out) : out_(out) {}

    void add(const git::DiffFile& file, std::size_t index) {
        file_ = index;
        both(said(Kind::file, heading(file), Ink::heading));
        const bool binary = is_binary(file);
        if (file.hunks.empty() || binary) {
            place(1, 1, file.path);
            both(said(Kind::note, binary ? binary_words(file) : "No line differs.", Ink::note));
            return;
        }
        before_ = file.before ? inks_of(file.path, *file.before) : std::vector<std::string>{};
        after_ = file.after ? inks_of(file.path, *file.after) : std::vector<std::string>{};
        for (std::size_t i = 0; i < file.hunks.size(); ++i) {
            place(i + 1, file.hunks.size(), file.path);
            add(file.hunks[i]);
        }
    }

private:
    static bool is_binary(const git::DiffFile& file) {
        const auto has_nul = [](const std::optional<std::string>& text) {
            return text && text->find('\0') < 8000; // what git looks at
        };
        return has_nul(file.before) || has_nul(file.after);
    }

    static std::string binary_words(const git::DiffFile& file) {
        const auto size = [](const std::optional<std::string>& text) {
            return text ? fmt::format("{} bytes", text->size()) : std::string("no file");
        };
        return fmt::format("Binary content, not shown: {} before, {} after.", size(file.before), size(file.after));
    }

    static std::string heading(const git::DiffFile& file) {
        return fmt::format("{}{}{}   +{} −{}", printable(file.path),
                           !file.before  ? "   new file"
                           : !file.after ? "   deleted"
                                         : "",
                           file.executable ? "   executable" : "", file.lines_added, file.lines_removed);
    }

    void both(const ShownLine& line) {
        out_.unified.push_back(line);
        out_.before.push_back(line);
        out_.after.push_back(line);
    }

    void place(std::size_t number, std::size_t count, const std::string& path) {
        const std::string words = fmt::format("hunk {} of {} in {}", number, count, printable(path));
        out_.in_unified.push_back({file_, out_.unified.size(), words});
        out_.in_split.push_back({file_, out_.before.size(), words});
    }

    /// The rows of one line, and what is to be said of it.
    std::vector<ShownLine> rows(const Line& line) const {
        const bool old = line.kind == Line::Kind::removed;
        const auto& inks = old ? before_ : after_;
        const std::size_t number = old ? line.old_line : line.new_line;
        std::vector<ShownLine> out =
            shown_rows(line.text, number > 0 && number <= inks.size() ? inks[number - 1] : std::string());
        for (ShownLine& row : out)
            row.kind = line.kind == Line::Kind::added ? Kind::added : old ? Kind::removed : Kind::context;
        out.front().old_line = line.old_line;
        out.front().new_line = line.new_line;
        if (out.size() > 1)
            out.insert(out.begin(),
                       said(Kind::note, fmt::format("↪ One line of {} bytes, in {} rows", line.text.size(), out.size()),
                            Ink::note));
        if (!line.newline)
            out.push_back(said(Kind::note, "No newline at the end of the file.", Ink::note));
        return out;
    }

    void add(const git::DiffHunk& hunk) {
        both(said(Kind::hunk,
                  fmt::format("@@ −{},{} +{},{} @@", hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count),
                  Ink::position));
        std::vector<ShownLine> removed, added;
        for (const Line& line : hunk.lines) {
            const std::vector<ShownLine> shown = rows(line);
            out_.unified.insert(out_.unified.end(), shown.begin(), shown.end());
            if (line.kind == Line::Kind::context)
                pair(removed, added);
            for (const auto& [side, other] : {std::pair(&removed, Line::Kind::added), {&added, Line::Kind::removed}}) {
                if (line.kind == other)
                    continue;
                side->insert(side->end(), shown.begin(), shown.end());
            }
            if (line.kind == Line::Kind::context)
                pair(removed, added);
        }
        pair(removed, added);
    }

    /// The collected lines side by side; the shorter side is filled up.
    void pair(std::vector<ShownLine>& removed, std::vector<ShownLine>& added) {
        const std::size_t height = std::max(removed.size(), added.size());
        for (auto* side : {&removed, &added})
            side->resize(height, said(Kind::filler, "", Ink::plain));
        std::move(removed.begin(), removed.end(), std::back_inserter(out_.before));
        std::move(added.begin(), added.end(), std::back_inserter(out_.after));
        removed.clear();
        added.clear();
    }

    ShownDiff& out_;
    std::size_t file_ = 0;
    std::vector<std::string> before_, after_; ///< inks by line
};

} // namespace

std::vector<ShownLine> shown_rows(const std::string& text, const std::string& inks) {
    std::vector<ShownLine> rows(1);
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        const std::size_t step = std::max<std::size_t>(1, point.size);
        const bool hidden = point.size == 0 || (is_unsafe(point.value) && point.value != '\t');
        const std::string piece = hidden ? printable(std::string_view(text).substr(at, step)) : text.substr(at, step);
        if (rows.back().text.size() + piece.size() > longest) {
            rows.emplace_back();
            rows.back().continued = true;
        }
        rows.back().text += piece;
        rows.back().inks += std::string(piece.size(), hidden             ? static_cast<char>(Ink::hidden)
                                                      : at < inks.size() ? inks[at]
                                                                         : '\0');
        at += step;
    }
    return rows;
}

ShownDiff shown_diff(const std::vector<git::DiffFile>& files) {
    ShownDiff out;
    Builder builder(out);
    for (std::size_t i = 0; i < files.size(); ++i)
        builder.add(files[i], i);
    return out;
}

} // namespace holdfast::desktop
