// SPDX-License-Identifier: GPL-3.0-or-later
// Cleaning up the cache folder: what is said, what is freed, what never is, and that studies go on afterwards.
#include "db/lock.hpp"
#include "sandbox/trash.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/own_cache.hpp"
#include "tests/integration/reviewed_project.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path& cache() {
    return own_cache();
}

std::set<std::string> everything_in_cache() {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(cache()))
        names.insert(entry.path().lexically_relative(cache()).string());
    return names;
}

/// An empty cache, whatever an earlier case left there.
void clear_cache() {
    fs::remove_all(cache());
    fs::create_directory(cache());
    fs::permissions(cache(), fs::perms(::geteuid() == 0 ? 0711 : 0700));
}

/// A folder of the cache that looks like a project's.
fs::path workspace(const std::string& name = "0123456789abcdef") {
    fs::create_directories(cache() / name / "trees");
    return cache() / name;
}

json gc(const CounterProject& project, std::vector<std::string> words) {
    words.insert(words.begin(), "gc");
    return project.document(words);
}

json kind(const json& document, const std::string& name) {
    for (const json& each : document.at("kinds"))
        if (each.at("kind") == name)
            return each;
    return nullptr;
}

std::vector<std::string> measure_words() {
    return {"measure", "--set", "size=9", "--rounds", "6"};
}

/// Folders in folders, whose path is longer than any system call takes.
void make_deep(const fs::path& folder, int depth) {
    sandbox::Descriptor at = sandbox::open_folder(folder);
    for (int i = 0; i < depth; ++i) {
        REQUIRE(::mkdirat(at.get(), "deep", 0755) == 0);
        at = sandbox::open_folder(at.get(), "deep");
    }
}

void make_old() {
    REQUIRE(run_command({"find", cache().string(), "-exec", "touch", "-h", "-d", "10 days ago", "{}", "+"}, "/").code ==
            0);
}

} // namespace

TEST_CASE("gc says what it would free and changes nothing; with --yes it frees, and measuring goes on") {
    clear_cache();
    const CounterProject project;
    REQUIRE(project.holdfast(measure_words()).code == 0);
    const auto before = everything_in_cache();
    json document = gc(project, {});
    CHECK(document.at("freed").at("items") == 0); // all of it is younger than seven days
    document = gc(project, {"--dry-run", "--keep", "0"});
    CHECK(document.at("applied") == false);
    for (const char* name : {"exported trees", "builds", "pinned inputs", "expected outputs"}) {
        INFO(name);
        REQUIRE(kind(document, name).is_object());
        CHECK(kind(document, name).at("freed").at("items").get<int>() > 0);
        CHECK(kind(document, name).at("freed").at("bytes").get<int>() > 0);
        CHECK(kind(document, name).at("kept").at("items") == 0);
    }
    CHECK(everything_in_cache() == before);
    const Ran text = project.holdfast({"gc", "--keep", "0"});
    CHECK_THAT(text.out, ContainsSubstring("would free"));
    CHECK_THAT(text.out, ContainsSubstring("holdfast gc --yes"));

    make_old();
    document = gc(project, {"--yes"});
    CHECK(document.at("applied") == true);
    CHECK(document.at("kept").at("items") == 0);
    CHECK(gc(project, {"--keep", "0"}).at("freed").at("items") == 0);
    CHECK(fs::is_empty(cache() / ".trash"));
    CHECK(project.holdfast({"gc", "--yes", "--dry-run"}).code == 2);

    CHECK(project.holdfast(measure_words()).code == 0);
    CHECK(project.holdfast({"audit"}).code == 0);
    CHECK(project.document({"trials"}).at("trials").size() == 2);
}

