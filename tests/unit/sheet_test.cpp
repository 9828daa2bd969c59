// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown of a decided trial, on dossiers made by hand.
#include "core/review/comparison.hpp"
#include "core/review/csv.hpp"
#include "core/review/effect.hpp"
#include "core/review/exports.hpp"
#include "core/review/sheet.hpp"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace holdfast;
using namespace holdfast::review;
using nlohmann::json;
using Direction = EffectView::Direction;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

EffectView view(const json& low, const json& high, Better better = Better::lower, double band = 0.01) {
    return effect_view({{"estimate", nullptr}, {"low", low}, {"high", high}, {"rounds", 20}}, better, band);
}

json effect(double estimate, double low, double high, int rounds = 20) {
    return {{"estimate", estimate}, {"low", low}, {"high", high}, {"rounds", rounds}};
}

json side(const json& objective, const std::vector<std::string>& names, bool worse = false) {
    json result = objective;
    result["headline-rounds"] = 2;
    result["workloads"] = json::array();
    result["guards"] = json::array();
    for (const std::string& name : names) {
        json workload = objective;
        workload["name"] = name;
        result["workloads"].push_back(workload);
        result["guards"].push_back({{"kind", "harm"},
                                    {"workload", name},
                                    {"metric", "wall"},
                                    {"demand", "at most 3 % worse"},
                                    {"safe", !worse},
                                    {"worse", worse}});
    }
    return result;
}

Workload workload(const std::string& name, Role role) {
    Workload result;
    result.name = name;
    result.role = role;
    result.check.standard_output = Compared{};
    return result;
}

void add_runs(Dossier& dossier, const std::string& phase, const std::string& name, std::vector<double> candidate) {
    for (std::size_t round = 1; round <= candidate.size(); ++round)
        for (const bool second : {false, true}) {
            study::SampleRecord sample;
            sample.phase = phase;
            sample.round = static_cast<std::int64_t>(round);
            sample.attempt = 1;
            sample.workload = name;
            sample.arm = second ? "candidate" : "baseline";
            sample.slot = second ? 1 : 0;
            sample.ending = "ok";
            sample.usage.wall = std::chrono::milliseconds(250);
            sample.metrics_json = json({{"wall", second ? candidate[round - 1] : 1.0},
                                        {"peak-memory", second ? 169.0 * (1 << 20) : 120.0 * (1 << 20)}})
                                      .dump();
            dossier.samples.push_back(sample);
        }
}

/// Tuned on `t`, held out `h`: better on both.
Dossier good() {
    Project project;
    project.folder = "/home/me/my project";
    project.objective = "wall";
    project.objectives = {"wall"};
    Metric wall;
    wall.name = "wall";
    wall.unit = "s";
    project.metrics = {wall};
    project.workloads = {workload("t", Role::tuning), workload("h", Role::holdout)};
    Knob knob;
    knob.name = "block_rows";
    knob.min = 1;
    knob.max = 8192;
    knob.default_value = std::int64_t{64};
    project.knobs = {knob};
    Dossier dossier;
    dossier.project = std::make_shared<const Project>(project);
    dossier.trial.id = "trial-1";
    dossier.trial.number = 184;
    dossier.trial.tuner = "local";
    dossier.trial.search_json = "{}";
    dossier.trial.configuration_json = R"({"block_rows":24})";
    dossier.study.baseline_commit = "3f9c2e1" + std::string(33, '0');
    dossier.study.machine_json = R"({"cpu":"Ryzen","cores":8})";
    dossier.base.commit = git::Commit{dossier.study.baseline_commit, std::string(40, 'b')};
    dossier.base.current = true;
    dossier.tried = 48;
    dossier.decided = 1;
    dossier.verdict.verdict = "generalises";
    dossier.verdict.proposal = true;
    dossier.verdict.reasons_json = dossier.verdict.flags_json = "[]";
    dossier.verdict.effects_json = json({{"metric", "wall"},
                                         {"better", "lower"},
                                         {"tuning", side(effect(-0.078, -0.086, -0.070), {"t"})},
                                         {"holdout", side(effect(-0.032, -0.041, -0.023), {"h"})},
                                         {"gap", {{"log-ratio-low", 0.02}, {"log-ratio-high", 0.06}}}})
                                       .dump();
    dossier.gates.resize(1);
    dossier.gates[0].gate = "correct";
    dossier.gates[0].result = "pass";
    add_runs(dossier, "confirm", "t", {0.9, 0.91, 0.92, 0.93});
    add_runs(dossier, "holdout", "h", {0.97, 0.96});
    return dossier;
}

