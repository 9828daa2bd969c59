// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps a candidate from learning its workloads by heart, measured for real: leaky splits, budgets of questions,
// fresh seeds, variants, coverage and the stack of accepted changes.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

#include <fmt/format.h>

using namespace holdfast::test;
using nlohmann::json;

namespace {

const std::string program = R"py(import json, sys

def total(path):
    totals, steps = {}, 0
    for line in open(path):
        name, amount = line.split()
        totals[name] = totals.get(name, 0) + int(amount)
        steps += 10
    return totals, steps

def unused():
    return "no workload comes here"

totals, steps = total(sys.argv[1])
print("\n".join("%s %d" % pair for pair in sorted(totals.items())), *sys.argv[2:])
json.dump({"steps": steps}, open("steps.json", "w"))
)py";

const std::string generator = R"py(import random, sys
random.seed(int(sys.argv[1]))
for _ in range(30):
    print(random.choice("abcdefgh"), random.randrange(1, 1000))
)py";

const std::string orders = "beech 4\nash 7\nash 12\ncedar 5\nbeech 9\nash 1\nelm 40\ncedar 6\nelm 2\nfir 3\n";
const std::string others =
    "pear 14\nplum 70\nplum 2\nquince 51\npear 19\nplum 10\nrose 4\nquince 60\nrose 22\nsloe 5\n";

std::string workload(const std::string& name, const std::string& input, const std::string& more = "") {
    return fmt::format(
        R"({{ "name": "{}", "inputs": ["{}"], "run": ["python3", "{{source}}/total.py", "{{inputs}}/{}"], "check": {{ "stdout": "same" }}{} }})",
        name, input, std::filesystem::path(input).filename().string(), more);
}

const std::string generated =
    R"({ "name": "unseen", "generate": ["sh", "-c", "python3 {source}/gen.py {seed} > {generated}/t.txt"],
  "seeds": { "fresh": 3 }, "run": ["python3", "{source}/total.py", "{generated}/t.txt"], "check": { "stdout": "same" } })";

const std::string variants = R"(, "variants": [
  { "name": "renamed", "make": ["sh", "-c", "sed 's/^/x/' {inputs}/a.txt > {variant}/a.txt"], "restore": ["sed", "s/^x//;t;q3", "{stdout}"] },
  { "name": "permuted", "make": ["sh", "-c", "tac {inputs}/a.txt > {variant}/a.txt"] },
  { "name": "rescaled", "make": ["awk", "{ print $1, $2 * 3 > \"{variant}/a.txt\" }", "{inputs}/a.txt"],
    "restore": ["awk", "{ print $1, $2 / 3 }", "{stdout}"] } ])";

struct Options {
    std::string tuning = workload("a", "data/a.txt");
    std::string held_out = workload("unseen", ".holdfast/b.txt");
    std::string held_out_data = others;
    std::string decision = R"("holdout-pairs": 12, "max-pairs": 60)";
};

class Totals : public WrittenProject {
public:
    explicit Totals(const Options& options = {}, const std::string& known = "")
        : WrittenProject({{"total.py", program},
                          {".holdfast/known.txt", known},
                          {"gen.py", generator},
                          {"data/a.txt", orders},
                          {".holdfast/b.txt", options.held_out_data},
                          {".holdfast/holdout.json", R"({ "workloads": [ )" + options.held_out + " ] }"},
                          {"holdfast.json", fmt::format(R"({{ "name": "totals", "build": [],
  "metrics": {{ "steps": {{ "from": "json", "file": "steps.json", "path": "/steps", "accept-self-reported": true }} }}, "objective": "steps",
  "workloads": [ {} ], "code": {{ "editable": ["total.py"] }}, "probe": {{ "sanitizers": [], "inputs": 0 }}, "decision": {{ {} }} }})",
                                                        options.tuning, options.decision)}}) {}

    /// Proposes total.py with `from` replaced and decides on it.
    json decided(const std::string& from, const std::string& to) const {
        const Ran queued = holdfast({"propose", "--patch", patch("total.py", from, to)});
        INFO(queued.err);
        REQUIRE(queued.code == 0);
        run();
        return trial("1");
    }

    json asked(const std::string& columns, const std::string& from) const {
        const Ran ran = run_command({"sqlite3", "-json", (path() / ".holdfast" / "history.sqlite").string(),
                                     "SELECT " + columns + " FROM " + from},
                                    path(), {});
        return ran.out.empty() ? json::array() : json::parse(ran.out);
    }
};