TEST_CASE("gc refuses while a study measures or a history is being written, and names what to do") {
    clear_cache();
    const CounterProject project;
    REQUIRE(project.holdfast(measure_words()).code == 0);
    const auto before = everything_in_cache();
    SECTION("the machine's lock") {
        const std::string lock = project.environment().front().substr(std::string("HOLDFAST_LOCK=").size());
        const sandbox::Descriptor file(::open(lock.c_str(), O_RDONLY | O_CLOEXEC));
        REQUIRE(::flock(file.get(), LOCK_EX | LOCK_NB) == 0);
        const Ran ran = project.holdfast({"gc", "--yes", "--keep", "0"});
        CHECK(ran.code == 4);
        CHECK_THAT(ran.err, ContainsSubstring("is measuring. Wait until it has finished"));
        CHECK(project.holdfast({"gc", "--keep", "0"}).code == 0); // looking is allowed
    }
    SECTION("a history's lock") {
        const auto lock = db::WriterLock::take(project.path() / ".holdfast" / "history.sqlite");
        REQUIRE(lock);
        const Ran ran = project.holdfast({"gc", "--yes", "--keep", "0"});
        CHECK(ran.code == 4);
        CHECK_THAT(ran.err, ContainsSubstring("Wait until it has finished"));
        CHECK(project.holdfast({"gc", "--yes", "--history"}).code == 4);
    }
    auto after = everything_in_cache();
    after.erase(".trash");
    CHECK(after == before);
}

TEST_CASE("what belongs to a project whose folder is not there is kept as long as anything else") {
    clear_cache();
    const CounterProject here;
    REQUIRE(here.holdfast(measure_words()).code == 0);
    {
        const CounterProject gone;
        REQUIRE(gone.holdfast(measure_words()).code == 0);
        CHECK(kind(gc(here, {}), "trees of a project that is gone").is_null());
    }
    json document = gc(here, {"--yes"}); // it may have moved, or is not mounted
    CHECK(kind(document, "trees of a project that is gone").at("kept").at("items") == 1);
    CHECK(document.at("freed").at("items") == 0);
    document = gc(here, {"--keep", "0"});
    CHECK(kind(document, "trees of a project that is gone").at("freed").at("items") == 1);
    make_old();
    REQUIRE(here.holdfast(measure_words()).code == 0);
    document = gc(here, {"--yes"});
    CHECK(kind(document, "trees of a project that is gone").at("freed").at("items") == 1);
    CHECK(kind(gc(here, {"--keep", "0"}), "trees of a project that is gone").is_null());
    CHECK(here.holdfast(measure_words()).code == 0);
}

TEST_CASE("what Holdfast did not make stays, and no link leads out of the cache") {
    clear_cache();
    const CounterProject project;
    const ScratchFolder outside;
    write_text(outside.path() / "precious", "mine");
    write_text(cache() / "notes.txt", "mine too");
    fs::create_directory(cache() / "my folder");
    fs::create_directory(cache() / "fedcba9876543210"); // no trees in it
    fs::create_directory_symlink(outside.path(), cache() / "00000000000000aa");
    fs::create_directory_symlink(outside.path(), cache() / "bin-00000000000000aa");
    fs::create_directories(cache() / "1111111111111111");
    fs::create_directory_symlink(outside.path(), cache() / "1111111111111111" / "trees");
    const fs::path own = workspace();
    write_text(own / "project", outside.path().string()); // claims another project: its name says no
    fs::create_directory_symlink(outside.path(), own / "trees" / "link");
    fs::create_directory_symlink(outside.path(), own / "builds");
    const json document = gc(project, {"--yes", "--keep", "0"});
    CHECK(document.at("foreign").size() == 6);
    CHECK(kind(document, "trees of an unknown project").at("freed").at("items") == 1);
    CHECK_FALSE(fs::exists(own));
    CHECK(read_text(outside.path() / "precious") == "mine");
    CHECK(read_text(cache() / "notes.txt") == "mine too");
    CHECK(fs::is_symlink(cache() / "00000000000000aa"));
    CHECK(fs::is_symlink(cache() / "1111111111111111" / "trees"));
}

TEST_CASE("a trash that is a link is refused") {
    clear_cache();
    const CounterProject project;
    const ScratchFolder outside;
    write_text(outside.path() / "precious", "mine");
    fs::create_directory_symlink(outside.path(), cache() / ".trash");
    workspace();
    const Ran ran = project.holdfast({"gc", "--yes", "--keep", "0"});
    CHECK(ran.code == 4);
    CHECK(read_text(outside.path() / "precious") == "mine");
    CHECK(fs::exists(cache() / "0123456789abcdef"));
}

