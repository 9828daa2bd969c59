// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look_condition.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t most_alternatives = 16, most_terms = 32, deepest = 32;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool opens(const std::string& token) {
    return token == "(" || token == "[" || token == "{";
}

bool closes(const std::string& token) {
    return token == ")" || token == "]" || token == "}";
}

/// The first of `ends` from `at` on that is in no bracket; tokens.size() without one.
std::size_t find_open(const Tokens& tokens, std::size_t at, std::initializer_list<std::string_view> ends) {
    std::size_t depth = 0;
    for (; at < tokens.size(); ++at) {
        if (depth == 0 && is_one_of(tokens[at], ends))
            return at;
        depth += opens(tokens[at]) ? 1 : 0;
        depth -= closes(tokens[at]) && depth > 0 ? 1 : 0;
    }
    return at;
}

Tokens part(const Tokens& tokens, std::size_t from, std::size_t to) {
    return {tokens.begin() + static_cast<std::ptrdiff_t>(from), tokens.begin() + static_cast<std::ptrdiff_t>(to)};
}

std::vector<Tokens> split(const Tokens& tokens, std::initializer_list<std::string_view> at) {
    std::vector<Tokens> parts;
    for (std::size_t from = 0; from <= tokens.size();) {
        const std::size_t to = find_open(tokens, from, at);
        parts.push_back(part(tokens, from, to));
        from = to + 1;
    }
    return parts;
}

std::string text_of(const Tokens& tokens) {
    std::string text;
    for (const std::string& token : tokens)
        text += (text.empty() ? "" : " ") + token;
    return text;
}

/// Without brackets around all of it, and without what only helps the compiler.
Tokens bare(Tokens tokens) {
    for (std::size_t rounds = 0; rounds < deepest && tokens.size() > 2; ++rounds) {
        const bool helps = is_one_of(tokens[0], {"likely", "unlikely", "__builtin_expect", "Q_LIKELY", "Q_UNLIKELY",
                                                 "LIKELY", "UNLIKELY", "bool", "__glibc_likely", "__glibc_unlikely"}) &&
                           tokens[1] == "(";
        const std::size_t first = helps ? 1 : 0;
        if (tokens[first] != "(" || find_open(tokens, first + 1, {")"}) + 1 != tokens.size())
            break;
        tokens = part(tokens, first + 1, tokens.size() - 1);
        if (helps)
            tokens = part(tokens, 0, find_open(tokens, 0, {","}));
    }
    return tokens;
}

bool is_nothing(const std::string& text) {
    return is_one_of(text, {"0", "NULL", "nullptr", "None", "nil", "null", "false", "False"});
}

/// Of "17", "- 17" and "17UL", but not of "1.5", "1e9" and "010".
std::optional<long long> whole_number(std::string_view text) {
    const bool negative = text.starts_with("- ");
    text.remove_prefix(negative ? 2 : 0);
    while (!text.empty() && is_one_of(text.substr(text.size() - 1), {"u", "U", "l", "L"}))
        text.remove_suffix(1);
    long long value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || (text.size() > 1 && text.front() == '0'))
        return std::nullopt;
    return negative ? -value : value;
}

std::string text_of(long long number) {
    return number < 0 ? "- " + std::to_string(-number) : std::to_string(number);
}

/// `x < 1` asks the same of whole numbers as `x <= 0`. What is no whole number is compared less finely so.
Term whole_bound(Term term) {
    constexpr long long largest = 1LL << 62;
    if (term.comparison != "<")
        return term;
    if (const auto right = whole_number(term.right); right && *right > -largest)
        return {"<=", std::move(term.left), text_of(*right - 1)};
    if (const auto left = whole_number(term.left); left && *left < largest)
        return {"<=", text_of(*left + 1), std::move(term.right)};
    return term;
}

Term opposite(Term term) {
    if (term.comparison == "<" || term.comparison == "<=") {
        std::swap(term.left, term.right);
        term.comparison = term.comparison == "<" ? "<=" : "<";
        return whole_bound(std::move(term));
    }
    static const std::vector<std::pair<std::string, std::string>> pairs{{"==", "!="}, {"", "!"}};
    for (const auto& [one, other] : pairs)
        if (term.comparison == one || term.comparison == other) {
            term.comparison = term.comparison == one ? other : one;
            break;
        }
    return term;
}

/// `x == NULL` asks the same as `!x`, and `a == b` as `b == a`.
Term plain(Term term) {
    if (term.comparison != "==" && term.comparison != "!=")
        return term;
    if (is_nothing(term.left))
        std::swap(term.left, term.right);
    if (is_nothing(term.right))
        return {term.comparison == "==" ? "!" : "", term.left, ""};
    if (term.right < term.left)
        std::swap(term.left, term.right);
    return term;
}

