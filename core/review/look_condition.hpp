// SPDX-License-Identifier: GPL-3.0-or-later
// What an `if` asks, as alternatives of terms that can be compared: whether it holds less often than before is told by
// its terms, not by how they are written.
#pragma once

#include "core/review/look_lines.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::review::look {

struct Asked {
    std::vector<std::string> tokens; ///< of the condition; empty: none begins there
    bool asserted = false;
};
/// The condition of an `if` or an assertion that begins at the first of `tokens`; nothing while its end is not among
/// them.
std::optional<Asked> condition_in(const std::vector<std::string>& tokens, Language language);

/// A comparison, written with `<`, `<=`, `==` or `!=`; anything else has no operator, or `!`.
struct Term {
    std::string comparison, left, right; ///< of no comparison: all in `left`
    bool operator==(const Term& other) const = default;
};

using AllOf = std::vector<Term>;
/// Holds when one of them holds whole. Empty: what is asked has too many sides to be compared.
using AnyOf = std::vector<AllOf>;

/// `negated`: what must hold for the condition not to hold.
AnyOf alternatives(const std::vector<std::string>& tokens, bool negated);
/// Of a line's condition, that under which the code behind it gives up: an assertion does so when it does not hold.
AnyOf alternatives(const Line& line);

/// When both hold. Empty when it has too many sides.
AnyOf both(const AnyOf& left, const AnyOf& right);

/// Whether `weak` holds wherever `strong` does, as far as their terms tell.
bool implies(const AllOf& strong, const AllOf& weak);

/// The term or its opposite, whichever comes first: what is the same whichever way round it is asked.
std::string either_way(const Term& term);

/// Operators of two and three characters as one token.
std::vector<std::string> with_operators(const std::vector<std::string>& tokens);

/// Whether the second of two bounds is above the first, and not the same: of two numbers, or of a text and the same
/// with something that makes it more (`most`, `2 * most`).
bool more(const std::string& less, const std::string& more);

} // namespace holdfast::review::look
