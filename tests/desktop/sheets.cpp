// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/desktop/sheets.hpp"

#include "core/decision/verdict.hpp"
#include "core/review/rules.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace holdfast::test {

using review::EffectView;
using Direction = EffectView::Direction;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::string commit(40, 'a'), tree(40, 'b');

EffectView effect(double estimate, double low, double high, std::size_t rounds) {
    EffectView view{estimate, low, high, rounds, Direction::unclear, ""};
    view.direction = high < 0                     ? Direction::better
                     : low > 0                    ? Direction::worse
                     : low > -0.02 && high < 0.02 ? Direction::no_change
                                                  : Direction::unclear;
    using decision::percent_text;
    view.text = fmt::format("{} % [{}, {}]", percent_text(estimate), percent_text(low), percent_text(high));
    return view;
}

review::WorkloadRow row(const std::string& name, Role role, double estimate, double half, std::size_t rounds) {
    review::WorkloadRow made;
    made.name = name;
    made.role = role;
    made.effect = effect(estimate, estimate - half, estimate + half, rounds);
    made.checked = made.right = true;
    std::mt19937 random(static_cast<unsigned>(name.size() * 131 + rounds));
    std::normal_distribution<double> spread(estimate, 3 * half);
    for (std::size_t i = 0; i < rounds; ++i) {
        made.dots.push_back(spread(random));
        made.baseline.push_back(0.25);
        made.candidate.push_back(0.25 * (1 + made.dots.back()));
    }
    return made;
}

void add_runs(review::Sheet& sheet) {
    sheet.runs.clear();
    for (const review::WorkloadRow& each : sheet.rows)
        for (std::size_t i = 0; i < each.dots.size(); ++i)
            for (const bool candidate : {false, true}) {
                review::RunPoint run;
                run.workload = each.name;
                run.role = each.role;
                run.phase = each.role == Role::tuning ? "confirm" : "holdout";
                run.round = static_cast<std::int64_t>(i + 1);
                run.candidate = candidate;
                run.objective = run.wall_seconds = run.cpu_seconds = 0.25 * (candidate ? 1 + each.dots[i] : 1.0);
                run.peak_memory_bytes = candidate ? 41e6 : 29e6;
                run.ending = "ok";
                sheet.runs.push_back(run);
            }
}

study::GateRecord gate(const char* name, const char* result, const char* reason, double seconds) {
    study::GateRecord record;
    record.gate = name;
    record.result = result;
    record.reason = reason;
    record.seconds = seconds;
    record.log = fmt::format("{}: started\n{}: {}\n", name, name, reason);
    return record;
}

void fill_dossier(review::Dossier& dossier) {
    dossier.trial.id = "0190-trial";
    dossier.trial.number = 184;
    dossier.trial.result_tree = tree;
    dossier.trial.configuration_json = R"({"block_rows":24})";
    dossier.trial.patch = "diff --git a/src/scan.cpp b/src/scan.cpp\n";
    dossier.study.baseline_commit = commit;
    dossier.verdict.verdict = "generalises";
    dossier.verdict.proposal = true;
    dossier.verdict.flags_json = "[]";
    dossier.verdict.evidence_json = "{}";
    dossier.verdict.evidence_digest = std::string(64, 'c');
    dossier.gates = {gate("admit", "pass", "within the editable paths", 0.1),
                     gate("build", "pass", "built; the program differs from the baseline's", 12.4),
                     gate("correct", "pass", "14 of 14 checks passed", 3.2),
                     gate("confirm", "pass", "accepted after 20 rounds", 341),
                     gate("holdout", "pass", "confirmed", 512)};
    dossier.tried = 48;
    dossier.standing = review::Standing::waiting;
    dossier.base = {git::Commit{commit, tree}, true, ""};
    dossier.head = {"main", git::Commit{commit, tree}};
    dossier.change.emplace();
    dossier.change->tree = tree;
    dossier.change->changes = {{"src/scan.cpp", "int main() {}\n"}};
}

