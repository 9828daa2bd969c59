// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that no null program passes, and quality that is kept, lost or not shown, by the real program.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"
#include "tests/json_schema.hpp"

#include <fmt/format.h>

using namespace holdfast::test;
using nlohmann::json;

namespace {

std::string schema_faults(const std::string& kind, const json& document) {
    const auto file = std::filesystem::path(HOLDFAST_SOURCE_DIR) / "resources" / "schemas" / (kind + ".schema.json");
    std::string text;
    for (const std::string& line : JsonSchema::read(file).violations(document))
        text += line + "\n";
    return text;
}

/// A workload that runs `run` in a shell, with more members, and what `measure` says of the baseline.
Ran tried(const std::string& run, const std::string& check, const std::string& more = "") {
    const WrittenProject project({{"run.sh", run + "\n"},
                                  {"in.txt", "1 2 3\n"},
                                  {"holdfast.json", fmt::format(R"({{ "name": "nulls", "build": [], "workloads": [
        {{ "name": "w", {} "run": ["sh", "{{source}}/run.sh", "{{seed}}"], "check": {} }} ],
        "knobs": [ {{ "name": "pad", "type": "integer", "min": 1, "max": 9, "default": 1, "through": {{ "environment": "PAD" }} }} ] }})",
                                                                more, check)}});
    return project.holdfast({"measure", "--rounds", "6", "--set", "pad=2"});
}

// Work grows with the level, and so does the quality of the answer: at 4 it is what it is at 5, at 3 it is lost for
// every seed, at 2 for every other one. Above seed 50 it needs 5.
const char* const program = R"sh(seed=$1 level=5
for word in "$@"; do case $word in --level=*) level=${word#--level=} ;; esac; done
off=0
if [ "$level" -eq 3 ] || { [ "$level" -eq 2 ] && [ $((seed % 2)) -eq 0 ]; }; then off=20; fi
if [ "$seed" -gt 50 ] && [ "$level" -lt 5 ]; then off=20; fi
echo $((1000 * seed + off)) > answer.txt
echo "{\"rows\": $((100 * level)), \"quality\": $((100 - off))}" > counters.json
)sh";

const char* const judge = R"sh(read -r answer < "$1/answer.txt" || exit 1
off=$((answer - 1000 * $2))
echo $((100 - ${off#-}))
)sh";

const std::string by_command = R"({ "quality": { "command": ["sh", "{source}/judge.sh", "{out}", "{seed}"],
    "better": "higher", "worse-by-at-most": 5 } })";
const std::string by_metric = R"({ "quality": { "metric": "quality", "worse-by-at-most": "5%" } })";

std::string workload(const std::string& name, int first_seed, const std::string& check) {
    std::string seeds;
    for (int i = 0; i < 8; ++i)
        seeds += (i == 0 ? "" : ", ") + std::to_string(first_seed + i);
    return fmt::format(
        R"({{ "name": "{}", "seeds": [{}], "run": ["sh", "{{source}}/run.sh", "{{seed}}", "{{knobs}}"], "check": {} }})",
        name, seeds, check);
}

class Approximate : public WrittenProject {
public:
    explicit Approximate(const std::string& check, bool with_holdout = false)
        : WrittenProject(files(check, with_holdout)) {}

    json proposed(const std::string& level) const {
        if (const Ran ran = holdfast({"propose", "--set", "level=" + level}); ran.code != 0)
            throw std::runtime_error(ran.err);
        run();
        const json trials = document({"trials"}).at("trials");
        return trial(std::to_string(trials.back().at("number").get<int>()));
    }

private:
    static std::map<std::string, std::string> files(const std::string& check, bool with_holdout) {
        std::map<std::string, std::string> all{{"run.sh", program},
                                               {"judge.sh", judge},
                                               {"holdfast.json", fmt::format(R"({{ "name": "approximate", "build": [],
  "metrics": {{ "rows": {{ "from": "json", "file": "counters.json", "path": "/rows", "accept-self-reported": true }},
               "quality": {{ "from": "json", "file": "counters.json", "path": "/quality", "better": "higher" }} }},
  "objective": "rows", "workloads": [ {} ],
  "code": {{ "editable": ["run.sh"] }}, "probe": {{ "sanitizers": [], "inputs": 0 }}, "decision": {{ "holdout-pairs": 20 }},
  "knobs": [ {{ "name": "level", "type": "integer", "min": 1, "max": 9, "default": 5, "through": {{ "argument": "--level={{value}}" }} }} ] }})",
                                                                             workload("w", 1, check))}};
        if (with_holdout)
            all[".holdfast/holdout.json"] = fmt::format(R"({{ "workloads": [ {} ] }})", workload("unseen", 51, check));
        return all;
    }
};

} // namespace

