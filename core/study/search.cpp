// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/search.hpp"

#include "core/decision/dominance.hpp"
#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/stats/estimate.hpp"
#include "core/stats/random.hpp"
#include "core/study/clock.hpp"
#include "core/study/rounds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace holdfast::study {

namespace {

/// Places of queued candidates come first in a study, searched ones from here: coins do not depend on the queue's
/// length.
constexpr std::int64_t search_order = 1'000'000;

struct Look {
    TrialRecord trial;
    std::int64_t order = 0;
    std::optional<double> estimate; ///< nothing: it failed; of several objectives the mean of their gains
    decision::Gains gains;          ///< log ratio of each of several objectives
};

/// Those that looked better in something, best first: of several objectives first those that no other look beats.
void keep_promising(std::vector<Look>& looks) {
    std::erase_if(looks, [](const Look& look) {
        const auto better = [](double gain) { return gain > 0; };
        return !look.estimate || !(*look.estimate > 0 || std::any_of(look.gains.begin(), look.gains.end(), better));
    });
    std::stable_sort(looks.begin(), looks.end(),
                     [](const Look& a, const Look& b) { return *a.estimate > *b.estimate; });
    std::vector<decision::Gains> gains;
    for (const Look& look : looks)
        gains.push_back(look.gains);
    const std::vector<bool> front = decision::non_dominated(gains);
    std::vector<Look> sorted;
    for (const bool wanted : {true, false})
        for (std::size_t i = 0; i < looks.size(); ++i)
            if (front[i] == wanted)
                sorted.push_back(std::move(looks[i]));
    looks = std::move(sorted);
}

class Search {
public:
    Search(Bench& bench, StudyState& state, const Options& options, const TunerFactory& tuners,
           std::optional<std::chrono::steady_clock::time_point> deadline)
        : bench_(&bench), state_(&state), options_(&options), factory_(&tuners), deadline_(deadline),
          tuning_(bench.project->with_role(Role::tuning)), exact_(is_exact()) {}

    Result<std::vector<TrialRecord>> run();

private:
    bool is_exact() const;
    Result<void> make_tuners();
    Result<void> load_stored();
    Configuration whole(Configuration partial) const;
    Result<std::optional<Look>> look(std::size_t index);
    Result<void> measure(Look& look, const char* phase, std::size_t count);
    Result<std::vector<TrialRecord>> measure_again();
    Result<void> keep(Look& look, std::size_t rounds);