const std::string honest = "steps += 9";

} // namespace

TEST_CASE("a candidate that tells what it read in a held-out workload is not told on") {
    const std::string seen = "steps += 9\n        if amount == '51':\n            ";
    const std::string tells = GENERATE(
        as<std::string>{}, "print(open(path).read()); sys.exit('held: ' + open(path).read())",
        "import os\n            if os.fork() == 0:\n                open('/proc/self/comm', 'w').write('s' + 'loe')\n"
        "                import time; time.sleep(60)");
    const Totals project;
    const json trial = project.decided("steps += 10", seen + tells);
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "failed");
    CHECK_THAT(trial.at("reasons").dump(), ContainsSubstring("kept back with the workload"));
    const std::string patch = project.patch("total.py", "steps += 10", seen + tells);
    std::string shown = trial.at("gates").dump() + trial.at("reasons").dump();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"trials"},
                                                  {"show", "1"},

                                                  {"measure", "--patch", patch, "--workload", "unseen"}}) {
        const Ran ran = project.holdfast(words);
        shown += ran.out + ran.err;
    }
    for (const char* columns : {"reason || log", "detail_json"})
        shown += project.asked(columns, "gates").dump();
    shown += project.asked("ending || metrics_json", "samples").dump();
    CHECK_THAT(shown, ContainsSubstring("unseen"));
    CHECK_THAT(shown, !ContainsSubstring("sloe") && !ContainsSubstring("quince"));
}

TEST_CASE("a split without copies carries no flag, and a gain on it generalises") {
    const Totals project;
    const json before = project.document({"validate"});
    CHECK(before.at("split").at("leaky") == false);
    CHECK(before.at("split").at("pairs").empty());
    const json trial = project.decided("steps += 10", honest);
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "generalises");
    CHECK(trial.at("flags").dump().find("leaky split") == std::string::npos);
    CHECK_THAT(project.holdfast({"show", "1"}).out, ContainsSubstring("gap 0.0 points ["));
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("near copies are named by validate and run, and flag the verdict") {
    std::string shuffled;
    for (std::size_t end = orders.size(); end > 0;) {
        const std::size_t begin = orders.rfind('\n', end - 2) + 1;
        shuffled += orders.substr(begin, end - begin);
        end = begin;
    }
    const auto how = [](const std::string& data) {
        const Totals project(Options{.held_out_data = data});
        const json split = project.document({"validate"}).at("split");
        return split.at("leaky") == true ? split.at("pairs").at(0).at("how").get<std::string>() : "";
    };
    CHECK(how(orders) == "the same bytes");
    CHECK(how(shuffled) == "the same lines in another order");
    CHECK(how(others).empty());

    // Another answer, or the check could not tell the two apart: one line of ten.
    std::string known;
    for (int i = 9; i >= 0; --i) // not in the order of the answer, which no copy of the input may be
        known += fmt::format("customer-number-{} {}\n", i, 7 * i + 3);
    Options options{.held_out_data = replaced(known, "number-4 31", "number-4 30")};
    options.tuning = workload("a", ".holdfast/known.txt");
    const Totals project(options, known);
    const Ran validated = project.holdfast({"validate"});
    INFO(validated.out);
    CHECK_THAT(validated.out, ContainsSubstring("held-out \"unseen\" is a near copy of \"a\" (0.9") &&
                                  ContainsSubstring("leaky split"));
    const Ran queued = project.holdfast({"propose", "--patch", project.patch("total.py", "steps += 10", honest)});
    REQUIRE(queued.code == 0);
    const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "1"});
    INFO(ran.err);
    CHECK_THAT(ran.err, ContainsSubstring("is a near copy of"));
    const json trial = project.trial("1");
    CHECK(trial.at("verdict") == "generalises");
    CHECK_THAT(trial.at("flags").dump(), ContainsSubstring("\"leaky split\""));
    CHECK_THAT(trial.at("reasons").dump(), ContainsSubstring("near copy of"));
    CHECK_THAT(project.holdfast({"show", "1"}).out, ContainsSubstring("flag       leaky split: The split leaks"));
}

