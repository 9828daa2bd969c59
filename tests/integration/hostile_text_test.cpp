// SPDX-License-Identifier: GPL-3.0-or-later
// Text from candidates is shown as text: whatever they write into what a person reads, no terminal obeys it, no page
// runs it and no line reads in another order than it stands.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"
#include "tests/terminal.hpp"

#include <filesystem>
#include <string>
#include <vector>

using namespace holdfast::test;
using nlohmann::json;

namespace {

/// As a shell's printf writes it: clears the screen, sets the title, names itself in markup, is a link in Markdown,
/// turns the reading direction, is a C1 escape, ends a fence, a table and a mail's header.
const std::string written =
    R"(\033[2J\033]0;owned\007<script>alert(1)</script><img src=x onerror=alert(1)>[click](http://evil.example/)```|\342\200\256\342\201\246\343\205\244\302\233 31m\rFrom nobody)";
/// The same in bytes.
const std::string planted =
    "\x1b[2J\x1b]0;owned\x07<script>alert(1)</script><img src=x onerror=alert(1)>[click](http://evil.example/)```|"
    "\xe2\x80\xae\xe2\x81\xa6\xe3\x85\xa4\xc2\x9b 31m\rFrom nobody";
/// What a patch may name a file: no control characters, all of the markup.
const std::string file_name = "<img src=x onerror=alert(1)>[click](http:evil.example)`|`.sh";

const char* const project_text = R"json({ "name": "words", "build": [["sh", "{source}/build.sh"]],
  "metrics": { "rows": { "from": "stdout", "pattern": "rows: (.+)", "accept-self-reported": true } },
  "objective": "rows",
  "workloads": [
    { "name": "a", "inputs": ["a.txt"], "run": ["sh", "{source}/work.sh", "{inputs}/a.txt"],
      "check": { "files": { "answer.txt": "same" } } },
    { "name": "b", "inputs": ["b.txt"], "run": ["sh", "{source}/work.sh", "{inputs}/b.txt"],
      "check": { "command": ["sh", "{source}/judge.sh", "{out}/answer.txt", "{expected}/answer.txt"] } }],
  "code": { "editable": ["*.sh"], "protected": ["judge.sh", "check.sh"],
            "test": [["sh", "{source}/check.sh", "{source}"]] } })json";

WrittenProject words_project() {
    return WrittenProject({
        {"holdfast.json", project_text},
        {"build.sh", "true\n"},
        {"work.sh", "echo 'rows: 200'\n{ echo answer; cat \"$1\"; } >answer.txt\n# more\n"},
        {"more.sh", "# more\n"},
        {"check.sh", "sh \"$1/more.sh\"\n"},
        {"judge.sh", "cmp -s \"$1\" \"$2\" || { cat \"$1\"; cat \"$1\" >&2; exit 1; }\n"},
        {"a.txt", "1\n"},
        {"b.txt", "2\n"},
    });
}

enum class Kind { terminal, html, markdown, json, evidence };

/// Nothing that a terminal obeys or that turns the order of reading.
void check_clean(const std::string& text, const std::string& what, Kind kind) {
    INFO(what << "\n" << text.substr(0, 6000));
    for (const unsigned char c : text)
        if (!(c >= 0x20 || c == '\n' || c == '\t') || c == 0x7f)
            FAIL("a control character " << static_cast<int>(c));
    if (kind == Kind::evidence) // byte for byte what was measured, escaped as JSON
        return;
    for (const char* hidden : {"\xe2\x80\xae", "\xe2\x81\xa6", "\xc2\x9b", "\xe3\x85\xa4"})
        CHECK(text.find(hidden) == std::string::npos);
    if (kind == Kind::html)
        for (const char* markup : {"<script>alert", "<img src=x"})
            CHECK(text.find(markup) == std::string::npos);
}

