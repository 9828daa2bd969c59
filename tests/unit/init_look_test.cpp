// SPDX-License-Identifier: GPL-3.0-or-later
// What init sees of a folder, hostile ones included, and what each kind of program tells.
#include "app/common/init/inputs.hpp"
#include "app/common/init/results.hpp"
#include "app/common/init/server.hpp"
#include "app/common/init/words.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <algorithm>
#include <sys/stat.h>

using namespace holdfast;
using namespace holdfast::app::init;
using holdfast::test::ScratchFolder;
using holdfast::test::ScratchRepository;
using holdfast::test::write_text;
namespace fs = std::filesystem;

namespace {

Seen seen_of(const fs::path& folder, const LookLimits& limits = {}) {
    auto seen = look(folder, limits);
    if (!seen)
        FAIL(seen.error().message());
    return std::move(*seen);
}

const SuggestedKnob* knob(const Found& found, const std::string& name) {
    const auto at = std::find_if(found.knobs.begin(), found.knobs.end(),
                                 [&](const SuggestedKnob& each) { return each.knob.name == name; });
    return at == found.knobs.end() ? nullptr : &*at;
}

std::vector<std::string> names(const Found& found) {
    std::vector<std::string> result;
    for (const Runnable& program : found.programs)
        result.push_back(program.name);
    return result;
}

bool says(const std::vector<std::string>& notes, const std::string& part) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

} // namespace

TEST_CASE("a look follows no link, opens nothing that waits and passes over names that mean something else") {
    const ScratchFolder folder;
    write_text(folder.path() / "data/a.txt", "1\n");
    write_text(folder.path() / "it's \"quoted\".txt", "1\n");
    write_text(folder.path() / "line\nbreak.txt", "1\n");
    write_text(folder.path() / "esc\x1b[31m.txt", "1\n");
    write_text(folder.path() / "{build}.txt", "1\n");
    write_text(folder.path() / "bad\xff.txt", "1\n");
    fs::create_directory_symlink("..", folder.path() / "data/loop");
    fs::create_symlink("/etc/passwd", folder.path() / "passwd.txt");
    REQUIRE(::mkfifo((folder.path() / "Makefile").c_str(), 0600) == 0);
    const Seen seen = seen_of(folder.path());
    REQUIRE(seen.files.size() == 2);
    CHECK(seen.file("data/a.txt") != nullptr);
    CHECK(seen.file("it's \"quoted\".txt") != nullptr);
    CHECK(seen.passed_over == 4);
    CHECK(seen.whole);
    CHECK(seen.text("passwd.txt").empty());
    CHECK(seen.text("Makefile").empty());
    CHECK(seen.text("missing").empty());
}