TEST_CASE("a generator that does not use its seed makes copies, which run finds") {
    const std::string stuck =
        R"({ "name": "NAME", "generate": ["sh", "-c", "true {seed}; python3 {source}/gen.py 5 > {generated}/t.txt"], "seeds": [SEED],
  "run": ["python3", "{source}/total.py", "{generated}/t.txt", "{seed}"], "check": { "stdout": "same" } })";
    const auto with = [&](const std::string& name, const std::string& seed, bool stays) {
        std::string text = replaced(replaced(stuck, "NAME", name), "SEED", seed);
        return stays ? text : replaced(replaced(text, "true {seed}; ", ""), "gen.py 5", "gen.py {seed}");
    };
    for (const bool stays : {true, false}) {
        const Totals project(Options{.tuning = with("a", "1", stays), .held_out = with("unseen", "2", stays)});
        CHECK(project.document({"validate"}).at("split").at("leaky") == false);
        project.holdfast({"propose", "--patch", project.patch("total.py", "steps += 10", honest)});
        const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "1"});
        INFO(ran.err);
        CHECK((ran.err.find("near copy") != std::string::npos) == stays);
    }
    // The same seed of the same generator is known beforehand.
    const Totals same(Options{.tuning = with("a", "1", false), .held_out = with("unseen", "1", false)});
    CHECK(same.document({"validate"}).at("split").at("leaky") == true);
}

TEST_CASE("seeds that both have are copies, for validate and for run alike") {
    const auto with = [](const std::string& name, const std::string& seeds) {
        return replaced(
            replaced(
                R"({ "name": "NAME", "generate": ["sh", "-c", "python3 {source}/gen.py {seed} > {generated}/t.txt"], "seeds": [SEEDS],
  "run": ["python3", "{source}/total.py", "{generated}/t.txt"], "check": { "stdout": "same" } })",
                "NAME", name),
            "SEEDS", seeds);
    };
    const std::pair<std::string, std::string> rows[] = {{"1, 2, 3, 11, 12", "seeds 1, 2, 3 in both"},
                                                        {"11, 12, 13, 14, 3", "is in part a copy"}};
    for (const auto& [seeds, told] : rows) {
        const Totals project(Options{.tuning = with("a", "1, 2, 3"), .held_out = with("unseen", seeds)});
        CHECK(project.document({"validate"}).at("split").at("leaky") == true);
        CHECK_THAT(project.holdfast({"validate"}).out, ContainsSubstring(told));
        project.holdfast({"propose", "--patch", project.patch("total.py", "steps += 10", honest)});
        const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "1"});
        INFO(ran.err);
        CHECK_THAT(ran.err, ContainsSubstring("The split leaks") && ContainsSubstring(told));
        CHECK_THAT(project.trial("1").at("flags").dump(), ContainsSubstring("leaky split"));
    }
}

TEST_CASE("questions of measure have a budget, which is refused when it is spent") {
    const Totals project(Options{.decision = R"("holdout-questions": 2)"});
    const auto measure = [&](const std::string& name) {
        return project.holdfast({"measure", "--rounds", "6", "--workload", name, "--patch",
                                 project.patch("total.py", "steps += 10", honest)});
    };
    CHECK(measure("a").code == 0);
    CHECK(project.document({"validate"}).at("questions") == json({{"budget", 2}, {"asked-by-hand", 0}}));
    CHECK(measure("unseen").code == 0);
    CHECK(measure("unseen").code == 0);
    CHECK(project.document({"validate"}).at("questions") == json({{"budget", 2}, {"asked-by-hand", 2}}));
    const Ran refused = measure("unseen");
    CHECK(refused.code == 4);
    CHECK_THAT(refused.err, ContainsSubstring("all 2 held-out questions of comparisons by hand are spent"));
    CHECK(measure("a").code == 0);
    CHECK(project.asked("count(*) AS n", "questions").at(0).at("n") == 2);
}