void fill_texts(review::Sheet& sheet) {
    sheet.number = 184;
    sheet.id = "0190-trial";
    sheet.title = "block_rows 64 → 24";
    sheet.subtitle = "tuner local · best of 48 tried · base aaaaaaaaaaaa (current) · 2 files, +14 −9";
    sheet.verdict = "generalises";
    sheet.verdict_sentence = "Generalises.";
    sheet.reasons = {"The improvement is shown on the held-out workloads too.",
                     "Tuning: −7.8 % [−8.6, −7.0] over 40 rounds (lower is better)."};
    sheet.held_out = effect(-0.032, -0.041, -0.023, 60);
    sheet.tuning = effect(-0.078, -0.086, -0.070, 40);
    sheet.has_held_out = sheet.has_tuning = true;
    sheet.checks_passed = sheet.checks = 14;
    sheet.checks_text = "14 of 14 passed";
    sheet.resources = {{"peak-memory", 0.04, "peak-memory +4.0 %"}, {"cpu", -0.05, "cpu −5.0 %"}};
    sheet.metric = "wall";
    sheet.unit = "s";
    sheet.band = 0.01;
    sheet.not_tested = {"machines other than ryzen-lab (2 cores)", "more than one run at a time",
                        "runs longer than 2 s", "inputs other than the 6 workloads"};
    sheet.cost = {{"Candidates", "48 tried, 3 through the gates"}, {"Machine time", "4 h 10 min"}};
    sheet.provenance = {
        {"Trial", "0190f3a2-trial"},        {"Base commit", commit}, {"Result tree", tree},
        {"Evidence", std::string(64, 'c')}, {"Seed", "7"},           {"Isolation", "level 3, bubblewrap"}};
    sheet.reproduce = "holdfast measure --trial 184 --seed 7";
    sheet.knobs = {{"block_rows", "64 → 24 (1 to 8192)"}, {"prefetch", "off → on (true or false)"}};
    sheet.standing = review::Standing::waiting;
}

} // namespace

git::DiffFile changed_file(const std::string& path, std::size_t lines) {
    using Kind = git::DiffLine::Kind;
    git::DiffFile file;
    file.path = path;
    std::string before, after;
    for (std::size_t i = 1; i <= lines; ++i) {
        if (i % 30 == 1)
            file.hunks.push_back({i, 0, i, 0, {}});
        git::DiffHunk& hunk = file.hunks.back();
        const std::string old = fmt::format("    total += weight[{}] * load(\"row\", {}); // baseline", i % 7, i);
        const std::string now = fmt::format("    total += weight[{}] * load_fast(\"row\", {}); /* wide */", i % 7, i);
        before += old + '\n';
        after += (i % 3 == 0 ? now : old) + '\n';
        if (i % 3 == 0) {
            hunk.lines.push_back({Kind::removed, i, 0, old, true});
            hunk.lines.push_back({Kind::added, 0, i, now, true});
            ++file.lines_added;
            ++file.lines_removed;
        } else {
            hunk.lines.push_back({Kind::context, i, i, old, true});
        }
        ++hunk.old_count;
        ++hunk.new_count;
    }
    file.before = before;
    file.after = after;
    return file;
}

Shown good() {
    Shown shown{std::make_shared<review::Dossier>(), std::make_shared<review::Sheet>()};
    fill_dossier(*shown.dossier);
    fill_texts(*shown.sheet);
    shown.sheet->rows = {row("uniform-small", Role::tuning, -0.079, 0.009, 40),
                         row("report-join", Role::tuning, -0.094, 0.012, 40),
                         row("sort-spill", Role::tuning, -0.061, 0.012, 40),
                         row("uniform-large", Role::holdout, -0.034, 0.010, 60),
                         row("report-join-skewed", Role::holdout, -0.047, 0.013, 60),
                         row("many-clients", Role::holdout, 0.006, 0.035, 60)};
    shown.sheet->rows.back().notes = {"wide spread: 11 % between rounds"};
    shown.sheet->files = {changed_file("src/scan.cpp", 70), changed_file("holdfast.json", 12)};
    shown.sheet->gates = shown.dossier->gates;
    add_runs(*shown.sheet);
    return shown;
}