TEST_CASE("a look stops at its limits and says so") {
    const ScratchFolder folder;
    for (int i = 0; i < 60; ++i)
        write_text(folder.path() / "many" / (std::to_string(i) + ".txt"), "1\n");
    write_text(folder.path() / "a/b/c/deep.txt", "1\n");
    write_text(folder.path() / "Makefile", std::string(300'000, 'x'));
    const Seen few = seen_of(folder.path(), {20, 8, 1000});
    CHECK_FALSE(few.whole);
    CHECK(few.files.size() <= 20);
    CHECK(few.file("Makefile") != nullptr); // the nearest come first
    CHECK(few.text("Makefile").size() == 1000);
    const Seen shallow = seen_of(folder.path(), {1000, 2, 1000});
    CHECK_FALSE(shallow.whole);
    CHECK(shallow.file("a/b/c/deep.txt") == nullptr);
    CHECK_FALSE(look(folder.path() / "missing"));
}

TEST_CASE("what git ignores and what tools make is left out") {
    const ScratchRepository repository;
    repository.write(".gitignore", "*.log\nout/\n");
    for (const char* file : {"a.log", "out/b.txt", "node_modules/c.js", "build/d.txt", "kept/e.txt"})
        repository.write(file, "1\n");
    const Seen seen = seen_of(repository.path() / "kept" / "..");
    CHECK(seen.in_repository);
    CHECK_FALSE(seen.has_commit);
    REQUIRE(seen.files.size() == 2);
    CHECK(seen.files[0].path == ".gitignore");
    CHECK(seen.files[1].path == "kept/e.txt");
    repository.commit("start");
    const Seen below = seen_of(repository.path() / "kept");
    CHECK(below.has_commit);
    CHECK(below.prefix == "kept/");
}

TEST_CASE("CMake tells programs, where they are built, tests and flags") {
    const ScratchFolder folder;
    write_text(folder.path() / "CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.16)
project(shapes LANGUAGES CXX) # add_executable(comment x.cpp)
#[[ add_executable(block y.cpp) ]]
set(TOOL "${PROJECT_NAME}-tool")
add_executable(${TOOL} src/main.cpp)
add_executable(unit_test tests/unit.cpp)
add_subdirectory(bench)
find_package(OpenMP)
add_test(NAME unit COMMAND unit_test)
add_test(NAME small COMMAND $<TARGET_FILE:${TOOL}> ${CMAKE_CURRENT_SOURCE_DIR}/data/small.txt --mode "a b")
)");
    write_text(folder.path() / "src/main.cpp", "int main(int argc, char** argv) { return argc; }\n");
    write_text(folder.path() / "tests/unit.cpp", "int main() {}\n");
    write_text(folder.path() / "data/small.txt", "1\n");
    write_text(folder.path() / "bench/CMakeLists.txt",
               "add_executable(micro micro.cpp)\ntarget_link_libraries(micro benchmark::benchmark)\n");
    write_text(folder.path() / "bench/micro.cpp", "#include <benchmark/benchmark.h>\nBENCHMARK_MAIN();\n");
    const Seen seen = seen_of(folder.path());
    const auto found = find_cmake(seen);
    REQUIRE(found);
    CHECK(found->name == "shapes");
    CHECK(names(*found) == std::vector<std::string>{"shapes-tool", "micro", "unit_test"});
    CHECK(found->programs[0].argv == Argv{"{build}/shapes-tool"});
    CHECK(found->programs[0].source == "src/main.cpp");
    CHECK(found->programs[1].argv == Argv{"{build}/bench/micro"});
    CHECK(found->programs[1].google_benchmark);
    CHECK(found->programs[2].test);
    REQUIRE(found->test.size() == 1);
    CHECK(found->test[0][0] == "ctest");
    REQUIRE(knob(*found, "optimisation") != nullptr);
    CHECK(knob(*found, "optimisation")->knob.target == "CMAKE_CXX_FLAGS_RELEASE");
    CHECK(knob(*found, "optimisation")->why.find("not portable") != std::string::npos);
    REQUIRE(found->commands.size() == 2);
    const auto run = run_of_words(seen, found->programs, found->commands[1]);
    REQUIRE(run);
    CHECK(run->argv == Argv{"{build}/shapes-tool", "{inputs}/small.txt", "--mode", "a b"});
    CHECK(run->inputs == std::vector<std::string>{"data/small.txt"});
}

TEST_CASE("flags that CMakeLists.txt sets itself are no knob") {
    const ScratchFolder folder;
    write_text(folder.path() / "CMakeLists.txt",
               "project(a C)\nset(CMAKE_C_FLAGS_RELEASE \"-O1\")\nadd_executable(a a.c)\n");
    const auto found = find_cmake(seen_of(folder.path()));
    REQUIRE(found);
    CHECK(knob(*found, "optimisation") == nullptr);
    CHECK(says(found->notes, "CMAKE_C_FLAGS_RELEASE"));
}

TEST_CASE("broken CMake files end") {
    for (const char* text :
         {"project(", "add_executable(a \"", "set(A ${A})\nadd_executable(${A} ${A})", "(((", "#[[", ")",
          "add_subdirectory(.)\nadd_subdirectory(..)", "add_executable()", "add_test(COMMAND)"}) {
        const ScratchFolder folder;
        write_text(folder.path() / "CMakeLists.txt", text);
        INFO(text);
        CHECK(find_cmake(seen_of(folder.path())));
    }
}

TEST_CASE("Make tells programs, tests and the flags it can be given") {
    const ScratchFolder folder;
    write_text(folder.path() / "Makefile", R"(CC ?= cc
CFLAGS = -O2 -Wall \
  -pthread
PROG := sorter
all: $(PROG) helper.o
$(PROG): sorter.o
	$(CC) $(CFLAGS) -o $@ $^
%.o: %.c
	$(CC) -c $<
check: all
	@./$(PROG) data/a.txt
.PHONY: all check
)");
    write_text(folder.path() / "sorter.c", "int main(int argc, char** argv) { return 0; }\n");
    write_text(folder.path() / "data/a.txt", "1\n");
    const Seen seen = seen_of(folder.path());
    const auto found = find_make(seen);
    REQUIRE(found);
    CHECK(names(*found) == std::vector<std::string>{"sorter"});
    CHECK(found->programs[0].source == "sorter.c");
    CHECK(found->build.front().front() == "cp");
    CHECK(found->test == std::vector<Argv>{{"make", "-C", "{build}", "check"}});
    REQUIRE(knob(*found, "optimisation") != nullptr);
    const Knob& flags = knob(*found, "optimisation")->knob;
    CHECK(flags.through == Knob::Through::make);
    CHECK(flags.target == "CFLAGS");
    CHECK(std::get<std::string>(flags.default_value) == flags.values[0]);
    CHECK(flags.values.size() == 3);
    REQUIRE(found->commands.size() == 1);
    CHECK(run_of_words(seen, found->programs, found->commands[0])->inputs == std::vector<std::string>{"data/a.txt"});

    write_text(folder.path() / "Makefile", "CFLAGS = -O2\nCFLAGS += -Iinclude\na: a.c\n\tcc -o a a.c\n");
    const auto added = find_make(seen_of(folder.path()));
    CHECK(knob(*added, "optimisation") == nullptr);
    CHECK(says(added->notes, "+="));
}

TEST_CASE("Cargo builds offline, its profile is a knob in Cargo.toml, crates are fetched apart") {
    const ScratchFolder folder;
    write_text(folder.path() / "Cargo.toml",
               "[package]\nname = \"count\"\nversion = \"0.1.0\"\n\n[profile.release]\nlto = true\n");
    write_text(folder.path() / "Cargo.lock", "version = 3\n");
    write_text(folder.path() / "src/main.rs", "fn main() { std::env::args(); }\n");
    const auto found = find_cargo(seen_of(folder.path()));
    REQUIRE(found);
    CHECK(found->fetch.empty());
    REQUIRE(found->build.size() == 2);
    CHECK(std::find(found->build[1].begin(), found->build[1].end(), "--offline") != found->build[1].end());
    CHECK(found->programs.at(0).argv == Argv{"{build}/release/count"});
    REQUIRE(knob(*found, "lto") != nullptr);
    CHECK(std::get<bool>(knob(*found, "lto")->knob.default_value));
    CHECK(knob(*found, "lto")->knob.key == "profile.release.lto");

    write_text(folder.path() / "Cargo.toml", "[package]\nname = \"count\"\n[dependencies]\nserde = \"1\"\n");
    const auto needy = find_cargo(seen_of(folder.path()));
    REQUIRE(needy->fetch.size() == 1);
    CHECK(needy->fetch[0][1] == "vendor");
    CHECK(needy->knobs.empty());
    CHECK(says(needy->notes, "[profile.release]"));
}

TEST_CASE("npm runs with node, and packages are fetched with npm ci") {
    const ScratchFolder folder;
    write_text(
        folder.path() / "package.json",
        R"({"name": "tool", "bin": {"tool": "./bin/tool.js"}, "scripts": {"bench": "node bench.js data/a.txt", "test": "node --test"}})");
    write_text(folder.path() / "bin/tool.js", "process.argv\n");
    write_text(folder.path() / "bench.js", "process.argv\n");
    write_text(folder.path() / "data/a.txt", "1\n");
    const Seen seen = seen_of(folder.path());
    const auto found = find_npm(seen);
    REQUIRE(found);
    CHECK(found->programs.at(0).argv == Argv{"node", "{source}/bin/tool.js"});
    CHECK(found->fetch.empty());
    CHECK(found->test == std::vector<Argv>{{"npm", "--prefix", "{source}", "test"}});
    CHECK(run_of_words(seen, found->programs, found->commands.at(0))->argv ==
          Argv{"node", "{source}/bench.js", "{inputs}/a.txt"});
    write_text(folder.path() / "package.json",
               R"({"name": "tool", "main": "bench.js", "dependencies": {"left": "1"}})");
    const auto needy = find_npm(seen_of(folder.path()));
    REQUIRE(needy->fetch.size() == 2);
    CHECK(needy->fetch[1][1] == "ci");
    CHECK(says(needy->notes, "package-lock.json"));
    write_text(folder.path() / "package.json", "[1, 2");
    CHECK(says(find_npm(seen_of(folder.path()))->notes, "no JSON object"));
}

TEST_CASE("Python tells its scripts, entry points, tests and how a file is given") {
    const ScratchFolder folder;
    write_text(folder.path() / "pyproject.toml",
               "[project]\nname = \"words\"\n[project.scripts]\nwords = \"words.cli:main\"\n");
    write_text(folder.path() / "words/__init__.py", "");
    write_text(folder.path() / "words/cli.py",
               "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--input')\n");
    write_text(folder.path() / "tests/test_words.py", "import unittest\n");
    const Seen seen = seen_of(folder.path());
    const auto found = find_python(seen);
    REQUIRE(found);
    CHECK(found->name == "words");
    REQUIRE_FALSE(found->programs.empty());
    CHECK(found->programs[0].argv.back() == "from words.cli import main as main; main()");
    const auto argv = run_with(seen, found->programs[0], "a.txt");
    REQUIRE(argv);
    CHECK((*argv)[argv->size() - 2] == "--input");
    CHECK(argv->back() == "{inputs}/a.txt");
    REQUIRE(found->test.size() == 1);
    CHECK(std::find(found->test[0].begin(), found->test[0].end(), "unittest") != found->test[0].end());
}

TEST_CASE("benchmark results name what is worth measuring") {
    const ScratchFolder folder;
    write_text(
        folder.path() / "results/hf.json",
        R"({"results": [{"command": "./tool data/a.txt", "mean": 0.1}, {"command": "./tool | sort", "mean": 1}]})");
    write_text(
        folder.path() / "results/gb.json",
        R"({"context": {"executable": "./build/micro"}, "benchmarks": [{"name": "BM_a/8", "run_name": "BM_a/8"}, {"name": "BM_a/8_mean", "run_name": "BM_a/8"}]})");
    write_text(folder.path() / "results/other.json",
               R"({"results": [1, {"command": 2}], "benchmarks": {}, "context": []})");
    const Results results = find_results(seen_of(folder.path()));
    REQUIRE(results.hyperfine.size() == 1);
    CHECK(results.hyperfine[0].commands.size() == 2);
    REQUIRE(results.google.size() == 1);
    CHECK(results.google[0].executable == "micro");
    CHECK(results.google[0].names == std::vector<std::string>{"BM_a/8"});
}

TEST_CASE("commands are split as a shell would, or not at all") {
    CHECK(split_words("a 'b c' \"d e\" f\\ g --x=''") == Argv{"a", "b c", "d e", "f g", "--x="});
    CHECK(split_words("") == Argv{});
    for (const char* line :
         {"a | b", "a > b", "a; b", "a && b", "a $X", "a `b`", "a 'b", "a \"$X\"", "a *", "a\nb", "a \\"}) {
        INFO(line);
        CHECK_FALSE(split_words(line));
    }
    const Argv words = {"a b", "it's", "", "{inputs}/x", "$HOME", "*"};
    CHECK(split_words(join_words(words)) == words);
}

TEST_CASE("other data are made of lines only where lines are records") {
    std::string table = "id,name\n", text;
    for (int i = 0; i < 20; ++i) {
        table += std::to_string(i) + ",x\n";
        text += "word " + std::to_string(i) + "\n";
    }
    const auto other = variant_of(table, ".csv");
    REQUIRE(other);
    CHECK(other->starts_with("id,name\n"));
    CHECK(std::count(other->begin(), other->end(), '\n') == 17);
    CHECK(*other != table);
    CHECK(variant_of(text, ".txt") == variant_of(text, ".txt"));
    CHECK_FALSE(variant_of("20\n" + text, ".txt")); // a count of the lines
    CHECK_FALSE(variant_of(text, ".json"));
    CHECK_FALSE(variant_of("a\nb\n", ".txt"));
    CHECK_FALSE(variant_of(text + std::string(1, '\0'), ".txt"));
    CHECK_FALSE(variant_of(table + "21,\"two\nlines\"\n", ".csv"));
}

TEST_CASE("a server's values are counted in its knobs' units") {
    CHECK(in_unit("128MB", "kB") == 131072);
    CHECK(in_unit("128MB", "8kB") == 16384);
    CHECK(in_unit("5min", "s") == 300);
    CHECK(in_unit("64", "kB") == 64);
    CHECK(in_unit("4kB", "kB") == 4);
    CHECK_FALSE(in_unit("1kB", "MB"));
    CHECK_FALSE(in_unit("1kB", "s"));
    CHECK_FALSE(in_unit("many", "kB"));
}

TEST_CASE("a plain Python script is a program, a module is none, and a test script is run by itself") {
    const ScratchFolder folder;
    write_text(folder.path() / "words.py",
               "\"\"\"words.py FILE\"\"\"\nimport sys\n\n\ndef count(text):\n    return len(text)\n"
               "\n\nfor word in open(sys.argv[1]):\n    print(word)\n");
    write_text(folder.path() / "main.py", "import helper\n\nprint(helper.value())\n");
    write_text(folder.path() / "helper.py", "import os\n\nLIMIT = 3\n\ndef value():\n    print(1)\n    return LIMIT\n");
    write_text(folder.path() / "noise.py", "\"\"\"\nprint(1)\nfor example\n\"\"\"\nclass A:\n    pass\n");
    write_text(folder.path() / "loud.py", "print('imported')\n");
    write_text(folder.path() / "other.py", "from loud import x\n");
    write_text(folder.path() / "test_words.py", "import subprocess\nassert subprocess.call(['true']) == 0\n");
    const auto found = find_python(seen_of(folder.path()));
    REQUIRE(found);
    CHECK(names(*found) == std::vector<std::string>{"main.py", "words.py", "test_words.py"});
    REQUIRE(found->test.size() == 1);
    CHECK(found->test[0].back() == "{source}/test_words.py");
}

TEST_CASE("the members of a Cargo workspace are programs, and their crates count") {
    const ScratchFolder folder;
    write_text(folder.path() / "Cargo.toml", "[workspace]\nmembers = [\"crates/*\", \"./cli/\"]\n");
    write_text(folder.path() / "crates/core/Cargo.toml", "[package]\nname = \"core-lib\"\n");
    write_text(folder.path() / "crates/core/src/lib.rs", "pub fn f() {}\n");
    write_text(folder.path() / "crates/other/deeper/Cargo.toml", "[package]\nname = \"no\"\n");
    write_text(folder.path() / "crates/other/deeper/src/main.rs", "fn main() {}\n");
    write_text(folder.path() / "cli/Cargo.toml",
               "[package]\nname = \"tool\"\n[dependencies]\ncore-lib = { path = \"../crates/core\" }\n");
    write_text(folder.path() / "cli/src/main.rs", "fn main() {}\n");
    write_text(folder.path() / "cli/src/bin/extra.rs", "fn main() {}\n");
    const auto found = find_cargo(seen_of(folder.path()));
    REQUIRE(found);
    CHECK(names(*found) == std::vector<std::string>{"tool", "extra"});
    CHECK(found->programs[0].source == "cli/src/main.rs");
    CHECK(found->name == "tool");
    CHECK(found->fetch.empty());
    CHECK(std::find(found->build.back().begin(), found->build.back().end(), "--workspace") !=
          found->build.back().end());
    write_text(folder.path() / "crates/core/Cargo.toml",
               "[package]\nname = \"core-lib\"\n[dependencies]\nserde = \"1\"\n");
    CHECK_FALSE(find_cargo(seen_of(folder.path()))->fetch.empty());
}

TEST_CASE("what has no program says what is missing") {
    const ScratchFolder folder;
    write_text(folder.path() / "Cargo.toml", "[package]\nname = \"lib\"\n");
    write_text(folder.path() / "src/lib.rs", "\n");
    CHECK(says(find_cargo(seen_of(folder.path()))->notes, "no src/main.rs"));
    write_text(folder.path() / "package.json", "{}");
    CHECK(says(find_npm(seen_of(folder.path()))->notes, "no index.js"));
    write_text(folder.path() / "pyproject.toml", "[project]\nname = \"x\"\n");
    CHECK(says(find_python(seen_of(folder.path()))->notes, "No Python file runs by itself"));
}