TEST_CASE("another name or card gives no question back, other data asks anew under the old name") {
    const Totals project(Options{.decision = R"("holdout-questions": 1)"});
    const auto hold_out = [&](const std::string& name, const std::string& input, const std::string& more = "") {
        write_text(project.path() / ".holdfast" / "holdout.json",
                   R"({ "workloads": [ )" + workload(name, input, more) + " ] }");
    };
    const auto measure = [&](const std::string& name) {
        return project.holdfast({"measure", "--rounds", "6", "--workload", name, "--patch",
                                 project.patch("total.py", "steps += 10", honest)});
    };
    const auto asked = [&] { return project.document({"validate"}).at("questions").at("asked-by-hand"); };
    CHECK(measure("unseen").code == 0);
    CHECK(asked() == 1);
    hold_out("unseen", ".holdfast/b.txt", R"(, "card": { "about": "others" }, "weight": 2)");
    CHECK(asked() == 1);
    CHECK(measure("unseen").code == 4);
    write_text(project.path() / ".holdfast" / "c.txt", others);
    hold_out("another", ".holdfast/c.txt");
    CHECK(asked() == 1);
    const Ran refused = measure("another");
    CHECK(refused.code == 4);
    CHECK_THAT(refused.err, ContainsSubstring("other inputs or seeds"));
    write_text(project.path() / ".holdfast" / "c.txt", others + "rose 9\n");
    CHECK(asked() == 0);
    CHECK(measure("another").code == 0);
    CHECK(asked() == 1);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("seeds are drawn for each held-out question, stored before it, and are in the evidence") {
    const Totals project(Options{.held_out = generated});
    const json trial = project.decided("steps += 10", honest);
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "generalises");
    const json stored =
        json::parse(project.asked("seeds_json", "question_seeds").at(0).at("seeds_json").get<std::string>());
    REQUIRE(stored.at("unseen").size() == 3);
    const json evidence = trial.at("evidence-document");
    CHECK(evidence.at("holdout-seeds") == stored);
    for (const json& seed : stored.at("unseen"))
        CHECK(evidence.at("inputs").contains("unseen (seed " + seed.dump() + ")"));
    CHECK(project.holdfast({"audit"}).code == 0);
    // They say as much of what is held out as its definition does.
    const auto file = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"export", "1", "--format", "evidence"});
        return project.holdfast(more).out;
    };
    CHECK(json::parse(file({})).at("evidence").at("holdout-seeds") == stored);
    const std::string part = file({"--without-holdout"});
    CHECK_FALSE(json::parse(part).at("evidence").contains("holdout-seeds"));
    CHECK(part.find("unseen (seed") == std::string::npos);
    // Drawn anew: three numbers below 2^31 are the same once in ages.
    const Ran measured = project.holdfast({"measure", "--rounds", "6", "--workload", "unseen", "--trial", "1"});
    INFO(measured.err);
    CHECK(measured.code == 0);
    const json both = project.asked("seeds_json", "question_seeds");
    REQUIRE(both.size() == 2);
    CHECK(both.at(0) != both.at(1));
}

TEST_CASE("a program that answers from its head is wrong on fresh seeds") {
    const Totals project(Options{.held_out = generated});
    const json trial = project.decided("    totals, steps = {}, 0\n", "    totals, steps = {}, -10\n"
                                                                      "    if open(path).readline() != 'beech 4\\n':\n"
                                                                      "        return {'a': 1}, 10\n");
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "incorrect");
    CHECK_THAT(trial.at("reasons").dump(), ContainsSubstring("workload unseen"));
    CHECK(project.asked("answer", "questions").at(0).at("answer") == "not confirmed");
}