Term term_of(const Tokens& tokens) {
    std::size_t found = 0, at = 0;
    for (std::size_t next = 0; next < tokens.size(); ++next) {
        next = find_open(tokens, next, {"<", "<=", ">", ">=", "==", "!="});
        if (next < tokens.size()) {
            at = next;
            ++found;
        }
    }
    if (found != 1 || at == 0 || at + 1 == tokens.size())
        return {"", text_of(tokens), ""};
    Term term{tokens[at], text_of(bare(part(tokens, 0, at))), text_of(bare(part(tokens, at + 1, tokens.size())))};
    if (term.comparison.front() == '>') {
        std::swap(term.left, term.right);
        term.comparison.front() = '<';
    }
    return whole_bound(plain(std::move(term)));
}

/// `auto done = f(x); !done` asks `!(f(x))`.
Tokens without_names(const Tokens& tokens) {
    const auto parts = split(tokens, {";"});
    const auto equals = std::find(parts[0].begin(), parts[0].end(), "=");
    if (parts.size() < 2 || equals == parts[0].end())
        return parts.back();
    std::string name;
    for (auto word = parts[0].begin(); word != equals; ++word)
        name = is_word(*word) ? *word : name;
    Tokens asked;
    for (const std::string& token : parts.back())
        if (token == name) {
            asked.emplace_back("(");
            asked.insert(asked.end(), equals + 1, parts[0].end());
            asked.emplace_back(")");
        } else {
            asked.push_back(token);
        }
    return asked;
}

AnyOf read(Tokens tokens, bool negated, std::size_t depth);

AnyOf read_parts(const std::vector<Tokens>& parts, bool each, bool negated, std::size_t depth) {
    AnyOf all = each ? AnyOf{{}} : AnyOf();
    for (const Tokens& tokens : parts) {
        const AnyOf read_part = read(tokens, negated, depth + 1);
        if (read_part.empty())
            return {};
        if (each)
            all = both(all, read_part);
        else
            all.insert(all.end(), read_part.begin(), read_part.end());
        if (all.empty() || all.size() > most_alternatives)
            return {};
    }
    return all;
}

/// `x.empty()` is `x.size() == 0`.
Tokens without_empty(Tokens tokens) {
    const std::size_t size = tokens.size();
    if (size > 4 && tokens[size - 4] == "." && tokens[size - 3] == "empty" && tokens[size - 2] == "(" &&
        tokens[0] != "!" && find_open(tokens, 0, {"<", "<=", ">", ">=", "==", "!="}) == size) {
        tokens[size - 3] = "size";
        tokens.insert(tokens.end(), {"==", "0"});
    }
    return tokens;
}

AnyOf read(Tokens tokens, bool negated, std::size_t depth) {
    tokens = without_empty(bare(std::move(tokens)));
    if (depth > deepest)
        return {};
    if (const auto parts = split(tokens, {"||", "or"}); parts.size() > 1)
        return read_parts(parts, negated, negated, depth);
    if (const auto parts = split(tokens, {"&&", "and"}); parts.size() > 1)
        return read_parts(parts, !negated, negated, depth);
    if (tokens.size() > 1 && (tokens[0] == "not" || tokens[0] == "!")) {
        const Tokens rest = part(tokens, 1, tokens.size());
        if (tokens[0] == "not" || find_open(rest, 0, {"<", "<=", ">", ">=", "==", "!="}) == rest.size())
            return read(rest, !negated, depth + 1);
    }
    Term term = term_of(tokens);
    return {{negated ? opposite(std::move(term)) : std::move(term)}};
}

std::optional<double> number_in(const std::string& text) {
    const bool negative = text.starts_with("- ");
    const std::string digits = negative ? text.substr(2) : text;
    if (digits.find(' ') != std::string::npos || !is_number(digits))
        return std::nullopt;
    return (negative ? -1 : 1) * std::strtod(digits.c_str(), nullptr);
}

/// Whether a bound keeps `side` away from the number `other`: `x <= 4` and `x >= 6` are never 5.
bool keeps_away(const Term& bound, const std::string& side, const std::string& other) {
    const auto number = whole_number(other), low = whole_number(bound.left), high = whole_number(bound.right);
    return bound.comparison == "<=" && number &&
           ((bound.left == side && high && *high < *number) || (bound.right == side && low && *low > *number));
}

bool same_sides(const Term& one, const Term& other) {
    return (one.left == other.left && one.right == other.right) || (one.left == other.right && one.right == other.left);
}

