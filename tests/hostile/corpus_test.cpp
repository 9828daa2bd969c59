// SPDX-License-Identifier: GPL-3.0-or-later
// The hostile corpus: one small project, and for each way to cheat the least candidate that does it, through one whole
// study. corpus/corpus.tsv says what must stop or mark each, and which honest ones must pass; docs/cheating.md shows
// it.
#include "tests/catch.h"
#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

using namespace holdfast::test;
using nlohmann::json;

namespace {

const std::filesystem::path corpus = std::filesystem::path(HOLDFAST_SOURCE_DIR) / "tests/hostile/corpus";

struct Row {
    std::string kind, group, candidate;
    std::string result; ///< stopped, flagged, missed; of honest candidates passes
    std::string gate; ///< that stops it; "measured": it is never shown to be better; "look": its flag comes from there
    std::string pattern;
};

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> all(1);
    for (const char c : line)
        c == '\t' ? void(all.emplace_back()) : all.back().push_back(c);
    return all;
}

std::vector<Row> table() {
    std::vector<Row> rows;
    std::istringstream lines(read_text(corpus / "corpus.tsv"));
    std::string line;
    std::getline(lines, line); // the heads
    while (std::getline(lines, line)) {
        const auto each = fields(line);
        REQUIRE(each.size() == 6);
        rows.push_back({each[0], each[1], each[2], each[3], each[4], each[5]});
    }
    return rows;
}

/// Numbers from -spread/2 on, the same everywhere (a linear congruential generator).
std::string numbers(int count, std::int64_t spread, std::uint64_t state) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        text += std::to_string(static_cast<std::int64_t>(state >> 33U) % spread - spread / 2) + "\n";
    }
    return text;
}

const std::string held_out = R"({ "workloads": [
  { "name": "unseen-sums", "inputs": [".holdfast/secret/sums.txt"],
    "run": ["{build}/tally", "sums", "{inputs}/sums.txt", "{out}/sums.txt", "{knobs}"],
    "check": { "files": { "sums.txt": { "numeric": { "rtol": 1e-9, "atol": 0 } } } } },
  { "name": "unseen-distinct", "inputs": [".holdfast/secret/distinct.txt"],
    "run": ["{build}/tally", "distinct", "{inputs}/distinct.txt", "{out}/distinct.txt", "{knobs}"],
    "check": { "command": ["/bin/sh", "{source}/tests/same_set.sh", "{out}/distinct.txt", "{expected}/distinct.txt"] } }] })";

class Tally {
public:
    Tally() {
        for (const auto& file : std::filesystem::recursive_directory_iterator(corpus / "project"))
            if (file.is_regular_file())
                repository_.write(file.path().lexically_relative(corpus / "project").string(), read_text(file.path()));
        repository_.write("data/sums.txt", numbers(1700, 200, 1));
        repository_.write("data/distinct.txt", numbers(40000, 200, 2));
        repository_.write(".holdfast/secret/sums.txt", numbers(2100, 100000, 3));
        repository_.write(".holdfast/secret/distinct.txt", numbers(9000, 700, 4));
        repository_.write(".holdfast/holdout.json", held_out);
        repository_.write(".gitignore", ".holdfast/\n");
        repository_.commit("a small program");
    }

    Ran holdfast(const std::vector<std::string>& words) const {
        std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", repository_.path().string()};
        argv.insert(argv.end(), words.begin(), words.end());
        return run_command(argv, repository_.path(), {"HOLDFAST_LOCK=" + (lock_.path() / "machine").string()});
    }

    json document(std::vector<std::string> words) const {
        words.emplace_back("--json");
        const Ran ran = holdfast(words);
        INFO(ran.out << ran.err);
        REQUIRE(json::accept(ran.out));
        return json::parse(ran.out);
    }

private:
    ScratchRepository repository_;
    ScratchFolder lock_;
};

bool finds(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern));
}

bool has_flag(const json& trial, const std::string& name) {
    return std::any_of(trial.at("flags").begin(), trial.at("flags").end(),
                       [&](const json& flag) { return flag == name; });
}

/// Those that the look at the patch gives.
std::vector<std::string> look_flags(const json& trial) {
    std::vector<std::string> names;
    for (const json& flag : trial.at("flags"))
        if (const auto name = flag.get<std::string>();
            name.starts_with("look: ") || name.starts_with("build: ") || name.starts_with("durability: "))
            names.push_back(name);
    return names;
}

bool is_refusal(const std::string& verdict) {
    return verdict == "incorrect" || verdict == "refused" || verdict == "failed" || verdict == "unsafe";
}

/// The row of the gate that failed; null when none did.
json failed_gate(const json& shown) {
    for (const json& gate : shown.at("gates"))
        if (gate.at("result") == "fail")
            return gate;
    return {};
}

