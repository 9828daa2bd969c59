// SPDX-License-Identifier: GPL-3.0-or-later
// Projects in other languages: Cargo without network, Python from the system and from an environment of its own.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

#include <unistd.h>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string python = "/usr/bin/python3"; // of the system: the sandbox sees /usr

const char* const words_text = R"py(import sys
def count(text):
    words = text.split()
    return sorted((word, sum(1 for other in words if other == word)) for word in set(words))
for word, times in count(open(sys.argv[1]).read()):
    print(word, times)
)py";
const std::string by_searching = "    words = text.split()\n    return sorted((word, sum(1 for other in words if other "
                                 "== word)) for word in set(words))\n";
const std::string by_counting =
    "    import collections\n    return sorted(collections.Counter(text.split()).items())\n";

std::string numbers(int count) {
    std::string text;
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i)
        text += std::to_string(i * 7919 % 1009) + (i % 10 == 9 ? "\n" : " ");
    return text;
}

std::string python_project(const std::string& interpreter, const std::string& more) {
    return R"({ "name": "words", "build": [], "objective": "wall",
  "workloads": [{ "name": "numbers", "inputs": ["data/numbers.txt"],
                  "run": [")" +
           interpreter + R"(", "{source}/words.py", "{inputs}/numbers.txt"],
                  "check": { "stdout": "same" } }],
  "probe": { "sanitizers": [], "inputs": 0 }, "code": { "editable": ["*.py"] })" +
           more + " }";
}

/// A virtual environment with a module of its own, readable by whoever runs the programs.
class VirtualEnvironment {
public:
    VirtualEnvironment() {
        fs::permissions(folder_.path(), fs::perms(0755));
        const Ran made = run_command({python, "-m", "venv", "--without-pip", path().string()}, folder_.path());
        INFO(made.out << made.err);
        REQUIRE(made.code == 0);
        const Ran place = run_command(
            {(path() / "bin/python").string(), "-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"},
            folder_.path());
        module_ = fs::path(place.out) / "counting.py";
        write_text(module_,
                   "import collections\ndef count(text): return sorted(collections.Counter(text.split()).items())\n");
    }
    fs::path path() const { return folder_.path() / "venv"; }
    const fs::path& module() const { return module_; }

private:
    ScratchFolder folder_;
    fs::path module_;
};

} // namespace

TEST_CASE("a Cargo project is built without network, its profile is tuned in Cargo.toml and a patch is tested") {
    if (::access("/usr/bin/cargo", X_OK) != 0) {
        WARN("no /usr/bin/cargo: nothing is known about Cargo projects here; apt-get install cargo");
        return;
    }
    const WrittenProject project({{"Cargo.toml", R"([package]
name = "steps"
version = "0.1.0"
edition = "2021"

[profile.release]
opt-level = 0
lto = false
codegen-units = 16
)"},
                                  {"Cargo.lock", "version = 3\n\n[[package]]\nname = \"steps\"\nversion = \"0.1.0\"\n"},
                                  {"src/main.rs", R"rust(fn steps(mut n: u64) -> u64 {
    let mut count = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        count += 1;
    }
    count
}

fn main() {
    let most: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", (1..=most).map(steps).max().unwrap());
}

#[test]
fn twenty_seven_takes_long() {
    assert_eq!(steps(27), 111);
}
)rust"},
                                  {"holdfast.json", R"({
  "name": "steps",
  "build": [["cargo", "build", "--release", "--offline", "--locked", "--manifest-path", "{source}/Cargo.toml", "--target-dir", "{build}"]],
  "objective": "wall",
  "workloads": [{ "name": "steps", "run": ["{build}/release/steps", "60000"], "check": { "stdout": "same" } }],
  "knobs": [
    { "name": "opt_level", "type": "integer", "min": 0, "max": 3, "default": 0,
      "through": { "file": "Cargo.toml", "format": "toml", "key": "profile.release.opt-level" } },
    { "name": "lto", "type": "boolean", "default": false, "when": "opt_level > 0",
      "through": { "file": "Cargo.toml", "format": "toml", "key": "profile.release.lto" } },
    { "name": "codegen_units", "type": "integer", "min": 1, "max": 16, "default": 16, "when": "opt_level > 0",
      "through": { "file": "Cargo.toml", "format": "toml", "key": "profile.release.codegen-units" } }
  ],
  "probe": { "sanitizers": [], "inputs": 0 },
  "code": { "editable": ["src/**"],
            "test": [["cargo", "test", "--release", "--offline", "--locked", "--manifest-path", "{source}/Cargo.toml", "--target-dir", "{build}"]] }
}
)"}});
    REQUIRE(project.holdfast({"validate"}).code == 0);
    const auto profile = project.measured({"--set", "opt_level=3", "--set", "lto=true", "--set", "codegen_units=1"});
    INFO(profile.verdict << profile.reason);
    CHECK(profile.verdict.empty());
    CHECK(profile.estimate < -0.1);
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("src/main.rs", "count = 0", "count = 1")}).code == 0);
    project.run();
    check_failed_test(project.trial("2"), "cargo test");
}

TEST_CASE("a Python program: nothing is built, and a changed file is another program") {
    const WrittenProject project(
        {{"words.py", words_text},
         {"data/numbers.txt", numbers(4000)},
         {".holdfast/numbers.txt", numbers(5000)},
         {".holdfast/holdout.json",
          R"({ "workloads": [{ "name": "more numbers", "inputs": [".holdfast/numbers.txt"],
                                        "run": ["/usr/bin/python3", "{source}/words.py", "{inputs}/numbers.txt"],
                                        "check": { "stdout": "same" } }] })"},
         {"holdfast.json", python_project(python, R"(, "decision": { "max-pairs": 12, "holdout-pairs": 6 })")}});
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("words.py", by_searching, by_counting)}).code == 0);
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("words.py", "times)", "times + 1)")}).code == 0);
    project.run();
    const json better = project.trial("1");
    INFO(better.dump(1));
    CHECK(better.at("verdict") == "generalises");
    // The interpreter is the same for both; what differs is the tree.
    const json& executables = better.at("evidence-document").at("executables");
    CHECK(executables.at("baseline") == executables.at("candidate"));
    CHECK(executables.at("baseline").contains(python));
    CHECK(project.trial("2").at("verdict") == "incorrect");
}

TEST_CASE("a Python program may use a virtual environment that sandbox.read names") {
    const VirtualEnvironment environment;
    const std::string interpreter = (environment.path() / "bin/python").string();
    const WrittenProject project(
        {{"words.py", replaced(words_text, by_searching, "    import counting\n    return counting.count(text)\n")},
         {"data/numbers.txt", numbers(2000)},
         {"holdfast.json",
          python_project(interpreter, R"(, "sandbox": { "read": [")" + environment.path().string() + "\"] }")}});
    const std::string same =
        project.patch("words.py", "import counting", "from counting import count; import counting");
    const auto effect = project.measured({"--patch", same});
    INFO(effect.verdict << effect.reason);
    CHECK(effect.verdict.empty());

    // As root, programs run as another user; as anybody, nobody reads this.
    fs::permissions(environment.path(), fs::perms::none);
    const Ran refused = project.holdfast({"measure", "--rounds", "6", "--patch", same});
    fs::permissions(environment.path(), fs::perms(0755));
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, ContainsSubstring("let programs read " + environment.path().string()) &&
                                ContainsSubstring("Copy what programs need of it") && !ContainsSubstring("chmod"));
}
