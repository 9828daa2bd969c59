// SPDX-License-Identifier: GPL-3.0-or-later
// What an approval needs, on dossiers made by hand.
#include "core/review/gates.hpp"
#include "core/review/reason.hpp"
#include "core/review/rules.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <functional>
#include <vector>

using namespace holdfast;
using namespace holdfast::review;

namespace {

study::GateRecord row(const std::string& gate, const std::string& result) {
    study::GateRecord record;
    record.gate = gate;
    record.result = result;
    record.reason = "reason of " + gate;
    return record;
}

study::SampleRecord sample(std::int64_t round, const std::string& arm, double memory) {
    study::SampleRecord record;
    record.phase = "confirm";
    record.workload = "a";
    record.round = round;
    record.attempt = 1;
    record.arm = arm;
    record.ending = "ok";
    record.metrics_json = "{\"wall\":1,\"cpu\":1,\"peak-memory\":" + std::to_string(memory) + "}";
    return record;
}

/// A proposal that nothing speaks against.
Dossier sound() {
    Dossier dossier;
    dossier.trial.number = 7;
    dossier.study.baseline_commit = std::string(40, 'a');
    dossier.verdict.verdict = "generalises";
    dossier.verdict.proposal = true;
    dossier.verdict.flags_json = "[]";
    dossier.verdict.effects_json = R"({"tuning":{"estimate":-0.061},"holdout":{"estimate":-0.015}})";
    dossier.gates = {row("admit", "pass"), row("correct", "pass"), row("holdout", "pass")};
    dossier.standing = Standing::waiting;
    Project project;
    project.objective = "wall";
    project.objectives = {"wall"};
    dossier.project = std::make_shared<const Project>(project);
    dossier.change = Change{std::string(40, 'c'), std::string(40, 'b'), {{"work.sh", "x"}}, {git::DiffFile{}}, {}};
    dossier.base.commit = git::Commit{std::string(40, 'a'), std::string(40, 'b')};
    dossier.base.current = true;
    dossier.head.commit = *dossier.base.commit;
    return dossier;
}

const Gate& gate(const std::vector<Gate>& gates, const std::string& name) {
    const auto found = std::find_if(gates.begin(), gates.end(), [&](const Gate& each) { return each.name == name; });
    REQUIRE(found != gates.end());
    return *found;
}

std::vector<std::string> open_gates(const Dossier& dossier, const Answers& answers = {}, bool can_sign = false) {
    std::vector<std::string> names;
    for (const Gate& each : approval_gates(dossier, answers, can_sign))
        if (!each.held)
            names.push_back(each.name);
    return names;
}

using Names = std::vector<std::string>;
const std::string reason = "the branch moved by a typo fix only";

} // namespace

TEST_CASE("a sound proposal has every gate held, in the order they are shown") {
    Names names;
    for (const Gate& each : approval_gates(sound(), {}, false)) {
        INFO(each.name << ": " << each.found);
        CHECK(each.held);
        CHECK_FALSE(each.found.empty());
        CHECK(each.remedy.empty());
        names.push_back(each.name);
    }
    CHECK(names ==
          Names{"proposed", "evidence", "checks", "held out", "base", "change", "flags", "signature", "not applied"});
}

