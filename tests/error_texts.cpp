// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/error_texts.hpp"

#include "tests/scratch.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace holdfast::test {

namespace fs = std::filesystem;

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Where the literal that begins at `at` ends; `at` itself when none does. A ' between digits separates them.
std::size_t after_literal(const std::string& code, std::size_t at) {
    if (code.compare(at, 2, "R\"") == 0 && (at == 0 || !is_word(code[at - 1]))) {
        const std::size_t open = code.find('(', at);
        const std::string close = ")" + code.substr(at + 2, open - at - 2) + "\"";
        const std::size_t end = code.find(close, open);
        return end == std::string::npos ? code.size() : end + close.size();
    }
    const char quote = code[at];
    if (quote != '"' && (quote != '\'' || (at > 0 && is_word(code[at - 1]))))
        return at;
    for (std::size_t i = at + 1; i < code.size(); ++i) {
        if (code[i] == '\\')
            ++i;
        else if (code[i] == quote)
            return i + 1;
    }
    return code.size();
}

std::string without_comments(std::string code) {
    for (std::size_t at = 0; at < code.size();) {
        if (const std::size_t end = after_literal(code, at); end != at) {
            at = end;
            continue;
        }
        std::size_t end = at;
        if (code.compare(at, 2, "//") == 0)
            end = std::min(code.find('\n', at), code.size());
        else if (code.compare(at, 2, "/*") == 0)
            end = std::min(code.find("*/", at), code.size() - 2) + 2;
        for (std::size_t i = at; i < end; ++i)
            code[i] = code[i] == '\n' ? '\n' : ' ';
        at = std::max(end, at + 1);
    }
    return code;
}

std::string trimmed(const std::string& text) {
    const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
    const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), is_blank).base();
    return {first, last};
}

/// Calls visit(position, depth) for every character from `at` that is in no literal, until it returns false. Brackets
/// count at the depth they enclose: an opening one before, a closing one after.
template <class Visit> void walk(const std::string& code, std::size_t at, const Visit& visit) {
    int depth = 0;
    while (at < code.size()) {
        if (const std::size_t end = after_literal(code, at); end != at) {
            at = end;
            continue;
        }
        const char c = code[at];
        if (c == ')' || c == ']' || c == '}')
            --depth;
        if (!visit(at, depth))
            return;
        if (c == '(' || c == '[' || c == '{')
            ++depth;
        ++at;
    }
}

/// What stands between the bracket at `open` and its partner, parted at the commas.
std::vector<std::string> arguments(const std::string& code, std::size_t open) {
    std::vector<std::string> list;
    std::size_t from = open + 1;
    walk(code, open, [&](std::size_t at, int depth) {
        const bool end = depth == 0 && at > open;
        if (end || (depth == 1 && code[at] == ',')) {
            list.push_back(trimmed(code.substr(from, at - from)));
            from = at + 1;
        }
        return !end;
    });
    return list;
}

/// What the nearest `name = ...` before `before` gives it, else the name.
std::string resolved(const std::string& code, const std::string& name, std::size_t before) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_word))
        return name;
    for (std::size_t at = code.rfind(name, before); at != std::string::npos && at > 0; at = code.rfind(name, at - 1)) {
        const std::size_t end = code.find_first_not_of(" \n", at + name.size());
        if (is_word(code[at - 1]) || end == std::string::npos || code[end] != '=' || code[end + 1] == '=')
            continue;
        std::size_t last = end;
        walk(code, end + 1, [&](std::size_t i, int depth) {
            last = i;
            return depth >= 0 && (depth > 0 || (code[i] != ';' && code[i] != ','));
        });
        return trimmed(code.substr(end + 1, last - end - 1));
    }
    return name;
}

char before(const std::string& code, std::size_t at) {
    while (at > 0 && is_blank(code[at - 1]))
        --at;
    return at == 0 ? '\0' : code[at - 1];
}

bool follows_word(const std::string& code, std::size_t at, std::string_view word) {
    while (at > 0 && is_blank(code[at - 1]))
        --at;
    return at >= word.size() && code.compare(at - word.size(), word.size(), word) == 0;
}

/// Kind and the three parts in order, when an error is made at `at`; `word` is the identifier there.
std::optional<std::vector<std::string>> parts_at(const std::string& code, std::size_t at, const std::string& word) {
    const std::size_t next = code.find_first_not_of(" \n", at + word.size());
    if (next == std::string::npos)
        return std::nullopt;
    if (word == "failed" || word == "invalid" || word == "refused") {
        const char previous = before(code, at);
        if (code[next] != '(' || previous == '.' || previous == '>' || follows_word(code, at, "emit"))
            return std::nullopt;
        std::vector<std::string> parts = arguments(code, next);
        if (parts.size() < 2 || parts[0].rfind("std::string ", 0) == 0) // another function, or the declaration
            return std::nullopt;
        parts.insert(parts.begin(), word);
        return parts;
    }
    const std::string kind = "Error::Kind::";
    if (word != "Error")
        return std::nullopt;
    if (code[next] == '{' && !follows_word(code, at, "struct"))
        return arguments(code, next);
    if (code.compare(at, kind.size(), kind) == 0 && before(code, at) == '{')
        return arguments(code, code.rfind('{', at));
    return std::nullopt;
}

