// SPDX-License-Identifier: GPL-3.0-or-later
// Checks are checked before anything is measured: outputs that take no work to make must not pass them.
#pragma once

#include "core/study/sampler.hpp"
#include "core/study/watch.hpp"
#include "core/study/workspace.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study {

/// The same text with every number a 0, or as many zero bytes for one that is not text; nothing for a text without
/// numbers, which has no zeros of its shape.
std::optional<std::string> zeros_like(std::string_view output);

/// Each workload's check, for each of its seeds, against the outputs of programs that do nothing, write empty files,
/// write zeros in the baseline's shape, copy an input, or give the answer to the seed (else the workload) before. The
/// error (invalid) names the first workload and the trick that passes with every seed, and what to change. A number
/// that the program itself reports as its quality says nothing about the answer it belongs to, so the last trick is not
/// tried where that is the whole check. Asked once for the same baseline, project and inputs. pin() must have succeeded
/// for every workload.
Result<void> refuse_null_programs(const Project& project, const Workspace& workspace, Sampler& sampler,
                                  const Watch& watch, const Arm& baseline,
                                  const std::vector<const Workload*>& workloads);

} // namespace holdfast::study
