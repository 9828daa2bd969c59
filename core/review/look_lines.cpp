// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look_lines.hpp"

#include "core/project/danger_scan.hpp"
#include "core/project/text.hpp"
#include "core/project/uncommented.hpp"
#include "core/review/look_condition.hpp"
#include "core/review/look_texts.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

namespace holdfast::review::look {

namespace {

constexpr std::size_t lines_ahead = 6;         ///< how far a block is followed
constexpr std::size_t longest_line = 1 << 12;  ///< bytes of a line that are read; more is data
constexpr std::size_t longest_block = 1 << 11; ///< bytes of a block that is followed

bool word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool compiled(Language language) {
    return language == Language::c || language == Language::rust || language == Language::go ||
           language == Language::java || language == Language::script;
}

/// Without a comment that a mark outside of quotes begins.
std::string_view before_mark(std::string_view line, std::string_view mark) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quote != 0 && line[i] == '\\')
            ++i;
        else if (quote != 0)
            quote = line[i] == quote ? '\0' : quote;
        else if (line[i] == '"' || line[i] == '\'')
            quote = line[i];
        else if (line.substr(i).starts_with(mark) &&
                 (mark != "#" || i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return line.substr(0, i);
    }
    return line;
}

/// One side of a hunk, line after line.
class Side {
public:
    explicit Side(Language language) : language_(language) {}

    std::string code(std::string_view line) {
        line = line.substr(0, longest_line);
        if (compiled(language_)) {
            // A hunk may begin inside a comment.
            const std::string_view start = trimmed(line);
            const bool middle = start.starts_with("* ") || start == "*" || start.starts_with("*/");
            std::string text = uncommented_.next(line);
            if (language_ == Language::go && start.starts_with("//go:")) // the compiler reads it
                return std::string(start);
            return middle ? "" : std::string(trimmed(text));
        }
        if (language_ == Language::sql)
            return std::string(trimmed(before_mark(line, "--")));
        return std::string(trimmed(before_mark(line, "#")));
    }

private:
    Language language_;
    Uncommented uncommented_;
};

/// Columns before the first character that shows.
std::size_t indent_of(std::string_view text) {
    constexpr std::size_t tab = 8;
    std::size_t columns = 0;
    for (const char c : text)
        if (c == '\t')
            columns = (columns / tab + 1) * tab;
        else if (c == ' ')
            ++columns;
        else
            break;
    return columns;
}

bool holds_hidden(std::string_view text) {
    std::string shown(text.substr(0, text.size() - (text.ends_with('\r') ? 1 : 0)));
    std::replace(shown.begin(), shown.end(), '\t', ' ');
    return printable(shown) != shown;
}

/// Takes the lines of one hunk in their order.
class HunkReader {
public:
    explicit HunkReader(Language language) : language_(language), before_(language), after_(language) {}

    template <class Kind> void take(Kind kind, std::string_view text, std::size_t old_line, std::size_t new_line) {
        if (kind != Kind::added)
            keep(hunk_.before, before_.code(text), text, old_line, kind == Kind::removed);
        if (kind != Kind::removed)
            keep(hunk_.after, after_.code(text), text, new_line, kind == Kind::added);
    }

    Hunk finish() {
        look_around(hunk_.before);
        look_around(hunk_.after);
        return std::move(hunk_);
    }

private:
    static void keep(std::vector<Line>& side, std::string code, std::string_view text, std::size_t number,
                     bool changed) {
        Line line;
        line.number = number;
        line.changed = changed;
        line.text = std::string(text.substr(0, longest_line));
        line.code = std::move(code);
        line.tokens = tokens_of(line.code);
        line.indent = indent_of(text);
        line.hidden = changed && holds_hidden(text);
        side.push_back(std::move(line));
    }

