// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence from one machine's history to another's: carried exactly, checked whole, shown beside and never pooled.
#include "core/project/hash.hpp"
#include "core/review/imported.hpp"
#include "core/study/evidence.hpp"
#include "core/study/evidence_file.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A history with one trial that generalises, its evidence, and a clone of the repository on "another machine", whose
/// history is empty.
class Exported {
public:
    Exported() {
        REQUIRE(project_.holdfast({"propose", "--set", "size=9"}).code == 0);
        REQUIRE(project_.holdfast({"run", "--trials", "0", "--seed", "7"}).code == 0);
        const Ran ran = project_.holdfast({"export", "1", "--format", "evidence"});
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        REQUIRE(ran.err.find("--without-holdout") != std::string::npos);
        text_ = ran.out;
        part_ = project_.holdfast({"export", "1", "--format", "evidence", "--without-holdout"}).out;
        project_.repository().git({"clone", "-q", project_.path().string(), other().string()});
        fs::create_directories(other() / ".holdfast");
        fs::copy(project_.path() / ".holdfast" / "secret", other() / ".holdfast" / "secret");
        fs::copy(project_.path() / ".holdfast" / "holdout.json", other() / ".holdfast" / "holdout.json");
    }
    const std::string& text() const { return text_; }
    const std::string& part() const { return part_; } ///< without what is held out
    json document() const { return json::parse(text_); }
    fs::path other() const { return folder_.path() / "clone"; }
    const CounterProject& project() const { return project_; }

    Ran elsewhere(std::vector<std::string> words) const {
        words.insert(words.begin(), {std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", other().string()});
        return run_command(words, other(), project_.environment());
    }
    json elsewhere_document(std::vector<std::string> words) const {
        words.emplace_back("--json");
        const Ran ran = elsewhere(words);
        INFO(ran.out << ran.err);
        REQUIRE(ran.code == 0);
        return json::parse(ran.out);
    }
    std::string file(const std::string& content) const {
        const fs::path place = folder_.path() / "evidence.json";
        write_text(place, content);
        return place.string();
    }

private:
    CounterProject project_;
    ScratchFolder folder_;
    std::string text_, part_;
};

/// Made once: nothing here changes it but the other machine's history, which each test has to leave or not look at.
const Exported& exported() {
    static const Exported made;
    return made;
}

Error refusal(const std::string& text) {
    const auto import = review::check_import(text);
    REQUIRE_FALSE(import);
    return import.error();
}

/// The evidence as an attacker makes it who knows how: changed, and sealed anew.
template <class Change> std::string forged(const Change& change) {
    study::EvidenceFile file = *study::read_evidence_file(exported().text());
    const json evidence = json::parse(file.verdict.evidence_json);
    study::Executed executed;
    executed.inputs = evidence.at("inputs").get<std::map<std::string, std::string>>();
    executed.baseline = evidence.at("executables").at("baseline").get<std::map<std::string, std::string>>();
    change(file);
    study::seal_evidence(file.verdict, file.study, file.trial, file.gates, file.samples, executed);
    file.whole_digest = file.verdict.evidence_digest;
    const auto text = study::write_evidence_file(file);
    REQUIRE(text);
    return *text;
}

} // namespace

TEST_CASE("evidence is kept on another machine, beside the trial of the same candidate and never as one") {
    const Exported& made = exported();
    const std::string file = made.file(made.text());
    json imported = made.elsewhere_document({"import", file});
    CHECK(imported.at("already") == false);
    CHECK(imported.at("verdict") == "generalises");
    CHECK(imported.at("recomputed") == true);
    CHECK(imported.at("complete") == true);
    CHECK(imported.at("trials").empty());
    CHECK(made.elsewhere_document({"import", file}).at("already") == true);
    CHECK(made.elsewhere_document({"import", made.file(made.part())}).at("already") == true); // a part of it
    CHECK(made.elsewhere_document({"trials"}).at("trials").empty());
    CHECK(made.elsewhere({"show", "1"}).code == 2);
    CHECK(made.elsewhere({"approve", "1"}).code != 0);
    json audit = made.elsewhere_document({"audit"});
    CHECK(audit.at("imports") == 1);
    CHECK(audit.at("trials") == 0);
    CHECK(audit.at("samples") == 0);
    CHECK(audit.at("questions") == 0);

    // The same candidate and another one, measured here.
    REQUIRE(made.elsewhere({"propose", "--set", "size=9"}).code == 0);
    REQUIRE(made.elsewhere({"propose", "--set", "size=60"}).code == 0);
    REQUIRE(made.elsewhere({"run", "--trials", "0"}).code == 0);
    const json shown = made.elsewhere_document({"show", "1"});
    REQUIRE(shown.at("imported").size() == 1);
    CHECK(shown.at("imported")[0].at("evidence") == imported.at("evidence"));
    CHECK(shown.at("imported")[0].at("holdout").at("rounds") == 20);
    CHECK(made.elsewhere_document({"show", "2"}).at("imported").empty());
    CHECK_THAT(made.elsewhere({"show", "1"}).out, ContainsSubstring("also measured on ") &&
                                                      ContainsSubstring("generalises, held-out ") &&
                                                      ContainsSubstring("(imported, not pooled)"));
    CHECK_THAT(made.elsewhere({"compare", "1", "2"}).out, ContainsSubstring("#1 also measured on "));
    const json compared = made.elsewhere_document({"compare", "1", "2"});
    CHECK(compared.at("trials")[0].at("imported").size() == 1);
    CHECK(compared.at("trials")[1].at("imported").empty());
    CHECK(made.elsewhere_document({"import", file}).at("trials") == json::parse("[1]"));
    audit = made.elsewhere_document({"audit"});
    CHECK(audit.at("trials") == 2);
    CHECK(audit.at("questions") == 1);

    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open((made.other() / ".holdfast" / "history.sqlite").c_str(), &database) == SQLITE_OK);
    const auto execute = [&](const char* statement) {
        REQUIRE(sqlite3_exec(database, statement, nullptr, nullptr, nullptr) == SQLITE_OK);
    };
    execute("UPDATE imports SET document = replace(document, 'candidate', 'baseline')");
    CHECK_THAT(made.elsewhere({"audit"}).out, ContainsSubstring("Imported evidence 1 was altered"));
    execute("DELETE FROM imports");
    CHECK_THAT(made.elsewhere({"audit"}).out, ContainsSubstring("Imported evidence 1 was removed"));
    sqlite3_close(database);
}

