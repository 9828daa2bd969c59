// SPDX-License-Identifier: GPL-3.0-or-later
// The gate `correct`: tests, checks, variants and quality.
#include "core/project/text.hpp"
#include "core/study/quality.hpp"
#include "core/study/trial_gates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

/// ", 3 variants agree"; "" without any.
std::string variants_text(const std::vector<const Workload*>& workloads) {
    std::size_t count = 0;
    for (const Workload* workload : workloads)
        count += workload->variants.size();
    return count == 0 ? "" : fmt::format(", {} variant{}", count, count == 1 ? " agrees" : "s agree");
}

/// Also for a candidate with the baseline's executables: a gate that says "tests pass" has run them.
Gates::Passed Gates::tests() {
    auto failure = run_tests(*bench_->project, *bench_->workspace, *bench_->runner, *bench_->watch, arm_->artifact);
    if (!failure)
        return tl::unexpected(failure.error());
    if (!*failure)
        return std::optional<GateStop>();
    // Only a baseline that passes can blame the candidate.
    auto baseline =
        run_tests(*bench_->project, *bench_->workspace, *bench_->runner, *bench_->watch, bench_->baseline.artifact);
    if (!baseline)
        return tl::unexpected(baseline.error());
    if (*baseline)
        return failed("run the project's tests on the baseline",
                      printable((*baseline)->reason) + "\n" + printable((*baseline)->log, false),
                      "Make them pass on the baseline in a clean checkout without network");
    return stop("correct", {Taken::Outcome::wrong, (*failure)->reason, (*failure)->log});
}

/// The project's tests, then one judged run of each tuning workload.
Gates::Passed Gates::correct() {
    bench_->watch->progress({"correct", trial_->number, 0, 0, {}});
    auto tested = tests();
    if (!tested || *tested)
        return tested;
    auto before = bench_->store->samples(state_->record.id, trial_->id, "correct");
    if (!before)
        return tl::unexpected(before.error());
    std::int64_t session = 1;
    for (const SampleRecord& sample : *before)
        session = std::max(session, sample.session + 1);
    for (const Workload* workload : tuning_) {
        auto prepared = bench_->sampler->prepare(*arm_, *workload);
        if (!prepared)
            return tl::unexpected(prepared.error());
        if (*prepared)
            return stop("correct", {(*prepared)->outcome, (*prepared)->reason, (*prepared)->log});
        std::int64_t round = 0;
        for (const std::int64_t seed : workload->seeds) {
            auto taken = bench_->sampler->take(*arm_, *workload, seed);
            if (!taken)
                return tl::unexpected(taken.error());
            if (taken->outcome != Taken::Outcome::ok)
                return stop("correct", {taken->outcome, taken->reason, taken->log});
            if (auto kept = keep_quality(*workload, session, ++round, *taken); !kept)
                return tl::unexpected(kept.error());
        }
        bench_->sampler->stop_servers();
    }
    auto disagrees = try_variants("correct", tuning_);
    if (!disagrees || *disagrees)
        return disagrees;
    if (auto kept = quality("correct", tuning_); !kept || *kept)
        return kept;
    if (auto written = correct_row(); !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

/// Once each, never timed. For every seed, since a program may know some of them.
Gates::Passed Gates::try_variants(const char* gate, const std::vector<const Workload*>& workloads) {
    for (const Workload* workload : workloads)
        for (const std::int64_t seed : question_seeds_.of(*workload)) {
            if (bench_->watch->after_sample.stop_requested())
                return tl::unexpected(stopped_on_request("try the variants"));
            auto disagrees = bench_->sampler->try_variants(*arm_, *workload, seed);
            if (!disagrees)
                return tl::unexpected(disagrees.error());
            if (*disagrees)
                return stop(gate, {(*disagrees)->outcome, (*disagrees)->reason, (*disagrees)->log});
        }
    return std::optional<GateStop>();
}

Result<void> Gates::correct_row() {
    auto samples = bench_->store->samples(state_->record.id, trial_->id);
    if (!samples)
        return tl::unexpected(samples.error());
    const auto seen = quality_of(tuning_, *samples);
    const std::string detail = seen.empty() ? "{}" : nlohmann::json({{"quality", quality_json(seen)}}).dump();
    return row("correct", "pass",
               fmt::format("{} and {} of {} tuning workloads {}{}{}",
                           bench_->project->code.test.empty() ? "no tests" : "tests pass", tuning_.size(),
                           tuning_.size(), seen.empty() ? "give the baseline's output" : "pass their checks",
                           variants_text(tuning_), quality_reason(seen)),
               "", detail);
}

/// What was seen of quality in gate `correct`, kept as samples: what is decided by it must be there to be computed
/// again. Timings of judged runs are no measurement and are left out.
Result<void> Gates::keep_quality(const Workload& workload, std::int64_t session, std::int64_t round,
                                 const Taken& taken) {
    if (!workload.check.quality)
        return {};
    const std::string key = quality_key(*workload.check.quality);
    const Taken* pinned = bench_->sampler->pinned(workload, seed_of(workload.seeds, round));
    for (const Taken* each : {pinned, &taken}) {
        SampleRecord record = each->record;
        record.study = state_->record.id;
        record.trial = trial_->id;
        record.phase = "correct";
        record.session = session;
        record.round = round;
        record.attempt = 1;
        record.arm = each == pinned ? "baseline" : "candidate";
        record.slot = each == pinned ? 0 : 1;
        record.metrics_json = nlohmann::json({{key, each->metrics.at(key)}}).dump();
        if (auto stored = bench_->store->add_sample(record); !stored)
            return stored;
    }
    return {};
}

/// Every quality check of `workloads`, by all runs of the trial so far. What is shown lost is wrong; what is not shown
/// kept ends the trial too, since quality is never traded for speed in silence.
Gates::Passed Gates::quality(const char* gate, const std::vector<const Workload*>& workloads) {
    auto samples = bench_->store->samples(state_->record.id, trial_->id);
    if (!samples)
        return tl::unexpected(samples.error());
    for (const decision::QualitySeen& seen : quality_of(workloads, *samples))
        if (!seen.kept)
            return stop(gate, {seen.lost ? Taken::Outcome::wrong : Taken::Outcome::unsettled,
                               fmt::format("{}; {}", decision::describe(seen), decision::worst_words(seen)), ""});
    return std::optional<GateStop>();
}

} // namespace holdfast::study
