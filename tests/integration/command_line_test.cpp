// SPDX-License-Identifier: GPL-3.0-or-later
// Help, completions, manual pages and version: all from the one description, seen through the real program and, where
// they are installed, the real shells and groff.
#include "app/cli/man_page.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

const std::string program = std::string(HOLDFAST_BIN_DIR) + "/holdfast";

Ran holdfast_in(const fs::path& folder, std::vector<std::string> words) {
    words.insert(words.begin(), program);
    return run_command(words, folder);
}

std::vector<std::string> commands() {
    cli::CommandLine line;
    return line.names();
}

/// The words that `holdfast __complete` offers, without descriptions, after its kind.
std::vector<std::string> offered(const fs::path& folder, std::vector<std::string> words) {
    words.insert(words.begin(), "__complete");
    std::istringstream lines(holdfast_in(folder, words).out);
    std::vector<std::string> result;
    for (std::string line; std::getline(lines, line);)
        result.push_back(line.substr(0, line.find('\t')));
    return result;
}

using List = std::vector<std::string>;

/// Says so when it skips.
bool installed(const std::string& tool) {
    if (run_command({"sh", "-c", "command -v " + tool}, "/").code == 0)
        return true;
    WARN(tool + " is not installed: its part of this test was skipped");
    return false;
}

std::set<std::string> everything_below(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        names.insert(entry.path().string());
    return names;
}

/// A project with two queued trials and a workload whose name a shell would run.
class Queued {
public:
    explicit Queued(const std::string& workload = "") {
        REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
        REQUIRE(project.holdfast({"propose", "--set", "size=60"}).code == 0);
        if (workload.empty())
            return;
        std::string text = read_text(project.path() / "holdfast.json");
        const std::string from = R"("name": "a")";
        text.replace(text.find(from), from.size(), R"("name": ")" + workload + "\"");
        project.repository().write("holdfast.json", text);
    }
    CounterProject project;
};

/// What bash would offer for a line of these words, an entry a line; `complete -p` is printed first.
std::string bash_offers(const fs::path& folder, const List& words) {
    std::string script = "source <(\"$0\" completions bash)\ncomplete -p holdfast\ncompopt() { echo \"compopt $*\"; }\n"
                         "COMP_WORDS=(holdfast";
    for (const std::string& word : words)
        script += " '" + word + "'";
    script +=
        ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_holdfast \"$0\"\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const Ran ran = run_command({"bash", "--norc", "-c", script, program}, folder);
    INFO(ran.err);
    CHECK(ran.err.empty());
    return ran.out;
}

} // namespace

TEST_CASE("every command's help shows examples that name it, and `help` is the same text") {
    for (const std::string& name : commands()) {
        INFO(name);
        const Ran help = holdfast_in("/", {name, "--help"});
        CHECK(help.code == 0);
        const std::size_t examples = help.out.find("\nExamples:\n");
        REQUIRE(examples != std::string::npos);
        std::istringstream lines(help.out.substr(examples + 11));
        std::size_t seen = 0;
        for (std::string line; std::getline(lines, line) && !line.empty(); ++seen) {
            CHECK_THAT(line, ContainsSubstring("holdfast "));
            CHECK_THAT(line, ContainsSubstring(name));
        }
        CHECK(seen >= 1);
        CHECK(holdfast_in("/", {"help", name}).out == help.out);
    }
    CHECK(holdfast_in("/", {"help"}).out == holdfast_in("/", {"--help"}).out);
    const Ran wrong = holdfast_in("/", {"help", "mesure"});
    CHECK(wrong.code == 2);
    CHECK_THAT(wrong.err, ContainsSubstring("Did you mean measure?"));
    CHECK_THAT(holdfast_in("/", {"--help"}).out, !ContainsSubstring("__"));
}

