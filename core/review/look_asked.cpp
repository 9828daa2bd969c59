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

} // namespace

AskedTerms::AskedTerms(const std::vector<File>& files) {
    for (const File& file : files)
        for (const Hunk& hunk : file.hunks)
            take_side(hunk.after);
}

void AskedTerms::take(const Tokens& tokens) {
    for (const AllOf& terms : alternatives(tokens, false))
        for (const Term& term : terms)
            terms_.insert(either_way(term));
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
            take(answer_in(line.tokens));
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

} // namespace holdfast::review::look