    void look_around(std::vector<Line>& side) const {
        for (std::size_t i = 0; i < side.size(); ++i) {
            if (side[i].code.empty())
                continue;
            for (std::size_t j = i + 1;
                 j < side.size() && j <= i + lines_ahead && side[i].follows.size() < longest_block; ++j) {
                const std::string& next = side[j].code;
                if (next.empty() || next.starts_with('#'))
                    continue;
                if (side[j].indent <= side[i].indent && !next.starts_with('{'))
                    break;
                if (next.starts_with('}') || next.starts_with("if ") || next == "fi")
                    break;
                side[i].follows += next + '\n';
            }
            side[i].guarded = guarded(side, i);
            side[i].conditional = conditional(side, i);
            const auto next = std::find_if(side.begin() + static_cast<std::ptrdiff_t>(i) + 1, side.end(),
                                           [](const Line& line) { return !line.code.empty(); });
            side[i].empty_block = side[i].code.ends_with('{') && next != side.end() && next->code.starts_with('}');
            read_condition(side, i);
        }
    }

    void read_condition(std::vector<Line>& side, std::size_t at) const {
        std::vector<std::string> tokens;
        bool anew = false;
        for (std::size_t i = at; i < side.size() && i <= at + lines_ahead; ++i) {
            tokens.insert(tokens.end(), side[i].tokens.begin(), side[i].tokens.end());
            anew = anew || side[i].changed;
            if (auto asked = condition_in(tokens, language_)) {
                side[at].condition = std::move(asked->tokens);
                side[at].asserts = asked->asserted;
                side[at].asks_anew = anew;
                return;
            }
        }
    }

    static bool opens_conditional(const Line& line) {
        for (const char* opens : {"if ", "if(", "} else if", "else if", "catch", "} catch", "except", "elif "})
            if (line.code.starts_with(opens))
                return true;
        return false;
    }

    static bool conditional(const std::vector<Line>& side, std::size_t at) {
        for (std::size_t back = 1; back <= lines_ahead && back <= at; ++back)
            if (const Line& seen = side[at - back];
                !seen.code.empty() && seen.code != "{" && seen.indent < side[at].indent)
                return opens_conditional(seen) && seen.code.find("catch") == std::string::npos &&
                       !seen.code.starts_with("except");
        return false;
    }

    static bool guarded(const std::vector<Line>& side, std::size_t at) {
        for (std::size_t back = 1; back <= lines_ahead && back <= at; ++back) {
            const Line& seen = side[at - back];
            if (opens_conditional(seen))
                return seen.changed;
            if (seen.code.starts_with('}'))
                return false;
        }
        return false;
    }

    Language language_;
    Side before_, after_;
    Hunk hunk_;
};

void take_changed(const std::vector<Line>& side, std::vector<Line>& into) {
    std::copy_if(side.begin(), side.end(), std::back_inserter(into),
                 [](const Line& line) { return line.changed && !line.code.empty(); });
}

std::vector<File> finished(std::vector<File> files) {
    read_texts(files);
    for (File& file : files)
        for (const Hunk& hunk : file.hunks) {
            take_changed(hunk.before, file.removed);
            take_changed(hunk.after, file.added);
        }
    return files;
}

bool is_own_word(const std::string& token) {
    static const std::set<std::string, std::less<>> words{"if",    "else",   "for",    "while",    "return", "throw",
                                                          "catch", "try",    "raise",  "except",   "switch", "case",
                                                          "break", "assert", "const",  "continue", "not",    "and",
                                                          "or",    "match",  "double", "float",    "int",    "long"};
    return words.count(token) != 0;
}

} // namespace

Language language_of(std::string_view path) {
    static const std::map<std::string, Language, std::less<>> endings{
        {".c", Language::c},        {".h", Language::c},        {".cc", Language::c},       {".cpp", Language::c},
        {".cxx", Language::c},      {".hh", Language::c},       {".hpp", Language::c},      {".hxx", Language::c},
        {".inl", Language::c},      {".ipp", Language::c},      {".cu", Language::c},       {".m", Language::c},
        {".rs", Language::rust},    {".go", Language::go},      {".java", Language::java},  {".kt", Language::java},
        {".scala", Language::java}, {".cs", Language::java},    {".js", Language::script},  {".mjs", Language::script},
        {".cjs", Language::script}, {".ts", Language::script},  {".tsx", Language::script}, {".jsx", Language::script},
        {".py", Language::python},  {".pyx", Language::python}, {".sh", Language::shell},   {".bash", Language::shell},
        {".zsh", Language::shell},  {".sql", Language::sql}};
    const auto found = endings.find(lower_case(std::filesystem::path(path).extension().string()));
    return found == endings.end() ? Language::none : found->second;
}

