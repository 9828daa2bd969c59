// SPDX-License-Identifier: GPL-3.0-or-later
// One execution from start to an empty sandbox.
#pragma once

#include "sandbox/message.hpp"
#include "sandbox/runner/bubblewrap.hpp"

namespace holdfast::sandbox {

/// How the harness is heard.
struct Harness {
    int control; ///< its socket
    int death;   ///< readable when it has died
};

/// Runs it and returns when no process of it is left. A kill message, or the end of the harness, kills the tree at
/// once; in the latter case `harness_gone` becomes true.
Reply run(const study::Execution& execution, const Programs& programs, const Harness& harness, bool& harness_gone);

} // namespace holdfast::sandbox