TEST_CASE("a program that learned its input by heart is wrong on a variant, an honest one is not") {
    const Options options{.tuning = workload("a", "data/a.txt", variants)};
    const Totals fair(options);
    const json good = fair.decided("steps += 10", honest);
    INFO(good.dump(1));
    CHECK(good.at("verdict") == "generalises");
    CHECK_THAT(good.at("gates").dump(), ContainsSubstring("3 variants agree"));
    CHECK(good.at("evidence-document").at("inputs").contains("a (seed 1) variant rescaled"));

    const std::string known = "{'ash': 20, 'beech': 13, 'cedar': 11, 'elm': 42, 'fir': 3}";
    const auto wrong = [&](const std::string& line) {
        const Totals project(options);
        const json trial = project.decided("    totals, steps = {}, 0\n", "    totals, steps = {}, 0\n" + line);
        INFO(trial.dump(1));
        CHECK(trial.at("verdict") == "incorrect");
        return trial.at("reasons").dump();
    };
    CHECK_THAT(wrong("    return " + known + ", 1\n"), ContainsSubstring("variant renamed of workload a"));
    CHECK_THAT(wrong("    if open(path).readline() == 'fir 3\\n':\n        return {}, 1\n"),
               ContainsSubstring("variant permuted of workload a"));
    CHECK_THAT(wrong("    if open(path).readline() == 'beech 12\\n':\n        return {}, 1\n"),
               ContainsSubstring("variant rescaled of workload a"));
}

TEST_CASE("variants of held-out workloads belong to the question") {
    std::string text = variants;
    while (text.find("a.txt") != std::string::npos)
        text = replaced(text, "a.txt", "b.txt");
    const Totals project(Options{.held_out = workload("unseen", ".holdfast/b.txt", text)});
    const json trial = project.decided("    totals, steps = {}, 0\n",
                                       "    totals, steps = {}, -10\n"
                                       "    if open(path).readline() == 'sloe 5\\n':\n        return {}, 1\n");
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "incorrect");
    CHECK_THAT(trial.at("reasons").dump(), ContainsSubstring("variant permuted of workload unseen"));
    CHECK(project.asked("answer", "questions").at(0).at("answer") == "not confirmed");
}

TEST_CASE("a variant that the baseline itself disagrees on is the project's error") {
    const Totals project(
        Options{.tuning = workload("a", "data/a.txt", R"(, "variants": [ { "name": "renamed", "make": ["sh", "-c",
            "sed 's/^/x/' {inputs}/a.txt > {variant}/a.txt"] } ])")});
    const Ran ran = project.holdfast({"run", "--tuner", "patch"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("variant renamed of workload a") && ContainsSubstring("baseline"));
}

TEST_CASE("variants that cannot fail are refused") {
    const auto refusal = [](const std::string& variant) {
        const Totals project(Options{.tuning = workload("a", "data/a.txt", ", \"variants\": [ " + variant + " ]")});
        const Ran ran = project.holdfast({"run", "--tuner", "patch"});
        CHECK(ran.code == 2);
        return ran.err;
    };
    CHECK_THAT(refusal(R"({ "name": "same", "make": ["sh", "-c", "cat {inputs}/a.txt > {variant}/a.txt"] })"),
               ContainsSubstring("variant same of workload a") &&
                   ContainsSubstring("it has the bytes of the original"));
    CHECK_THAT(refusal(R"({ "name": "known", "make": ["sh", "-c", "tac {inputs}/a.txt > {variant}/a.txt"],
            "restore": ["printf", "ash 20\\nbeech 13\\ncedar 11\\nelm 42\\nfir 3\\n"] })"),
               ContainsSubstring("variant known of workload a agrees with a program that does nothing at all"));
}

TEST_CASE("one answer for everything is refused with the copies it comes from, and leaves no study behind") {
    const Totals project(Options{.held_out_data = orders});
    const Ran ran = project.holdfast({"run", "--tuner", "patch"});
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("that of workload unseen, and no workload or seed has another answer") &&
                            ContainsSubstring("held-out \"unseen\" is a near copy of \"a\" (1.00: the same bytes)"));
    CHECK(project.asked("count(*) AS n", "studies").at(0).at("n") == 0);
    CHECK_THAT(project.holdfast({"run", "--resume"}).err, ContainsSubstring("no study of this project is interrupted"));

    // Another answer anywhere is enough.
    const Totals third(
        Options{.tuning = workload("a", "data/a.txt") + ", " + workload("b", "gen.txt"), .held_out_data = orders});
    write_text(third.path() / "gen.txt", others);
    const Ran fine = third.holdfast({"run", "--tuner", "patch", "--seed", "1"});
    INFO(fine.err);
    CHECK(fine.err.find("the check of workload") == std::string::npos);
    CHECK_THAT(fine.err, ContainsSubstring("The split leaks"));
}
