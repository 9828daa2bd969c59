// SPDX-License-Identifier: GPL-3.0-or-later
// What sanitizers wrote, as findings that can be looked for on the other side. Pure. Format: the reports of the
// runtimes of GCC and Clang (compiler-rt, sanitizer_common).
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace holdfast::study::probes {

/// "heap-buffer-overflow in scan < main": kind and innermost functions, without addresses, line numbers and the
/// runtime's own frames; printable. With each the beginning of its first report, raw.
using Findings = std::map<std::string, std::string>;

/// Adds the findings of one log.
void read_sanitizer_log(std::string_view log, Findings& findings);

/// Whether a finding is memory that was never given back, which harms nobody but who runs for long.
bool is_leak(const std::string& finding);

} // namespace holdfast::study::probes