std::vector<std::string> tokens_of(std::string_view code) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < code.size();) {
        const char c = code[at];
        std::size_t end = at + 1;
        if (word_character(c)) {
            const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
            while (end < code.size() && (word_character(code[end]) || (number && code[end] == '.')))
                ++end;
            tokens.emplace_back(code.substr(at, end - at));
        } else if (c == '"' || c == '\'') {
            while (end < code.size() && code[end] != c)
                end += code[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, code.size());
            tokens.emplace_back("\"\"");
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            tokens.emplace_back(1, c);
        }
        at = end;
    }
    return tokens;
}

bool is_word(std::string_view token) {
    return !token.empty() && word_character(token.front()) &&
           std::isdigit(static_cast<unsigned char>(token.front())) == 0;
}

bool is_number(std::string_view token) {
    return !token.empty() && std::isdigit(static_cast<unsigned char>(token.front())) != 0;
}

bool is_code(const File& file) {
    return file.language != Language::none;
}

bool has(const std::vector<std::string>& tokens, std::initializer_list<std::string_view> words) {
    return std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
        return std::find(words.begin(), words.end(), token) != words.end();
    });
}

bool has_part(const std::vector<std::string>& tokens, std::initializer_list<std::string_view> parts) {
    return std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
        const std::string small = lower_case(token);
        return std::any_of(parts.begin(), parts.end(),
                           [&](std::string_view part) { return small.find(part) != std::string::npos; });
    });
}

double likeness(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    if (left.empty() || right.empty())
        return 0;
    std::vector<std::string> a = left, b = right, both;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return 2.0 * static_cast<double>(both.size()) / static_cast<double>(a.size() + b.size());
}

std::string skeleton(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens)
        text += (is_word(token) && !is_own_word(token) ? "n" : token) + ' ';
    return text;
}

std::vector<File> files_of(const std::vector<git::FilePatch>& patch) {
    std::vector<File> files;
    for (const git::FilePatch& each : patch) {
        File file{each.path, language_of(each.path), {}, {}, {}};
        std::ptrdiff_t shift = 0; // of the lines after a hunk
        for (const git::Hunk& hunk : each.hunks) {
            HunkReader reader(file.language);
            std::size_t before = std::max<std::size_t>(hunk.first.value_or(1), 1);
            auto after = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(before) + shift);
            for (const git::HunkLine& line : hunk.lines) {
                using Kind = git::HunkLine::Kind;
                reader.take(line.kind, line.text, before, after);
                before += line.kind != Kind::added ? 1 : 0;
                after += line.kind != Kind::removed ? 1 : 0;
                shift += line.kind == Kind::added ? 1 : line.kind == Kind::removed ? -1 : 0;
            }
            file.hunks.push_back(reader.finish());
        }
        files.push_back(std::move(file));
    }
    return finished(std::move(files));
}

std::vector<File> files_of(const std::vector<git::DiffFile>& diff) {
    std::vector<File> files;
    for (const git::DiffFile& each : diff) {
        File file{each.path, language_of(each.path), {}, {}, {}};
        for (const git::DiffHunk& hunk : each.hunks) {
            HunkReader reader(file.language);
            for (const git::DiffLine& line : hunk.lines)
                reader.take(line.kind, line.text, line.old_line, line.new_line);
            file.hunks.push_back(reader.finish());
        }
        files.push_back(std::move(file));
    }
    return finished(std::move(files));
}

} // namespace holdfast::review::look
