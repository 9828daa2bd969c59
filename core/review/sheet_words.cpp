// SPDX-License-Identifier: GPL-3.0-or-later
// A sheet's title, subtitle and verdict in words.
#include "core/decision/verdict.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;
using Direction = EffectView::Direction;

constexpr std::size_t titled_knobs = 3;

std::string range_of(const Knob& knob) {
    switch (knob.type) {
    case Knob::Type::integer:
    case Knob::Type::real:
        return fmt::format("{} to {}", holdfast::to_text(knob.min), holdfast::to_text(knob.max));
    case Knob::Type::categorical: {
        std::string text;
        for (const std::string& value : knob.values)
            text += (text.empty() ? "" : ", ") + printable(value);
        return text;
    }
    case Knob::Type::boolean:
        break;
    }
    return "true or false";
}

std::string with_cautions(std::string sentence, std::size_t cautions) {
    constexpr std::array words = {"", "one", "two", "three", "four", "five"};
    if (cautions == 0)
        return sentence + ".";
    return fmt::format("{}, with {} caution{}.", sentence,
                       cautions < words.size() ? words[cautions] : std::to_string(cautions), cautions == 1 ? "" : "s");
}

/// What a gain is called: only a time can be faster.
std::string gain_word(const Sheet& sheet) {
    return sheet.unit == "s" && sheet.better == Better::lower ? "faster" : "better";
}

const WorkloadRow* broken_row(const Sheet& sheet, Role role) {
    const auto row = std::find_if(sheet.rows.begin(), sheet.rows.end(),
                                  [&](const WorkloadRow& each) { return each.role == role && each.broken; });
    return row == sheet.rows.end() ? nullptr : &*row;
}

std::string overfits(const Sheet& sheet) {
    const std::string gain = gain_word(sheet);
    if (sheet.held_out.direction == Direction::worse)
        return fmt::format("Overfits: {} on what it was tuned on, worse on held-out workloads.", gain);
    if (const WorkloadRow* row = broken_row(sheet, Role::holdout))
        return fmt::format("Overfits: {} on what it was tuned on, worse on the held-out workload {}.", gain, row->name);
    if (sheet.held_out.direction == Direction::better)
        return fmt::format("Overfits: {} on what it was tuned on, by less than half of that on held-out workloads.",
                           gain);
    return fmt::format("Overfits: {} on what it was tuned on, not on held-out workloads.", gain);
}

std::string regresses(const Dossier& dossier, const Sheet& sheet) {
    const bool tail = dossier.verdict.qualifier == "tail";
    const std::string what = tail ? "more runs than the baseline's are far off" : "shown worse";
    const WorkloadRow* row = broken_row(sheet, Role::tuning);
    return row != nullptr ? fmt::format("Regresses: {} on {}.", what, row->name) : fmt::format("Regresses: {}.", what);
}

std::string inconclusive(const Dossier& dossier, const Sheet& sheet) {
    if (sheet.has_held_out)
        return fmt::format("Inconclusive: on held-out workloads it could be {}.", range_text(sheet.held_out));
    if (!sheet.has_tuning)
        return "Inconclusive: nothing was measured.";
    if (sheet.tuning.direction == Direction::better && dossier.verdict.proposal)
        return fmt::format("Inconclusive: {} on what it was tuned on, and there is no held-out workload to ask.",
                           gain_word(sheet));
    return fmt::format("Inconclusive: could be {}.", range_text(sheet.tuning));
}

std::string no_effect(const Sheet& sheet) {
    if (!sheet.has_tuning)
        return "No effect: nothing that runs has changed.";
    return fmt::format("No effect: between {}, inside ±{:.3g} %.", range_text(sheet.tuning), 100 * sheet.band);
}

std::string lines_text(const std::vector<git::DiffFile>& files) {
    std::size_t added = 0, removed = 0;
    for (const git::DiffFile& file : files) {
        added += file.lines_added;
        removed += file.lines_removed;
    }
    return fmt::format("+{} −{}", added, removed);
}

} // namespace

