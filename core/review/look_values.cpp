// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers, modes, limits and other constants that are others than before, in lines that are the same otherwise.
#include "core/review/look_gates.hpp"
#include "core/review/look_marks.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

/// `LOCK_EX`, `UINT64_MAX`.
bool is_constant_name(const std::string& token) {
    return token.size() > 2 &&
           std::all_of(token.begin(), token.end(),
                       [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; }) &&
           std::isupper(static_cast<unsigned char>(token.front())) != 0;
}

bool is_value(const std::string& token) {
    return is_number(token) || is_constant_name(token) ||
           has({token}, {"true", "false", "True", "False", "nullptr", "NULL", "None", "null"});
}

/// Part of an expression over constants: `64 * 1024`, `std::numeric_limits<int>::max()`.
bool in_constant(const std::string& token) {
    return is_value(token) || !is_word(token) ||
           has({token}, {"std", "numeric_limits", "max", "min", "int", "unsigned", "long", "size_t", "int64_t",
                         "uint64_t", "int32_t", "uint32_t", "double", "ULL", "static_cast", "sizeof"});
}

/// What is sized for speed, or sets how many go at once, by its usual names.
bool is_about_speed(const Line& line) {
    return has_part(line.tokens,
                    {"block", "buffer", "bufsiz", "chunk", "batch", "tile", "unroll", "prefetch", "reserve", "align",
                     "bucket", "stride", "grain", "capacity", "setvbuf", "simd", "lanes", "unlikely"}) ||
           has(line.tokens, {"for", "include", "case", "static_assert"});
}

/// A factor of something that is computed: another formula rather than another limit.
bool is_factor(const Tokens& tokens, std::size_t at) {
    const auto computed = [&](std::size_t sign, std::size_t operand) {
        return sign < tokens.size() && operand < tokens.size() && has({tokens[sign]}, {"*", "/", "+", "-"}) &&
               !in_constant(tokens[operand]);
    };
    return computed(at + 1, at + 2) || (at >= 2 && computed(at - 1, at - 2));
}

/// Same but for values; some value differs.
bool differ_in_values(const Tokens& before, const Tokens& after) {
    if (before.size() != after.size())
        return false;
    bool differs = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] == after[i])
            continue;
        if (!is_value(before[i]) || !is_value(after[i]) || is_factor(after, i))
            return false;
        differs = true;
    }
    return differs;
}

/// `name = 64 * 1024;` that is `name = 1 << 40;` now.
bool differ_in_constant(const Tokens& before, const Tokens& after) {
    const auto [was, is] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto equals = std::find(before.begin(), was, "=");
    return equals != was && was != before.end() && is != after.end() &&
           std::all_of(equals, before.end(), in_constant) &&
           std::all_of(after.begin() + (equals - before.begin()), after.end(), in_constant) &&
           std::any_of(equals, before.end(), is_value);
}

/// A condition that compares with another text: `verb == "ADDS"`.
bool differ_in_asked_text(const Line& before, const Line& after) {
    return before.tokens == after.tokens && before.texts != after.texts && !after.texts.empty() &&
           (!after.condition.empty() || has(after.tokens, {"case", "strcmp", "strncmp"}));
}

/// `exit(0)`, `exit 0`.
bool ends_well(const std::vector<std::string>& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (has({tokens[i]}, {"exit", "_exit", "quick_exit", "Exit"}))
            return tokens[i + 1] == "0" ||
                   (i + 2 < tokens.size() && tokens[i + 1] == "(" && has({tokens[i + 2]}, {"0", ")"}));
    return false;
}

/// Of a check its terms tell more, and one failure is as good as another.
bool told_elsewhere(const File& file, const Line& line) {
    return (is_gate(file, line) && !line.condition.empty()) || (gives_up(line.tokens) && !ends_well(line.tokens));
}

bool differ(const File& file, const Line& before, const Line& after) {
    if (before.asserts || after.asserts)
        return false;
    if (differ_in_asked_text(before, after))
        return true;
    if (told_elsewhere(file, before) && told_elsewhere(file, after))
        return false;
    return before.texts == after.texts && !is_about_speed(before) && !is_about_speed(after) &&
           (differ_in_values(before.tokens, after.tokens) || differ_in_constant(before.tokens, after.tokens));
}

std::vector<Mark> other_values(const std::vector<File>& files) {
    return in_hunks(files, [](const File& file, const Hunk& hunk, const Line& after) {
        const auto before = [&](const auto& is) {
            return std::any_of(hunk.before.begin(), hunk.before.end(),
                               [&](const Line& line) { return line.changed && is(line); });
        };
        return is_code(file) && !after.tokens.empty() &&
               !before([&](const Line& line) { return line.tokens == after.tokens && line.texts == after.texts; }) &&
               before([&](const Line& line) { return differ(file, line, after); });
    });
}

} // namespace

std::vector<Category> value_categories() {
    return {{"look: other value", "A limit, a mode, a count, a status or what is compared with is another than before.",
             other_values}};
}

} // namespace holdfast::review::look