TEST_CASE("what was imported is listed in a clone without trials, one line for each measurement") {
    const Exported made;
    CHECK_THAT(made.elsewhere({"import"}).err, ContainsSubstring("--list"));
    REQUIRE(made.elsewhere_document({"import", made.file(made.part())}).at("already") == false);
    json list = made.elsewhere_document({"import", "--list"}).at("imports");
    REQUIRE(list.size() == 1);
    CHECK(list[0].at("complete") == false);
    REQUIRE(made.elsewhere_document({"import", made.file(made.text())}).at("already") == false);
    REQUIRE(made.elsewhere_document({"import", made.file(made.part())}).at("already") == true);
    list = made.elsewhere_document({"import", "--list"}).at("imports");
    REQUIRE(list.size() == 1);
    CHECK(list[0].at("complete") == true);
    CHECK(list[0].at("commit") == made.document().at("study").at("baseline-commit"));
    CHECK(list[0].at("known-commit") == true);
    CHECK(list[0].at("evidence") == made.document().at("digest"));
    CHECK(list[0].at("trials").empty());
    CHECK_THAT(made.elsewhere({"import", "--list"}).out,
               ContainsSubstring("generalises") && ContainsSubstring("no trial here of its candidate"));
    CHECK_THAT(made.elsewhere({"trials"}).out, ContainsSubstring("imported: 1 measurement of other machines"));
    CHECK(made.elsewhere({"audit"}).code == 0);
}

TEST_CASE("a copy that was altered and sealed again keeps the genuine file from nobody") {
    const Exported made;
    study::EvidenceFile copy = *study::read_evidence_file(made.text());
    copy.study.started = "2020-01-01T00:00:00.000Z";
    const auto text = study::write_evidence_file(copy);
    REQUIRE(text);
    REQUIRE(made.elsewhere_document({"import", made.file(*text)}).at("already") == false);
    CHECK(made.elsewhere_document({"import", made.file(made.text())}).at("already") == false);
    CHECK(made.elsewhere_document({"import", "--list"}).at("imports").size() == 1);
}

TEST_CASE("a history does not import what it made itself") {
    const Exported& made = exported();
    for (const std::string& text : {made.text(), made.part()}) {
        const Ran ran = made.project().holdfast({"import", made.file(text)});
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring("trial 1 of this history made it"));
    }
}

TEST_CASE("evidence without what is held out says so and gives none of it away") {
    const Exported& made = exported();
    const json part = json::parse(made.part());
    CHECK(part.at("complete") == false);
    CHECK(part.at("whole-evidence") == made.document().at("digest"));
    CHECK(part.at("digest") != part.at("whole-evidence"));
    CHECK(part.at("study").at("frozen").at("holdout").is_null());
    for (const char* secret : {".holdfast/secret", "c.txt", "\"unseen\"", "\"phase\": \"holdout\""}) {
        INFO(secret);
        CHECK(made.part().find(secret) == std::string::npos);
        CHECK(made.text().find(secret) != std::string::npos);
    }
    const auto import = review::check_import(made.part());
    REQUIRE(import);
    CHECK_FALSE(import->complete);
    CHECK(import->recomputed); // what rests on tuning samples
    CHECK_THAT(review::import_words(*import), ContainsSubstring("held-out samples left out"));
}

