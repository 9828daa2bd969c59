// SPDX-License-Identifier: GPL-3.0-or-later
// A person's own program, from `holdfast init --yes` to a first measurement in the real sandbox.
#include "tests/catch.h"
#include "tests/command.hpp"
#include "tests/json_schema.hpp"
#include "tests/scratch.hpp"
#include "tests/terminal.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string program = std::string(HOLDFAST_BIN_DIR) + "/holdfast";

class Tried {
public:
    const ScratchRepository repository;

    Ran holdfast(std::vector<std::string> words) const {
        words.insert(words.begin(), {program, "-C", repository.path().string()});
        return run_command(words, repository.path(), environment());
    }
    std::vector<std::string> environment() const { return {"HOLDFAST_LOCK=" + (lock_.path() / "machine").string()}; }

    json document(std::vector<std::string> words, int code = 0) const {
        words.emplace_back("--json");
        const Ran ran = holdfast(words);
        INFO(ran.out << ran.err);
        CHECK(ran.code == code);
        const json document = json::parse(ran.out, nullptr, false);
        REQUIRE(document.is_object());
        return document;
    }

    /// `init --yes` and what its last lines say comes next: a commit, `validate` and `measure`.
    json first_day() const {
        const json written = document({"init", "--yes"});
        std::string violations;
        for (const std::string& violation :
             JsonSchema::read(fs::path(HOLDFAST_SOURCE_DIR) / "resources/schemas/init.schema.json").violations(written))
            violations += violation + "\n";
        CHECK(violations.empty());
        INFO(written.at("project").get<std::string>());
        follow(written);
        return written;
    }

    /// Runs exactly the lines that init printed, with fewer rounds.
    void follow(const json& written) const {
        repository.git({"config", "user.name", "A"});
        repository.git({"config", "user.email", "a@b"});
        const std::string path = "PATH='" + std::string(HOLDFAST_BIN_DIR) + "':$PATH; export PATH; ";
        for (const json& each : written.at("next")) {
            std::string line = each.get<std::string>();
            line += line.ends_with(" measure") ? " --rounds 6" : "";
            const Ran ran = run_command({"/bin/sh", "-c", path + line}, repository.path(), environment());
            INFO(line << "\n" << ran.out << ran.err);
            REQUIRE(ran.code == 0);
            CHECK(ran.out.find("HEAD is what is measured") == std::string::npos); // validate misses nothing
        }
    }

private:
    ScratchFolder lock_;
};

std::string numbers(int count, int step) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += std::to_string(i * step % 10007) + "\n";
    return text;
}

const char* const sum_source = R"cpp(#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
    std::FILE* file = argc > 1 ? std::fopen(argv[1], "r") : nullptr;
    if (file == nullptr)
        return EXIT_FAILURE;
    long sum = 0, number = 0;
    while (std::fscanf(file, "%ld", &number) == 1)
        sum += number * number % 97;
    std::printf("%ld\n", sum);
    return std::fclose(file);
}
)cpp";

std::size_t count_role(const json& document, const char* role) {
    std::size_t count = 0;
    for (const json& workload : document.at("workloads"))
        count += workload.at("role") == role ? 1 : 0;
    return count;
}

} // namespace

TEST_CASE("a CMake project is measured on its first day") {
    const Tried tried;
    tried.repository.write("CMakeLists.txt",
                           "cmake_minimum_required(VERSION 3.16)\nproject(sums CXX)\nenable_testing()\n"
                           "add_executable(sums src/main.cpp)\n"
                           "add_test(NAME small COMMAND sums ${CMAKE_SOURCE_DIR}/data/a.txt)\n");
    tried.repository.write("src/main.cpp", sum_source);
    tried.repository.write("data/a.txt", numbers(3000, 7919));
    tried.repository.write("data/b.txt", numbers(2000, 31));
    tried.repository.commit("start");
    const json written = tried.first_day();
    CHECK(written.at("found").at(0).at("kind") == "CMake");
    CHECK(count_role(written, "tuning") == 2);
    CHECK(count_role(written, "holdout") == 1);
    CHECK(written.at("test").dump().find("ctest") != std::string::npos);
    // A knob that init proposed is built, tested and measured.
    const Ran faster = tried.holdfast({"measure", "--rounds", "6", "--set", "optimisation=-O2 -DNDEBUG"});
    INFO(faster.out << faster.err);
    CHECK(faster.code == 0);
}

