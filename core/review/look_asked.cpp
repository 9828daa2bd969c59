// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look_asked.hpp"

#include <algorithm>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

/// `return a || b;`, `const bool bad = a || b;`, `while (a && b)`: what is asked, without the words before it.
Tokens answer_in(const Tokens& tokens) {
    auto begin = std::find_if(tokens.begin(), tokens.end(),
                              [](const std::string& token) { return token == "return" || token == "while"; });
    if (begin == tokens.end())
        for (auto at = tokens.begin(); at != tokens.end() && begin == tokens.end(); ++at)
            if (*at == "=" && at != tokens.begin() && at + 1 != tokens.end() && *(at + 1) != "=" &&
                !has({*(at - 1)}, {"=", "!", "<", ">"}))
                begin = at;
    if (begin == tokens.end())
        return {};
    ++begin;
    return {begin, std::find_if(begin, tokens.end(),
                                [](const std::string& token) { return token == ";" || token == "?" || token == "{"; })};
}

/// Of `entry->key.size() + 1`: `_ + 1`.
std::string shape_of(const std::string& side) {
    std::string shape;
    for (const std::string& token : with_operators(tokens_of(side))) {
        const bool named = shape.ends_with('_');
        const bool part = is_word(token) || (named && has({token}, {".", "->", "::", "(", ")", "[", "]"}));
        if (part && named)
            continue;
        shape += shape.empty() ? "" : " ";
        shape += part ? "_" : token;
    }
    return shape;
}

Term shape_of(Term term) {
    term.left = shape_of(term.left);
    term.right = shape_of(term.right);
    return term;
}

} // namespace

Definitions::Definitions(const std::vector<File>& files) {
    constexpr std::size_t longest = 16; // tokens
    for (const File& file : files)
        for (const Line& line : file.added) {
            const Tokens& tokens = line.tokens;
            if (!line.condition.empty())
                continue;
            for (auto equals = std::find(tokens.begin(), tokens.end(), "="); equals != tokens.end();
                 equals = std::find(equals + 1, tokens.end(), "=")) { // several in an enum
                if (equals == tokens.begin() || !is_word(*(equals - 1)) || equals + 1 == tokens.end() ||
                    *(equals + 1) == "=")
                    continue;
                const auto end = std::find_if(equals, tokens.end(), [](const std::string& token) {
                    return token == ";" || token == "}" || token == ",";
                });
                if (end - equals > 1 && static_cast<std::size_t>(end - equals) <= longest)
                    if (const auto [at, fresh] = known_.try_emplace(*(equals - 1), equals + 1, end); !fresh)
                        at->second.clear();
            }
        }
}

Tokens Definitions::spelled_out(const Tokens& tokens) const {
    Tokens spelled;
    bool any = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto known = known_.find(tokens[i]);
        const bool member =
            i > 0 && (has({tokens[i - 1]}, {".", ":"}) || (i > 1 && tokens[i - 1] == ">" && tokens[i - 2] == "-"));
        if (known == known_.end() || known->second.empty() || member) {
            spelled.push_back(tokens[i]);
            continue;
        }
        any = true;
        spelled.insert(spelled.end(), known->second.begin(), known->second.end());
    }
    return any ? spelled : Tokens();
}

AskedTerms::AskedTerms(const std::vector<File>& files) : definitions_(files) {
    for (const File& file : files)
        for (const Hunk& hunk : file.hunks)
            take_side(hunk.after);
}

void AskedTerms::take(const Tokens& tokens, bool answers) {
    for (const Tokens& words : {tokens, definitions_.spelled_out(tokens)})
        for (const AllOf& terms : alternatives(words, false))
            for (const Term& term : terms) {
                terms_.insert(either_way(term));
                if (answers)
                    shapes_.insert(either_way(shape_of(term)));
            }
}

void AskedTerms::take_side(const std::vector<Line>& side) {
    Tokens chosen; // by the switch that was seen last
    for (const Line& line : side) {
        if (const auto at = std::find(line.tokens.begin(), line.tokens.end(), "switch"); at != line.tokens.end())
            chosen = {at + 1, std::find(at, line.tokens.end(), "{")};
        if (!line.condition.empty() && line.asks_anew)
            take(line.condition);
        if (!line.changed || line.tokens.empty())
            continue;
        if (line.tokens.front() == "case" && !chosen.empty()) {
            Tokens asked = chosen;
            asked.insert(asked.end(), {"=", "="});
            asked.insert(asked.end(), line.tokens.begin() + 1, std::find(line.tokens.begin(), line.tokens.end(), ":"));
            take(asked);
        } else if (line.condition.empty()) {
            take(answer_in(line.tokens), has(line.tokens, {"return"}));
        }
    }
}

bool AskedTerms::all_of(const AllOf& terms) const {
    return std::all_of(terms.begin(), terms.end(),
                       [&](const Term& term) { return terms_.count(either_way(term)) != 0; });
}

bool AskedTerms::all_of(const AnyOf& alternatives) const {
    return !alternatives.empty() &&
           std::all_of(alternatives.begin(), alternatives.end(), [&](const AllOf& terms) { return all_of(terms); });
}

bool AskedTerms::all_of_that_shape(const AnyOf& alternatives) const {
    bool number = false;
    std::size_t count = 0;
    for (const AllOf& terms : alternatives)
        for (const Term& term : terms) {
            const std::string shape = either_way(shape_of(term));
            if (!shapes_.contains(shape))
                return false;
            ++count;
            const Tokens tokens = tokens_of(shape);
            number = number || std::any_of(tokens.begin(), tokens.end(), [](const std::string& token) {
                         return is_number(token) && token != "0" && token != "1";
                     });
        }
    return number || count > 1;
}

} // namespace holdfast::review::look