TEST_CASE("evidence that is cut short is recognised by its beginning") {
    const Exported& made = exported();
    for (const std::string& whole : {made.text(), made.part(), json::parse(made.text()).dump()}) {
        REQUIRE(whole.find("\"holdfast/evidence-file/") > whole.size() / 2);
        for (const std::size_t bytes : {whole.size() / 2, whole.size() - 3, std::size_t(40), std::size_t(17)}) {
            const Ran ran = made.elsewhere({"import", made.file(whole.substr(0, bytes))});
            INFO(ran.err);
            CHECK(ran.code == 2);
            CHECK_THAT(ran.err, ContainsSubstring("read the evidence file") && ContainsSubstring("cut short") &&
                                    ContainsSubstring("holdfast/evidence-file/1"));
        }
    }
    for (const char* other : {"", "{", "{\"complete\": 1}", "{\"completed\": true, \"x\": 1}", "[{\"complete\":true,"})
        CHECK_FALSE(study::begins_evidence_file(other));
}

TEST_CASE("evidence that was changed is refused, naming in what it differs") {
    struct Row {
        const char *pointer, *value, *found;
    };
    const std::vector<Row> rows = {
        {"/samples/40/metrics/rows", "1", "differ in the samples"},
        {"/samples/0/executable", "\"another\"", "differ in the samples"},
        {"/trial/configuration/size", "10", "differ in the configuration"},
        {"/trial/patch", "\"x\"", "differ in the patch"},
        {"/trial/result-tree", "\"0123456789012345678901234567890123456789\"", "differ in the result tree"},
        {"/study/baseline-commit", "\"0123456789012345678901234567890123456789\"", "differ in the baseline"},
        {"/study/seed", "\"8\"", "differ in the seed"},
        {"/study/machine/cores", "99", "differ in the machine"},
        {"/study/frozen/project/name", "\"other\"", "differ in the frozen project file"},
        {"/gates/0/result", "\"fail\"", "differ in the gates' results"},
        {"/verdict/verdict", "\"regresses\"", "differ in the verdict"},
        {"/verdict/effects/tuning/estimate", "-0.9", "differ in the effects"},
        {"/evidence/isolation", "1", "digest"},
        {"/digest", "\"00\"", "digest"},
        {"/study/started", "\"2020-01-01T00:00:00.000Z\"", "one was altered"},
        {"/study/project", "\"another\"", "one was altered"},
        {"/study/options", "null", "one was altered"},
        {"/samples/0/wall-ns", "1", "one was altered"},
        {"/gates/0/seconds", "9.5", "one was altered"},
        {"/trial/created", "\"2020-01-01T00:00:00.000Z\"", "one was altered"},
        {"/trial/tuner", "\"somebody\"", "one was altered"},
        {"/complete", "false", "one was altered"},
        {"/document", "\"00\"", "one was altered"},
    };
    for (const Row& row : rows) {
        json document = exported().document();
        document.at(json::json_pointer(row.pointer)) = json::parse(row.value);
        if (std::string(row.pointer) == "/digest")
            document["whole-evidence"] = document["digest"];
        INFO(row.pointer);
        const Error error = refusal(document.dump());
        CHECK_THAT(error.message(), ContainsSubstring(row.found));
    }
    json document = exported().document();
    document.at("samples").erase(7);
    CHECK(refusal(document.dump()).kind == Error::Kind::refused);
}

TEST_CASE("evidence that was forged with a right digest is refused when it does not follow from its samples") {
    const auto effects = [](study::EvidenceFile& file, const char* pointer, double value) {
        json changed = json::parse(file.verdict.effects_json);
        changed.at(json::json_pointer(pointer)) = value;
        file.verdict.effects_json = changed.dump();
    };
    const auto found = [](const std::string& text) { return refusal(text).found; };
    CHECK_THAT(found(forged([&](auto& file) { effects(file, "/tuning/estimate", -0.9); })),
               ContainsSubstring("effects on tuning workloads do not follow"));
    CHECK_THAT(found(forged([&](auto& file) { effects(file, "/holdout/low", -0.9); })),
               ContainsSubstring("effects on held-out workloads do not follow"));
    CHECK_THAT(found(forged([](auto& file) { file.verdict.verdict = "overfits"; })),
               ContainsSubstring("its samples make the verdict generalises"));
    CHECK_THAT(found(forged([](auto& file) {
                   for (study::SampleRecord& sample : file.samples)
                       if (sample.arm == "candidate" && sample.phase == "confirm")
                           sample.metrics_json = R"({"rows":1})";
               })),
               ContainsSubstring("do not follow"));
    // Hostile words are stored and never acted on by a terminal.
    const auto import = review::check_import(forged([](auto& file) {
        file.study.machine_json = json({{"cpu", "\x1b[2J\u202e evil"}, {"cores", 2}}).dump();
    }));
    REQUIRE(import);
    const std::string words = review::import_words(*import);
    CHECK(words.find('\x1b') == std::string::npos);
    CHECK(words.find("\u202e") == std::string::npos);
}

