// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that become narrower, and what changes the arithmetic of a whole process.
#include "core/review/look_marks.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t most_lines = 300; ///< with a type, of a file and side; each is compared with each
constexpr double edited = 0.5;          ///< likeness from which on a line is an earlier one with another type

/// Of each family the wider has the larger number; a type of two words counts by its second.
int width_of(const std::string& token) {
    static const std::map<std::string, int, std::less<>> widths{
        {"double", 18},   {"f64", 18},      {"float64", 18}, {"float64_t", 18}, {"BigDecimal", 19}, {"Decimal", 19},
        {"float", 14},    {"f32", 14},      {"float32", 14}, {"float32_t", 14}, {"half", 12},       {"_Float16", 12},
        {"float16", 12},  {"bfloat16", 12}, {"f16", 12},     {"long", 8},       {"size_t", 8},      {"ssize_t", 8},
        {"ptrdiff_t", 8}, {"int64_t", 8},   {"uint64_t", 8}, {"i64", 8},        {"u64", 8},         {"int64", 8},
        {"uint64", 8},    {"usize", 8},     {"isize", 8},    {"i128", 9},       {"u128", 9},        {"BigInteger", 9},
        {"bigint", 8},    {"int", 4},       {"unsigned", 4}, {"int32_t", 4},    {"uint32_t", 4},    {"i32", 4},
        {"u32", 4},       {"int32", 4},     {"uint32", 4},   {"integer", 4},    {"short", 2},       {"int16_t", 2},
        {"uint16_t", 2},  {"i16", 2},       {"u16", 2},      {"int16", 2},      {"uint16", 2},      {"smallint", 2},
        {"char", 1},      {"int8_t", 1},    {"uint8_t", 1},  {"i8", 1},         {"u8", 1},          {"int8", 1}};
    const auto found = widths.find(token);
    return found == widths.end() ? 0 : found->second;
}

bool same_family(int left, int right) {
    return (left > 10) == (right > 10);
}

/// The tokens of `left` that `right` does not have.
Tokens without(Tokens left, Tokens right) {
    Tokens only;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(only));
    return only;
}

bool narrows(const Line& before, const Line& after) {
    if (likeness(before.tokens, after.tokens) < edited)
        return false;
    for (const std::string& wide : without(before.tokens, after.tokens))
        for (const std::string& narrow : without(after.tokens, before.tokens)) {
            const int was = width_of(wide), is = width_of(narrow);
            if (was != 0 && is != 0 && same_family(was, is) && is < was)
                return true;
        }
    return false;
}

/// `x & 0xFFFF`, `x % 1000000`: what is above is cut off.
bool cuts_off(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (!is_code(file))
        return false;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if ((tokens[i] != "&" && tokens[i] != "%") || tokens[i + 1] == "&")
            continue;
        const std::string& number = tokens[i + 1] == "=" && i + 2 < tokens.size() ? tokens[i + 2] : tokens[i + 1];
        if (!is_number(number))
            continue;
        const unsigned long long value = std::strtoull(number.c_str(), nullptr, 0);
        if (value >= 10'000 && (tokens[i] == "%" || (value & (value + 1)) == 0))
            return true;
    }
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (file.language == Language::go && tokens[i + 1] == "(" && width_of(tokens[i]) != 0 && tokens[i] != "int" &&
            width_of(tokens[i]) % 10 <= 4)
            return true; // a conversion
    return has(tokens, {"strtof", "stof", "atoi", "atol", "llround", "lround", "float16", "float32"}) &&
           !has(tokens, {"include", "import"});
}

std::vector<const Line*> with_types(const std::vector<Line>& lines) {
    std::vector<const Line*> typed;
    for (const Line& line : lines)
        if (typed.size() < most_lines && std::any_of(line.tokens.begin(), line.tokens.end(),
                                                     [](const std::string& each) { return width_of(each) != 0; }))
            typed.push_back(&line);
    return typed;
}

std::vector<Mark> narrowed(const std::vector<File>& files) {
    std::vector<Mark> marks;
    for (const File& file : files) {
        if (file.language == Language::none)
            continue;
        const auto before = with_types(file.removed);
        for (const Line* after : with_types(file.added))
            if (std::any_of(before.begin(), before.end(), [&](const Line* line) { return narrows(*line, *after); }))
                marks.push_back({file.path, *after, false});
    }
    for (Mark& mark : gained(files, cuts_off))
        if (std::none_of(marks.begin(), marks.end(), [&](const Mark& known) {
                return known.path == mark.path && known.line.number == mark.line.number;
            }))
            marks.push_back(std::move(mark));
    return marks;
}

bool sets_arithmetic(const File& file, const Line& line) {
    return file.language != Language::none &&
           (has_part(line.tokens, {"setcsr", "flush_zero", "denormals_zero", "flush_denormal"}) ||
            has(line.tokens,
                {"fesetround", "fesetenv", "fesetexceptflag", "feholdexcept", "feenableexcept", "fedisableexcept",
                 "_controlfp", "_controlfp_s", "fpsetround", "FENV_ACCESS", "FP_CONTRACT", "float_control"}));
}

} // namespace

std::vector<Category> narrowed_categories() {
    return {
        {"look: narrower type", "Values that fitted before may be cut off or rounded now.", narrowed},
        {"look: floating-point environment", "How numbers are rounded changes for the whole process, and stays so.",
         [](const std::vector<File>& files) { return gained(files, sets_arithmetic); }},
    };
}

} // namespace holdfast::review::look