Shown flagged() {
    Shown shown = good();
    shown.dossier->verdict.flags_json = R"(["over-stated","shape changed"])";
    shown.dossier->verdict.effects_json = R"({"tuning":{"estimate":-0.078},"holdout":{"estimate":-0.032}})";
    shown.sheet->flags = review::flags_of(*shown.dossier);
    shown.sheet->verdict_sentence = "Generalises, with two cautions.";
    shown.sheet->gap = "gap 4.6 points [2.9, 6.3]: the tuning gain is over-stated";
    shown.sheet->resources.front() = {"peak-memory", 0.41, "peak-memory +41 %"};
    return shown;
}

Shown overfit() {
    Shown shown = good();
    shown.dossier->verdict.verdict = shown.sheet->verdict = "overfits";
    shown.dossier->verdict.proposal = false;
    shown.sheet->verdict_sentence = "Overfits: faster on what it was tuned on, worse on held-out workloads.";
    shown.sheet->held_out = effect(0.062, 0.051, 0.073, 60);
    shown.sheet->standing = shown.dossier->standing = review::Standing::none;
    for (review::WorkloadRow& each : shown.sheet->rows)
        if (each.role == Role::holdout)
            each = row(each.name, Role::holdout, 0.06, 0.012, 60);
    return shown;
}

Shown moved() {
    Shown shown = good();
    shown.dossier->base.current = false;
    shown.dossier->head.commit.id = std::string(40, 'd');
    shown.dossier->verdict.flags_json = R"(["not held out"])";
    shown.dossier->gates.pop_back();
    shown.sheet->flags = review::flags_of(*shown.dossier);
    shown.sheet->has_held_out = false;
    shown.sheet->verdict = "inconclusive";
    shown.sheet->verdict_sentence = "Inconclusive: never measured on held-out workloads.";
    return shown;
}

Shown many(std::size_t workloads, std::size_t rounds) {
    Shown shown = good();
    shown.sheet->rows.clear();
    for (std::size_t i = 0; i < workloads; ++i)
        shown.sheet->rows.push_back(row(fmt::format("workload-{:02}-of-a-long-name", i),
                                        i < workloads / 2 ? Role::tuning : Role::holdout,
                                        -0.08 + 0.006 * static_cast<double>(i), 0.012, rounds));
    add_runs(*shown.sheet);
    return shown;
}

Shown odd_numbers() {
    Shown shown = good();
    auto& rows = shown.sheet->rows;
    const auto base = [](const char* name, EffectView view, std::vector<double> dots) {
        review::WorkloadRow made;
        made.name = name;
        made.effect = std::move(view);
        made.dots = std::move(dots);
        return made;
    };
    rows = {base("unknown", effect(NAN, NAN, NAN, 0), {NAN, NAN}),
            base("one round", effect(-0.03, -infinity, infinity, 1), {-0.03}),
            base("all equal", effect(0.0, 0.0, 0.0, 20), std::vector<double>(20, 0.0)),
            base("open upwards", effect(0.02, 0.01, infinity, 8), {0.01, 0.02, 0.03, 0.02, 0.025, 0.015, 0.02, 0.018}),
            row("far away", Role::holdout, -0.02, 0.01, 40)};
    rows.back().dots[3] = 25.0;
    rows.back().dots[7] = -0.99;
    rows.back().dots[9] = infinity;
    rows.back().right = false;
    add_runs(*shown.sheet);
    return shown;
}

Shown hostile() {
    Shown shown = flagged();
    const std::string name = "<b>evil</b>\x1b[31m\u202etxt.exe";
    review::Sheet& sheet = *shown.sheet;
    sheet.title = sheet.verdict_sentence = sheet.rows[0].name = sheet.knobs[0].first = sheet.reasons[0] = name;
    sheet.flags[0].evidence = sheet.not_tested[0] = sheet.gates[0].reason = sheet.gates[0].log = name;
    sheet.files[0].path = name + ".cpp";
    sheet.files[0].hunks[0].lines[0].text = "int a; // \u202e } hidden \x1b[2J \xff";
    sheet.files[0].hunks[0].lines[1].text = std::string(100000, 'x');
    sheet.files[1].hunks[0].lines.back().newline = false;
    git::DiffFile binary;
    binary.path = "data.bin";
    binary.before = std::string("a\0b", 3);
    binary.after = std::string("a\0c", 3);
    sheet.files.push_back(binary);
    return shown;
}

} // namespace holdfast::test
