// SPDX-License-Identifier: GPL-3.0-or-later
// Reasons that people type: what counts as one.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::review {

/// `text` without blanks and invisible characters (of all of Unicode) around it.
std::string trimmed(std::string_view text);

/// Why `reason` is none for passing `gate`, in words; "" when it is one: ten characters, runs of blanks counted once,
/// and more than the gate's name.
std::string override_reason_fault(std::string_view reason, std::string_view gate);

} // namespace holdfast::review
