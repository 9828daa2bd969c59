// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/renames.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace holdfast::study::probes {

namespace {

bool in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void add_names(std::string_view text, std::set<std::string>& names) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && in_name(text[end]))
            ++end;
        if (end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0)
            names.emplace(text.substr(at, end - at));
        at = end + 1;
    }
}

/// "scan" of "ns::Table<int>::scan(long*, int) const"; "operator" of all operators, which are not renamed.
std::string name_of(const std::string& function) {
    constexpr std::string_view unnamed = "(anonymous namespace)";
    std::size_t depth = 0, end = 0, begin = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        if (function.compare(i, unnamed.size(), unnamed) == 0)
            i += unnamed.size();
        const char c = i < function.size() ? function[i] : '(';
        if (c == '(' && depth == 0)
            break;
        depth += c == '<' ? 1 : 0;
        if (depth == 0 && in_name(c)) {
            if (end != i)
                begin = i;
            end = i + 1;
        }
        depth -= c == '>' && depth > 0 ? 1 : 0;
    }
    return function.substr(begin, end - begin);
}

} // namespace

Renames::Renames(const git::PlacedPatch& patch) {
    std::set<std::string> before, after;
    for (const git::PlacedFile& file : patch.files) {
        if (file.change != git::PlacedFile::Change::added)
            add_names(file.before, before);
        if (file.change != git::PlacedFile::Change::removed)
            add_names(file.after, after);
    }
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::inserter(gone_, gone_.end()));
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::inserter(come_, come_.end()));
}

bool Renames::same_function(const std::string& before, const std::string& after) const {
    return before == after || (gone_.contains(name_of(before)) && come_.contains(name_of(after)));
}

bool Renames::same_functions(const std::vector<std::string>& before, const std::vector<std::string>& after) const {
    return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                      [this](const std::string& one, const std::string& other) { return same_function(one, other); });
}

} // namespace holdfast::study::probes