TEST_CASE("each thing that is missing is told by its own gate, with what to do") {
    struct Row {
        std::string gate, words;
        std::function<void(Dossier&)> spoil;
    };
    const Row rows[] = {
        {"proposed", "regresses", [](Dossier& d) { d.verdict.proposal = false, d.verdict.verdict = "regresses"; }},
        {"evidence", "digest", [](Dossier& d) { d.evidence_fault = "the evidence has another digest"; }},
        {"checks", "reason of correct", [](Dossier& d) { d.gates[1].result = "fail"; }},
        {"checks", "not run", [](Dossier& d) { d.gates.erase(d.gates.begin() + 1); }},
        {"held out", "not confirmed", [](Dossier& d) { d.gates[2].result = "stop"; }},
        {"base", "does not have the commit", [](Dossier& d) { d.base = {}; }},
        {"base", "does not merge: work.sh", [](Dossier& d) { d.base.current = false, d.base.conflict = "work.sh"; }},
        {"base", "merges without conflict", [](Dossier& d) { d.base.current = false; }},
        {"change", "no such knob", [](Dossier& d) { d.change.reset(), d.change_error = "no such knob"; }},
        {"change", "no file", [](Dossier& d) { d.change->changes.clear(); }},
        {"flags", "over-stated", [](Dossier& d) { d.verdict.flags_json = R"(["over-stated"])"; }},
        {"signature", "demands it",
         [](Dossier& d) {
             d.signature = {true, "HEAD demands it", "x", ""};
         }},
        {"signature", "signers",
         [](Dossier& d) {
             d.signature = {true, "HEAD demands it", "", "no signers"};
         }},
        {"not applied", "applied already as 0123456789ab",
         [](Dossier& d) {
             d.standing = Standing::applied;
             d.applications.emplace_back();
             d.applications.back().commit = "0123456789abcdef";
         }},
    };
    for (const Row& each : rows) {
        Dossier dossier = sound();
        each.spoil(dossier);
        INFO(each.gate << ": " << each.words);
        CHECK(open_gates(dossier) == Names{each.gate});
        const auto gates = approval_gates(dossier, {}, false);
        CHECK_THAT(gate(gates, each.gate).found, ContainsSubstring(each.words));
        CHECK_FALSE(gate(gates, each.gate).remedy.empty());
    }
}

TEST_CASE("only a moved base that merges and missing held-out workloads pass on a typed reason") {
    Dossier moved = sound();
    moved.base.current = false;
    const Answers answers{{}, {{"base moved", "  " + reason + "\xc2\xa0"}}};
    CHECK(open_gates(moved, answers).empty());
    const auto gates = approval_gates(moved, answers, false);
    CHECK(gate(gates, "base").override_name == "base moved");
    CHECK(gate(gates, "base").override_reason == reason);

    Dossier conflict = moved;
    conflict.base.conflict = "work.sh";
    CHECK(open_gates(conflict, answers) == Names{"base"});

    Dossier not_held_out = sound();
    not_held_out.gates.pop_back();
    not_held_out.verdict.flags_json = R"(["not held out"])";
    CHECK(open_gates(not_held_out) == Names{"held out", "flags"});
    CHECK(open_gates(not_held_out, {{"not held out"}, {}}) == Names{"held out"});
    CHECK(open_gates(not_held_out, {{}, {{"not held out", reason}}}).empty()); // its flag is answered with it

    Dossier asked = sound(); // and the answer was no
    asked.gates[2].result = "stop";
    CHECK(open_gates(asked, {{}, {{"not held out", reason}}}) == Names{"held out"});
    for (const char* name : {"proposed", "evidence", "checks", "held out", "base", "flags", "signature"}) {
        Dossier dossier = sound();
        dossier.verdict.proposal = false;
        dossier.evidence_fault = "x";
        CHECK(open_gates(dossier, {{}, {{name, reason}}}) == Names{"proposed", "evidence"});
    }
}

