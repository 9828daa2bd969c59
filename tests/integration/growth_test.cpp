// SPDX-License-Identifier: GPL-3.0-or-later
// What a change of code costs where no run shows it, and that both arms are built alike: from nothing, at the same
// place.
#include "core/study/growth.hpp"
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

#include <algorithm>

using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

const std::string build_script = R"sh(#!/bin/sh
# usage: build.sh SOURCE BUILD
[ ! -e "$2/made" ] || { echo "the build folder is not empty" >&2; exit 1; }
touch "$2/made"
{ cat "$1/work.sh"; echo "# built from $1 in $2, $(pwd)"; } >"$2/work"
chmod +x "$2/work"
# more
)sh";

WrittenProject built_project() {
    return WrittenProject({
        {"build.sh", build_script},
        {"work.sh", "#!/bin/sh\necho '{\"rows\": 200}' >counters.json\necho 42 >answer.txt\ncat \"$1\" >>answer.txt\n"},
        {"notes.txt", "nothing reads this\n"},
        {"a.txt", "1\n"},
        {"b.txt", "2\n"},
        {"holdfast.json", R"({ "name": "built", "build": [["sh", "{source}/build.sh", "{source}", "{build}"]],
  "metrics": { "rows": { "from": "json", "file": "counters.json", "path": "/rows", "accept-self-reported": true } },
  "objective": "rows",
  "workloads": [
    { "name": "a", "inputs": ["a.txt"], "run": ["{build}/work", "{inputs}/a.txt"], "check": { "files": { "answer.txt": "same" } } },
    { "name": "b", "inputs": ["b.txt"], "run": ["{build}/work", "{inputs}/b.txt"], "check": { "files": { "answer.txt": "same" } } }],
  "code": { "editable": ["build.sh", "work.sh", "notes.txt"] } })"},
    });
}

bool has_flag(const nlohmann::json& trial, std::string_view name) {
    return std::any_of(trial.at("flags").begin(), trial.at("flags").end(),
                       [&](const auto& flag) { return flag == name; });
}

} // namespace

TEST_CASE("a proposal whose executables and build grew says so, one that did not does not") {
    const WrittenProject project = built_project();
    const std::string faster = "\"rows\": 100",
                      moved = "head -c 200000 /dev/zero | tr '\\\\0' '#' >>\"$2/work\"; sleep 1.5";
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("work.sh", "\"rows\": 200", faster)}).code == 0);
    const std::string both = read_text(project.patch("work.sh", "\"rows\": 200", faster)) +
                             read_text(project.patch("build.sh", "# more", moved));
    const ScratchFolder folder;
    write_text(folder.path() / "both.patch", both);
    REQUIRE(project.holdfast({"propose", "--patch", (folder.path() / "both.patch").string()}).code == 0);
    project.run();

    const auto lean = project.trial("1"), grown = project.trial("2");
    INFO(lean.dump(1) << grown.dump(1));
    REQUIRE(lean.at("review") == "waiting");
    REQUIRE(grown.at("review") == "waiting");
    for (const auto flag : {holdfast::study::larger_program_flag, holdfast::study::longer_build_flag}) {
        CHECK_FALSE(has_flag(lean, flag));
        CHECK(has_flag(grown, flag));
    }
    const std::string text = project.holdfast({"show", "2"}).out;
    CHECK_THAT(text, ContainsSubstring("build: larger program: The executables take 1"));
    CHECK_THAT(text, ContainsSubstring("build: longer build: A clean build takes "));
    const std::string report = project.holdfast({"export", "1", "--format", "markdown"}).out;
    CHECK_THAT(report, ContainsSubstring("executables"));
    CHECK_THAT(report, ContainsSubstring("the baseline's"));
}

TEST_CASE("both arms are built from nothing at the same place, so that a change nothing reads makes the same program") {
    const WrittenProject project = built_project();
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("notes.txt", "nothing", "nobody")}).code == 0);
    project.run();
    const auto trial = project.trial("1");
    CHECK(trial.at("verdict") == "no-effect");
    CHECK_THAT(trial.at("reasons").dump(), ContainsSubstring("nothing changed"));
}

TEST_CASE("growth counts from a tenth and 64 KiB, and from one and a half times and a second") {
    using holdfast::study::grew, holdfast::study::took_longer;
    CHECK_FALSE(grew(100'000, 160'000)); // less than 64 KiB
    CHECK_FALSE(grew(10'000'000, 10'900'000));
    CHECK(grew(1'000'000, 1'200'000));
    CHECK(grew(0, 100'000));
    CHECK_FALSE(took_longer(100ms, 900ms));
    CHECK_FALSE(took_longer(10s, 14s));
    CHECK(took_longer(2s, 3100ms));
    CHECK(holdfast::study::growth_words("{}").empty());
    CHECK(holdfast::study::growth_words("nothing").empty());
}