TEST_CASE("files that are no evidence are refused in words") {
    const std::string& good = exported().text();
    const auto with = [&](const std::string& from, const std::string& to) {
        const std::size_t at = good.find(from);
        REQUIRE(at != std::string::npos);
        return std::string(good).replace(at, from.size(), to);
    };
    const auto seeded = [](const std::string& seed) {
        json document = exported().document();
        document["study"]["seed"] = seed;
        return document.dump();
    };
    struct Row {
        std::string text;
        const char* found;
    };
    const std::vector<Row> rows = {
        {"{}", "no evidence file"},
        {"[]", "no evidence file"},
        {"null", "no evidence file"},
        {"\"x\"", "no evidence file"},
        {std::string("\0\0", 2), "not whole JSON"},
        {"not json", "not whole JSON"},
        {good.substr(0, good.size() / 2), "it is cut short, and after its"},
        {good.substr(0, good.size() - 3), "more of holdfast/evidence-file/1 must follow"},
        {good + "{}", "not whole JSON"},
        {with("\"rows\": ", "\"rows\": NaN, \"x\": "), "not whole JSON"},
        {with("\"rows\": ", "\"rows\": 1e999, \"x\": "), "not whole JSON"},
        {with("\"proposal\"", "\"pro\xff\""), "not whole JSON"},
        {with("\"complete\": true", "\"complete\": true, \"complete\": true"), "twice"},
        {with("evidence-file/1", "evidence-file/2"), "Update Holdfast"},
        {with("\"slot\": 0", "\"slot\": 7"), "is no sample"},
        {with("\"slot\": 0", "\"slot\": 4294967296"), "/slot is too large"},
        {with("\"round\": 0", "\"round\": -1"), "/round is negative"},
        {with("\"round\": 0", "\"round\": 18446744073709551615"), "/round is too large"},
        {seeded("07"), "no seed"},
        {seeded("7 "), "no seed"},
        {seeded("18446744073709551616"), "no seed"},
        {with("\"complete\": true", "\"complete\": true, \"more\": 1"), "/more does not belong there"},
        {with("\"slot\": 0", "\"slot\": 0, \"\\u001b\": 1"), "does not belong there"},
        {std::string(200'000, '['), "whole JSON"},
        {"{\"schema\": " + std::string(60, '[') + std::string(60, ']') + "}", "levels deep"},
    };
    for (const Row& row : rows) {
        INFO(row.text.substr(0, 60) << " expects " << row.found);
        CHECK_THAT(refusal(row.text).message(), ContainsSubstring(row.found));
    }
}

TEST_CASE("every member of the wrong type, and every missing one, is an error that names it") {
    const json good = exported().document();
    std::size_t tried = 0;
    for (const char* place : {"", "/study", "/trial", "/verdict", "/gates/0", "/samples/0", "/samples/0/before"}) {
        const json::json_pointer object(place);
        for (const auto& [name, value] : good.at(object).items()) {
            INFO(place << "/" << name);
            json missing = good;
            missing.at(object).erase(name);
            CHECK(refusal(missing.dump()).found.find(name == "schema" ? "no evidence file" : name) !=
                  std::string::npos);
            for (const json& wrong : {json({{"x", {1, "\x1b"}}}), json({1}), json("\x1b[0m"), json(-1.5)}) {
                if (wrong.type() == value.type() || (wrong.is_number() && value.is_number()))
                    continue;
                json changed = good;
                changed.at(object)[name] = wrong;
                CHECK_FALSE(review::check_import(changed.dump()));
                ++tried;
            }
        }
    }
    CHECK(tried > 200);
}

TEST_CASE("a file that is too large, or none, is not read to its end") {
    const Exported& made = exported();
    const std::string large = made.file("{");
    REQUIRE(::truncate(large.c_str(), off_t{201} << 20) == 0);
    Ran ran = made.elsewhere({"import", large});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("larger than 200 MiB"));
    CHECK_THAT(made.elsewhere({"import", made.other().string()}).err, ContainsSubstring("not a file"));
    CHECK_THAT(made.elsewhere({"import", made.file("")}).err, ContainsSubstring("it is empty"));
    ran = made.elsewhere({"import", made.file("{\"schema\": \"\x1b[2J\"}")});
    CHECK(ran.code == 2);
    CHECK(ran.err.find('\x1b') == std::string::npos);
}