Sheet with_verdict(const std::string& verdict, const json& tuning, const json& holdout) {
    Dossier dossier = good();
    dossier.verdict.verdict = verdict;
    dossier.verdict.proposal = false;
    dossier.verdict.effects_json = json({{"tuning", tuning}, {"holdout", holdout}, {"gap", nullptr}}).dump();
    return make_sheet(dossier);
}

bool mentions(const std::vector<std::string>& lines, const std::string& words) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

} // namespace

TEST_CASE("the direction of an effect is what its whole interval says") {
    struct Row {
        json low, high;
        Direction lower_is_better, higher_is_better;
    };
    for (const Row& row : {
             Row{-0.041, -0.023, Direction::better, Direction::worse},
             Row{0.023, 0.041, Direction::worse, Direction::better},
             Row{-0.041, 0.0, Direction::unclear, Direction::unclear},
             Row{-0.019, 0.052, Direction::unclear, Direction::unclear},
             Row{-0.005, 0.004, Direction::no_change, Direction::no_change},
             Row{-0.009, -0.002, Direction::no_change, Direction::no_change},
             Row{0.0, 0.0, Direction::no_change, Direction::no_change},
             Row{nullptr, nullptr, Direction::unclear, Direction::unclear},
             Row{nullptr, -0.02, Direction::better, Direction::worse},
             Row{0.02, nullptr, Direction::worse, Direction::better},
         }) {
        INFO(row.low << " to " << row.high);
        CHECK(view(row.low, row.high).direction == row.lower_is_better);
        CHECK(view(row.low, row.high, Better::higher).direction == row.higher_is_better);
    }
}

TEST_CASE("effects in words, with open ends, unknown and equal values") {
    CHECK(effect_view(effect(-0.032, -0.041, -0.023), Better::lower, 0.01).text == "−3.2 % [−4.1, −2.3]");
    CHECK(effect_words(view(-0.019, 0.052)) == "no detectable change (could be −1.9 to +5.2 %)");
    CHECK(effect_words(view(-0.002, 0.003)) == "no practical change (−0.20 to +0.30 %)");
    CHECK(effect_words(view(nullptr, nullptr)) == "no detectable change (could be anything)");
    CHECK(effect_words(effect_view(nullptr, Better::lower, 0.01)) == "not measured");
    CHECK(effect_words(effect_view(effect(0, 0, 0), Better::lower, 0.01)) == "no practical change (0.0 to 0.0 %)");
    CHECK(view(-1.0, 0.5).low == -infinity);
    CHECK(std::isnan(view(0, 1).estimate));
    CHECK(view(0, 1).text.substr(0, 7) == "unknown");
    const EffectView damaged =
        effect_view({{"estimate", "x"}, {"rounds", -4}, {"low", json::array()}}, Better::lower, 0);
    CHECK(damaged.rounds == 0);
    CHECK(damaged.high == infinity);
}

TEST_CASE("a sheet puts the held-out effect, the gap, checks and resources in words") {
    const Sheet sheet = make_sheet(good());
    CHECK(sheet.title == "block_rows 64 → 24");
    CHECK(sheet.subtitle == "tuner local · best of 48 tried · base 3f9c2e1 (current)");
    CHECK(sheet.held_out.text == "−3.2 % [−4.1, −2.3]");
    CHECK(sheet.gap == "gap 4.6 points [2.9, 6.3]: the tuning gain is over-stated");
    CHECK(sheet.checks == 2);
    CHECK(sheet.checks_passed == 2);
    REQUIRE(sheet.resources.size() == 1);
    CHECK(sheet.resources[0].text == "peak-memory +41 % (120 MiB → 169 MiB)");
    CHECK(sheet.knobs.at(0).second == "64 → 24 (1 to 8192)");
    CHECK(sheet.verdict_sentence == "Generalises."); // the memory of four pairs shows nothing yet
    Dossier flagged = good();
    flagged.verdict.flags_json = R"(["shape changed"])";
    CHECK(make_sheet(flagged).verdict_sentence == "Generalises, with one caution.");
    CHECK(sheet.reproduce == "holdfast -C '/home/me/my project' measure --set block_rows=24");
}