TEST_CASE("a check that a null program passes ends the study before anything is measured") {
    struct Row {
        std::string run, check, more, does, remedy;
    };
    const std::string two_seeds = R"("seeds": [1, 2],)", input = R"("inputs": ["in.txt"],)";
    const std::vector<Row> rows = {
        {"echo $1 > answer", R"({ "command": ["true"] })", "", "does nothing at all", "has to write"},
        {"echo $1 > answer", R"({ "command": ["test", "-e", "{out}/answer"] })", "", "writes empty files",
         "what is in"},
        {"echo 0.0", R"({ "stdout": { "numeric": { "atol": 0.5 } } })", "", "writes 0 for every number", "not zero"},
        {"cat /inputs/in.txt > copy", R"({ "files": { "copy": "same" } })", input, "copies its input", "compressed"},
        {"echo 42", R"({ "stdout": "same" })", two_seeds, "gives the answer of the run before", "{seed}"},
    };
    for (const Row& row : rows) {
        const Ran ran = tried(row.run, row.check, row.more);
        INFO(row.check << "\n" << ran.out << ran.err);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring("the check of workload w passes for a program that " + row.does) &&
                                ContainsSubstring(row.remedy));
    }
}

TEST_CASE("checks that look at the answer pass, and one seed that tells is enough") {
    CHECK(tried("echo $((7 * $1))", R"({ "stdout": "same" })", R"("seeds": [0, 1, 2],)").code == 0);
    CHECK(tried("cat /inputs/in.txt /inputs/in.txt > twice", R"({ "files": { "twice": "same" } })",
                R"("inputs": ["in.txt"],)")
              .code == 0);
    // Nothing that is compared could be a zero.
    CHECK(tried("echo fine; echo 7 > counter", R"({ "stdout": "same" })").code == 0);
}

TEST_CASE("quality that a judge command measures is kept, lost or not shown, each seed counting once") {
    const Approximate project(by_command);
    const json kept = project.proposed("4");
    INFO(kept.dump(1));
    CHECK(kept.at("verdict") == "inconclusive");
    CHECK(kept.at("flags").dump().find("not held out") != std::string::npos);
    const json& seen = kept.at("effects").at("quality").at(0);
    CHECK(seen.at("kept") == true);
    CHECK(seen.at("equivalent") == true);
    CHECK(seen.at("seeds").size() == 8);
    CHECK(seen.at("metric").is_null());
    CHECK(kept.at("gates").dump().find("quality on workload \\\"w\\\": shown to differ by at most 5 over 8 seeds") !=
          std::string::npos);
    CHECK(schema_faults("show", kept).empty());

    const json lost = project.proposed("3");
    INFO(lost.dump(1));
    CHECK(lost.at("verdict") == "incorrect");
    CHECK_THAT(lost.at("reasons").at(0), ContainsSubstring("shown to be more than 5 worse over 8 seeds") &&
                                             ContainsSubstring("worst seed 1: 80 instead of 100"));
    CHECK(lost.at("effects").at("quality").at(0).at("lost") == true);
    CHECK(schema_faults("show", lost).empty());

    const json open = project.proposed("2");
    INFO(open.dump(1));
    CHECK(open.at("verdict") == "inconclusive");
    CHECK(open.at("review") == "none");
    CHECK_THAT(open.at("reasons").at(0), ContainsSubstring("not shown to be at most 5 worse over 8 seeds"));
    CHECK_THAT(project.holdfast({"show", "2"}).out, ContainsSubstring("lost") && ContainsSubstring("(command)"));
    CHECK(project.holdfast({"audit"}).code == 0);

    const json measured = project.document({"measure", "--set", "level=3", "--rounds", "8"});
    CHECK(measured.at("regresses") == true);
    CHECK(measured.at("effects").at("quality").at(0).at("lost") == true);
    CHECK(schema_faults("measure", measured).empty());
}

TEST_CASE("quality that is lost on held-out workloads is incorrect, whatever the gain") {
    const Approximate project(by_command, true);
    const json trial = project.proposed("4");
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "incorrect");
    CHECK_THAT(trial.at("reasons").at(0),
               ContainsSubstring("workload \"unseen\"") && ContainsSubstring("80 instead of 100"));
    CHECK(trial.at("effects").at("quality").size() == 2);
    CHECK(trial.at("effects").at("quality").at(0).at("kept") == true);
    CHECK(trial.at("effects").at("quality").at(1).at("lost") == true);
}

TEST_CASE("an output that would lead a judge to the expected answer, or keep it waiting, is incorrect") {
    for (const char* trick : {"ln -s /expected/answer.txt answer.txt",
                              "ln -s . here; ln -s here/../expected/answer.txt answer.txt", "mkfifo answer.txt"}) {
        INFO(trick);
        const Approximate project(by_command);
        REQUIRE(project
                    .holdfast({"propose", "--patch",
                               project.patch("run.sh", "echo $((1000 * seed + off)) > answer.txt",
                                             std::string(trick) + "; level=1")})
                    .code == 0);
        project.run();
        const json trial = project.trial("1");
        INFO(trial.dump(1));
        CHECK(trial.at("verdict") == "incorrect");
        CHECK_THAT(trial.at("reasons").at(0).get<std::string>(),
                   ContainsSubstring("output answer.txt is") || ContainsSubstring("output here/"));
    }
}

TEST_CASE("a quality that the patched program tells of itself is a flag") {
    const Approximate project(by_metric);
    CHECK(project.proposed("3").at("verdict") == "incorrect");
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("run.sh", "100 * level", "60 * level")}).code == 0);
    project.run();
    const json trial = project.trial("2");
    INFO(trial.dump(1));
    CHECK(trial.at("flags").dump().find("self-reported quality") != std::string::npos);
    CHECK(trial.at("effects").at("quality").at(0).at("kept") == true);
    CHECK(trial.at("effects").at("quality").at(0).at("metric") == "quality");
}
