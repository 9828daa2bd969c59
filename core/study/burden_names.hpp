// SPDX-License-Identifier: GPL-3.0-or-later
// What the harness and holdfast-burden.so agree on.
#pragma once

namespace holdfast::study::burden_names {

constexpr const char* share = "HOLDFAST_BURDEN_PPM"; ///< millionths of the time the program took
/// Which time the share is of, and is burnt in: `wall_clock`, or `processor_clock` for the processor time of the
/// program and of what it waited for.
constexpr const char* clock = "HOLDFAST_BURDEN_CLOCK";
constexpr const char* wall_clock = "wall";
constexpr const char* processor_clock = "cpu";
/// "PID NANOSECONDS" of the program whose time counts, written in place by the first process that loads the library:
/// programs that it starts, or becomes, find it there. It has room for both numbers.
constexpr const char* root = "HOLDFAST_BURDEN_ROOT";
constexpr const char* nobody = "----------------------------------------";
constexpr const char* library = "/burden.so"; ///< inside the sandbox, read-only
constexpr const char* folder = "/burden";     ///< likewise, writable
constexpr const char* marks = "marks";        ///< in it: "BURNT RAN\n" in nanoseconds for each program that burnt time

} // namespace holdfast::study::burden_names