TEST_CASE("a reason is more than blanks, a few letters or the gate's name") {
    const std::string wide = "\xe3\x80\x80", zero_width = "\xe2\x80\x8b", braille = "\xe2\xa0\x80";
    const std::pair<std::string, std::string> rows[] = {
        {"", "no reason"},
        {" \t\n", "no reason"},
        {wide + zero_width + braille, "no reason"},
        {"base moved", "repeats"},
        {" Base-moved! ", "repeats"},
        {"go on", "fewer than ten"},
        {"a" + std::string(40, ' ') + "b", "fewer than ten"},
        {"a" + zero_width + zero_width + wide + wide + wide + wide + wide + wide + wide + "b", "fewer than ten"},
        {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", "fewer than ten"}, // eight bytes, four characters
        {reason, ""},
        {"\xe5\x9f\xba\xe7\xa4\x8e\xe3\x81\xaf\xe5\x8b\x95\xe3\x81\x84\xe3\x81\x9f\xe3\x81\x8c\xe5\x95\x8f\xe9\xa1\x8c"
         "\xe3\x81\xaa\xe3\x81\x84",
         ""},
    };
    for (const auto& [text, words] : rows) {
        INFO('"' << text << '"');
        CHECK_THAT(override_reason_fault(text, "base moved"), ContainsSubstring(words));
        CHECK(override_reason_fault(text, "base moved").empty() == words.empty());
    }
    CHECK(trimmed(wide + " a b" + zero_width + "\n") == "a b");
}

TEST_CASE("every flag is acknowledged on its own, by name") {
    Dossier dossier = sound();
    dossier.verdict.flags_json = R"(["over-stated", "shape changed"])";
    const auto found = [&](const Names& names) {
        return gate(approval_gates(dossier, {names, {}}, false), "flags").found;
    };
    CHECK(found({}) == "not acknowledged: over-stated, shape changed");
    CHECK(found({"over-stated"}) == "not acknowledged: shape changed");
    CHECK(found({"all"}) == "not acknowledged: over-stated, shape changed");
    CHECK(open_gates(dossier, {{"shape changed", "over-stated"}, {}}).empty());

    const auto flags = flags_of(dossier);
    REQUIRE(flags.size() == 2);
    CHECK_THAT(flags[0].evidence, ContainsSubstring("−1.5 %") && ContainsSubstring("−6.1 %"));
    CHECK_FALSE(flags[1].evidence.empty());
}

TEST_CASE("a resource that grew by more than a tenth is a flag, the objective is none") {
    Dossier dossier = sound();
    for (std::int64_t round = 1; round <= 30; ++round) {
        dossier.samples.push_back(sample(round, "baseline", 100));
        dossier.samples.push_back(sample(round, "candidate", round == 1 ? 900 : 141)); // one odd round moves no median
    }
    auto flags = flags_of(dossier);
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "more peak-memory");
    CHECK_THAT(flags[0].evidence, ContainsSubstring("+41.0 %") && ContainsSubstring("30 pairs"));

    Dossier few = dossier;
    few.samples.resize(6); // three pairs show nothing, whatever their median
    CHECK(flags_of(few).empty());

    Project project;
    project.objective = "peak-memory";
    project.objectives = {"peak-memory"};
    dossier.project = std::make_shared<const Project>(project);
    CHECK(flags_of(dossier).empty());
    dossier.project = sound().project;
    for (study::SampleRecord& each : dossier.samples)
        each.phase = "screen"; // the rounds that selected it are not counted
    CHECK(flags_of(dossier).empty());
    for (study::SampleRecord& each : dossier.samples) {
        each.phase = "confirm";
        each.metrics_json = "not JSON";
    }
    CHECK(flags_of(dossier).empty());
}

TEST_CASE("work behind the main process is a flag when the candidate does more of it") {
    Dossier dossier = sound();
    const auto with = [&](double baseline, double candidate) {
        dossier.samples.clear();
        for (std::int64_t round = 1; round <= 30; ++round)
            for (const auto& [arm, seconds] : {std::pair("baseline", baseline), std::pair("candidate", candidate)}) {
                study::SampleRecord each = sample(round, arm, 100);
                each.usage.user = std::chrono::milliseconds(180);
                each.usage.system = std::chrono::milliseconds(20);
                if (seconds > 0)
                    each.metrics_json = R"({"peak-memory": 100, " background": )" + std::to_string(seconds) + "}";
                dossier.samples.push_back(std::move(each));
            }
        return flags_of(dossier);
    };
    const auto flags = with(0, 0.05);
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "background work");
    CHECK_THAT(flags[0].evidence,
               ContainsSubstring("25 % of its processor time, 0.05 s") && ContainsSubstring("the baseline: 0 %"));
    CHECK(with(0, 0.019).empty());   // less than a tenth
    CHECK(with(0.06, 0.07).empty()); // the baseline does as much
    CHECK(with(0.1, 0).empty());     // less than before
    CHECK(with(0.01, 0.04).size() == 1);
    for (study::SampleRecord& each : dossier.samples) { // a tenth of next to nothing
        each.usage.user = std::chrono::milliseconds(20);
        each.metrics_json = R"({" background": 0.009})";
        if (each.arm == "baseline")
            each.metrics_json = "{}";
    }
    CHECK(flags_of(dossier).empty());
}

