// SPDX-License-Identifier: GPL-3.0-or-later
// A whole study where something is missing: room in the cache, the right to write into the project, name spaces.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <chrono>
#include <sstream>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> run_words = {"run", "--tuner", "patch", "--seed", "11"};
constexpr const char* cache = "/mnt"; ///< in the surroundings that shell_in() makes

/// A shell in other surroundings than this test's: `options` of bubblewrap over the host's file system.
Ran shell_in(const std::vector<std::string>& options, const std::string& script, const CounterProject& project,
             const std::vector<std::string>& more = {}) {
    std::vector<std::string> argv = {"bwrap", "--dev-bind", "/", "/"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {"--", "/bin/sh", "-c", script});
    auto environment = project.environment();
    environment.insert(environment.end(), more.begin(), more.end());
    return run_command(argv, project.path(), environment);
}

std::string quoted(const CounterProject& project, const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : project.command(words))
        line += "'" + word + "' ";
    return line;
}

void propose(const CounterProject& project) {
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
}

const json& undisturbed() {
    static const json decided = [] {
        const CounterProject project;
        propose(project);
        const Ran ran = project.holdfast(run_words);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return project.decisions();
    }();
    return decided;
}

void check_sound(const CounterProject& project) {
    const Ran audit = project.holdfast({"audit"});
    INFO(audit.out << audit.err);
    CHECK(audit.code == 0);
}

std::vector<std::string> room(std::size_t bytes) {
    return {"--size", std::to_string(bytes), "--tmpfs", cache, "--chmod", "0755", cache};
}

const std::string in_cache = std::string("HOLDFAST_CACHE=") + cache + "/cache";

/// What a whole study leaves in its cache.
std::size_t bytes_of_a_cache() {
    const CounterProject project;
    propose(project);
    const Ran ran =
        shell_in(room(std::size_t(1) << 30),
                 quoted(project, run_words) + "> /mnt/told; code=$?; du -sB1 /mnt; exit $code", project, {in_cache});
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    return std::stoull(ran.out);
}

} // namespace

TEST_CASE("a full cache ends a study in words, and with room it is decided as ever") {
    const std::size_t whole = bytes_of_a_cache();
    for (const std::size_t percent : {30, 99}) {
        const std::size_t bytes = std::max<std::size_t>(whole / 100 * percent, 16 << 10);
        INFO(percent << " % of " << whole);
        const CounterProject project;
        propose(project);
        const Ran full = shell_in(room(bytes), quoted(project, run_words), project, {in_cache});
        INFO(full.out << full.err);
        if (full.code != 0) {
            CHECK((full.code == 1 || full.code == 3));
            CHECK_THAT(full.err, ContainsSubstring("No space left") || ContainsSubstring("disk is full"));
        }
        if (percent < 50)
            CHECK(full.code != 0);
        check_sound(project);
        if (full.code != 0) {
            const Ran resumed = project.holdfast({"run", "--resume"});
            const Ran again = resumed.code == 0 ? resumed : project.holdfast(run_words);
            INFO(resumed.err << again.err);
            CHECK(again.code == 0);
        }
        CHECK(project.decisions() == undisturbed());
        check_sound(project);
    }
}

TEST_CASE("a project that may only be read is reported, and nothing is run in it") {
    const CounterProject project;
    propose(project);
    REQUIRE(project.holdfast(run_words).code == 0);
    const std::string place = project.path().string();
    const auto read_only = [&](const std::vector<std::string>& words) {
        return shell_in({"--ro-bind", place, place}, quoted(project, words), project);
    };
    for (const std::vector<std::string>& words : {std::vector<std::string>{"validate"},
                                                  {"trials"},
                                                  {"show", "1"},
                                                  {"audit"},
                                                  {"export", "1", "--format", "markdown"},
                                                  {"history"}}) {
        const Ran read = read_only(words);
        INFO(words.front() << ": " << read.out << read.err);
        CHECK(read.code == 0);
        CHECK(read.out == project.holdfast(words).out);
    }
    for (const std::vector<std::string>& words :
         {run_words, {"propose", "--set", "size=7"}, {"measure", "--set", "size=7"}, {"calibrate"}}) {
        const Ran written = read_only(words);
        INFO(words.front() << ": " << written.out << written.err);
        CHECK(written.code != 0);
        CHECK_THAT(written.err, ContainsSubstring("ead-only") && ContainsSubstring(place));
    }
    CHECK(project.decisions() == undisturbed());
}

TEST_CASE(
    "without name spaces a study runs once the person accepts it, is marked, and a doctor beside it harms nothing") {
    const CounterProject project;
    propose(project);
    // As where bubblewrap is not installed.
    const std::vector<std::string> without = {"--ro-bind", "/dev/null", "/usr/bin/bwrap"};
    const auto words_with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const Ran refused = shell_in(without, quoted(project, run_words), project);
    INFO(refused.out << refused.err);
    CHECK(refused.code == 4);
    CHECK_THAT(refused.err, ContainsSubstring("--accept-isolation L2") && ContainsSubstring("bubblewrap"));

    const std::vector<std::string> accepting = words_with(run_words, {"--accept-isolation", "L2"});
    const Ran ran = shell_in(without,
                             "while ! [ -e stop ]; do " + quoted(project, {"doctor"}) + " > /dev/null; done & " +
                                 quoted(project, accepting) + "; code=$?; touch stop; wait; rm stop; exit $code",
                             project);
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(project.decisions() == undisturbed());
    check_sound(project);
    CHECK_THAT(project.holdfast({"show", "1"}).out, ContainsSubstring("isolation L2"));
}