void check_stopped(const Row& row, const json& trial, const json& shown) {
    const auto verdict = trial.at("verdict").get<std::string>();
    if (row.gate == "measured") {
        CHECK(std::regex_match(verdict, std::regex(row.pattern)));
        return;
    }
    const json gate = failed_gate(shown);
    REQUIRE(gate.is_object());
    CHECK(gate.at("gate") == row.gate);
    CHECK(finds(gate.at("reason").get<std::string>(), row.pattern));
    CHECK(is_refusal(verdict));
}

void check_decided(const Row& row, const json& trial, const json& shown) {
    INFO(row.kind << ": " << shown.dump(1));
    REQUIRE(trial.at("verdict").is_string());
    const auto verdict = trial.at("verdict").get<std::string>();
    if (row.result == "stopped") {
        check_stopped(row, trial, shown);
    } else if (row.result == "flagged") {
        CHECK(has_flag(trial, row.pattern));
    } else if (row.result == "passes") {
        CHECK_FALSE(is_refusal(verdict));
        CHECK(look_flags(trial) == (row.pattern.empty() ? std::vector<std::string>() : std::vector{row.pattern}));
    } else { // a kind that is caught now must not be listed as missed
        CHECK(row.result == "missed");
        CHECK_FALSE(is_refusal(verdict));
        CHECK(look_flags(trial).empty());
    }
}

std::string in_words(const Row& row) {
    if (row.result == "passes")
        return row.pattern.empty() ? "passes" : "passes, with the flag `" + row.pattern + "`";
    if (row.result == "missed")
        return "**missed**";
    if (row.result == "flagged")
        return "flagged: `" + row.pattern + "`";
    return row.gate == "measured" ? "stopped: not shown to be better" : "stopped by the gate `" + row.gate + "`";
}

std::string documented(const std::vector<Row>& rows) {
    std::string text;
    for (const char* group : {"measurement", "answers", "judge", "substance", "look-alike"}) {
        text += fmt::format("\n**{}**\n\n| kind | the candidate | result |\n|---|---|---|\n", group);
        for (const Row& row : rows)
            if (row.group == group)
                text += fmt::format("| {} | {} | {} |\n", row.kind, row.candidate, in_words(row));
    }
    return text + "\n";
}

} // namespace

TEST_CASE("the page on cheating shows the corpus as it is") {
    const auto rows = table();
    const std::string page = read_text(std::filesystem::path(HOLDFAST_SOURCE_DIR) / "docs/cheating.md");
    const std::string begin = "<!-- from tests/hostile/corpus/corpus.tsv -->\n", end = "<!-- end -->";
    const std::size_t from = page.find(begin), to = page.find(end);
    REQUIRE(from != std::string::npos);
    REQUIRE(to != std::string::npos);
    INFO("docs/cheating.md must hold:\n" << documented(rows));
    CHECK(page.substr(from + begin.size(), to - from - begin.size()) == documented(rows));
    const auto says = [&](const char* words, const auto& counts) {
        const std::string said = fmt::format("{} {}", std::count_if(rows.begin(), rows.end(), counts), words);
        INFO(said);
        CHECK(page.find(said) != std::string::npos);
    };
    says("are stopped by a gate", [](const Row& row) { return row.result == "stopped" && row.gate != "measured"; });
    says("are only not shown to be better",
         [](const Row& row) { return row.gate == "measured" && row.result == "stopped"; });
    says("are flagged", [](const Row& row) { return row.result == "flagged"; });
    says("missed", [](const Row& row) { return row.result == "missed"; });
    says("honest candidates", [](const Row& row) { return row.result == "passes"; });
}

TEST_CASE("every patch of the corpus has its row") {
    const auto rows = table();
    std::size_t patches = 0;
    for (const auto& file : std::filesystem::directory_iterator(corpus / "patches")) {
        INFO(file.path());
        CHECK(std::count_if(rows.begin(), rows.end(),
                            [&](const Row& row) { return row.kind + ".patch" == file.path().filename(); }) == 1);
        ++patches;
    }
    CHECK(patches == rows.size());
}

TEST_CASE("each way to cheat is stopped or flagged where the table says so, and honest candidates pass") {
    const Tally project;
    std::map<std::int64_t, Row> queued;
    for (const Row& row : table()) {
        INFO(row.kind);
        const Ran ran =
            project.holdfast({"propose", "--json", "--patch", (corpus / "patches" / (row.kind + ".patch")).string()});
        if (row.gate == "admit") {
            INFO(ran.out << ran.err);
            CHECK(ran.code != 0);
            CHECK(finds(ran.err, row.pattern));
            continue;
        }
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        queued[json::parse(ran.out).at("number").get<std::int64_t>()] = row;
    }
    const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "1"});
    INFO(ran.err);
    REQUIRE((ran.code == 0 || ran.code == 3));
    const json trials = project.document({"trials"}).at("trials");
    REQUIRE(trials.size() == queued.size());
    for (const json& trial : trials) {
        const auto number = trial.at("number").get<std::int64_t>();
        check_decided(queued.at(number), trial, project.document({"show", std::to_string(number)}));
    }
}
