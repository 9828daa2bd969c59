// SPDX-License-Identifier: GPL-3.0-or-later
// Hunks placed on a full text. Lines become numbers (equal lines, equal numbers), a hunk's old lines a pattern, and a
// shifted hunk is found by Knuth, Morris and Pratt's search: a hostile patch of equal lines costs no more than another.
// libgit2's git_apply_to_tree takes exact line numbers only (libgit2 issue 6463).
#include "core/git/patch_parse.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <unordered_map>

namespace holdfast::git {

namespace {

using Kind = HunkLine::Kind;
constexpr std::size_t shown_bytes = 80;

std::string shown(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    return "'" + printable(text.substr(0, shown_bytes)) + (text.size() > shown_bytes ? "..." : "") + "'";
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> lines; // each with its newline, but perhaps the last
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::string_view ending(std::string_view line) {
    if (line.ends_with("\r\n"))
        return "\r\n";
    return line.ends_with('\n') ? "\n" : "";
}

/// How line endings of file and patch are compared.
enum class Endings {
    exact,
    of_file, ///< a carriage return makes no difference; added lines end like their neighbour in the file
};

/// Where `pattern` is in `text`, at most `limit` places.
std::vector<std::size_t> find_all(const std::vector<int>& text, const std::vector<int>& pattern, std::size_t limit) {
    std::vector<std::size_t> border(pattern.size() + 1, 0), places;
    for (std::size_t i = 1, length = 0; i < pattern.size(); border[++i] = length) {
        while (length > 0 && pattern[i] != pattern[length])
            length = border[length];
        length += pattern[i] == pattern[length] ? 1 : 0;
    }
    for (std::size_t i = 0, length = 0; i < text.size() && places.size() < limit; ++i) {
        while (length > 0 && text[i] != pattern[length])
            length = border[length];
        length += text[i] == pattern[length] ? 1 : 0;
        if (length == pattern.size()) {
            places.push_back(i + 1 - length);
            length = border[length];
        }
    }
    return places;
}

class Placement {
public:
    Placement(const std::string& path, std::string_view before, const std::vector<Hunk>& hunks, Endings endings)
        : path_(path), lines_(split(before)), hunks_(hunks), endings_(endings) {
        for (const auto line : lines_)
            keys_.push_back(numbers_.try_emplace(comparable(line), static_cast<int>(numbers_.size())).first->second);
    }

    Result<std::string> run() {
        for (; number_ < hunks_.size(); ++number_) {
            const Hunk& hunk = hunks_[number_];
            const auto pattern = pattern_of(hunk);
            const auto place = pattern.empty() ? place_of_insertion(hunk) : place_of(hunk, pattern);
            if (!place)
                return tl::unexpected(place.error());
            if (*place < done_)
                return refuse("it lies in or before the lines of the hunk above it",
                              "Put the hunks in the order of the file and let none overlap.");
            if (auto written = write(hunk, *place); !written)
                return tl::unexpected(written.error());
        }
        copy_until(lines_.size());
        return std::move(result_);
    }

private:
    tl::unexpected<Error> refuse(const std::string& found, const std::string& remedy) const {
        return refused("place hunk " + std::to_string(number_ + 1) + " (line " +
                           std::to_string(hunks_[number_].patch_line) + " of the patch) on " + printable(path_),
                       found, remedy);
    }

    std::string comparable(std::string_view line) const {
        if (endings_ == Endings::of_file && line.ends_with("\r\n"))
            return std::string(line.substr(0, line.size() - 2)) + '\n';
        return std::string(line);
    }
    std::string comparable(const HunkLine& line) const {
        return comparable(std::string(line.text) + (line.newline ? "\n" : ""));
    }

    std::vector<int> pattern_of(const Hunk& hunk) const {
        std::vector<int> pattern;
        for (const auto& line : hunk.lines) {
            if (line.kind == Kind::added)
                continue;
            const auto known = numbers_.find(comparable(line));
            pattern.push_back(known == numbers_.end() ? -1 : known->second);
        }
        return pattern;
    }

    /// Only added lines and no context: the line number is all there is, and it counts only when it means "after".
    Result<std::size_t> place_of_insertion(const Hunk& hunk) const {
        if (lines_.empty())
            return 0;
        if (!hunk.first || hunk.old_count != std::size_t{0} || *hunk.first > lines_.size())
            return refuse("it has neither context nor removed lines, so its place is unknown",
                          "Give a few unchanged lines around the change.");
        return *hunk.first;
    }

    Result<std::size_t> place_of(const Hunk& hunk, const std::vector<int>& pattern) const {
        const bool numbered = hunk.first && *hunk.first > 0 && *hunk.first <= lines_.size();
        if (numbered) {
            const auto at = *hunk.first - 1;
            if (keys_.size() - at >= pattern.size() &&
                std::equal(pattern.begin(), pattern.end(), keys_.begin() + static_cast<std::ptrdiff_t>(at)))
                return at;
        }
        const auto places = find_all(keys_, pattern, 4);
        if (places.size() == 1)
            return places.front();
        if (places.empty())
            return refuse(difference(hunk, numbered ? *hunk.first - 1 : lines_.size()),
                          "Make the diff against the study's baseline commit.");
        std::string found = "its old lines are not at the line it names but at several others (lines ";
        for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 3); ++i)
            found += (i > 0 ? ", " : "") + std::to_string(places[i] + 1);
        return refuse(found + (places.size() > 3 ? " and more)" : ")"),
                      "Correct the line number or give more context lines.");
    }

