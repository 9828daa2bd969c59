// SPDX-License-Identifier: GPL-3.0-or-later
// A study from its opening rounds to the proposals that wait for a person.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "core/study/tuner.hpp"
#include "core/study/watch.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// Makes the tuner called `name` (error: unknown name).
using TunerFactory =
    std::function<Result<std::unique_ptr<Tuner>>(const std::string& name, SearchSpace space, std::uint64_t seed)>;

struct Options {
    std::vector<std::string> tuners = {"local"};     ///< knob tuners; queued candidates run first whatever is named
    int trials = 50;                                 ///< configurations the search looks at, over all tuners
    int leaders = 3;                                 ///< of them at most this many go on to the gates
    Configuration fixed;                             ///< knobs the search leaves at this value
    std::optional<std::chrono::milliseconds> budget; ///< no new trial starts after it
    std::uint64_t seed = 0;
};

/// Canonical JSON of the options, and back (types by the project's knobs).
std::string options_to_json(const Options& options);
Result<Options> options_from_json(const Project& project, const std::string& json);

struct Summary {
    std::string study;
    std::int64_t number = 0;
    std::size_t decided = 0, proposals = 0, left_queued = 0;
};

/// What a study works with; all outlive the call.
struct Environment {
    const Project& project;
    const git::Repository& repository;
    Runner& runner;
    Store& store;
    const Watch& watch;
    TunerFactory tuners;
};

/// Starts a study on HEAD and runs it to its end. An interruption leaves it resumable (error kind `interrupted`).
Result<Summary> start_study(const Environment& environment, const Options& options);

/// Whether resume_study can go on with it: it is interrupted, and no comparison by hand.
bool resumable(const StudyRecord& study);

/// Goes on with the newest study that is resumable. Refused when the project file or HEAD's tree is not what it froze.
Result<Summary> resume_study(const Environment& environment);

} // namespace holdfast::study