TEST_CASE("dots are the rounds that the estimate rests on") {
    Dossier dossier = good();
    Sheet sheet = make_sheet(dossier);
    REQUIRE(sheet.rows.size() == 2);
    REQUIRE(sheet.rows[0].dots.size() == 2);
    CHECK(sheet.rows[0].dots[0] == Approx(-0.08));
    CHECK(sheet.rows[1].dots.size() == 2);
    CHECK(sheet.rows[1].role == Role::holdout);
    json effects = json::parse(dossier.verdict.effects_json);
    effects["tuning"]["headline-rounds"] = 1;
    dossier.verdict.effects_json = effects.dump();
    CHECK(make_sheet(dossier).rows[0].dots.size() == 4);
}

TEST_CASE("every verdict has its sentence") {
    const json none = nullptr;
    const json gain = side(effect(-0.08, -0.09, -0.07), {"t"}), open = side(effect(0.01, -0.019, 0.052), {"h"});
    CHECK(with_verdict("overfits", gain, open).verdict_sentence ==
          "Overfits: faster on what it was tuned on, not on held-out workloads.");
    CHECK(with_verdict("overfits", gain, side(effect(0.1, 0.05, 0.2), {"h"}, true)).verdict_sentence ==
          "Overfits: faster on what it was tuned on, worse on held-out workloads.");
    CHECK(with_verdict("overfits", gain, side(effect(0.0, -0.05, 0.2), {"h"}, true)).verdict_sentence ==
          "Overfits: faster on what it was tuned on, worse on the held-out workload h.");
    CHECK(with_verdict("regresses", side(effect(0.1, 0.05, 0.2), {"t"}, true), none).verdict_sentence ==
          "Regresses: shown worse on t.");
    CHECK(with_verdict("inconclusive", gain, open).verdict_sentence ==
          "Inconclusive: on held-out workloads it could be −1.9 to +5.2 %.");
    CHECK(with_verdict("inconclusive", side(effect(0.01, -0.019, 0.052), {"t"}), none).verdict_sentence ==
          "Inconclusive: could be −1.9 to +5.2 %.");
    CHECK(with_verdict("inconclusive", none, none).verdict_sentence == "Inconclusive: nothing was measured.");
    CHECK(with_verdict("no-effect", none, none).verdict_sentence == "No effect: nothing that runs has changed.");
    for (const char* verdict :
         {"incorrect", "unsafe", "refused", "failed", "not-comparable", "interrupted", "no-effect", "of no kind"}) {
        const std::string sentence = with_verdict(verdict, none, none).verdict_sentence;
        INFO(sentence);
        CHECK(sentence.back() == '.');
        CHECK(sentence.find("significant") == std::string::npos);
    }
}

TEST_CASE("a row tells broken and open guards and a wide spread") {
    const Sheet broken = with_verdict("regresses", side(effect(0.1, 0.05, 0.2), {"t"}, true), nullptr);
    CHECK(broken.rows.at(0).broken);
    CHECK(mentions(broken.rows[0].notes, "shown not to hold: objective at most 3 % worse"));
    json open = side(effect(0.01, -0.019, 0.052), {"t"});
    open["guards"][0]["safe"] = false;
    CHECK(mentions(with_verdict("inconclusive", open, nullptr).rows.at(0).notes, "not settled"));
    CHECK(mentions(with_verdict("inconclusive", open, nullptr).rows.at(0).notes, "no detectable change"));
    Dossier dossier = good();
    dossier.samples.clear();
    add_runs(dossier, "holdout", "h", {0.5, 1.0, 2.0, 0.9});
    CHECK(mentions(make_sheet(dossier).rows.at(1).notes, "wide spread"));
    // One point has no spread, and a value of 0 no ratio.
    dossier.samples.clear();
    add_runs(dossier, "holdout", "h", {0.0});
    const WorkloadRow row = make_sheet(dossier).rows.at(1);
    REQUIRE(row.dots.size() == 1);
    CHECK(std::isnan(row.dots[0]));
    CHECK_FALSE(mentions(row.notes, "wide spread"));
}

