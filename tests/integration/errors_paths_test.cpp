// SPDX-License-Identifier: GPL-3.0-or-later
// Paths that a person names for output, or to be read in the sandbox, and that must not be.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/told_error.hpp"

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace holdfast::test;
namespace fs = std::filesystem;

TEST_CASE("a file that cannot be written is told before anything is measured, and only files are replaced") {
    const CounterProject project;
    const fs::path folder = project.path() / ".holdfast";
    fs::create_directories(folder);
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_symlink("pipe", folder / "link");
    fs::create_symlink("nowhere", folder / "dangling");
    write_text(folder / "there", "mine");
    const auto situation = [&](const char* name, const std::string& file, const char* found) {
        std::vector<std::string> words{"measure", "--set", "size=9", "--rounds", "6", "-o", file};
        if (file != (folder / "there").string())
            words.emplace_back("--force");
        check_situation({name, words, "invalid", found, ""}, project.path());
    };
    situation("a folder that is missing", "/nowhere/x", "there is no folder /nowhere");
    situation("a file in place of the folder", (folder / "there" / "x").string(), "is no folder");
    situation("a folder", folder.string(), "it is a folder");
    situation("a folder that is missing, as a folder", "/nowhere/", "there is no folder /nowhere");
    situation("a pipe", (folder / "pipe").string(), "not a regular file");
    situation("a device", "/dev/null", "not a regular file");
    situation("a link", (folder / "link").string(), "a symbolic link");
    situation("a link to nothing", (folder / "dangling").string(), "a symbolic link");
    situation("a file", (folder / "there").string(), "already");
    CHECK(fs::is_fifo(folder / "pipe"));
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(read_text(folder / "there") == "mine");
    CHECK_FALSE(fs::exists(folder / "history.sqlite")); // nothing was measured
}

TEST_CASE("paths of sandbox.read that measuring would refuse are told by `validate`") {
    CounterProject project;
    const fs::path file = project.path() / "holdfast.json";
    const std::string right = read_text(file);
    const ScratchFolder outside;
    fs::create_directory_symlink(project.path() / ".holdfast", outside.path() / "link");
    const auto told = [&](const std::string& path) {
        write_text(file, replaced(right, "\"code\":", "\"sandbox\": {\"read\": [\"" + path + "\"]}, \"code\":"));
        return project.holdfast({"validate"});
    };
    for (const auto& [path, found] : std::vector<std::pair<std::string, std::string>>{
             {project.path().string(), "held-out workloads"},
             {(project.path() / ".holdfast").string(), "held-out workloads"},
             {(project.path() / ".holdfast" / "history.sqlite").string(), "held-out workloads"},
             {(project.path() / ".git").string(), "held-out workloads"},
             {(outside.path() / "link").string(), "held-out workloads"},
             {"/root", "a top folder"},
             {"/etc", "a top folder"},
             {"/proc/self", "the kernel"}}) {
        INFO(path);
        const Ran ran = told(path);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring("/sandbox/read/0") && ContainsSubstring(found));
    }
    const Ran missing = told("/var/tmp/no such folder");
    CHECK(missing.code == 0);
    CHECK_THAT(missing.out, ContainsSubstring("warning") && ContainsSubstring("No such file"));
    if (const Ran secret = told("/etc/shadow"); ::geteuid() == 0)
        CHECK_THAT(secret.out, ContainsSubstring("cannot read /etc/shadow") && !ContainsSubstring("chmod"));
    CHECK_THAT(told((project.path() / "data").string()).err + told((project.path() / "data").string()).out,
               !ContainsSubstring("top folder"));
    told((project.path() / ".holdfast").string());
    check_situation({"measuring with it",
                     {"measure", "--set", "size=9", "--rounds", "6"},
                     "refused",
                     "held-out workloads",
                     "Name a folder or file below it",
                     project.environment()},
                    project.path());
}
