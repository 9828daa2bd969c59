// SPDX-License-Identifier: GPL-3.0-or-later
// How whoever started the work follows it and stops it.
#pragma once

#include "core/project/project.hpp"
#include "core/study/isolation.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::study {

/// A complete value: where the work stands.
struct Progress {
    std::string
        phase; ///< "fetch", "build", "opening", "search", "leaders", "screen", "confirm", "probe", "holdout", "measure"
    std::int64_t trial = 0;           ///< its number; 0: none
    std::size_t done = 0;             ///< rounds (search: configurations)
    std::size_t total = 0;            ///< at most; a decision may come earlier. 0: unknown
    std::chrono::nanoseconds each{0}; ///< mean time of those done, 0 before the first
};

struct Watch {
    std::function<void(const Progress&)> progress = [](const Progress&) {};
    std::function<void(const std::string&)> say = [](const std::string&) {}; ///< one line, printable
    std::stop_token after_trial;  ///< start no further trial or look of the search; the study stays resumable
    std::stop_token after_sample; ///< stop when the sample in flight is stored
    std::stop_token at_once;      ///< kill what runs
    /// Whether these commands may run with network; asked once, before they do.
    std::function<bool(const std::vector<Argv>&)> may_fetch = [](const std::vector<Argv>&) { return false; };
    int accepted_isolation = level_for_candidates; ///< the lowest level whose gaps a person has accepted
};

} // namespace holdfast::study