/// Outside of code, which Markdown does not read.
std::string without_code(const std::string& markdown) {
    std::string text, fence;
    std::size_t from = 0;
    while (from < markdown.size()) {
        const std::size_t end = std::min(markdown.find('\n', from), markdown.size());
        const std::string line = markdown.substr(from, end - from);
        from = end + 1;
        const std::string ticks = line.substr(0, line.find_first_not_of('`'));
        if (fence.empty() && ticks.size() >= 3)
            fence = ticks;
        else if (!fence.empty() && line.find_first_not_of('`') == std::string::npos && ticks.size() >= fence.size())
            fence.clear();
        else if (fence.empty())
            text += line + '\n';
    }
    return text;
}

void check_markdown(const std::string& markdown, const std::string& what) {
    check_clean(markdown, what, Kind::markdown);
    const std::string text = without_code(markdown);
    INFO(what << "\n" << text);
    for (const char* raw : {"[click](", "<script>alert", "<img src=x"})
        for (std::size_t at = text.find(raw); at != std::string::npos; at = text.find(raw, at + 1))
            CHECK((at > 0 && text[at - 1] == '\\'));
}

void check_command(const WrittenProject& project, const std::vector<std::string>& words) {
    std::string what;
    for (const std::string& word : words)
        what += word + " ";
    const Ran shown = project.holdfast(words);
    check_clean(shown.out, what, Kind::terminal);
    check_clean(shown.err, what, Kind::terminal);
    std::vector<std::string> all = words;
    all.emplace_back("--json");
    const Ran told = project.holdfast(all);
    check_clean(told.out, what + "--json", Kind::json);
    check_clean(told.err, what + "--json", Kind::terminal);
}

void check_trial(const WrittenProject& project, const std::string& number) {
    check_command(project, {"show", number});
    check_clean(project.holdfast({"export", number, "--format", "json"}).out, "export json", Kind::evidence);
    check_clean(project.holdfast({"export", number, "--format", "html"}).out, "export html", Kind::html);
    check_markdown(project.holdfast({"export", number, "--format", "markdown"}).out, "export markdown");
    std::string csv = project.holdfast({"export", number, "--format", "csv"}).out;
    for (std::size_t at = csv.find("\r\n"); at != std::string::npos; at = csv.find("\r\n", at))
        csv.erase(at, 1); // its line ends
    check_clean(csv, "export csv", Kind::terminal);
}

} // namespace

