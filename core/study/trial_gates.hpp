// SPDX-License-Identifier: GPL-3.0-or-later
// The gates of a trial, and what one leaves for the next. In trial.cpp the way through them; in trial_correct.cpp the
// judged runs, in trial_measured.cpp the timed ones, in trial_looks.cpp what is looked at beside them.
#pragma once

#include "core/study/clock.hpp"
#include "core/study/probes/probe.hpp"
#include "core/study/questions.hpp"
#include "core/study/trial.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// ", 3 variants agree"; "" without any.
std::string variants_text(const std::vector<const Workload*>& workloads);

/// One trial on its way; each gate either stops it or lets it pass.
class Gates {
public:
    Gates(Bench& bench, StudyState& state, TrialRecord& trial, std::int64_t order)
        : bench_(&bench), state_(&state), trial_(&trial), order_(order),
          tuning_(bench.project->with_role(Role::tuning)), holdout_(bench.project->with_role(Role::holdout)),
          question_seeds_(*bench.sampler, holdout_) {}

    Result<TrialEnd> run();

private:
    using Passed = Result<std::optional<GateStop>>;
    using Rounds = std::vector<decision::Round>;

    Result<void> row(const char* gate, const std::string& result, const std::string& reason,
                     const std::string& log = "", const std::string& detail = "{}");
    Result<void> cover();
    Passed probe();
    Passed stop(const char* gate, const Stopped& stopped);
    Passed tests();
    Result<void> keep_quality(const Workload& workload, std::int64_t session, std::int64_t round, const Taken& taken);
    Passed quality(const char* gate, const std::vector<const Workload*>& workloads);
    Result<void> correct_row();
    decision::Rule rule_on(const std::vector<const Workload*>& workloads) const;
    Passed correct();
    Passed try_variants(const char* gate, const std::vector<const Workload*>& workloads);
    Passed screen(bool& go_on);
    decision::Rule confirm_rule() const; ///< with the threshold of the next confirmation
    Passed confirm();
    Passed ask_holdout();
    Passed answer(QuestionRecord& question, const std::optional<GateStop>& stopped);
    Result<TrialEnd> decide();
    Result<void> tell_of_metrics(decision::Verdict& verdict);
    Result<void> conclude(const decision::Verdict& verdict);
    Result<tl::expected<Rounds, Stopped>> fixed_rounds(const char* phase, const std::vector<const Workload*>& workloads,
                                                       std::size_t count);
    Session session(const char* phase, const std::vector<const Workload*>& workloads);

    Bench* bench_;
    StudyState* state_;
    TrialRecord* trial_;
    std::int64_t order_;
    std::vector<const Workload*> tuning_, holdout_;
    QuestionSeeds question_seeds_;
    std::optional<Arm> arm_;
    std::optional<decision::Assessment> tuning_seen_, holdout_seen_;
    std::optional<decision::Quarantined> quarantined_; ///< of the last fixed_rounds()
    std::string tuning_stop_, holdout_not_asked_;
    bool confirmed_ = false;
    std::vector<probes::Caution> cautions_; ///< of gate `probe`
    std::chrono::steady_clock::time_point gate_began_ = std::chrono::steady_clock::now();
    std::string gate_started_ = utc_now();
};

} // namespace holdfast::study