TEST_CASE("trees that a candidate made hard to remove go too") {
    clear_cache();
    const CounterProject project;
    const fs::path trees = workspace() / "trees";
    REQUIRE(run_command({"/bin/sh", "-c",
                         "mkdir closed && mkdir closed/in && touch closed/in/x && chmod 000 closed/in closed\n"
                         "mkdir -- '-rf' && touch \"$(printf 'a\\nb\\033[31m')\""},
                        trees)
                .code == 0);
    make_deep(trees, 3000);
    const json said = gc(project, {"--keep", "0"});
    CHECK(said.at("freed").at("whole") == false); // deeper than what is measured
    const Ran ran = project.holdfast({"gc", "--yes", "--keep", "0"});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, !ContainsSubstring("\x1b"));
    CHECK_FALSE(fs::exists(trees));
    CHECK(fs::is_empty(cache() / ".trash"));
}

TEST_CASE("a time in the future does not keep a tree, and sizes count a file with two names once") {
    clear_cache();
    const fs::path trees = workspace() / "trees";
    write_text(trees / "one", std::string(1 << 20, 'x'));
    fs::create_hard_link(trees / "one", trees / "two");
    REQUIRE(run_command({"touch", "-d", "2099-01-01", (trees / "one").string()}, "/").code == 0);
    const sandbox::Descriptor parent = sandbox::open_folder(trees.parent_path());
    const auto size = sandbox::measure_tree(parent.get(), "trees");
    REQUIRE(size);
    CHECK(size->bytes >= 1U << 20);
    CHECK(size->bytes < 3U << 19);
    CHECK(size->changed <= std::time(nullptr));
    CHECK(size->whole);
}

TEST_CASE("gc killed at any moment leaves whole trees or trash, and the next one finishes") {
    clear_cache();
    const CounterProject project;
    for (int attempt = 0; attempt < 12; ++attempt) {
        const fs::path tree = workspace() / "trees" / "tree";
        for (int i = 0; i < 60; ++i)
            for (int j = 0; j < 20; ++j)
                write_text(tree / std::to_string(i) / std::to_string(j), "x");
        Command running(project.command({"gc", "--yes", "--keep", "0"}), project.path(), project.environment());
        running.wait_for(std::chrono::milliseconds(4 * attempt));
        running.signal(SIGKILL);
        running.wait();
        INFO(attempt);
        if (fs::exists(tree)) // not yet taken: as it was
            CHECK(std::distance(fs::recursive_directory_iterator(tree), fs::recursive_directory_iterator()) == 60 * 21);
    }
    const json document = gc(project, {"--yes", "--keep", "0"});
    CHECK(document.at("freed").at("whole") == true);
    CHECK_FALSE(fs::exists(cache() / "0123456789abcdef"));
    CHECK(fs::is_empty(cache() / ".trash"));
}

TEST_CASE("an approved trial is applied and exported after gc and compaction, and an interrupted study goes on") {
    clear_cache();
    const ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const json events = project.document({"audit"});
    const json freed = project.document({"gc", "--yes", "--keep", "0", "--history"});
    CHECK(freed.at("freed").at("items").get<int>() > 0);
    CHECK(freed.at("history").at("after") <= freed.at("history").at("before"));
    const json after = project.document({"audit"});
    CHECK(after == events);
    CHECK(project.holdfast({"export", "1", "--format", "patch"}).code == 0);
    CHECK(project.holdfast({"apply", "1"}).code == 0);
    CHECK(project.trial(1).at("applied").is_string());
    CHECK(project.holdfast({"revert", "1"}).code == 0);

    const CounterProject other;
    REQUIRE(other.holdfast({"propose", "--set", "size=9"}).code == 0);
    Command running(other.command({"run", "--trials", "30", "--seed", "5"}), other.path(), other.environment());
    while (!running.wait_for(std::chrono::milliseconds(20)))
        if (other.document({"trials"}).at("trials")[0].at("state") == "running")
            break;
    running.signal(SIGINT);
    REQUIRE(running.wait().code == 130);
    REQUIRE(other.holdfast({"gc", "--yes", "--keep", "0"}).code == 0);
    const Ran resumed = other.holdfast({"run", "--resume"});
    INFO(resumed.err);
    CHECK(resumed.code == 0);
    CHECK(other.holdfast({"audit"}).code == 0);
}

TEST_CASE("a history that was changed is not compacted") {
    clear_cache();
    const CounterProject project;
    REQUIRE(project.holdfast(measure_words()).code == 0);
    const fs::path history = project.path() / ".holdfast" / "history.sqlite";
    REQUIRE(run_command({"sqlite3", history.string(), "UPDATE trials SET tuner = 'nobody'"}, "/").code == 0);
    const Ran ran = project.holdfast({"gc", "--history", "--yes"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("holdfast audit"));
}
