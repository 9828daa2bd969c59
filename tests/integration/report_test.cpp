// SPDX-License-Identifier: GPL-3.0-or-later
// The reports, read back by parsers that know nothing of this program.
#include "core/review/export_parts.hpp"
#include "core/review/html.hpp"
#include "tests/catch.h"
#include "tests/command.hpp"
#include "tests/desktop/sheets.hpp"
#include "tests/integration/decided_trial.hpp"
#include "tests/integration/store_fixture.hpp"

#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::review;
using namespace holdfast::test;
using nlohmann::json;

namespace {

/// What python's parsers find in the report of `shown`.
json read_back(const std::string& html) {
    const ScratchFolder folder;
    write_text(folder.path() / "report.html", html);
    const auto done = run_program({"python3", "-I", HOLDFAST_SOURCE_DIR "/tests/integration/check_report.py",
                                   (folder.path() / "report.html").string()},
                                  folder.path());
    INFO(done.errors);
    REQUIRE(done.status == 0);
    return json::parse(done.output);
}

Report report_of(const Shown& shown) {
    return must(trial_report(*shown.dossier, *shown.sheet));
}

json html_of(const Shown& shown) {
    return read_back(trial_html(report_of(shown), *shown.sheet));
}

std::string section(const json& read, const std::string& name) {
    INFO(name);
    REQUIRE(read.at("sections").contains(name));
    return read.at("sections").at(name);
}

} // namespace

TEST_CASE("a report is one well-formed file that refers to nothing and can be heard") {
    for (const Shown& shown : {good(), flagged(), overfit(), moved(), many(12, 60), odd_numbers()}) {
        INFO(shown.sheet->verdict_sentence);
        const json read = html_of(shown);
        CHECK(read.at("problems") == json::array());
        CHECK(read.at("csv") == samples_csv(*shown.sheet));
    }
}

TEST_CASE("a report draws a forest and the distributions of each measured workload") {
    CHECK(html_of(good()).at("figures") == 1 + 6);
    Shown nothing = good();
    nothing.sheet->rows.clear();
    CHECK(html_of(nothing).at("figures") == 0);
}

TEST_CASE("nothing that a candidate names is markup, a control or a bidirectional character in a report") {
    const Shown shown = hostile();
    const json read = html_of(shown);
    CHECK(read.at("problems") == json::array());
    CHECK(read.at("title") == "#184 <b>evil</b>\\x1b[31m\\u202etxt.exe");
    CHECK_THAT(section(read, "Change"), ContainsSubstring("<b>evil</b>") && ContainsSubstring("\\xff"));
    CHECK_THAT(section(read, "Not tested"), ContainsSubstring("<b>evil</b>\\x1b[31m\\u202etxt.exe"));

    Shown worse = good();
    const std::string name = "\"><script>alert(1)</script><!--]]>\xef\xbf\xbf&amp;' onload='x";
    worse.sheet->title = worse.sheet->reasons[0] = worse.sheet->knobs[0].second = worse.sheet->rows[0].name = name;
    worse.sheet->metric = worse.sheet->unit = worse.sheet->reproduce = worse.sheet->rows[5].notes[0] = name;
    const json again = html_of(worse);
    CHECK(again.at("problems") == json::array());
    CHECK_THAT(section(again, "Why"), ContainsSubstring("\"><script>alert(1)</script><!--]]>\\uffff&amp;' onload='x"));
    CHECK_THAT(section(again, "Workloads"), ContainsSubstring("<script>alert(1)</script>"));
}

TEST_CASE("a report without a word on what was not tested is refused as incomplete") {
    Shown shown = good();
    shown.sheet->not_tested.clear();
    const auto report = trial_report(*shown.dossier, *shown.sheet);
    REQUIRE_FALSE(report);
    CHECK_THAT(report.error().message(),
               ContainsSubstring("\"Not tested\" is empty") && ContainsSubstring("not complete"));
}

TEST_CASE("what is unclear is told as what it could be, never as not significant") {
    Shown shown = good();
    auto& effect = shown.sheet->rows[5].effect;
    effect.low = -0.019;
    effect.high = 0.052;
    effect.direction = EffectView::Direction::unclear;
    shown.sheet->rows[5].notes = {"no detectable change (could be −1.9 to +5.2 %)"};
    const std::string markdown = trial_markdown(report_of(shown));
    const std::string words = "no detectable change (could be −1.9 to +5.2 %)";
    CHECK_THAT(markdown, ContainsSubstring(words));
    CHECK(markdown.find(words) == markdown.rfind(words)); // the note that says it too is not said twice
    CHECK(markdown.find("significant") == std::string::npos);
    CHECK_THAT(section(html_of(shown), "Workloads"), ContainsSubstring(words));
}

TEST_CASE("a report tells the rule, what of its errors is spent, the machine, checks and decisions") {
    DecidedTrial decided;
    const auto reported = [&] {
        const Dossier dossier = decided.dossier();
        return read_back(trial_html(must(trial_report(dossier, make_sheet(dossier))), make_sheet(dossier)));
    };
    json read = reported();
    CHECK(read.at("problems") == json::array());
    CHECK_THAT(section(read, "Rule"), ContainsSubstring("minimum effect of 1 %") && ContainsSubstring("E ≥ 20") &&
                                          ContainsSubstring("90 % confidence sequences"));
    CHECK_THAT(section(read, "Error budget"),
               ContainsSubstring("an expected share of 10 % of its proposals") &&
                   ContainsSubstring("this was number 1, 1 of 10 spent so far") &&
                   ContainsSubstring("E ≥ 100; 0 of the study's trials had passed before it"));
    CHECK_THAT(section(read, "Environment"), ContainsSubstring("isolation"));
    CHECK_THAT(section(read, "Checks and gates"), ContainsSubstring("1 of 1 tuning workloads"));
    CHECK_THAT(section(read, "Change"), ContainsSubstring("+echo fast"));
    CHECK_THAT(section(read, "Decisions"), ContainsSubstring("nobody has decided about it"));
    CHECK_THAT(section(read, "Measure it again"), ContainsSubstring("measure --trial 1"));

    decided.sql("UPDATE samples SET metrics_json = '{\"wall\":2}' WHERE rowid = 1");
    const Dossier altered = decided.dossier();
    CHECK_THAT(trial_markdown(must(trial_report(altered, make_sheet(altered)))),
               ContainsSubstring("**The stored evidence does not hold"));
}

TEST_CASE("a data URL gives back every byte") {
    CHECK(data_url("text/csv", "") == "data:text/csv;base64,");
    CHECK(data_url("text/csv", "a") == "data:text/csv;base64,YQ==");
    CHECK(data_url("text/csv", "ab") == "data:text/csv;base64,YWI=");
    CHECK(data_url("text/csv", "abc") == "data:text/csv;base64,YWJj");
    CHECK(data_url("text/csv", std::string("\xff\0\xfe", 3)) == "data:text/csv;base64,/wD+");
}
