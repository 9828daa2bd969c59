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

/// With what sandboxes are made.
struct Means {
    const Programs& programs;
    ControlGroups& groups;
};

/// Runs it and returns when no process of it is left. A kill message, or the end of the harness, kills the tree at
/// once; in the latter case `harness_gone` becomes true.
Reply run(const study::Execution& execution, const Means& means, const Harness& harness, bool& harness_gone);

/// Answers with Reply messages: when the server is ready, after each run, and after its end. Returns when no process of
/// it is left and that was told, or when the harness has gone.
void keep(const study::Execution& execution, const Means& means, const Harness& harness);

} // namespace holdfast::sandbox
