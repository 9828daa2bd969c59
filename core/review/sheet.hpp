// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the review screen and the reports show of one trial, as plain values. Effects are changes of the metric as
// fractions (−0.032 is 3.2 % less); an open end is infinite, an unknown value NaN. Texts are safe to show as plain
// text.
#pragma once

#include "core/review/dossier.hpp"
#include "core/review/rules.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review {

struct EffectView {
    double estimate = 0, low = 0, high = 0;
    std::size_t rounds = 0;
    enum class Direction { better, worse, no_change, unclear }; ///< no_change: inside the band; unclear: may be either
    Direction direction = Direction::unclear;
    std::string text; ///< "−3.2 % [−4.1, −2.3]"
};

struct WorkloadRow {
    std::string name;
    Role role = Role::tuning;
    EffectView effect;
    std::vector<double> dots; ///< one change a round, in order; those the estimate rests on
    /// The objective of those rounds, in its unit; as many as `dots`.
    std::vector<double> baseline, candidate;
    bool checked = false;           ///< has a check
    bool right = false;             ///< every judged run of the candidate passed it
    bool broken = false;            ///< a guard of it is shown not to hold
    std::vector<std::string> notes; ///< guards shown broken or still open, wide spread
    std::string card;               ///< what the project says it stands for; "" when it says nothing
};

/// One timed run, for the raw views and the CSV.
struct RunPoint {
    std::string workload;
    Role role = Role::tuning;
    std::string phase;
    std::int64_t session = 1, round = 0, attempt = 1;
    /// Of the runs that gave a number some stand in no estimate: those of a round that was dropped as disturbed and
    /// taken again, and of one that was cut off.
    enum class Counted { yes, warm_up, dropped, incomplete };
    Counted counted = Counted::yes;
    bool candidate = false;
    bool first = false; ///< ran first of its pair
    double objective = 0;
    double wall_seconds = 0, cpu_seconds = 0;
    double peak_memory_bytes = 0;
    std::string ending; ///< "ok" or why it gave no number
    std::string started;
};

/// One of several objectives.
struct ObjectiveRow {
    std::string metric, unit;
    Better better = Better::lower;
    bool claimed = false; ///< the one that was accepted; the rest of the sheet is about it
    bool traded = false;  ///< shown worse than the harm margin while another one was accepted
    EffectView tuning, held_out;
    bool has_held_out = false;
};

/// What was seen of a quality check, over its seeds.
struct QualityRow {
    std::string workload;
    Role role = Role::tuning;
    std::string metric;    ///< "quality" where a command judges
    bool kept = false;     ///< shown to be at most the margin worse
    bool lost = false;     ///< shown to be worse
    std::size_t seeds = 0; ///< each counts once
    std::string text;      ///< what is shown, with its numbers
    std::string worst;     ///< "worst seed 3: 28.1 instead of 31; over the seeds the baseline itself spreads by 1.2"
};

struct ResourceChange {
    std::string metric; ///< "peak-memory", "cpu", "wall"
    double change = 0;  ///< median over pairs
    std::string text;   ///< "peak-memory +41 %"
};

struct Sheet {
    std::int64_t number = 0;
    std::string id;
    std::string title;            ///< "block_rows 64 → 24", "src/scan.cpp and 1 more, +14 −9"
    std::string subtitle;         ///< tuner, "best of 48 tried", base and whether it is current, size of the change
    std::string verdict;          ///< "generalises"
    std::string verdict_sentence; ///< "Generalises, with one caution."
    std::vector<std::string> reasons;
    EffectView held_out, tuning;
    bool has_held_out = false, has_tuning = false;
    std::string gap; ///< "gap 4.6 points [2.9, 6.3]: the tuning gain is over-stated"; "" unless both were measured
    std::size_t checks_passed = 0, checks = 0; ///< passed of those whose outcome is known
    std::string checks_text;                   ///< "5 of 5 passed", "failed: ...", "none"
    std::vector<ResourceChange> resources;     ///< worst first
    std::string metric, unit;
    Better better = Better::lower;
    double band = 0;                           ///< minimum effect: half width of "no practical change"
    std::vector<WorkloadRow> rows;             ///< tuning first, each in the project's order
    std::vector<ObjectiveRow> objectives = {}; ///< all of several, in the project's order; empty with one
    std::vector<QualityRow> quality = {};      ///< of each quality check that was run
    std::vector<Flag> flags;
    std::vector<std::string> not_tested;                         ///< generated; never empty
    std::vector<std::pair<std::string, std::string>> cost;       ///< what → how much
    std::vector<std::pair<std::string, std::string>> provenance; ///< what → value
    std::string reproduce;                                       ///< the command that measures the same again
    std::vector<std::pair<std::string, std::string>> knobs;      ///< name → "64 → 24 (1 to 8192)"
    std::vector<git::DiffFile> files;
    std::vector<study::GateRecord> gates;
    std::vector<RunPoint> runs;
    Standing standing = Standing::none;
    std::vector<study::ReviewRecord> reviews;
};

Sheet make_sheet(const Dossier& dossier);

/// The words of an effect, as everywhere: "−3.2 % [−4.1, −2.3]".
std::string effect_text(const EffectView& effect);

/// "yes", "warm-up", "dropped", "incomplete".
std::string_view to_text(RunPoint::Counted counted);

/// The raw samples of the sheet as CSV (RFC 4180) with a header line. The objective has no column of its own where it
/// is wall time, processor time or peak memory.
std::string samples_csv(const Sheet& sheet);

} // namespace holdfast::review
