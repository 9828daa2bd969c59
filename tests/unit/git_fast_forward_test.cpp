// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/writer.hpp"
#include "tests/catch.h"
#include "tests/unit/git_fixture.hpp"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace holdfast;
using git::Changes;
using git::Writer;
using test::faults;
using test::line;
using test::need;
using test::open_repository;
using test::ScratchFolder;
using test::ScratchRepository;
using test::tester;

namespace {

void fill(const ScratchRepository& scratch) {
    scratch.write("src/main.c", "int slow;\n");
    scratch.write("src/old.c", "int old;\n");
    scratch.write("README", "text\n");
    scratch.commit("First");
}

const Changes change{{"src/main.c", "int fast;\n"}, {"src/old.c", std::nullopt}, {"new/file.txt", "new\n"}};

/// A commit on HEAD that no branch names.
std::string prepared(const std::filesystem::path& folder, const Changes& changes = change) {
    const auto repository = open_repository(folder);
    const Writer writer(repository);
    const auto base = need(repository.resolve());
    return need(writer.commit({need(writer.tree_with(base, changes)), {base.id}, tester, "Faster\n"})).id;
}

/// Everything that a refusal must leave as it was.
std::string state(const ScratchRepository& scratch) {
    return scratch.git({"status", "--porcelain=v2", "--branch", "--ignored"}) + scratch.git({"diff"}) +
           scratch.git({"for-each-ref"}) + test::read_text(scratch.path() / "new/file.txt");
}

/// The refusal's words, after a check that nothing has changed.
std::string refusal(const ScratchRepository& scratch, const std::string& to) {
    const auto before = state(scratch);
    const auto done = Writer(open_repository(scratch.path())).fast_forward(to, "x");
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == Error::Kind::refused);
    CHECK_FALSE(done.error().remedy.empty());
    CHECK(state(scratch) == before);
    return done.error().message();
}

} // namespace

TEST_CASE("a fast-forward moves branch, index and files, and leaves the rest") {
    const ScratchRepository scratch;
    fill(scratch);
    scratch.write("untracked", "mine\n");
    const auto to = prepared(scratch.path());
    const auto repository = open_repository(scratch.path());
    REQUIRE(Writer(repository).fast_forward(to, "holdfast: apply 3"));
    CHECK(line(scratch, {"rev-parse", "main"}) == to);
    CHECK(scratch.git({"status", "--porcelain"}) == "?? untracked\n");
    CHECK(test::read_text(scratch.path() / "src/main.c") == "int fast;\n");
    CHECK(test::read_text(scratch.path() / "new/file.txt") == "new\n");
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "src/old.c"));
    CHECK_THAT(scratch.git({"reflog", "show", "main"}), ContainsSubstring("holdfast: apply 3"));
    CHECK_THAT(scratch.git({"reflog", "show", "HEAD"}), ContainsSubstring("holdfast: apply 3"));
    CHECK(faults(scratch).empty());
    CHECK(Writer(repository).fast_forward(to, "again")); // nothing to do
    const auto next = prepared(scratch.path(), {{"src/main.c", "int faster;\n"}});
    CHECK(Writer(repository).fast_forward(next, "the same handle"));
    CHECK(scratch.git({"status", "--porcelain"}) == "?? untracked\n");
}

TEST_CASE("a fast-forward is refused before anything is written") {
    const ScratchRepository scratch;
    fill(scratch);
    const auto to = prepared(scratch.path());
    SECTION("detached HEAD") {
        scratch.git({"checkout", "-q", "--detach"});
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("detached"));
    }
    SECTION("changed files, of which five are named") {
        for (int i = 0; i < 7; ++i)
            scratch.write("many/" + std::to_string(i), "x\n");
        scratch.commit("Many");
        const auto next = prepared(scratch.path());
        for (int i = 0; i < 7; ++i)
            scratch.write("many/" + std::to_string(i), "changed\n");
        const auto words = refusal(scratch, next);
        CHECK_THAT(words, ContainsSubstring("many/0, many/1, many/2, many/3, many/4 and more") &&
                              ContainsSubstring("git stash"));
        CHECK(words.find("many/5") == std::string::npos);
    }
    SECTION("a staged file") {
        scratch.write("README", "staged\n");
        scratch.git({"add", "README"});
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("README"));
    }
    SECTION("a removed file") {
        scratch.remove("README");
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("README"));
    }
    SECTION("an untracked file in the way") {
        scratch.write("new/file.txt", "mine\n");
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("new/file.txt"));
    }
    SECTION("an ignored file in the way") {
        scratch.write(".git/info/exclude", "new/\n");
        scratch.write("new/file.txt", "mine\n");
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("new"));
    }
    SECTION("an untracked file where a folder must be") {
        scratch.write("new", "mine\n");
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("new"));
        CHECK(test::read_text(scratch.path() / "new") == "mine\n");
    }
    SECTION("a link out of the repository where a folder must be") {
        const ScratchFolder outside;
        std::filesystem::create_directory_symlink(outside.path(), scratch.path() / "new");
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("new"));
        CHECK(std::filesystem::is_empty(outside.path()));
    }
    SECTION("a commit that is not based on the branch") {
        scratch.write("README", "moved on\n");
        scratch.commit("Second");
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("not based on main"));
    }
    SECTION("a merge in progress") {
        scratch.git({"branch", "side"});
        scratch.git({"commit", "-q", "--allow-empty", "-m", "Ours"});
        const auto next = prepared(scratch.path());
        scratch.git({"checkout", "-q", "side"});
        scratch.git({"commit", "-q", "--allow-empty", "-m", "Theirs"});
        scratch.git({"checkout", "-q", "main"});
        scratch.git({"merge", "-q", "--no-commit", "--no-ff", "side"});
        CHECK_THAT(refusal(scratch, next), ContainsSubstring("in progress"));
    }
    SECTION("another git program at work") {
        scratch.write(".git/index.lock", "");
        const auto done = Writer(open_repository(scratch.path())).fast_forward(to, "x");
        REQUIRE_FALSE(done);
        CHECK_THAT(done.error().message(), ContainsSubstring("index.lock"));
        scratch.remove(".git/index.lock");
        CHECK(scratch.git({"status", "--porcelain"}).empty());
        CHECK(line(scratch, {"rev-parse", "main"}) != to);
    }
    SECTION("a branch that two working trees have checked out") {
        const ScratchFolder beside;
        scratch.git({"worktree", "add", "-q", "-f", (beside.path() / "second").string(), "main"});
        CHECK_THAT(refusal(scratch, to), ContainsSubstring("more than one working tree"));
    }
}