TEST_CASE("a cut-off attempt of a round is not counted") {
    Dossier dossier = sound();
    dossier.samples = {sample(1, "baseline", 100), sample(1, "candidate", 500), sample(1, "baseline", 100),
                       sample(1, "candidate", 100)};
    dossier.samples[2].attempt = dossier.samples[3].attempt = 2;
    CHECK(flags_of(dossier).empty());
    const auto medians = resource_medians(dossier);
    REQUIRE(medians.size() == 3);
    CHECK(medians[0].pairs == 1);
}

TEST_CASE("a key at hand signs also where nobody demands it, and says so") {
    CHECK(gate(approval_gates(sound(), {}, true), "signature").found == "will be signed");
    CHECK_THAT(gate(approval_gates(sound(), {}, false), "signature").found, ContainsSubstring("unsigned"));
    Dossier demanded = sound();
    demanded.signature = {true, "HEAD demands it", "ada@example.org ssh-ed25519 AAAA", ""};
    CHECK(open_gates(demanded, {}, true).empty());
    CHECK(open_gates(demanded, {}, false) == Names{"signature"});
}

TEST_CASE("where a trial stands follows from its last decision and its last commit") {
    study::VerdictRecord verdict;
    verdict.proposal = true;
    const auto review = [](std::int64_t id, const std::string& decision) {
        study::ReviewRecord record;
        record.id = id;
        record.trial = "t";
        record.decision = decision;
        return record;
    };
    const auto application = [](std::int64_t approval, const std::string& action) {
        study::ApplicationRecord record;
        record.trial = "t";
        record.review = approval;
        record.action = action;
        return record;
    };
    CHECK(standing_of("t", nullptr, {}, {}) == Standing::none);
    CHECK(standing_of("t", &verdict, {}, {}) == Standing::waiting);
    CHECK(standing_of("t", &verdict, {review(1, "rejected")}, {}) == Standing::rejected);
    CHECK(standing_of("t", &verdict, {review(1, "rejected"), review(2, "rework")}, {}) == Standing::rework);
    CHECK(standing_of("t", &verdict, {review(1, "rejected"), review(3, "approved")}, {}) == Standing::approved);
    CHECK(standing_of("t", &verdict, {review(3, "approved")}, {application(3, "applied")}) == Standing::applied);
    const std::vector<study::ApplicationRecord> back{application(3, "applied"), application(3, "reverted")};
    CHECK(standing_of("t", &verdict, {review(3, "approved")}, back) == Standing::reverted);
    CHECK(standing_of("t", &verdict, {review(3, "approved"), review(4, "approved")}, back) == Standing::approved);
    CHECK(standing_of("u", &verdict, {review(3, "approved")}, back) == Standing::waiting);
    verdict.proposal = false;
    CHECK(standing_of("t", &verdict, {}, {}) == Standing::none);
}

