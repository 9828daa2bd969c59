// SPDX-License-Identifier: GPL-3.0-or-later
// A project's history at a glance: one complete value, read in one go.
#pragma once

#include "core/project/project.hpp"
#include "core/review/dossier.hpp"
#include "core/review/sheet.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

struct TrialSummary {
    std::string id;
    std::int64_t number = 0;
    std::int64_t study = 0; ///< number; 0: waits for one
    std::string kind, tuner;
    study::State state = study::State::queued;
    std::string outcome; ///< the verdict or standing() in words
    std::optional<review::EffectView> tuning, held_out;
    std::optional<double> looked; ///< what the search saw, as a change: luck included, never a result
    std::string change;           ///< "block_rows 64 → 24"
    std::string danger;           ///< review::danger_words() of the flags
    std::vector<std::string> flags;
    bool proposal = false;
    review::Standing standing = review::Standing::none;
    std::string commit, branch; ///< of the last apply or revert; "" without
    std::string created, ended;
};

struct Overview {
    std::vector<study::StudyRecord> studies; ///< oldest first; frozen_json is left empty
    std::vector<TrialSummary> trials;        ///< by number
    std::string metric;                      ///< objective of the newest study; "" without one
    Better better = Better::lower;
    std::int64_t interrupted_study = 0; ///< the newest study that can be resumed; 0: none
    std::int64_t running_study = 0;     ///< being written by this or another process; 0: none
    std::size_t queued = 0, waiting = 0;
};

/// `defaults_json`: the project's knob defaults, for the wording of changes.
Result<Overview> load_overview(const study::Store& store, const std::string& defaults_json);

} // namespace holdfast::app