bool implies(const Term& strong, const Term& weak) {
    if (strong == weak)
        return true;
    const bool orders = strong.comparison == "<" || strong.comparison == "<=";
    if (weak.comparison == "!=")
        return (strong.comparison == "<" && same_sides(strong, weak)) || keeps_away(strong, weak.left, weak.right) ||
               keeps_away(strong, weak.right, weak.left);
    if (weak.comparison.empty()) // above or below zero is not zero
        return keeps_away(strong, weak.left, "0");
    if (weak.comparison != "<" && weak.comparison != "<=")
        return false;
    if (weak.comparison == "<=" && strong.comparison == "==")
        return same_sides(strong, weak);
    if (!orders)
        return false;
    if (strong.left == weak.left && strong.right == weak.right)
        return strong.comparison == weak.comparison || weak.comparison == "<=";
    return (strong.left == weak.left && more(strong.right, weak.right)) ||
           (strong.right == weak.right && more(weak.left, strong.left));
}

} // namespace

std::vector<std::string> with_operators(const std::vector<std::string>& tokens) {
    Tokens all;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        std::string token = tokens[i];
        if (token.size() == 1 && i + 1 < tokens.size()) {
            if (const std::string two = token + tokens[i + 1];
                is_one_of(two, {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "::",
                                "++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "%=", "=>"})) {
                token = two;
                ++i;
                if ((two == "==" || two == "!=") && i + 1 < tokens.size() && tokens[i + 1] == "=")
                    ++i; // `===`
            }
        }
        all.push_back(std::move(token));
    }
    return all;
}

std::optional<Asked> condition_in(const std::vector<std::string>& tokens, Language language) {
    std::size_t at = 0;
    while (at < tokens.size() && (tokens[at] == "}" || tokens[at] == "else"))
        ++at;
    if (at >= tokens.size() || language == Language::none || language == Language::shell || language == Language::sql)
        return Asked();
    const bool asked = is_one_of(tokens[at], {"if", "elif"});
    const bool asserted =
        is_one_of(tokens[at], {"assert", "ASSERT", "Q_ASSERT", "CHECK", "REQUIRE", "DCHECK", "Expects", "Ensures",
                               "ensure", "precondition", "debug_assert", "assert_true"});
    if (!asked && !asserted)
        return Asked();
    ++at;
    if (at < tokens.size() && (tokens[at] == "constexpr" || tokens[at] == "!"))
        ++at;
    if (at >= tokens.size())
        return std::nullopt;
    std::size_t end = tokens.size();
    Asked found{{}, asserted};
    if (tokens[at] == "(" &&
        (asserted || (language != Language::python && language != Language::rust && language != Language::go))) {
        end = find_open(tokens, ++at, {")"});
    } else if (asserted) { // Python's statement
        return language == Language::python ? Asked{part(tokens, at, find_open(tokens, at, {","})), true} : Asked();
    } else if (language == Language::python) {
        end = find_open(tokens, at, {":"});
    } else if (language == Language::rust || language == Language::go) {
        end = find_open(tokens, at, {"{"});
    } else {
        return Asked();
    }
    if (end == tokens.size())
        return std::nullopt;
    found.tokens = part(tokens, at, end);
    if (asserted)
        found.tokens = part(found.tokens, 0, find_open(found.tokens, 0, {","}));
    else
        found.tokens = without_names(found.tokens);
    return found;
}

AnyOf alternatives(const std::vector<std::string>& tokens, bool negated) {
    return tokens.empty() ? AnyOf() : read(with_operators(tokens), negated, 0);
}

AnyOf alternatives(const Line& line) {
    return alternatives(line.condition, line.asserts);
}

AnyOf both(const AnyOf& left, const AnyOf& right) {
    AnyOf all;
    if (left.size() * right.size() > most_alternatives)
        return all;
    for (const AllOf& one : left)
        for (const AllOf& other : right) {
            if (one.size() + other.size() > most_terms)
                return {};
            AllOf terms = one;
            terms.insert(terms.end(), other.begin(), other.end());
            all.push_back(std::move(terms));
        }
    return all;
}

bool implies(const AllOf& strong, const AllOf& weak) {
    return std::all_of(weak.begin(), weak.end(), [&](const Term& asked) {
        return std::any_of(strong.begin(), strong.end(), [&](const Term& holds) { return implies(holds, asked); });
    });
}

std::string either_way(const Term& term) {
    const auto text = [](const Term& each) { return each.left + ' ' + each.comparison + ' ' + each.right; };
    return std::min(text(term), text(opposite(term)));
}

bool more(const std::string& less, const std::string& more) {
    const auto low = number_in(less), high = number_in(more);
    if (low && high)
        return *low < *high;
    const auto grows = [](const std::string& small, const std::string& large) {
        return large.starts_with(small + " * ") || large.starts_with(small + " + ") ||
               large.starts_with(small + " << ") || (is_number(large) && large.ends_with(" * " + small));
    };
    const auto shrinks = [](const std::string& large, const std::string& small) {
        return small.starts_with(large + " / ") || small.starts_with(large + " - ") ||
               small.starts_with(large + " >> ");
    };
    return grows(less, more) || shrinks(more, less);
}

} // namespace holdfast::review::look
