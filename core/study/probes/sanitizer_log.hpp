// SPDX-License-Identifier: GPL-3.0-or-later
// What sanitizers wrote, as findings that can be looked for on the other side. Pure. Format: the reports of the
// runtimes of GCC and Clang (compiler-rt, sanitizer_common).
#pragma once

#include "core/study/probes/renames.hpp"

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study::probes {

/// Without addresses, line numbers and the runtime's own frames.
struct Finding {
    std::string kind;                   ///< "heap-buffer-overflow"
    std::vector<std::string> functions; ///< from the innermost on; of a race the innermost of both, sorted

    auto operator<=>(const Finding&) const = default;
    bool is_race() const { return kind.find("race") != std::string::npos; }
    /// Memory that was never given back, which harms nobody but who runs for long.
    bool is_leak() const;
    /// "heap-buffer-overflow in scan < main"; printable.
    std::string text() const;
};

/// With each the beginning of its first report, raw.
using Findings = std::map<Finding, std::string>;

/// Adds the findings of one log.
void read_sanitizer_log(std::string_view log, Findings& findings);

/// Those of `own` that `known` lacks. One that differs from a known one only in functions that `renames` has is the
/// same; but each known one that `own` itself still has, or that stood for another before, excuses no more.
Findings without_known(const Findings& own, const Findings& known, const Renames& renames);

} // namespace holdfast::study::probes
