// SPDX-License-Identifier: GPL-3.0-or-later
// {name} in the words of commands. Only a name in braces counts, so that awk '{print $1}' and JSON pass as they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

struct Placeholder {
    std::size_t begin = 0, end = 0; ///< of {name} with its braces, as offsets
    std::string_view name;
    bool after_dollar = false; ///< ${name}: a shell's variable
};

/// The first placeholder at or after `from`.
std::optional<Placeholder> next_placeholder(std::string_view word, std::size_t from);

/// `word` with each {name} for which `replacement(name)` gives a text replaced by it. What was put in is not read
/// again.
template <class Replacement> std::string replace_placeholders(std::string_view word, const Replacement& replacement) {
    std::string result;
    std::size_t copied = 0;
    for (auto found = next_placeholder(word, 0); found; found = next_placeholder(word, found->end)) {
        const std::optional<std::string> text = replacement(found->name);
        if (!text)
            continue;
        result += word.substr(copied, found->begin - copied);
        result += *text;
        copied = found->end;
    }
    result += word.substr(copied);
    return result;
}

} // namespace holdfast