TEST_CASE("a statement comes back as it was written, and in no other spelling") {
    Statement statement;
    statement.trial = "0190";
    statement.number = 7;
    statement.reviewer = {"Ada \"A\" Reviewer", "ada@example.org"};
    statement.time = "2026-01-02T03:04:05.678Z";
    statement.comment = "fine\n\xe2\x80\xae";
    statement.acknowledged = {"over-stated"};
    statement.overrides = {{"base moved", reason}};
    statement.binding = {"c", "t", R"({"size":8})", "e"};
    const std::string text = to_json(statement);
    const auto back = statement_from_json(text);
    REQUIRE(back);
    CHECK(to_json(*back) == text);
    CHECK(back->binding == statement.binding);
    CHECK(back->comment == statement.comment);

    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"\"approved\"", "\"praised\""},
                                                          {"review/1", "review/2"},
                                                          {"\"number\":7", "\"number\": 7"},
                                                          {"\"number\":7", "\"number\":7.5"},
                                                          {"\"number\":7", "\"nombre\":7"},
                                                          {"{\"acknow", "{\"a\":1,\"acknow"}}) {
        std::string changed = text;
        const auto at = changed.find(from);
        REQUIRE(at != std::string::npos);
        changed.replace(at, from.size(), to);
        INFO(changed);
        const auto refused = statement_from_json(changed);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == Error::Kind::refused);
    }
    CHECK_FALSE(statement_from_json(""));
    CHECK_FALSE(statement_from_json("[]"));
}

namespace {

/// A proposal over `rounds` rounds with four seeds, of which the last gains `last` of the time and the others 60 %.
Dossier seeded(double last, std::size_t fresh, std::int64_t rounds = 80) {
    Dossier dossier = sound();
    Project project = *dossier.project;
    Metric metric;
    metric.name = "wall";
    project.metrics = {metric};
    Workload workload;
    workload.name = "h";
    workload.role = Role::holdout;
    workload.seeds = {11, 12, 13, 14};
    if (fresh > 0) {
        workload.seeds = {1};
        workload.fresh_seeds = static_cast<int>(fresh);
    }
    project.workloads = {workload};
    dossier.project = std::make_shared<const Project>(project);
    for (std::int64_t round = 1; round <= rounds; ++round)
        for (const bool candidate : {false, true}) {
            study::SampleRecord record = sample(round, candidate ? "candidate" : "baseline", 100);
            record.phase = "holdout";
            record.workload = "h";
            const double noise = 1 + 0.01 * static_cast<double>(round * 7 % 5);
            const double gain = !candidate ? 0 : round % 4 == 0 ? last : 0.6;
            record.metrics_json = "{\"wall\":" + std::to_string(noise * (1 - gain)) + "}";
            dossier.samples.push_back(std::move(record));
        }
    return dossier;
}

} // namespace

TEST_CASE("a gain that one of several seeds does not have is uneven") {
    const auto flags = flags_of(seeded(0, 0));
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "uneven gain");
    CHECK_THAT(flags[0].evidence, ContainsSubstring("h, seed 14: 0.0 %") &&
                                      ContainsSubstring("over 20 rounds, the whole") && ContainsSubstring("over 80"));
    const auto fresh = flags_of(seeded(0, 4));
    REQUIRE(fresh.size() == 1);
    CHECK_THAT(fresh[0].evidence, ContainsSubstring("h, fresh seed 4 of 4"));
    CHECK(open_gates(seeded(0, 0)) == Names{"flags"});
    CHECK(open_gates(seeded(0, 0), {{"uneven gain"}, {}}).empty());

    CHECK(flags_of(seeded(0.6, 0)).empty());
    CHECK(flags_of(seeded(0.55, 0)).empty()); // less, but most of it
    CHECK(flags_of(seeded(0, 0, 8)).empty()); // two rounds of a seed show nothing
    Dossier refused = seeded(0, 0);
    refused.verdict.proposal = false; // what held-out inputs told of it is not for whoever tunes on
    CHECK(flags_of(refused).empty());
}