TEST_CASE("hostile text is harmless wherever a candidate can put it") {
    const WrittenProject project = words_project();
    run_command({"git", "config", "user.name", "Ada"}, project.path());
    run_command({"git", "config", "user.email", "ada@example.org"}, project.path());
    const std::string say = "printf '" + written + "\\n'; printf '" + written + "\\n' >&2; ";
    const std::string faster = read_text(project.patch("work.sh", "rows: 200", "rows: 100"));
    const ScratchFolder folder;
    const auto propose = [&](const std::string& patch) {
        const auto file = folder.path() / "c.patch";
        write_text(file, patch);
        const Ran ran = project.holdfast({"propose", "--patch", file.string()});
        check_clean(ran.out + ran.err, "propose", Kind::terminal);
        return ran.code;
    };
    const auto changed = [&](const char* file, const std::string& from, const std::string& to) {
        return read_text(project.patch(file, from, to));
    };
    REQUIRE(propose(changed("build.sh", "true", say + "exit 1")) == 0);
    REQUIRE(propose(changed("more.sh", "# more", say + "exit 1")) == 0);
    REQUIRE(propose(changed("work.sh", "cat \"$1\"", "printf '" + written + "'")) == 0);
    REQUIRE(propose(changed("work.sh", "cat \"$1\"",
                            "case $1 in *b.txt) printf '" + written + "' ;; *) cat \"$1\" ;; esac")) == 0);
    REQUIRE(propose(changed("work.sh", "'rows: 200'", "'rows: '; printf 'rows: " + written + "\\n'")) == 0);
    REQUIRE(propose(changed("work.sh", "# more", say + "kill -9 $$")) == 0);
    // The text of the patch itself, and the name of a file; these are a proposal.
    REQUIRE(propose(faster + "--- /dev/null\n+++ b/" + file_name + "\n@@ -0,0 +1,1 @@\n+# " + planted + "\n") == 0);
    CHECK(propose("--- /dev/null\n+++ b/" + planted + ".sh\n@@ -0,0 +1,1 @@\n+# 1\n") != 0);
    CHECK(propose(planted) != 0);
    CHECK(propose("--- a/work.sh\n+++ b/work.sh\n@@ -1 +1 @@\n-" + planted + "\n+1\n") != 0);

    const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "1"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    check_clean(ran.out, "run", Kind::terminal);
    check_clean(ran.err, "run, its messages", Kind::terminal);
    const json trials = project.document({"trials"}).at("trials");
    REQUIRE(trials.size() == 7);
    for (const json& trial : trials)
        check_trial(project, std::to_string(trial.at("number").get<int>()));
    CHECK(trials[0].at("verdict") == "failed");
    CHECK(trials[1].at("verdict") == "incorrect");
    CHECK(trials[2].at("verdict") == "incorrect");
    CHECK(trials[3].at("verdict") == "incorrect");
    CHECK(trials[4].at("verdict") == "failed");
    CHECK(trials[5].at("verdict") == "failed");
    REQUIRE(trials[6].at("review") == "waiting");
    // What is planted is seen, not swallowed.
    CHECK_THAT(project.holdfast({"show", "2"}).out, ContainsSubstring("\\x1b[2J"));

    for (const auto& words : std::vector<std::vector<std::string>>{
             {"trials"},
             {"compare", "6", "7"},
             {"history"},
             {"audit"},
             {"measure", "--rounds", "1", "--patch", (folder.path() / "c.patch").string()}})
        check_command(project, words);

    // On its way to the branch: what the person sees, the commit and the mail.
    std::vector<std::string> argv{
        std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", project.path().string(), "approve", "7", "--override",
        "not held out=only its texts matter here"};
    const Ran approved = run_on_terminal(argv, project.path(), {"NO_COLOR=1"},
                                         {{"[yes/no]", "yes"}, {"type the proposal's number:", "7"}});
    std::string seen = approved.out;
    seen.erase(std::remove(seen.begin(), seen.end(), '\r'), seen.end()); // a terminal's line ends
    check_clean(seen, "approve", Kind::terminal);
    REQUIRE(approved.code == 0);
    check_command(project, {"apply", "7", "--dry-run"});
    const std::string mail = project.holdfast({"export", "7", "--format", "patch"}).out;
    check_clean(mail.substr(0, mail.find("\ndiff --git ")), "the mail's head and message", Kind::terminal);
    const Ran applied = project.holdfast({"apply", "7"});
    check_clean(applied.out + applied.err, "apply", Kind::terminal);
    REQUIRE(applied.code == 0);
    check_clean(run_command({"git", "log", "-1", "--format=%B", "holdfast/1/7"}, project.path()).out,
                "the commit's message", Kind::terminal);
}

TEST_CASE("hostile names in imported results are harmless") {
    const WrittenProject project = words_project();
    const ScratchFolder folder;
    const json document = {{"context", {{"host_name", planted}}},
                           {"benchmarks", json::array({{{"name", planted},
                                                        {"run_name", planted},
                                                        {"run_type", "iteration"},
                                                        {"real_time", 1.5},
                                                        {"cpu_time", 1.5},
                                                        {"time_unit", "ns"},
                                                        {planted, 3}}})}};
    const auto file = folder.path() / "<img src=x onerror=alert(1)>\x1b[2J.json";
    write_text(file, document.dump());
    check_command(project, {"import", file.string()});
    check_command(project, {"history"});
    check_command(project, {"audit"});
    write_text(file, planted);
    check_command(project, {"import", file.string()});
}