TEST_CASE("what was not tested follows from what was there") {
    Dossier dossier = good();
    const auto lines = make_sheet(dossier).not_tested;
    CHECK(mentions(lines, "machines other than this one (Ryzen, 8 cores)"));
    CHECK(mentions(lines, "runs longer than 250 ms"));
    CHECK(mentions(lines, "values of block_rows other than 24"));
    CHECK_FALSE(mentions(lines, "sanitizer"));
    CHECK_FALSE(mentions(lines, "held-out"));
    CHECK_FALSE(mentions(lines, "seeds"));
    auto project = std::make_shared<Project>(*dossier.project);
    for (Workload& workload : project->workloads) {
        workload.seeds.resize(100);
        std::iota(workload.seeds.begin(), workload.seeds.end(), 1);
    }
    dossier.project = project;
    CHECK(mentions(make_sheet(dossier).not_tested, "of the 100 seeds of h"));
    dossier.trial.patch = "--- a/x\n";
    std::erase_if(dossier.samples, [](const auto& sample) { return sample.phase == "holdout"; });
    CHECK(mentions(make_sheet(dossier).not_tested, "memory errors"));
    CHECK(mentions(make_sheet(dossier).not_tested, "held-out workload: not asked"));
    CHECK_THAT(make_sheet(dossier).reproduce, ContainsSubstring("measure --trial 184"));
}

TEST_CASE("a dossier with damaged records still makes a sheet") {
    Dossier dossier;
    CHECK_FALSE(make_sheet(dossier).not_tested.empty());
    dossier = good();
    dossier.verdict.effects_json = dossier.verdict.flags_json = dossier.verdict.reasons_json = "{";
    dossier.trial.configuration_json = dossier.study.machine_json = "\xff";
    for (auto& sample : dossier.samples)
        sample.metrics_json = "[1";
    dossier.trial.tuner = "lo\x1b[31mcal";
    const Sheet sheet = make_sheet(dossier);
    CHECK(sheet.rows.empty());
    CHECK_FALSE(sheet.has_tuning);
    CHECK(sheet.subtitle.find('\x1b') == std::string::npos);
    CHECK(std::isnan(sheet.runs.at(0).objective));
}

TEST_CASE("cells of a CSV keep texts and full numbers, and no formula") {
    CHECK(text_cell("plain") == "plain");
    CHECK(text_cell("a,\"b\"\n") == "\"a,\"\"b\"\"\n\"");
    for (const char* formula : {"=1+1", "+1", "-1", "@x", "\tx"})
        CHECK(text_cell(formula) == std::string("'") + formula);
    CHECK(number_cell(-0.1) == "-0.1");
    CHECK(number_cell(1.0 / 3) == "0.3333333333333333");
    CHECK(number_cell(infinity).empty());
    CHECK(number_cell(std::nan("")).empty());
    Sheet sheet;
    sheet.metric = "wall";
    sheet.runs.resize(1);
    sheet.runs[0].workload = "=cmd()";
    const std::string csv = samples_csv(sheet);
    CHECK_THAT(csv, ContainsSubstring("\r\n'=cmd(),tuning,"));
    CHECK(csv.substr(csv.size() - 2) == "\r\n");
}