TEST_CASE("manual pages name every command and option, and groff has nothing to say about them") {
    cli::CommandLine line;
    const std::vector<std::string> pages = cli::man_pages(line);
    CHECK(pages.size() == line.names().size() + 1);
    const bool groff = installed("groff");
    const ScratchFolder folder;
    const auto plain = [](std::string text) {
        for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos; ++at)
            text.erase(at, 1);
        return text;
    };
    for (const std::string& page : pages) {
        INFO(page);
        const Ran made = holdfast_in("/", {"__man", page});
        REQUIRE(made.code == 0);
        const std::string text = plain(made.out);
        CLI::App* app = page == "holdfast" ? &line.app() : line.find(page.substr(9));
        for (const CLI::Option* option : static_cast<const CLI::App*>(app)->get_options()) {
            for (const std::string& name : option->get_lnames())
                CHECK_THAT(text, ContainsSubstring("--" + name + "\\fR"));
            if (option->get_positional())
                CHECK_THAT(text, ContainsSubstring("\\fI" + option->get_name(true)));
        }
        if (page == "holdfast")
            for (const std::string& name : line.names())
                CHECK_THAT(text, ContainsSubstring("holdfast-" + name + "\\fR(1)"));
        CHECK(read_text(fs::path(HOLDFAST_BIN_DIR).parent_path() / "app/cli/generated/man1" / (page + ".1")) ==
              made.out);
        if (!groff)
            continue;
        write_text(folder.path() / "page.1", made.out);
        const Ran checked = run_command({"groff", "-man", "-ww", "-z", "-Tutf8", "page.1"}, folder.path());
        CHECK(checked.code == 0);
        CHECK(checked.err == "");
    }
    CHECK(holdfast_in("/", {"__man", "holdfast-frobnicate"}).code == 2);
}

TEST_CASE("completion knows commands, options, choices and what the project holds, and writes nothing") {
    const Queued queued;
    const fs::path& folder = queued.project.path();
    const auto before = everything_below(folder);
    CHECK(offered(folder, {"mea"}) == List{"words", "measure"});
    CHECK(offered(folder, {"-C", ".", "mea"}) == List{"words", "measure"});
    CHECK(offered(folder, {"show", "--js"}) == List{"words", "--json"});
    CHECK(offered(folder, {"show", "--json", "--js"}) == List{"words"});
    CHECK(offered(folder, {"measure", "--set", "size=1", "--se"}) == List{"words", "--set", "--seed"});
    CHECK(offered(folder, {"show", ""}) == List{"words", "1", "2"});
    CHECK(offered(folder, {"show", "1", ""}) == List{"words"});
    CHECK(offered(folder, {"compare", "1", ""}) == List{"words", "1", "2"});
    CHECK(offered("/", {"-C", folder.string(), "show", ""}) == List{"words", "1", "2"});
    CHECK(offered("/", {"show", ""}) == List{"words"});
    CHECK(offered(folder, {"measure", "--trial", ""}) == List{"words", "1", "2"});
    CHECK(offered(folder, {"measure", "--workload", ""}) == List{"words", "a", "b", "unseen"});
    CHECK(offered(folder, {"history", "un"}) == List{"words", "unseen"});
    CHECK(offered(folder, {"propose", "--set", ""}) == List{"unfinished", "size="});
    CHECK(offered(folder, {"run", "--fix", "s"}) == List{"words", "size"});
    CHECK(offered(folder, {"run", "--tuner", "local,r"}) == List{"words", "local,random"});
    CHECK(offered(folder, {"export", "1", "--format", "mark"}) == List{"words", "markdown"});
    CHECK(offered(folder, {"export", "1", "--format=mark"}) == List{"words", "--format=markdown"});
    CHECK(offered(folder, {"export", "1", "-o", ""}) == List{"files"});
    CHECK(offered(folder, {"-C", ""}) == List{"folders"});
    CHECK(offered(folder, {"completions", ""}) == List{"words", "bash", "zsh", "fish"});
    CHECK(offered(folder, {"measure", "--fail-on", ""}) == List{"words", "regresses"});
    CHECK(offered(folder, {"demo", "zorder-"}) == List{"words", "zorder-code"});
    List all = offered(folder, {"help", ""});
    all.erase(all.begin());
    CHECK(all == commands());
    CHECK(offered(folder, {}).size() == all.size() + 1);
    CHECK(everything_below(folder) == before);
}

