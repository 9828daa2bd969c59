// SPDX-License-Identifier: GPL-3.0-or-later
// A hunk's end is where its counts say, if what follows can follow a hunk; else the counts are wrong and it ends at the
// first line that can only be a header, a signature or the end. Anything else there is refused, never skipped: half a
// hunk would be another change than its author's.
#include "core/git/patch_parse.hpp"

#include "core/git/patch_names.hpp"
#include "core/git/paths.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace holdfast::git {

namespace {

constexpr std::size_t most_hunks = 10000; // bounds the search for shifted hunks
constexpr std::size_t shown_bytes = 80;
const std::string make_again = "Make the diff again with `git diff`.";

std::string shown(std::string_view text) {
    return printable(text.substr(0, shown_bytes)) + (text.size() > shown_bytes ? "..." : "");
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const bool converted = !lines.empty() && std::all_of(lines.begin(), lines.end(),
                                                         [](std::string_view line) { return line.ends_with('\r'); });
    if (converted) // the patch as a whole went through a system with CRLF; the files' own endings are found later
        for (auto& line : lines)
            line.remove_suffix(1);
    return lines;
}

struct Range {
    std::size_t first = 0, old_count = 1, new_count = 1;
};

bool take_number(std::string_view& text, std::size_t& number) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word))
        return false;
    text.remove_prefix(word.size());
    return true;
}

/// "@@ -first[,count] +first[,count] @@"; nothing when the numbers are left out or broken.
std::optional<Range> range_of(std::string_view line) {
    Range range;
    std::size_t new_first = 0;
    if (!take(line, "@@ -") || !take_number(line, range.first))
        return std::nullopt;
    if (take(line, ",") && !take_number(line, range.old_count))
        return std::nullopt;
    if (!take(line, " +") || !take_number(line, new_first))
        return std::nullopt;
    if (take(line, ",") && !take_number(line, range.new_count))
        return std::nullopt;
    if (!take(line, " @@"))
        return std::nullopt;
    return range;
}

bool binary_notice(std::string_view line) {
    return line.starts_with("GIT binary patch") || (line.starts_with("Binary files ") && line.ends_with(" differ"));
}

/// What a section's headers say, before it is known which file it is.
struct Headers {
    std::optional<std::string> git_path, old_name, new_name;
    bool added = false, removed = false;
};

class Parser {
public:
    explicit Parser(std::string_view text) : lines_(lines_of(text)) {}

    Result<std::vector<FilePatch>> run() {
        while (at_ < lines_.size()) {
            const auto line = header(at_);
            if (line.starts_with("diff --git ") || file_header(at_)) {
                if (auto done = section(); !done)
                    return tl::unexpected(done.error());
            } else if (line.starts_with("diff --cc ") || line.starts_with("diff --combined ")) {
                return refuse(at_, "a combined diff of a merge", "Make a diff between two commits.");
            } else if (binary_notice(line)) {
                return refuse_binary();
            } else if (range_of(line)) {
                return refuse(at_, "a hunk that belongs to no file", "Put '--- a/FILE' and '+++ b/FILE' before it.");
            } else {
                ++at_; // mail headers, a commit message, a diffstat, a signature
            }
        }
        if (files_.empty())
            return refused("read the patch", "there is no change in it", make_again);
        return std::move(files_);
    }

private:
    tl::unexpected<Error> refuse(std::size_t line, const std::string& found, const std::string& remedy) const {
        return refused("read the patch", "line " + std::to_string(line + 1) + ": " + found, remedy);
    }
    tl::unexpected<Error> refuse_binary() const {
        return refuse(at_, "a binary change; only text can be reviewed", "Leave binary files out of the patch.");
    }
    tl::unexpected<Error> refuse_mode(std::string_view mode) const {
        if (mode == "120000")
            return refuse(at_, "a symbolic link", "Change regular files only.");
        if (mode == "160000")
            return refuse(at_, "a submodule", "Change regular files only.");
        return refuse(at_, "a change of the file mode ('" + shown(mode) + "')",
                      "Leave modes as they are; a new file has mode 100644.");
    }

    /// A line outside of hunks: a stray carriage return is not part of a header.
    std::string_view header(std::size_t at) const {
        auto line = lines_[at];
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        return line;
    }

    bool file_header(std::size_t at) const {
        return at + 1 < lines_.size() && lines_[at].starts_with("--- ") && lines_[at + 1].starts_with("+++ ");
    }

