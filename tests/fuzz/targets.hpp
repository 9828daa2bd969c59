// SPDX-License-Identifier: GPL-3.0-or-later
// What reads text that somebody else wrote, each as a function of bytes. A target ends the process (abort, a sanitizer)
// when a reader crashes or breaks a promise of its header; errors in words are what is expected.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::fuzz {

struct Target {
    const char* name; ///< also of its folder in tests/fuzz/corpus
    void (*run)(std::string_view bytes);
};

const std::vector<Target>& targets();
/// Null when there is none of that name.
const Target* target(const std::string& name);

/// Ends the process with `promise` on standard error unless it holds.
void require(bool holds, const char* promise);

/// `bytes` up to the first `separator` and what follows it; the second is empty when there is none.
std::pair<std::string_view, std::string_view> halves(std::string_view bytes, char separator);

} // namespace holdfast::fuzz