std::string unescaped(std::string_view body) {
    std::string text;
    for (std::size_t i = 0; i < body.size(); ++i)
        if (body[i] != '\\')
            text += body[i];
        else if (++i < body.size())
            text += body[i] == 'n' ? '\n' : body[i];
    return text;
}

/// The branches of a conditional expression, without the brackets around it.
std::vector<std::string> branches(std::string expression) {
    expression = trimmed(expression);
    std::vector<std::string> list;
    std::size_t from = std::string::npos;
    walk(expression, 0, [&](std::size_t at, int depth) {
        const bool scope = expression[at] == ':' && ((at > 0 && expression[at - 1] == ':') ||
                                                     (at + 1 < expression.size() && expression[at + 1] == ':'));
        if (depth == 0 && (expression[at] == '?' || (expression[at] == ':' && !scope))) {
            if (from != std::string::npos && expression[at] == ':')
                list.push_back(trimmed(expression.substr(from, at - from)));
            from = at + 1;
        }
        return true;
    });
    list.push_back(from == std::string::npos ? expression : trimmed(expression.substr(from)));
    return list;
}

/// The expression without a conversion or a formatting around its text.
std::string unwrapped(const std::string& expression) {
    for (const std::string wrap : {"fmt::format(", "std::string("})
        if (expression.rfind(wrap, 0) == 0)
            return unwrapped(arguments(expression, wrap.size() - 1).front());
    return expression;
}

} // namespace

std::vector<ErrorSite> error_sites(const std::string& file, const std::string& text) {
    std::vector<ErrorSite> sites;
    const std::string code = without_comments(text);
    std::size_t skip = 0;
    walk(code, 0, [&](std::size_t at, int) {
        if (at < skip || !is_word(code[at]) || (at > 0 && is_word(code[at - 1])))
            return true;
        const auto end = std::find_if_not(code.begin() + std::ptrdiff_t(at), code.end(), is_word);
        const std::string word(code.begin() + std::ptrdiff_t(at), end);
        skip = at + word.size();
        auto parts = parts_at(code, at, word);
        if (!parts || parts->size() < 2)
            return true;
        if (word == "Error" && code[skip] != ':')
            skip = code.find("Error::Kind::", skip) == code.find('{', skip) + 1 ? code.find('{', skip) + 6 : skip;
        parts->resize(4);
        std::string kind = (*parts)[0];
        kind = kind.substr(kind.rfind(':') == std::string::npos ? 0 : kind.rfind(':') + 1);
        if (kind != "failed" && kind != "invalid" && kind != "refused" && kind != "interrupted")
            kind.clear();
        sites.push_back({file, int(std::count(code.begin(), code.begin() + std::ptrdiff_t(at), '\n')) + 1, kind,
                         resolved(code, (*parts)[1], at), resolved(code, (*parts)[2], at),
                         resolved(code, (*parts)[3], at)});
        return true;
    });
    return sites;
}

std::vector<ErrorSite> error_sites(const fs::path& root, const std::vector<std::string>& folders) {
    std::vector<fs::path> files;
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
                files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<ErrorSite> all;
    for (const fs::path& file : files)
        for (ErrorSite& site : error_sites(file.lexically_relative(root).string(), read_text(file)))
            all.push_back(std::move(site));
    return all;
}

std::vector<std::string> literals(const std::string& expression) {
    std::vector<std::string> list;
    std::size_t last = std::string::npos;
    for (std::size_t at = 0; at < expression.size();) {
        const std::size_t end = after_literal(expression, at);
        if (end == at) {
            ++at;
            continue;
        }
        if (expression[at] == '"') {
            const std::string text = unescaped(std::string_view(expression).substr(at + 1, end - at - 2));
            if (last != std::string::npos && trimmed(expression.substr(last, at - last)).empty())
                list.back() += text;
            else
                list.push_back(text);
            last = end;
        }
        at = end;
    }
    return list;
}

std::vector<std::string> beginnings(const std::string& expression) {
    std::vector<std::string> list;
    for (const std::string& branch : branches(expression))
        if (const std::string inner = unwrapped(branch); inner.rfind('"', 0) == 0)
            list.push_back(literals(inner).front());
    return list;
}

std::vector<std::string> endings(const std::string& expression) {
    std::vector<std::string> list;
    for (const std::string& branch : branches(expression))
        if (const std::string inner = unwrapped(branch); !inner.empty() && inner.back() == '"')
            list.push_back(literals(inner).back());
    return list;
}

} // namespace holdfast::test
