// SPDX-License-Identifier: GPL-3.0-or-later
// A compiler cache (ccache) for the builds of one project: a candidate compiles only what it changed.
#pragma once

#include "core/study/runner.hpp"
#include "core/study/workspace.hpp"

namespace holdfast::study {

/// Whose build it is. What a candidate could put into the cache would be run as the baseline's or another candidate's:
/// only the baseline's builds fill it, candidates read.
enum class Builder { baseline, candidate };

/// Lets the build `execution` use the project's cache at /ccache. CMake (3.17 and later) does it by itself, other
/// builds by naming ccache before the compiler. Nothing happens where ccache is not installed. What is built does not
/// depend on it.
Result<void> share_compilations(Execution& execution, const Workspace& workspace, Runner& runner, Builder builder);

} // namespace holdfast::study
