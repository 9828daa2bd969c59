// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/line_kinds.hpp"

#include "core/project/uncommented.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace holdfast::study {

namespace {

constexpr std::string_view blanks = " \t\r\f\v";

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Without blanks at its beginning.
std::string_view trimmed(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    return line;
}

bool has_word(std::string_view line, std::string_view word) {
    for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1))
        if ((at == 0 || !is_word(line[at - 1])) &&
            (at + word.size() == line.size() || !is_word(line[at + word.size()])))
            return true;
    return false;
}

bool only_brackets(std::string_view code) {
    std::string word;
    for (const char c : code) {
        if (is_word(c)) {
            word += c;
            continue;
        }
        if (std::string_view("{}()[];,:").find(c) == std::string_view::npos && blanks.find(c) == std::string_view::npos)
            return false;
    }
    return word.empty() || word == "else" || word == "do" || word == "try" || word == "finally";
}

/// [captures](parameters) {...} or [captures] {...} that is not a plain index.
bool has_lambda(std::string_view code) {
    for (std::size_t at = code.find(']'); at != std::string_view::npos; at = code.find(']', at + 1)) {
        const std::string_view rest = trimmed(code.substr(at + 1));
        if (!rest.empty() && (rest.front() == '(' || rest.front() == '{') && rest.find('{') != std::string_view::npos)
            return true;
    }
    return false;
}

LineKinds compiled_kinds(std::string_view text) {
    LineKinds kinds;
    // What looks like the beginning of a comment may be inside a raw text; then only whole-line comments are believed.
    const bool raw = text.find("R\"") != std::string_view::npos;
    Uncommented uncommented;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text)) {
        ++number;
        std::string code = uncommented.next(line);
        if (raw)
            code = trimmed(line).starts_with("//") ? "" : std::string(line);
        if (only_brackets(code))
            kinds.silent.insert(number);
        else if (has_lambda(code))
            kinds.partial.insert(number);
    }
    return kinds;
}

LineKinds python_kinds(std::string_view text) {
    LineKinds kinds;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text)) {
        ++number;
        const bool code = !trimmed(line).starts_with('#');
        if (!code || only_brackets(line))
            kinds.silent.insert(number);
        else if (has_word(line, "lambda") || has_word(line, "exec") || has_word(line, "eval"))
            kinds.partial.insert(number);
    }
    return kinds;
}

/// The word after # or its other spelling %:, "" of a line that is no directive; "line" also for `# 16 "file"`.
std::string directive(std::string_view line) {
    line = trimmed(line);
    if (line.starts_with('#'))
        line.remove_prefix(1);
    else if (line.starts_with("%:"))
        line.remove_prefix(2);
    else
        return "";
    line = trimmed(line);
    std::string word;
    for (std::size_t i = 0; i < line.size() && is_word(line[i]); ++i)
        word += line[i];
    const bool number = !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    // A word that goes on in the next line, or stands behind a comment, is none that can be read.
    return number ? "line" : word.empty() ? "?" : word;
}

} // namespace

LineKinds line_kinds(std::string_view text, Language language) {
    return language == Language::python ? python_kinds(text) : compiled_kinds(text);
}

std::string hides_lines(std::string_view text, Language language, const std::vector<std::size_t>& changed) {
    if (language == Language::python)
        return "";
    constexpr std::array harmless{"include", "define", "undef", "error", "warning"};
    const std::vector<std::string_view> lines = lines_of(text);
    for (const std::size_t number : changed) {
        if (number == 0 || number > lines.size())
            continue;
        const std::string_view line = lines[number - 1];
        for (const char* word : {"no_profile", "no_instrument", "_Pragma", "__OPTIMIZE__"})
            if (line.find(word) != std::string_view::npos)
                return fmt::format("line {} has {}, so that what counts is not what is measured", number, word);
        if (const std::string word = directive(line);
            !word.empty() && std::find(harmless.begin(), harmless.end(), word) == harmless.end())
            return fmt::format("line {} is the directive #{}, so that what counts may not be what is measured", number,
                               word);
    }
    return "";
}

std::string renames_lines(std::string_view text, Language language) {
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text)) {
        ++number;
        if (language == Language::compiled && directive(line) == "line")
            return fmt::format("line {} is a #line, which gives lines other numbers or files", number);
        if (language == Language::python &&
            (line.find("settrace") != std::string_view::npos || line.find("sys.monitoring") != std::string_view::npos))
            return fmt::format("line {} changes who follows its lines", number);
    }
    return "";
}

} // namespace holdfast::study