    Result<void> section() {
        FilePatch file;
        file.patch_line = at_ + 1;
        Headers headers;
        if (auto done = git_headers(headers); !done)
            return done;
        if (file_header(at_)) {
            headers.old_name = header_name(header(at_).substr(4));
            headers.new_name = header_name(header(at_ + 1).substr(4));
            if (!headers.old_name || !headers.new_name)
                return refuse(at_, "a quoted file name that does not end or has an unknown escape", make_again);
            at_ += 2;
        }
        if (auto done = name(file, headers); !done)
            return done;
        for (;;) {
            const auto next = skip_blank(at_);
            if (next == lines_.size() || !lines_[next].starts_with("@@"))
                break;
            at_ = next;
            if (auto done = hunk(file); !done)
                return done;
        }
        if (at_ < lines_.size() && binary_notice(header(at_)))
            return refuse_binary();
        if (file.hunks.empty() && file.change == PlacedFile::Change::modified)
            return refuse(file.patch_line - 1, printable(file.path) + " is named without any hunk", make_again);
        if (!seen_.insert(file.path).second)
            return refuse(file.patch_line - 1, printable(file.path) + " is in the patch twice",
                          "Squash the patch into one diff.");
        files_.push_back(std::move(file));
        return {};
    }

    /// From "diff --git" to before "--- ", if the section has such headers at all.
    Result<void> git_headers(Headers& headers) {
        auto line = header(at_);
        if (!take(line, "diff --git "))
            return {};
        headers.git_path = path_of_git_line(line);
        for (++at_; at_ < lines_.size() && !file_header(at_); ++at_) {
            line = header(at_);
            if (take(line, "new file mode ")) {
                headers.added = true;
                if (line != "100644")
                    return refuse_mode(line);
            } else if (take(line, "deleted file mode ")) {
                headers.removed = true;
                if (line != "100644" && line != "100755")
                    return refuse_mode(line);
            } else if (take(line, "old mode ") || take(line, "new mode ")) {
                return refuse_mode(line);
            } else if (line.starts_with("rename ") || line.starts_with("copy ")) {
                return refuse(at_, "a rename or a copy",
                              "Write it as one removed and one added file (`git diff --no-renames`).");
            } else if (binary_notice(line)) {
                return refuse_binary();
            } else if (line.starts_with("index ")) {
                if (line.ends_with(" 120000") || line.ends_with(" 160000"))
                    return refuse_mode(line.substr(line.size() - 6));
            } else if (!line.starts_with("similarity index ") && !line.starts_with("dissimilarity index ")) {
                break;
            }
        }
        return {};
    }

    Result<void> name(FilePatch& file, const Headers& headers) {
        const auto line = file.patch_line - 1;
        const bool no_old = headers.old_name == "/dev/null", no_new = headers.new_name == "/dev/null";
        const bool added = headers.added || no_old, removed = headers.removed || no_new;
        if (added && removed)
            return refuse(line, "a file that is both added and removed", make_again);
        std::optional<std::string> path = headers.git_path;
        if (headers.old_name && !no_old && !no_new)
            path = common_path(*headers.old_name, *headers.new_name);
        else if (headers.old_name && !path)
            path = without_prefix(no_old ? *headers.new_name : *headers.old_name);
        if (!path)
            return refuse(line, "two different file names for one change",
                          "Give the same file on both sides; write a rename as one removed and one added file.");
        if (headers.git_path && (*headers.git_path != *path || !agrees(headers, no_old, no_new)))
            return refuse(line, "the 'diff --git' line names another file than the '---' and '+++' lines", make_again);
        if (const auto fault = path_fault(*path))
            return refuse(line, "the path '" + shown(*path) + "' " + *fault,
                          "Name a file inside the repository, from its root.");
        file.path = *path;
        file.change = added     ? PlacedFile::Change::added
                      : removed ? PlacedFile::Change::removed
                                : PlacedFile::Change::modified;
        return {};
    }

    /// Whether the side that is not /dev/null is the file that `diff --git` names.
    static bool agrees(const Headers& headers, bool no_old, bool no_new) {
        if (!headers.old_name || (!no_old && !no_new))
            return true;
        const auto& given = no_old ? *headers.new_name : *headers.old_name;
        return given == *headers.git_path || without_prefix(given) == *headers.git_path;
    }

    std::size_t skip_blank(std::size_t at) const {
        while (at < lines_.size() && header(at).empty())
            ++at;
        return at;
    }

    Result<void> hunk(FilePatch& file) {
        const auto top = at_;
        if (header(top).starts_with("@@@"))
            return refuse(top, "a combined diff of a merge", "Make a diff between two commits.");
        if (++hunks_ > most_hunks)
            return refuse(top, "more than " + std::to_string(most_hunks) + " hunks", "Propose a smaller change.");
        const auto range = range_of(header(top));
        auto end = range ? end_by_counts(top + 1, *range) : std::nullopt;
        if (!end) {
            auto found = end_by_look(top + 1);
            if (!found)
                return tl::unexpected(found.error());
            end = *found;
        }
        old_ended_ = new_ended_ = false;
        Hunk hunk;
        hunk.patch_line = top + 1;
        if (range) {
            hunk.first = range->first;
            hunk.old_count = range->old_count;
        }
        for (at_ = top + 1; at_ < *end; ++at_)
            if (auto done = add_line(hunk, lines_[at_]); !done)
                return done;
        if (hunk.lines.empty())
            return refuse(top, "a hunk without lines", make_again);
        file.hunks.push_back(std::move(hunk));
        return {};
    }