TEST_CASE("bash completes, and runs nothing that a project is named") {
    const Queued queued("$(touch pwned)`touch pwned`");
    const fs::path& folder = queued.project.path();
    CHECK_THAT(bash_offers(folder, {"exp"}), StartsWith("complete -F _holdfast holdfast\n"));
    CHECK_THAT(bash_offers(folder, {"exp"}), EndsWith("\nexport\n"));
    CHECK_THAT(bash_offers(folder, {"export", "1", "--format", "mark"}), EndsWith("\nmarkdown\n"));
    CHECK_THAT(bash_offers(folder, {"export", "1", "--format", "=", "mark"}), EndsWith("\nmarkdown\n"));
    CHECK_THAT(bash_offers(folder, {"propose", "--set", "si"}), EndsWith("\ncompopt -o nospace\nsize=\n"));
    CHECK_THAT(bash_offers(folder, {"show", ""}), EndsWith("\n1\n2\n"));
    CHECK_THAT(bash_offers(folder, {"-C", ""}), ContainsSubstring("compopt -o dirnames\n"));
    CHECK_THAT(bash_offers(folder, {"measure", "--workload", ""}), ContainsSubstring("\\$\\(touch\\ pwned\\)"));
    CHECK_FALSE(fs::exists(folder / "pwned"));
}

TEST_CASE("zsh completes") {
    if (!installed("zsh"))
        return;
    const Queued queued("$(touch pwned)");
    const ScratchFolder functions;
    write_text(functions.path() / "_holdfast", holdfast_in("/", {"completions", "zsh"}).out);
    const auto offers = [&](const std::string& words) {
        const std::string script =
            "fpath=(" + functions.path().string() +
            " $fpath)\nautoload -U compinit\ncompinit -u -D\n"
            "print -r -- \"for ${_comps[holdfast]}\"\n"
            "compadd() { [[ $1 == -l ]] && print -rl -- \"${texts[@]}\" }\n_files() { print files $* }\n"
            "words=($0 " +
            words + ")\nCURRENT=${#words}\n_holdfast\n_holdfast\n";
        const Ran ran = run_command({"zsh", "-f", "-c", script, program}, queued.project.path());
        INFO(ran.err);
        CHECK(ran.err.empty());
        return ran.out;
    };
    CHECK_THAT(offers("expo"), StartsWith("for _holdfast\n"));
    CHECK_THAT(offers("expo"), EndsWith("\nexport\n"));
    CHECK_THAT(offers("show ''"), EndsWith("\n1\n2\n"));
    CHECK_THAT(offers("propose --set ''"), EndsWith("\nsize=\n"));
    CHECK_THAT(offers("-C ''"), EndsWith("\nfiles -/\n"));
    CHECK_THAT(offers("measure --workload ''"), ContainsSubstring("\n$(touch pwned)\n"));
    CHECK_FALSE(fs::exists(queued.project.path() / "pwned"));
}

TEST_CASE("fish completes") {
    if (!installed("fish"))
        return;
    const Queued queued("$(touch pwned)");
    const fs::path& folder = queued.project.path();
    write_text(folder / ".git" / "holdfast.fish", holdfast_in("/", {"completions", "fish"}).out);
    const auto offers = [&](const std::string& typed) {
        const Ran ran =
            run_command({"fish", "--no-config", "-c", "source .git/holdfast.fish; complete -C \"" + typed + "\""},
                        folder, {"PATH=" + std::string(HOLDFAST_BIN_DIR) + ":/usr/bin:/bin"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        return ran.out;
    };
    CHECK_THAT(offers("holdfast expo"), StartsWith("export\tWrite one decided trial"));
    CHECK_THAT(offers("holdfast show "), StartsWith("1\tpatch, queued\n2\t"));
    CHECK_THAT(offers("holdfast propose --set s"), StartsWith("size="));
    CHECK_THAT(offers("holdfast measure --workload "), ContainsSubstring("touch pwned"));
    CHECK_FALSE(fs::exists(folder / "pwned"));
}

TEST_CASE("the version tells what the program was built from, and nothing of where or when") {
    const Ran text = holdfast_in("/", {"--version"});
    CHECK(text.code == 0);
    CHECK_THAT(text.out, StartsWith("holdfast 0.1.0\n"));
    for (const char* fact : {"commit  ", "compiler  ", "sanitizer  ", "SQLite 3", "libgit2 1", "schema "})
        CHECK_THAT(text.out, ContainsSubstring(fact));
    const Ran document = holdfast_in("/", {"--version", "--json"});
    CHECK(nlohmann::json::parse(document.out).at("schema") == "holdfast/version/1");
    for (const std::string& out : {text.out, document.out}) {
        CHECK_THAT(out, !ContainsSubstring(HOLDFAST_SOURCE_DIR));
        CHECK_THAT(out, !ContainsSubstring("__DATE__"));
    }
    CHECK(holdfast_in("/", {"--json", "--version"}).out == document.out);
}
