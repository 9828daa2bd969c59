// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look_condition.hpp"
#include "core/review/look_marks.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t most_loops = 100;

/// `for (init; condition; step)` in one line.
struct Loop {
    const Hunk* hunk = nullptr;
    std::size_t at = 0; ///< in the side
    Tokens init, step;
    Term condition;
};

std::optional<Loop> loop_in(const Hunk& hunk, std::size_t at, const Line& line) {
    const Tokens& tokens = line.tokens;
    auto begin = std::find(tokens.begin(), tokens.end(), "for");
    if (begin == tokens.end() || ++begin == tokens.end())
        return std::nullopt;
    if (*begin == "(")
        ++begin;
    const auto first = std::find(begin, tokens.end(), ";");
    const auto second = first == tokens.end() ? first : std::find(first + 1, tokens.end(), ";");
    if (second == tokens.end())
        return std::nullopt;
    const AnyOf asked = alternatives(Tokens(first + 1, second), false);
    if (asked.size() != 1 || asked[0].size() != 1)
        return std::nullopt;
    const Tokens rest(second + 1, std::find_if(second, tokens.end(),
                                               [](const std::string& token) { return token == ")" || token == "{"; }));
    return Loop{&hunk, at, {begin, first}, with_operators(rest), asked[0][0]};
}

std::vector<Loop> loops_of(const File& file, std::vector<Line> Hunk::*side) {
    std::vector<Loop> loops;
    for (const Hunk& hunk : file.hunks)
        for (std::size_t i = 0; i < (hunk.*side).size() && loops.size() < most_loops; ++i)
            if ((hunk.*side)[i].changed)
                if (auto loop = loop_in(hunk, i, (hunk.*side)[i]))
                    loops.push_back(std::move(*loop));
    return loops;
}

/// 1 of `i++`, 4 of `i += 4`; 0: something else.
long stride_of(const Tokens& step) {
    if (step.size() == 2 && (step[0] == "++" || step[1] == "++"))
        return 1;
    return step.size() == 3 && step[1] == "+=" && is_number(step[2]) ? std::strtol(step[2].c_str(), nullptr, 10) : 0;
}

std::string variable_of(const Loop& loop) {
    for (const std::string& token : loop.step)
        if (is_word(token))
            return token;
    return "";
}

/// Whether the body reaches for more than the one element: `a[i + 1]`, `a[2 * i]`, `a[n - i]`, or as a vector.
bool does_several(const Loop& loop, const std::string& variable) {
    const auto& side = loop.hunk->after;
    for (std::size_t i = loop.at + 1; i < side.size(); ++i) {
        if (!side[i].code.empty() && side[i].indent <= side[loop.at].indent && side[i].code != "{")
            return false;
        const Tokens& tokens = side[i].tokens;
        if (has_part(tokens, {"_mm", "vld", "simd", "load", "memcpy", "vector"}))
            return true;
        for (std::size_t t = 0; t < tokens.size(); ++t)
            if (tokens[t] == variable &&
                ((t + 1 < tokens.size() && has({tokens[t + 1]}, {"+", "-", "*", "|", "^", "<"})) ||
                 (t > 0 && has({tokens[t - 1]}, {"+", "-", "*", "|", "^", "&"}))))
                return true;
    }
    return false;
}

bool shorter(const Loop& before, const Loop& after) {
    if (before.init != after.init || variable_of(before) != variable_of(after) ||
        before.condition.comparison != after.condition.comparison || before.condition.left != after.condition.left)
        return false;
    const bool ends_earlier = after.condition.right != before.condition.right &&
                              (after.condition.right.starts_with(before.condition.right + " / ") ||
                               after.condition.right.starts_with(before.condition.right + " >> "));
    const bool strides =
        stride_of(before.step) == 1 && stride_of(after.step) > 1 && after.condition.right == before.condition.right;
    return ends_earlier || strides;
}

