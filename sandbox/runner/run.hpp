// SPDX-License-Identifier: GPL-3.0-or-later
// One execution from start to an empty sandbox.
#pragma once

#include "sandbox/message.hpp"
#include "sandbox/runner/bubblewrap.hpp"

namespace holdfast::sandbox {

/// Runs it and returns when no process of it is left. A kill message on `control`, or the end of `control`, kills the
/// tree at once; in the latter case `harness_gone` becomes true.
Reply run(const study::Execution& execution, const Programs& programs, int control, bool& harness_gone);

} // namespace holdfast::sandbox