namespace {

/// 60 pairs in the order of a coin; a run right after the candidate's takes `slower` times as long.
Dossier carried(double slower) {
    Dossier dossier = sound();
    Project project = *dossier.project;
    Metric wall;
    wall.name = "wall";
    project.metrics = {wall};
    Workload workload;
    workload.name = "a";
    project.workloads = {workload};
    dossier.project = std::make_shared<const Project>(project);
    bool after_candidate = false;
    for (std::int64_t round = 1; round <= 60; ++round)
        for (const int slot : {0, 1}) {
            const bool coin = round * round % 7 < 3, candidate = coin == (slot == 0);
            study::SampleRecord record = sample(round, candidate ? "candidate" : "baseline", 100);
            record.session = 1;
            record.slot = slot;
            const double noise = 1 + 0.01 * static_cast<double>(round * 7 % 5);
            record.metrics_json = "{\"wall\":" + std::to_string(noise * (after_candidate ? slower : 1)) + "}";
            after_candidate = candidate;
            dossier.samples.push_back(std::move(record));
        }
    return dossier;
}

} // namespace

TEST_CASE("a candidate whose runs slow the run after them is flagged, whichever arm that is") {
    const auto flags = flags_of(carried(1.4));
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "slows the next run");
    CHECK_THAT(flags[0].evidence, ContainsSubstring("wall +4") && ContainsSubstring("on workload a"));
    CHECK(flags_of(carried(1)).empty());
    CHECK(flags_of(carried(1.001)).empty()); // less than the minimum effect
    CHECK(flags_of(carried(0.7)).empty());   // what warms a cache for the baseline harms only itself
}

TEST_CASE("work before the clock starts is a flag for a patch, where it runs what the patch changes") {
    Dossier dossier = sound();
    Project project = *dossier.project;
    Workload workload;
    workload.name = "load";
    workload.prepare = {"python3", "{source}/prepare.py"};
    project.workloads = {workload};
    project.metrics = {Metric{}};
    project.metrics[0].name = "wall";
    dossier.project = std::make_shared<const Project>(project);
    CHECK(flags_of(dossier).empty()); // a knob's value writes no code
    dossier.trial.patch = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-one()\n+two()\n";
    const auto flags = flags_of(dossier);
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "untimed work");
    CHECK_THAT(flags[0].evidence, ContainsSubstring("`prepare` of workload load"));
    project.workloads[0].prepare = {"cp", "{inputs}/a", "{prepared}"};
    dossier.project = std::make_shared<const Project>(project);
    CHECK(flags_of(dossier).empty());
}

TEST_CASE("the evidence of an unsettled held-out workload is the verdict's reason") {
    Dossier dossier = sound();
    dossier.verdict.flags_json = R"(["held-out not settled"])";
    dossier.verdict.reasons_json =
        R"(["Shown.", "Not settled on held-out workloads: h +8.0 % [−1.9, +20.7]: not shown to be at most 3 % worse."])";
    const auto flags = flags_of(dossier);
    REQUIRE(flags.size() == 1);
    CHECK_THAT(flags[0].evidence, ContainsSubstring("h +8.0 % [−1.9, +20.7]: not shown to be at most 3 % worse."));
    CHECK(open_gates(dossier) == Names{"flags"});
}

TEST_CASE("what rounding leaves above no change is no growth of a resource") {
    Dossier dossier = sound();
    for (std::int64_t round = 1; round <= 30; ++round) {
        dossier.samples.push_back(sample(round, "baseline", 1));
        dossier.samples.push_back(sample(round, "candidate", 1));
        dossier.samples.back().metrics_json = R"({"peak-memory":1.00000000000003})";
    }
    const auto medians = resource_medians(dossier);
    REQUIRE(medians.size() == 1);
    CHECK_FALSE(medians[0].shown);
}

TEST_CASE("a gate that decides nothing tells, it does not stop") {
    CHECK(result_word(row("coverage", "stop")) == "told");
    CHECK(result_word(row("coverage", "pass")) == "pass");
    CHECK(result_word(row("coverage", "fail")) == "fail");
    CHECK(result_word(row("confirm", "stop")) == "stop");
}
