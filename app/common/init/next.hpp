// SPDX-License-Identifier: GPL-3.0-or-later
// What a person runs after init, so that the first measure finds in HEAD all it needs.
#pragma once

#include "app/common/init/proposal.hpp"

#include <string>
#include <vector>

namespace holdfast::app::init {

/// Lines for a shell: the commit that brings what init wrote and what the workloads need into HEAD (held-out inputs
/// stay outside), then validate and measure. `seen` is from before anything was written.
std::vector<std::string> next_steps(const Seen& seen, const Proposal& proposal);

} // namespace holdfast::app::init