TEST_CASE("a Make project is measured on its first day") {
    const Tried tried;
    tried.repository.write("Makefile",
                           "CXXFLAGS = -O2 -Wall\nall: sums\nsums: sums.cpp\n\t$(CXX) $(CXXFLAGS) -o $@ $<\n"
                           "check: sums\n\t./sums data/a.txt\n");
    tried.repository.write("sums.cpp", sum_source);
    tried.repository.write("data/a.txt", numbers(3000, 7919));
    tried.repository.commit("start");
    const json written = tried.first_day();
    CHECK(written.at("found").at(0).at("kind") == "Make");
    CHECK(written.at("inputs") == json::array({".holdfast/inputs/a-shuffled.txt"}));
    const Ran faster = tried.holdfast({"measure", "--rounds", "6", "--set", "optimisation=-O3 -Wall"});
    INFO(faster.out << faster.err);
    CHECK(faster.code == 0);
}

TEST_CASE("a Python program is measured on its first day, read from standard input") {
    const Tried tried;
    tried.repository.write("sums.py", "import sys\nif __name__ == '__main__':\n"
                                      "    print(sum(int(line) ** 2 % 97 for line in sys.stdin))\n");
    tried.repository.write("tests/test_sums.py", "import unittest\nimport sums\nclass Sums(unittest.TestCase):\n"
                                                 "    def test_it(self):\n        self.assertTrue(sums)\n");
    tried.repository.write("data/a.txt", numbers(3000, 7919));
    tried.repository.commit("start");
    const json written = tried.first_day();
    CHECK(written.at("found").at(0).at("kind") == "Python");
    CHECK(written.at("build").empty());
    CHECK(written.at("test").dump().find("unittest") != std::string::npos);
}

TEST_CASE("a Cargo project is measured on its first day") {
    if (!fs::exists("/usr/bin/cargo")) {
        WARN("there is no cargo in /usr/bin: Debian's package cargo brings it");
        return;
    }
    const Tried tried;
    tried.repository.write(
        "Cargo.toml",
        "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[profile.release]\nlto = false\n");
    tried.repository.write("Cargo.lock", "version = 3\n\n[[package]]\nname = \"sums\"\nversion = \"0.1.0\"\n");
    tried.repository.write("src/main.rs",
                           "fn main() {\n    let name = std::env::args().nth(1).unwrap();\n"
                           "    let text = std::fs::read_to_string(name).unwrap();\n"
                           "    println!(\"{}\", text.lines().map(|l| l.parse::<u64>().unwrap()).sum::<u64>());\n}\n");
    tried.repository.write("data/a.txt", numbers(3000, 7919));
    tried.repository.commit("start");
    const json written = tried.first_day();
    CHECK(written.at("found").at(0).at("kind") == "Cargo");
    const Ran other = tried.holdfast({"measure", "--rounds", "6", "--set", "codegen_units=1"});
    INFO(other.out << other.err);
    CHECK(other.code == 0);
}

TEST_CASE("SQLite's own settings become a project that is measured") {
    const Tried tried;
    tried.repository.commit("start");
    const json written = tried.document({"init", "--yes", "--for", "sqlite"});
    CHECK(written.at("knobs").size() > 5);
    CHECK(written.at("project").get<std::string>().find("\"danger\": \"durability\"") != std::string::npos);
    tried.repository.commit("Add holdfast.json");
    const Ran measured = tried.holdfast({"measure", "--rounds", "6", "--workload", "reads"});
    INFO(measured.out << measured.err);
    CHECK(measured.code == 0);
}