TEST_CASE("when the files cannot be written after the branch has moved, the told command finishes it") {
    const ScratchRepository scratch;
    fill(scratch);
    scratch.git({"config", "core.logAllRefUpdates", "false"}); // a log's line would be the first to find no room
    scratch.remove(".git/logs");
    const auto to = prepared(scratch.path(), {{"new/big.txt", std::string(5000, 'x')}});
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit room{200, 200}; // for the reference, not for the file
        ::setrlimit(RLIMIT_FSIZE, &room);
        const auto done = Writer(open_repository(scratch.path())).fast_forward(to, "x");
        ::_exit(!done && done.error().remedy.find("git reset --hard") != std::string::npos ? 0 : 1);
    }
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(line(scratch, {"rev-parse", "main"}) == to);
    scratch.git({"reset", "-q", "--hard"});
    CHECK(scratch.git({"status", "--porcelain"}).empty());
    CHECK(test::read_text(scratch.path() / "new/big.txt").size() == 5000);
    CHECK(faults(scratch).empty());
}

TEST_CASE("line endings are converted as git's checkout converts them") {
    const ScratchRepository scratch;
    SECTION("core.autocrlf") {
        scratch.git({"config", "core.autocrlf", "true"});
        fill(scratch);
    }
    SECTION("an attribute") {
        scratch.write(".gitattributes", "*.c text eol=crlf\n");
        fill(scratch);
    }
    scratch.remove("src");
    scratch.git({"checkout", "--", "src"});
    REQUIRE(test::read_text(scratch.path() / "src/main.c") == "int slow;\r\n");
    const auto to = prepared(scratch.path());
    REQUIRE(Writer(open_repository(scratch.path())).fast_forward(to, "x"));
    CHECK(test::read_text(scratch.path() / "src/main.c") == "int fast;\r\n");
    CHECK(scratch.git({"status", "--porcelain"}).empty());
}

TEST_CASE("a submodule with work in it neither stops a fast-forward nor is touched by it") {
    const ScratchRepository scratch, module;
    module.write("m", "m\n");
    module.commit("Module");
    fill(scratch);
    scratch.git({"submodule", "add", "-q", module.path().string(), "module"});
    scratch.commit("Submodule");
    scratch.write("module/m", "work\n");
    const auto to = prepared(scratch.path());
    REQUIRE(Writer(open_repository(scratch.path())).fast_forward(to, "x"));
    CHECK(test::read_text(scratch.path() / "module/m") == "work\n");
    CHECK(scratch.git({"status", "--porcelain"}) == " M module\n");
}

TEST_CASE("a linked working tree and a shallow clone are fast-forwarded too") {
    const ScratchRepository scratch;
    fill(scratch);
    scratch.write("README", "second\n");
    scratch.commit("Second");
    const ScratchFolder beside;
    const auto folder = beside.path() / "other";
    const bool linked = GENERATE(true, false);
    if (linked)
        scratch.git({"worktree", "add", "-q", "-b", "topic", folder.string()});
    else
        scratch.git({"clone", "-q", "--depth", "1", "file://" + scratch.path().string(), folder.string()});
    const auto to = prepared(folder);
    REQUIRE(Writer(open_repository(folder / "src")).fast_forward(to, "x")); // from a folder inside it
    CHECK(test::run_program({"git", "rev-parse", linked ? "topic" : "main"}, folder).output == to + "\n");
    CHECK(test::run_program({"git", "status", "--porcelain"}, folder).output.empty());
    CHECK(test::read_text(folder / "src/main.c") == "int fast;\n");
    CHECK(scratch.git({"status", "--porcelain"}).empty());
    CHECK(line(scratch, {"rev-parse", "main"}) != to);
}
