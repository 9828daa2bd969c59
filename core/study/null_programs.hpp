// SPDX-License-Identifier: GPL-3.0-or-later
// Checks are checked before anything is measured: outputs that take no work to make must not pass them.
#pragma once

#include "core/study/sampler.hpp"
#include "core/study/watch.hpp"
#include "core/study/workspace.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study {

/// The same text with every number a 0, or as many zero bytes for one that is not text; nothing for a text without
/// numbers, which has no zeros of its shape.
std::optional<std::string> zeros_like(std::string_view output);

/// Each workload's check, for each of its seeds, against the outputs of programs that do nothing, write empty files,
/// write zeros in the baseline's shape, copy an input, or give an answer of before: to another seed, of the workload
/// before. The first three and another answer are put through each variant's `restore` as well. The error (invalid)
/// names the first workload and the trick that passes with every seed, and what to change.
///
/// An old answer that is rightly the answer says nothing against a check, so it is refused only when no workload or
/// seed of the project has another; a judge command or a quality that takes another answer is refused at once. A number
/// that the program itself reports as its quality says nothing about the answer it belongs to, so old answers are not
/// tried where that is the whole check. `copies` tells which workloads are near copies, "" when none is; it is called
/// where that is the reason. Asked once for the same baseline, project and inputs. pin() must have succeeded for every
/// workload.
Result<void> refuse_null_programs(const Project& project, const Workspace& workspace, Sampler& sampler,
                                  const Watch& watch, const Arm& baseline,
                                  const std::vector<const Workload*>& workloads,
                                  const std::function<std::string()>& copies);

} // namespace holdfast::study