TEST_CASE("what init prints leads to a first measure where nothing was committed, and of a server") {
    const Tried make; // no commit yet
    make.repository.write("Makefile", "all: sums\nsums: sums.cpp\n\t$(CXX) -O2 -o $@ $<\n");
    make.repository.write("sums.cpp", sum_source);
    make.repository.write("data/a.txt", numbers(3000, 7919));
    make.first_day();

    const Tried later; // a commit, and the program beside it
    later.repository.write("readme", "1\n");
    later.repository.commit("start");
    later.repository.write("Makefile", "all: sums\nsums: src/sums.cpp\n\t$(CXX) -O2 -o $@ $<\n");
    later.repository.write("src/sums.cpp", sum_source);
    later.repository.write("data/it's a.txt", numbers(3000, 7919));
    later.first_day();

    if (!fs::exists("/usr/bin/redis-server")) {
        WARN("there is no redis-server in /usr/bin");
        return;
    }
    const Tried redis;
    redis.repository.commit("start");
    redis.follow(redis.document({"init", "--yes", "--for", "redis"}));
}

TEST_CASE("validate tells what HEAD lacks and which held-out workloads it tells") {
    const Tried tried;
    tried.repository.write("run.sh", "cat \"$1\"\n");
    tried.repository.write("holdfast.json", R"({ "name": "a", "build": [], "objective": "wall",
        "workloads": [{ "name": "w", "inputs": ["data/a.txt"], "run": ["sh", "{source}/run.sh", "{inputs}/a.txt"],
                        "check": { "stdout": "same" } }] })");
    tried.repository.write("data/h.txt", "2\n");
    tried.repository.write(".gitignore", ".holdfast/\n");
    tried.repository.git({"add", ".gitignore", "data", "holdfast.json"});
    tried.repository.git({"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "start"});
    tried.repository.write("data/a.txt", "1\n");
    tried.repository.write(".holdfast/holdout.json", R"({ "workloads": [{ "name": "h", "inputs": ["data/h.txt"],
        "run": ["sh", "{source}/run.sh", "{inputs}/h.txt"], "check": { "stdout": "same" } }] })");
    const json before = tried.document({"validate"});
    CHECK(before.at("warnings").dump().find("git add run.sh data/a.txt") != std::string::npos);
    CHECK(before.at("warnings").dump().find("the flag readable held-out") != std::string::npos);
    CHECK(before.at("workloads").at(1).at("readable") == true);
    tried.repository.git({"rm", "-q", "--cached", "data/h.txt"});
    tried.repository.git({"add", "run.sh", "data/a.txt"});
    tried.repository.git({"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "more"});
    const json after = tried.document({"validate"});
    CHECK(after.at("warnings").empty());
    CHECK(after.at("workloads").at(1).at("readable") == false);
}

TEST_CASE("what is not recognised is told, with what is missing") {
    const Tried tried;
    tried.repository.write("Main.java", "class Main {}\n");
    const json nothing = tried.document({"init", "--yes"}, 2);
    CHECK(nothing.dump().find("1 .java file") != std::string::npos);
    tried.repository.write("Cargo.toml", "[package]\nname = \"lib\"\n");
    const json library = tried.document({"init", "--yes"}, 2);
    CHECK(library.dump().find("Cargo (Cargo.toml) is there") != std::string::npos);
    CHECK(library.dump().find("no src/main.rs") != std::string::npos);
}

TEST_CASE("PostgreSQL's and Redis's settings become projects that are valid") {
    for (const char* server : {"postgresql", "redis"}) {
        INFO(server);
        const Tried tried;
        tried.repository.commit("start");
        const Ran written = tried.holdfast({"init", "--yes", "--for", server});
        INFO(written.out << written.err);
        CHECK(written.code == 0);
        tried.repository.commit("Add holdfast.json");
        const Ran valid = tried.holdfast({"validate"});
        INFO(valid.out << valid.err);
        CHECK(valid.code == 0);
    }
}

TEST_CASE("init --try runs the program, and compares numbers where only their last digits differ") {
    const Tried tried;
    tried.repository.write("work.py", "import os\nif __name__ == '__main__':\n"
                                      "    print(1.5 + int.from_bytes(os.urandom(2), 'big') * 1e-13)\n");
    tried.repository.commit("start");
    const json written = tried.document({"init", "--yes", "--try"});
    INFO(written.dump(1));
    CHECK(written.at("tried").at("ran") == true);
    CHECK(read_text(tried.repository.path() / "holdfast.json").find("\"numeric\"") != std::string::npos);
    CHECK(written.at("warnings").dump().find("a run of work.py takes ") != std::string::npos);
    CHECK(written.at("warnings").dump().find("at least 0.1 s") != std::string::npos);
    CHECK_FALSE(
        fs::exists(tried.repository.path() / ".holdfast/holdfast.json.bak")); // nothing of a person's was replaced
    CHECK(tried.holdfast({"validate"}).code == 0);
}

TEST_CASE("init --try says why a program does not run") {
    const Tried tried;
    tried.repository.write("work.py", "import sys\nif __name__ == '__main__':\n    sys.exit(3)\n");
    tried.repository.commit("start");
    const json written = tried.document({"init", "--yes", "--try"}, 1);
    CHECK(written.at("tried").at("ran") == false);
    CHECK_FALSE(written.at("tried").at("reason").get<std::string>().empty());
}

TEST_CASE("nothing is written by a dry run, over another file, or where nothing is found") {
    const Tried tried;
    CHECK(tried.document({"init", "--yes"}, 2).at("schema") == "holdfast/error/1");
    tried.repository.write("work.py", "if __name__ == '__main__':\n    print(1)\n");
    const Ran dry = tried.holdfast({"init", "--dry-run"});
    CHECK(dry.code == 0);
    CHECK(dry.out.find("\"workloads\"") != std::string::npos);
    CHECK_FALSE(fs::exists(tried.repository.path() / "holdfast.json"));
    CHECK_FALSE(fs::exists(tried.repository.path() / ".holdfast"));
    const Ran mute = tried.holdfast({"init"});
    CHECK(mute.code == 2);
    CHECK(mute.err.find("--yes") != std::string::npos);
    tried.repository.write("holdfast.json", "mine");
    CHECK(tried.holdfast({"init", "--yes"}).code == 2);
    CHECK(read_text(tried.repository.path() / "holdfast.json") == "mine");
    CHECK(tried.holdfast({"init", "--yes", "--force"}).code == 0);
}

TEST_CASE("outside a repository init tells how to make one") {
    const ScratchFolder folder;
    const auto init = [&] { return run_command({program, "init", "--yes"}, folder.path()); };
    const Ran nothing = init();
    CHECK(nothing.code == 2);
    CHECK(nothing.err.find("not in a git repository") != std::string::npos);
    write_text(folder.path() / "work.py", "if __name__ == '__main__':\n    print(1)\n");
    const Ran told = init();
    CHECK(told.code == 0);
    CHECK(told.out.find(" init && git ") != std::string::npos);
    CHECK_FALSE(fs::exists(folder.path() / ".git"));
}

TEST_CASE("a person is asked, and a wrong answer is asked again") {
    const Tried tried;
    tried.repository.write("work.py", "import sys\nif __name__ == '__main__':\n    print(open(sys.argv[1]).read())\n");
    tried.repository.write("data/a.txt", "a\n");
    tried.repository.write("data/b.txt", "b\n");
    const Ran asked = run_on_terminal({program, "-C", tried.repository.path().string(), "init"},
                                      tried.repository.path(), tried.environment(),
                                      {{"What is to be measured", "rm -rf / | sh"},
                                       {"Cannot take", "work.py data/a.txt"},
                                       {"What does it answer with", ""},
                                       {"Which input is held out", "data/b.txt"},
                                       {"Which command tests it", ""}});
    INFO(asked.out);
    CHECK(asked.code == 0);
    const std::string text = read_text(tried.repository.path() / "holdfast.json");
    CHECK(text.find("\"inputs\": [\"data/a.txt\"]") != std::string::npos);
    CHECK(read_text(tried.repository.path() / ".holdfast/holdout.json").find("data/b.txt") != std::string::npos);
}