std::string size_text(const std::vector<git::DiffFile>& files) {
    return fmt::format("{} file{}, {}", files.size(), files.size() == 1 ? "" : "s", lines_text(files));
}

Facts changed_knobs(const Dossier& dossier, bool with_range) {
    Facts facts;
    if (!dossier.project)
        return facts;
    const auto configuration = configuration_from_json(*dossier.project, dossier.trial.configuration_json);
    if (!configuration)
        return facts;
    for (const Knob& knob : dossier.project->knobs) {
        const auto value = configuration->find(knob.name);
        if (value == configuration->end() || value->second == knob.default_value)
            continue;
        std::string text = fmt::format("{} → {}", printable(holdfast::to_text(knob.default_value)),
                                       printable(holdfast::to_text(value->second)));
        if (with_range)
            text += fmt::format(" ({})", range_of(knob));
        facts.emplace_back(knob.name, std::move(text));
    }
    return facts;
}

std::string title_of(const Dossier& dossier, const Facts& knobs) {
    std::string title;
    for (std::size_t i = 0; i < knobs.size() && i < titled_knobs; ++i)
        title += fmt::format("{}{} {}", i == 0 ? "" : ", ", knobs[i].first, knobs[i].second);
    if (knobs.size() > titled_knobs)
        title += fmt::format(" and {} more", knobs.size() - titled_knobs);
    if (dossier.trial.patch.empty())
        return title.empty() ? "nothing changed" : title;
    if (!title.empty())
        return title + ", and a patch";
    if (!dossier.change || dossier.change->files.empty())
        return "a patch";
    title = printable(dossier.change->files.front().path);
    if (const std::size_t more = dossier.change->files.size() - 1; more > 0)
        title += fmt::format(" and {} more", more);
    return fmt::format("{}, {}", title, lines_text(dossier.change->files));
}

std::string subtitle_of(const Dossier& dossier) {
    std::string text = dossier.trial.tuner == "patch" ? "queued by hand" : "tuner " + printable(dossier.trial.tuner);
    if (dossier.tried > 1 && !dossier.trial.search_json.empty() && dossier.decided == 1)
        text += fmt::format(" · best of {} tried", dossier.tried);
    else if (dossier.tried > 1)
        text += fmt::format(" · {} tried, {} went through the gates", dossier.tried, dossier.decided);
    text += fmt::format(" · base {} ({})", printable(dossier.study.baseline_commit).substr(0, 7),
                        !dossier.base.commit   ? "not in the repository any more"
                        : dossier.base.current ? "current"
                                               : "moved on");
    if (dossier.change)
        text += " · " + size_text(dossier.change->files);
    return text;
}

std::string verdict_sentence(const Dossier& dossier, const Sheet& sheet) {
    using decision::VerdictKind;
    switch (decision::verdict_from_text(dossier.verdict.verdict).value_or(VerdictKind::interrupted)) {
    case VerdictKind::generalises:
        return with_cautions("Generalises", sheet.flags.size());
    case VerdictKind::overfits:
        return overfits(sheet);
    case VerdictKind::regresses:
        return regresses(dossier, sheet);
    case VerdictKind::no_effect:
        return no_effect(sheet);
    case VerdictKind::inconclusive:
        return inconclusive(dossier, sheet);
    case VerdictKind::incorrect:
        return "Incorrect: a test or a workload's check does not hold.";
    case VerdictKind::unsafe:
        return "Unsafe: a probe found what the baseline does not do.";
    case VerdictKind::refused:
        return "Refused: it may not be measured.";
    case VerdictKind::failed:
        return "Failed: it did not build or run to its end.";
    case VerdictKind::not_comparable:
        return "Not comparable with the baseline.";
    case VerdictKind::interrupted:
        break;
    }
    return "Interrupted: not decided.";
}

} // namespace holdfast::review