TEST_CASE("the raw samples say which attempt counted, which was dropped, and what was a warm-up") {
    Dossier dossier = good();
    dossier.study.opening_json = R"({"t":{"quarantine":{"steal-rate":0.02,"swap-rate":64,"throttle-rate":0.1}}})";
    dossier.samples.clear();
    add_runs(dossier, "confirm", "t", std::vector<double>(12, 0.9));
    std::vector<study::SampleRecord> again(dossier.samples.end() - 2, dossier.samples.end());
    for (study::SampleRecord& sample : again) { // the last round was disturbed and taken again
        dossier.samples[dossier.samples.size() - (sample.arm == "baseline" ? 2 : 1)].after.swap_in_pages = 100'000;
        sample.attempt = 2;
        sample.session = 2;
    }
    dossier.samples.insert(dossier.samples.end(), again.begin(), again.end());
    study::SampleRecord alone = again.front(); // cut off: its partner is missing
    alone.round = 13;
    alone.attempt = 1;
    dossier.samples.push_back(alone);
    alone.round = 0;
    dossier.samples.insert(dossier.samples.begin(), alone);
    const Sheet sheet = make_sheet(dossier);
    using Counted = RunPoint::Counted;
    REQUIRE(sheet.runs.size() == 1 + 24 + 2 + 1);
    CHECK(sheet.runs.front().counted == Counted::warm_up);
    CHECK(sheet.runs[1].counted == Counted::yes);
    CHECK(sheet.runs[23].counted == Counted::dropped);
    CHECK(sheet.runs[24].counted == Counted::dropped);
    CHECK(sheet.runs[25].counted == Counted::yes);
    CHECK(sheet.runs[25].attempt == 2);
    CHECK(sheet.runs[25].session == 2);
    CHECK(sheet.runs.back().counted == Counted::incomplete);
    const std::string csv = samples_csv(sheet);
    CHECK_THAT(csv, StartsWith("workload,role,phase,session,round,attempt,counted,arm,first,wall seconds,cpu seconds,"
                               "peak memory bytes,ending,started\r\n"));
    CHECK_THAT(csv, ContainsSubstring("t,tuning,confirm,2,0,1,warm-up,baseline,yes,0.25,") &&
                        ContainsSubstring("t,tuning,confirm,0,12,1,dropped,candidate,no,") &&
                        ContainsSubstring("t,tuning,confirm,2,12,2,yes,candidate,no,") &&
                        ContainsSubstring("t,tuning,confirm,2,13,1,incomplete,baseline,yes,"));
    Sheet other = sheet;
    other.metric = "rows";
    CHECK_THAT(samples_csv(other), ContainsSubstring(",first,rows,wall seconds,"));
}

TEST_CASE("trials side by side: what differs, and what is not on one scale") {
    Dossier a = good(), b = good();
    b.trial.id = "trial-2";
    b.trial.configuration_json = R"({"block_rows":32})";
    auto comparison = compare({a, b});
    REQUIRE(comparison);
    REQUIRE(comparison->knobs.size() == 1);
    CHECK(comparison->knobs[0].second == std::vector<std::string>{"24", "32"});
    REQUIRE(comparison->workloads.size() == 2);
    CHECK(comparison->workloads[0].role == Role::tuning);
    CHECK(comparison->warnings.empty());
    CHECK(comparison->workloads[0].candidate[1] == std::vector<double>{0.92, 0.93});
    CHECK(comparison->workloads[0].baseline[0].size() == 2); // the headline rounds, as the estimate
    CHECK(comparison->machines == std::vector<std::vector<std::string>>(2));
    b.study.machine_json = R"({"cpu":"Xeon","cores":8})";
    b.verdict.effects_json = "{}";
    comparison = compare({a, b});
    REQUIRE(comparison);
    CHECK(comparison->workloads[0].effects[1].rounds == 0);
    CHECK(comparison->workloads[0].candidate[1].empty());
    CHECK(comparison->machines[1] == std::vector<std::string>{"processor: Ryzen → Xeon"});
    CHECK(mentions(comparison->warnings, "different machines"));
    CHECK(compare({a}).error().kind == Error::Kind::invalid);
    CHECK(compare({a, b, a}).error().kind == Error::Kind::invalid);
    CHECK(compare(std::vector<Dossier>(7, a)).error().kind == Error::Kind::invalid);
}

TEST_CASE("an unknown format names the nearest") {
    CHECK(find_format("patch").value()->carries_change);
    CHECK_THAT(find_format("pathc").error().message(), ContainsSubstring("Did you mean patch?"));
}

TEST_CASE("a patch is named by its first file, and how many candidates stand behind it is said in words") {
    Dossier dossier = good();
    dossier.trial.patch = "a patch";
    dossier.trial.configuration_json = R"({"block_rows":64})";
    CHECK(make_sheet(dossier).title == "a patch");
    dossier.change.emplace();
    dossier.change->files.resize(1);
    dossier.change->files[0].path = "src/scan.cpp";
    dossier.change->files[0].lines_added = 3;
    CHECK(make_sheet(dossier).title == "src/scan.cpp, +3 −0");
    dossier.change->files.resize(3);
    dossier.change->files[2].lines_removed = 1;
    CHECK(make_sheet(dossier).title == "src/scan.cpp and 2 more, +3 −1");
    dossier.decided = 2;
    CHECK(make_sheet(dossier).subtitle.find("48 tried, 2 went through the gates") != std::string::npos);
}