    Bench* bench_;
    StudyState* state_;
    const Options* options_;
    const TunerFactory* factory_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    std::vector<const Workload*> tuning_;
    bool exact_;
    struct NamedTuner {
        std::string name;
        std::unique_ptr<Tuner> tuner;
    };
    std::vector<NamedTuner> tuners_;
    std::vector<TrialRecord> stored_; ///< searched trials of this study, by number
    std::vector<Look> looks_;
    std::map<std::string, std::optional<double>> seen_; ///< by configuration: two tuners may think of the same one
};

/// A study whose opening rounds never differed counts something exact: one look says all.
bool Search::is_exact() const {
    if (state_->record.opening_json.empty())
        return false;
    const auto opening = nlohmann::json::parse(state_->record.opening_json);
    return std::all_of(tuning_.begin(), tuning_.end(), [&](const Workload* workload) {
        const auto seen = opening.find(workload->name);
        if (seen == opening.end() || seen->at("spread").get<double>() != 0)
            return false;
        const auto others = seen->value("objectives", nlohmann::json::object());
        return std::all_of(others.begin(), others.end(),
                           [](const auto& other) { return other.at("spread").template get<double>() == 0; });
    });
}

Configuration Search::whole(Configuration partial) const {
    for (const auto& [name, value] : options_->fixed)
        partial[name] = value;
    return settled(*bench_->project, std::move(partial));
}

Result<void> Search::make_tuners() {
    for (const std::string& name : options_->tuners) {
        SearchSpace space;
        for (const Knob& knob : bench_->project->knobs)
            if (options_->fixed.count(knob.name) == 0)
                space.knobs.push_back(knob);
        space.feasible = [this](const Configuration& configuration) {
            return feasible(*bench_->project, whole(configuration));
        };
        auto tuner = (*factory_)(name, std::move(space), stats::derive(state_->record.seed, "tuner/" + name));
        if (!tuner)
            return tl::unexpected(tuner.error());
        tuners_.push_back({name, std::move(*tuner)});
    }
    return {};
}

Result<void> Search::load_stored() {
    auto trials = bench_->store->trials();
    if (!trials)
        return tl::unexpected(trials.error());
    for (TrialRecord& trial : *trials)
        if (trial.study == state_->record.id && !trial.search_json.empty())
            stored_.push_back(std::move(trial));
    return {};
}

Result<void> Search::keep(Look& look, std::size_t rounds) {
    nlohmann::json seen = {{"estimate", look.estimate ? nlohmann::json(*look.estimate) : nlohmann::json(nullptr)},
                           {"order", look.order},
                           {"rounds", rounds}};
    if (look.estimate && !look.gains.empty())
        seen["objectives"] = look.gains;
    look.trial.search_json = seen.dump();
    return bench_->store->update_trial(look.trial);
}

/// Measures up to `count` rounds; a configuration that fails is decided on the spot.
Result<void> Search::measure(Look& look, const char* phase, std::size_t count) {
    auto made = make_arm(*bench_, look.trial);
    if (!made)
        return tl::unexpected(made.error());
    if (!*made) {
        look.estimate.reset();
        return end_at_gate(*bench_, *state_, look.trial, nullptr, made->error());
    }
    if ((*made)->hash == bench_->baseline.hash) {
        look.estimate = 0;
        if (bench_->project->objectives.size() > 1)
            look.gains.assign(bench_->project->objectives.size(), 0);
        return {};
    }
    Session session(*bench_->project, *bench_->sampler, *bench_->store, *bench_->watch,
                    {state_->record.id,
                     look.trial.id,
                     look.order,
                     phase,
                     state_->record.seed,
                     {},
                     quarantine_rule(state_->record.opening_json)},
                    bench_->baseline, **made, tuning_);
    auto rounds = session.resume();
    if (!rounds)
        return tl::unexpected(rounds.error());
    while (rounds->size() < count) {
        auto next = session.next();
        if (!next)
            return tl::unexpected(next.error());
        if (!*next) {
            look.estimate.reset();
            const Stopped& stopped = next->error();
            return end_at_gate(*bench_, *state_, look.trial, &**made,
                               {phase, stopped.outcome, false, stopped.reason, stopped.log});
        }
        rounds->push_back(std::move(**next));
    }
    const auto seen = decision::assess(rule_for(*bench_->project, tuning_, state_->record.opening_json), *rounds);
    look.estimate = seen.objective.estimate;
    look.gains.clear();
    for (const decision::ObjectiveSeen& objective : seen.objectives)
        look.gains.push_back(objective.effect.estimate);
    if (!look.gains.empty()) // a tuner follows one number
        look.estimate =
            std::accumulate(look.gains.begin(), look.gains.end(), 0.0) / static_cast<double>(look.gains.size());
    return {};
}

/// The next configuration, looked at now or in an earlier process; nothing when its tuner has no more.
Result<std::optional<Look>> Search::look(std::size_t index) {
    NamedTuner& from = tuners_[index % tuners_.size()];
    auto proposed = from.tuner->propose();
    if (!proposed)
        return std::optional<Look>();
    const std::string configuration = to_json(whole(std::move(*proposed)));
    Look look;
    look.order = search_order + static_cast<std::int64_t>(index);
    if (const auto known = seen_.find(configuration); known != seen_.end()) {
        from.tuner->tell(known->second);
        return std::optional<Look>(std::move(look));
    }
    const auto old = std::find_if(stored_.begin(), stored_.end(), [&](const TrialRecord& trial) {
        return nlohmann::json::parse(trial.search_json).at("order").get<std::int64_t>() == look.order;
    });
    if (old != stored_.end()) {
        look.trial = *old;
        if (look.trial.configuration_json != configuration || look.trial.tuner != from.name)
            return failed("resume the search",
                          fmt::format("tuner {} no longer proposes what trial {} holds", from.name, look.trial.number),
                          "Start a new study with: holdfast run");
    } else {
        look.trial.id = uuid_v7();
        look.trial.study = state_->record.id;
        look.trial.kind = "knobs";
        look.trial.tuner = from.name;
        look.trial.state = State::running;
        look.trial.configuration_json = configuration;
        look.trial.created = utc_now();
        look.trial.search_json = nlohmann::json({{"estimate", nullptr}, {"order", look.order}, {"rounds", 0}}).dump();
        if (auto added = bench_->store->add_trial(look.trial); !added)
            return tl::unexpected(added.error());
    }
    const auto stored = nlohmann::json::parse(look.trial.search_json);
    if (look.trial.state == State::done && stored.at("estimate").is_number()) {
        look.estimate = stored.at("estimate").get<double>();
        if (stored.contains("objectives"))
            look.gains = stored.at("objectives").get<decision::Gains>();
    } else if (look.trial.state != State::done || stored.at("rounds").get<std::size_t>() == 0) {
        const std::size_t rounds = exact_ ? exact_rounds : noisy_rounds;
        if (look.trial.state != State::done)
            if (auto measured = measure(look, "search", rounds); !measured)
                return tl::unexpected(measured.error());
        look.trial.state = State::done;
        if (look.trial.ended.empty())
            look.trial.ended = utc_now();
        if (auto kept = keep(look, rounds); !kept)
            return tl::unexpected(kept.error());
    }
    seen_[configuration] = look.estimate;
    from.tuner->tell(look.estimate);
    return std::optional<Look>(std::move(look));
}

Result<std::vector<TrialRecord>> Search::measure_again() {
    keep_promising(looks_);
    const int free = std::max(0, bench_->project->decision.max_confirmations - state_->confirmations);
    const auto send = static_cast<std::size_t>(std::min(options_->leaders, std::max(free, 1)));
    if (looks_.size() > send * leaders_measured_per_sent)
        looks_.resize(send * leaders_measured_per_sent);
    const std::size_t rounds = exact_ ? exact_again : noisy_again;
    for (std::size_t i = 0; i < looks_.size(); ++i) {
        if (bench_->watch->after_trial.stop_requested())
            return tl::unexpected(stopped_on_request("measure another leader"));
        bench_->watch->progress({"leaders", looks_[i].trial.number, i, looks_.size(), {}});
        // A leader that was decided by the gates before an interruption keeps its verdict.
        if (auto measured = measure(looks_[i], "leaders", rounds); !measured)
            return tl::unexpected(measured.error());
    }
    keep_promising(looks_);
    if (looks_.size() > send)
        looks_.resize(send);
    std::vector<TrialRecord> leaders;
    for (Look& look : looks_)
        leaders.push_back(std::move(look.trial));
    return leaders;
}

Result<std::vector<TrialRecord>> Search::run() {
    if (bench_->project->knobs.size() <= options_->fixed.size() || options_->trials <= 0)
        return std::vector<TrialRecord>();
    if (auto made = make_tuners(); !made)
        return tl::unexpected(made.error());
    if (auto loaded = load_stored(); !loaded)
        return tl::unexpected(loaded.error());
    const auto began = std::chrono::steady_clock::now();
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(options_->trials); ++i) {
        if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
            bench_->watch->say(fmt::format("the budget ended the search after {} configurations", i));
            break;
        }
        if (bench_->watch->after_trial.stop_requested())
            return tl::unexpected(stopped_on_request("look at another configuration"));
        bench_->watch->progress({"search", 0, i, static_cast<std::size_t>(options_->trials),
                                 fresh == 0 ? std::chrono::nanoseconds(0)
                                            : (std::chrono::steady_clock::now() - began) / static_cast<long>(fresh)});
        if (auto same = same_machine(*bench_->runner, state_->record, "look at another configuration"); !same)
            return tl::unexpected(same.error());
        auto seen = look(i);
        if (!seen)
            return tl::unexpected(seen.error());
        if (!*seen)
            break;
        ++fresh;
        if (!(*seen)->trial.id.empty())
            looks_.push_back(std::move(**seen));
    }
    return measure_again();
}

} // namespace

Result<std::vector<TrialRecord>> search_knobs(Bench& bench, StudyState& state, const Options& options,
                                              const TunerFactory& tuners,
                                              std::optional<std::chrono::steady_clock::time_point> deadline) {
    return Search(bench, state, options, tuners, deadline).run();
}

} // namespace holdfast::study
