// SPDX-License-Identifier: GPL-3.0-or-later
// Held-out questions: counted, logged before they are asked, refused when the budget is spent.
#pragma once

#include "core/study/asked.hpp"
#include "core/study/fresh_seeds.hpp"
#include "core/study/sampler.hpp"
#include "core/study/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// How many of the budget (DecisionSettings::holdout_questions) are used. A study has a budget of its own; comparisons
/// by hand share one for as long as a held-out workload asks the same (asked.hpp).
Result<int> questions_asked(const Store& store, const StudyRecord& study);
/// Of comparisons by hand that ask `digests`: those of the one that was asked most often. What is older than the
/// digests counts where its definitions of what is held out are those of `frozen_json`.
Result<int> questions_by_hand(const Store& store, const std::string& frozen_json,
                              const std::vector<std::string>& digests);

/// "all 50 held-out questions of this study are spent; bring new held-out workloads".
std::string spent_text(const Project& project, const std::string& whose);

/// The question that `trial` asked before, else a new one of `rounds` rounds on `workloads`, logged now with the seeds
/// that are drawn for it. Nothing when the budget is spent.
Result<std::optional<QuestionRecord>> ask_question(Store& store, const Project& project, const StudyRecord& study,
                                                   const std::string& trial, int rounds,
                                                   const std::vector<const Workload*>& workloads);

/// The seeds of a question with the baseline's outputs pinned on them, for as long as it lives.
class QuestionSeeds {
public:
    QuestionSeeds(Sampler& sampler, std::vector<const Workload*> workloads)
        : sampler_(&sampler), workloads_(std::move(workloads)) {}
    ~QuestionSeeds();
    QuestionSeeds(const QuestionSeeds&) = delete;
    QuestionSeeds& operator=(const QuestionSeeds&) = delete;

    /// Error: the baseline cannot answer for one of them.
    Result<void> pin(const QuestionRecord& question);

    const FreshSeeds& seeds() const { return seeds_; }
    /// Those that a workload runs: fresh ones, else its own.
    const std::vector<std::int64_t>& of(const Workload& workload) const;

private:
    Sampler* sampler_;
    std::vector<const Workload*> workloads_;
    FreshSeeds seeds_;
};

} // namespace holdfast::study
