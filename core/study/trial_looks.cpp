// SPDX-License-Identifier: GPL-3.0-or-later
// The gates that look at a changed program without timing it: `probe` and `coverage`.
#include "core/study/coverage.hpp"
#include "core/study/trial_gates.hpp"

#include <fmt/format.h>

namespace holdfast::study {

/// For the person who reads the verdict; it decides nothing. Only of what may come before one, since it takes a build.
Result<void> Gates::cover() {
    if (trial_->patch.empty())
        return {};
    bench_->watch->progress({"coverage", trial_->number, 0, 0, {}});
    auto placed = git::place_patch(*bench_->repository, bench_->commit, trial_->patch,
                                   patch_rules(*bench_->project, *bench_->repository));
    auto coverage = placed ? coverage_of(*bench_, *arm_, *placed, tuning_) : tl::unexpected(placed.error());
    if (!coverage)
        return tl::unexpected(coverage.error());
    return row("coverage", coverage->complete() ? "pass" : "stop", coverage->text(), "", coverage->json());
}

/// Of a patch alone: a knob's values are the project's own settings, and every part of the program that they lead to is
/// the baseline's, reviewed and tested as such.
Gates::Passed Gates::probe() {
    if (trial_->patch.empty())
        return std::optional<GateStop>();
    bench_->watch->progress({"probe", trial_->number, 0, 0, {}});
    auto found = probes::probe(*bench_, *arm_, *trial_, state_->record.seed, tuning_);
    if (!found)
        return tl::unexpected(found.error());
    cautions_ = found->cautions;
    const char* const result = found->decided                                   ? "fail"
                               : found->gaps.empty() && found->cautions.empty() ? "pass"
                                                                                : "stop";
    if (auto written = row("probe", result, found->text(), found->log, found->json()); !written)
        return tl::unexpected(written.error());
    if (!found->decided)
        return std::optional<GateStop>();
    return std::optional<GateStop>(
        GateStop{"probe", found->decided->outcome, false, found->decided->reason, found->decided->log});
}

} // namespace holdfast::study