    std::string difference(const Hunk& hunk, std::size_t at) const {
        const std::string nowhere = "its old lines are not in the file";
        for (const auto& line : hunk.lines) {
            if (line.kind == Kind::added)
                continue;
            if (at >= lines_.size()) {
                if (numbers_.find(comparable(line)) == numbers_.end())
                    return nowhere + "; none of its lines is " + shown(line.text);
            } else if (comparable(line) != comparable(lines_[at])) {
                const bool only_newline = shown(line.text) == shown(lines_[at]);
                return nowhere + "; line " + std::to_string(at + 1) + " of the file is " + shown(lines_[at]) +
                       (only_newline ? " with another line ending" : ", the patch has " + shown(line.text));
            }
            at += at < lines_.size() ? 1 : 0;
        }
        return nowhere + " in this order";
    }

    void copy_until(std::size_t end) {
        for (; done_ < end; ++done_)
            append(lines_[done_]);
    }

    void append(std::string_view line) {
        if (!result_.empty() && result_.back() != '\n') // what was the last line is not any more
            result_ += '\n';
        result_ += line;
    }

    Result<void> write(const Hunk& hunk, std::size_t place) {
        copy_until(place);
        bool ended = false; // the new text's last line has been written
        for (const auto& line : hunk.lines) {
            if (line.kind == Kind::context)
                append(lines_[done_]);
            if (line.kind != Kind::added) {
                ++done_;
                continue;
            }
            append(added(line));
            ended = ended || !line.newline;
        }
        if (ended && done_ < lines_.size())
            return refuse("it ends the file without a newline, but " + std::to_string(lines_.size() - done_) +
                              " lines follow",
                          "Remove '\\ No newline at end of file', or make the diff again.");
        return {};
    }

    std::string added(const HunkLine& line) const {
        std::string text(line.text);
        if (endings_ == Endings::exact)
            return text + (line.newline ? "\n" : "");
        if (text.ends_with('\r'))
            text.pop_back();
        std::string_view end = done_ > 0 ? ending(lines_[done_ - 1]) : "";
        if (end.empty() && done_ < lines_.size())
            end = ending(lines_[done_]);
        return text + (!line.newline ? "" : end.empty() ? "\n" : std::string(end));
    }

    const std::string& path_;
    std::vector<std::string_view> lines_;
    const std::vector<Hunk>& hunks_;
    Endings endings_;
    std::unordered_map<std::string, int> numbers_;
    std::vector<int> keys_;
    std::size_t number_ = 0, done_ = 0; // the hunk at work; lines of the old text that have been dealt with
    std::string result_;
};

struct Returns {
    bool any = false, all = true; // carriage returns at line ends
};

Returns returns_in(std::string_view text) {
    Returns found;
    for (const auto line : split(text)) {
        found.any = found.any || ending(line) == "\r\n";
        found.all = found.all && ending(line) != "\n";
    }
    found.all = found.all && found.any;
    return found;
}

Returns returns_in(const std::vector<Hunk>& hunks) {
    Returns found;
    for (const auto& hunk : hunks)
        for (const auto& line : hunk.lines) {
            const bool here = line.text.ends_with('\r');
            found.any = found.any || here;
            found.all = found.all && here;
        }
    return found;
}

bool ends_old_text(const std::vector<Hunk>& hunks) {
    return std::any_of(hunks.begin(), hunks.end(), [](const Hunk& hunk) {
        return std::any_of(hunk.lines.begin(), hunk.lines.end(),
                           [](const HunkLine& line) { return !line.newline && line.kind != Kind::added; });
    });
}

bool ends_new_text(const std::vector<Hunk>& hunks) {
    return std::any_of(hunks.begin(), hunks.end(), [](const Hunk& hunk) { return !hunk.lines.back().newline; });
}

} // namespace

Result<std::string> place_hunks(const std::string& path, std::string_view before, const std::vector<Hunk>& hunks) {
    const Returns in_file = returns_in(before), in_patch = returns_in(hunks);
    // People and agents drop "\ No newline at end of file". Then the file is read as if it had one, and keeps its
    // style.
    std::string completed;
    std::string_view text = before;
    const std::string end = in_file.all ? "\r\n" : "\n";
    const bool complete = !before.empty() && before.back() != '\n' && !ends_old_text(hunks);
    if (complete) {
        completed = std::string(before) + end;
        text = completed;
    }
    const bool may_differ = (in_file.any && !in_patch.any) || (!in_file.all && in_patch.all);
    // In a file of CRLF lines alone a patch without any was written by someone who does not see them: even a hunk
    // without context, which fits exactly, would leave mixed endings.
    auto placed = in_file.all && !in_patch.any ? Placement(path, text, hunks, Endings::of_file).run()
                                               : Placement(path, text, hunks, Endings::exact).run();
    if (!placed && may_differ)
        if (auto again = Placement(path, text, hunks, Endings::of_file).run())
            placed = std::move(again);
    if (placed && complete && !ends_new_text(hunks) && placed->ends_with(end))
        placed->resize(placed->size() - end.size());
    return placed;
}

} // namespace holdfast::git