/// `for (i = 1; ...` that is `for (i = 300; ...` or `for (i = n / 2; ...` now.
bool begins_later(const Loop& before, const Loop& after) {
    if (before.step != after.step || before.condition.comparison != after.condition.comparison ||
        before.condition.left != after.condition.left || before.condition.right != after.condition.right ||
        before.init.size() < 2 || after.init.size() < 2)
        return false;
    const auto [was, is] = std::mismatch(before.init.begin(), before.init.end(), after.init.begin(), after.init.end());
    if (was == before.init.end() || is == after.init.end() || was == before.init.begin() || *(was - 1) != "=")
        return false;
    if (is_number(*was) && is_number(*is))
        // From 0 to 1: the first is often done before.
        return std::max(std::strtod(was->c_str(), nullptr), 1.0) < std::strtod(is->c_str(), nullptr);
    return is_number(*was) && std::find(is, after.init.end(), "/") != after.init.end();
}

/// `range(...)` of a Python loop over fewer: a step, a later beginning, a shorter end; `[::2]`, `islice`.
bool ranges_over_less(const Hunk& hunk, const Line& after) {
    const auto arguments = [](const Tokens& tokens) {
        return Tokens(std::find(tokens.begin(), tokens.end(), "range"), tokens.end());
    };
    const auto slices = [](const Line& line) {
        const bool cut = line.tokens.front() == "for" && line.code.find("[:") != std::string::npos;
        return cut || line.code.find("[::") != std::string::npos || has(line.tokens, {"islice"});
    };
    const Tokens now = arguments(after.tokens);
    return std::any_of(hunk.before.begin(), hunk.before.end(), [&](const Line& line) {
        if (!line.changed || line.tokens.empty())
            return false;
        const Tokens was = arguments(line.tokens);
        const auto more = [&](const char* sign) {
            return std::count(now.begin(), now.end(), sign) > std::count(was.begin(), was.end(), sign);
        };
        return likeness(line.tokens, after.tokens) >= 0.5 &&
               ((slices(after) && !slices(line)) || (!was.empty() && !now.empty() && (more(",") || more("/"))));
    });
}

/// `i < n` that is `i < n && i < 512` now.
bool asks_more_to_go_on(const Hunk& hunk, const Line& after) {
    const auto asked = [](const Line& line) {
        const auto first = std::find(line.tokens.begin(), line.tokens.end(), ";");
        return has(line.tokens, {"for"}) && first != line.tokens.end()
                   ? Tokens(first + 1, std::find(first + 1, line.tokens.end(), ";"))
                   : Tokens();
    };
    const Tokens now = asked(after);
    return std::any_of(hunk.before.begin(), hunk.before.end(), [&](const Line& line) {
        const Tokens was = line.changed ? asked(line) : Tokens();
        return !was.empty() && now.size() > was.size() + 2 && std::equal(was.begin(), was.end(), now.begin()) &&
               now[was.size()] == "&" && now[was.size() + 1] == "&";
    });
}

Tokens asked_by_while(const Line& line) {
    if (line.tokens.size() < 4 || line.tokens[0] != "while" || line.tokens[1] != "(")
        return {};
    const auto end = std::find(line.tokens.rbegin(), line.tokens.rend(), ")");
    return {line.tokens.begin() + 2, end == line.tokens.rend() ? line.tokens.end() : end.base() - 1};
}

/// `while (done < size)` that is `if (done < size)` now.
bool asked_once(const Hunk& hunk, const Line& after) {
    return !after.condition.empty() && !after.asserts &&
           std::any_of(hunk.before.begin(), hunk.before.end(),
                       [&](const Line& before) { return before.changed && asked_by_while(before) == after.condition; });
}

} // namespace

std::vector<Mark> shortened_loops(const std::vector<File>& files) {
    std::vector<Mark> marks;
    for (const File& file : files) {
        if (!is_code(file))
            continue;
        const auto before = loops_of(file, &Hunk::before);
        for (const Loop& loop : loops_of(file, &Hunk::after))
            if (std::any_of(before.begin(), before.end(), [&](const Loop& was) {
                    return begins_later(was, loop) || (shorter(was, loop) && !does_several(loop, variable_of(loop)));
                }))
                marks.push_back({file.path, loop.hunk->after[loop.at], false});
    }
    for (Mark& mark : in_hunks(files, [](const File&file, const Hunk&hunk, const Line&line) {
             return is_code(file) && !line.tokens.empty() &&
                    (asked_once(hunk, line) || asks_more_to_go_on(hunk, line) ||
                     (file.language == Language::python && ranges_over_less(hunk, line)));
         }))
        marks.push_back(std::move(mark));
    return marks;
}

} // namespace holdfast::review::look