    /// Where the hunk ends if its counts are right; nothing when they cannot be.
    std::optional<std::size_t> end_by_counts(std::size_t at, Range left) const {
        while (left.old_count > 0 || left.new_count > 0) {
            if (at == lines_.size())
                return std::nullopt;
            const char kind = header(at).empty() ? ' ' : lines_[at].front();
            const bool in_old = kind == ' ' || kind == '-', in_new = kind == ' ' || kind == '+';
            if ((!in_old && !in_new && kind != '\\') || (in_old && left.old_count == 0) ||
                (in_new && left.new_count == 0))
                return std::nullopt;
            left.old_count -= in_old ? 1 : 0;
            left.new_count -= in_new ? 1 : 0;
            ++at;
        }
        while (at < lines_.size() && lines_[at].starts_with('\\'))
            ++at;
        const auto next = skip_blank(at);
        if (next == lines_.size() || file_header(next) || signature(next))
            return at;
        return std::string_view(" +-\\").find(lines_[next].front()) == std::string_view::npos ? std::optional(at)
                                                                                              : std::nullopt;
    }

    Result<std::size_t> end_by_look(std::size_t at) const {
        const auto top = at;
        for (; at < lines_.size(); ++at) {
            const auto line = header(at);
            const bool opens_file = file_header(at) && at + 2 < lines_.size() && lines_[at + 2].starts_with("@@");
            if (opens_file || signature(at) || line.starts_with("@@") || line.starts_with("diff ") ||
                line.starts_with("From ") || line.starts_with("Index: ") || line.starts_with("```"))
                break;
            if (!line.empty() && std::string_view(" +-\\").find(line.front()) == std::string_view::npos)
                return refuse(at, "'" + shown(line) + "' in the middle of a hunk",
                              "Begin each line of a hunk with a space, '+' or '-'.");
        }
        // Blank lines after a hunk are not its last context; and if they are, less context changes nothing.
        while (at > top && header(at - 1).empty())
            --at;
        return at;
    }

    /// "-- " and a version, as format-patch ends a mail.
    bool signature(std::size_t at) const {
        if (header(at) != "-- " && header(at) != "--")
            return false;
        for (std::size_t next = at + 1; next < lines_.size(); ++next) {
            if (lines_[next].starts_with("From "))
                return true;
            if (next > at + 4 || (!header(next).empty() &&
                                  std::string_view("+- @\\d").find(lines_[next].front()) != std::string_view::npos))
                return false;
        }
        return true;
    }

    Result<void> add_line(Hunk& hunk, std::string_view line) {
        if (line.starts_with('\\')) {
            if (hunk.lines.empty())
                return refuse(at_, "'\\ No newline' before any line", make_again);
            auto& last = hunk.lines.back();
            last.newline = false;
            old_ended_ = old_ended_ || last.kind != HunkLine::Kind::added;
            new_ended_ = new_ended_ || last.kind != HunkLine::Kind::removed;
            return {};
        }
        HunkLine parsed;
        if (line.starts_with('+'))
            parsed.kind = HunkLine::Kind::added;
        else if (line.starts_with('-'))
            parsed.kind = HunkLine::Kind::removed;
        // An empty context line often loses its space on the way; a lone CR is one of a CRLF file.
        parsed.text = line.empty() || line == "\r" ? line : line.substr(1);
        const bool in_old = parsed.kind != HunkLine::Kind::added, in_new = parsed.kind != HunkLine::Kind::removed;
        if ((in_old && old_ended_) || (in_new && new_ended_))
            return refuse(at_, "a line after the file's last line, which has no newline", make_again);
        hunk.lines.push_back(parsed);
        return {};
    }

    std::vector<std::string_view> lines_;
    std::size_t at_ = 0, hunks_ = 0;
    bool old_ended_ = false, new_ended_ = false; // the hunk's side has had its "\\ No newline"
    std::set<std::string> seen_;
    std::vector<FilePatch> files_;
};

} // namespace

Result<std::vector<FilePatch>> parse_patch(std::string_view text) {
    if (text.find('\0') != std::string_view::npos)
        return refused("read the patch", "it has NUL bytes, so it is binary or UTF-16",
                       "Save it as UTF-8 text and leave binary files out.");
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    return Parser(text).run();
}

} // namespace holdfast::git
