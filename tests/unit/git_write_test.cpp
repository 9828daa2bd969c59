// SPDX-License-Identifier: GPL-3.0-or-later
// Objects and branches, checked by git itself.
#include "core/git/writer.hpp"
#include "tests/catch.h"
#include "tests/unit/git_fixture.hpp"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

using namespace holdfast;
using git::Changes;
using git::Repository;
using git::Writer;
using test::faults;
using test::line;
using test::need;
using test::open_repository;
using test::ScratchFolder;
using test::ScratchRepository;
using test::tester;

// libgit2 1.5 loses a match buffer of PCRE2 for each extension of a repository that it opens.
extern "C" const char* __lsan_default_suppressions() { // NOLINT(bugprone-reserved-identifier): the sanitizer's name
    return "leak:libpcre2";
}

namespace {

const std::string message = "Make it faster\n\nÜber-body.\n\nHoldfast-Trial: 1/3\n";

/// A commit of `changes` on HEAD, on no branch.
git::Commit commit_of(const Repository& repository, const Changes& changes, const std::string& text = message) {
    const Writer writer(repository);
    const auto base = need(repository.resolve());
    return need(writer.commit({need(writer.tree_with(base, changes)), {base.id}, tester, text}));
}

/// Commits and branches it as an apply does; the tests below look at what else has changed.
std::string write_branch(const Repository& repository) {
    const auto commit = commit_of(repository, {{"src/main.c", "int fast;\n"}, {"new/file.txt", "new\n"}});
    need(Writer(repository).set_branch("holdfast/1/3", std::nullopt, commit.id, "holdfast: apply 3"));
    return commit.id;
}

void fill(const ScratchRepository& scratch) {
    scratch.write("src/main.c", "int slow;\n");
    scratch.write("src/run.sh", "#!/bin/sh\n");
    std::filesystem::permissions(scratch.path() / "src/run.sh", std::filesystem::perms(0755));
    std::filesystem::create_symlink("src/main.c", scratch.path() / "link");
    scratch.write("README", "text\n");
    scratch.commit("First");
}

} // namespace

TEST_CASE("a stored tree is the computed one, and git finds every object of it") {
    const ScratchRepository scratch, module;
    module.write("m", "m\n");
    module.commit("Module");
    fill(scratch);
    scratch.git({"submodule", "add", "-q", module.path().string(), "module"});
    scratch.commit("Submodule");
    const auto repository = open_repository(scratch.path());
    const Writer writer(repository);
    const auto base = need(repository.resolve());
    const std::vector<Changes> cases{
        {},
        {{"src/main.c", "int fast;\r\n"}, {"src/run.sh", "#!/bin/sh\nexit"}},
        {{"src/main.c", std::string("\0binary", 7)}, {"a/b/c", ""}, {"README", std::nullopt}},
        {{"src/main.c", std::nullopt}, {"src/run.sh", std::nullopt}},
        {{"README", std::nullopt}, {"README/inner", "a folder now\n"}},
        {{"src/main.c", std::nullopt}, {"src/run.sh", std::nullopt}, {"src", "a file now\n"}},
    };
    for (const auto& changes : cases) {
        const auto tree = need(writer.tree_with(base, changes));
        CHECK(tree == need(repository.tree_with(base, changes)));
        CHECK(line(scratch, {"cat-file", "-t", tree}) == "tree");
        for (const auto& [path, content] : changes)
            if (content)
                CHECK(scratch.git({"cat-file", "blob", tree + ":" + path}) == *content);
        const auto listing = scratch.git({"ls-tree", "-r", tree});
        CHECK_THAT(listing, ContainsSubstring("120000 blob") && ContainsSubstring("160000 commit"));
        CHECK((listing.find("src/run.sh") == std::string::npos || listing.find("100755 blob") != std::string::npos));
    }
    const auto all_gone = need(writer.tree_with(base, {{"README", std::nullopt}}));
    CHECK(scratch.git({"ls-tree", all_gone}).find("README") == std::string::npos);
    CHECK_FALSE(writer.tree_with(base, {{"link", "through the link"}}));
    CHECK_FALSE(writer.tree_with(base, {{"module", "over the module"}}));
    CHECK_FALSE(writer.tree_with(base, {{"../outside", ""}}));
    CHECK_FALSE(writer.tree_with(base, {{"missing", std::nullopt}}));
    CHECK(faults(scratch).empty());
}

TEST_CASE("a commit has the message byte for byte, one person, and the parents") {
    const ScratchRepository scratch;
    fill(scratch);
    scratch.git({"config", "commit.gpgsign", "true"});
    scratch.git({"config", "i18n.commitEncoding", "ISO-8859-1"});
    const auto repository = open_repository(scratch.path());
    const auto base = need(repository.resolve());
    const auto commit = commit_of(repository, {{"README", "other\n"}});
    const auto raw = scratch.git({"cat-file", "commit", commit.id});
    CHECK_THAT(raw, ContainsSubstring("parent " + base.id) && ContainsSubstring("tree " + commit.tree) &&
                        ContainsSubstring("author Tess Ter <tess@example.org> ") &&
                        ContainsSubstring("committer Tess Ter <tess@example.org> "));
    CHECK(raw.substr(raw.find("\n\n") + 2) == message);
    CHECK(raw.find("encoding") == std::string::npos);
    const auto details = need(repository.details(commit));
    CHECK(details.message == message);
    CHECK(details.parents == std::vector<std::string>{base.id});
    CHECK(faults(scratch).empty());

    const Writer writer(repository);
    const auto with = [&](const git::Identity& author, const std::string& text) {
        return writer.commit({base.tree, {base.id}, author, text});
    };
    for (const auto& author : std::vector<git::Identity>{
             {"", "a@b"}, {"  ", "a@b"}, {"A", ""}, {"A <x>", "a@b"}, {"A\nB", "a@b"}, {"A", "a@b\ncommitter x"}}) {
        const auto refused = with(author, "text");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == Error::Kind::invalid);
        CHECK_THAT(refused.error().remedy, ContainsSubstring("git config"));
    }
    CHECK_FALSE(with(tester, " \n"));
    CHECK_FALSE(with(tester, "\xff"));
    CHECK_FALSE(with(tester, std::string("a\0b", 3)));
    CHECK_FALSE(writer.commit({base.id, {base.id}, tester, "a commit is no tree"}));
    CHECK_FALSE(writer.commit({base.tree, {base.tree}, tester, "a tree is no parent"}));
    CHECK_FALSE(writer.commit({base.tree, {std::string(40, '1')}, tester, "no such parent"}));
}

TEST_CASE("a branch is made and moved without a change to the working tree, the index or another branch") {
    const ScratchRepository scratch;
    fill(scratch);
    scratch.write("src/main.c", "int dirty;\n");
    scratch.write("README", "staged\n");
    scratch.git({"add", "README"});
    scratch.write("untracked", "mine\n");
    // A hook that would show itself.
    for (const char* hook : {"pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-checkout"}) {
        const std::string path = ".git/hooks/" + std::string(hook);
        scratch.write(path, "#!/bin/sh\ntouch \"$GIT_DIR/hook-ran\" hook-ran\n");
        std::filesystem::permissions(scratch.path() / path, std::filesystem::perms(0755));
    }
    const auto status = scratch.git({"status", "--porcelain=v2", "--branch"});
    const auto index = test::read_text(scratch.path() / ".git/index");
    std::filesystem::remove(scratch.path() / ".git/hook-ran");
    std::filesystem::remove(scratch.path() / "hook-ran");

    const auto repository = open_repository(scratch.path());
    const auto id = write_branch(repository);
    CHECK_FALSE(std::filesystem::exists(scratch.path() / ".git/hook-ran"));
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "hook-ran"));
    CHECK(test::read_text(scratch.path() / ".git/index") == index);
    CHECK(scratch.git({"status", "--porcelain=v2", "--branch"}) == status);
    CHECK(test::read_text(scratch.path() / "src/main.c") == "int dirty;\n");
    CHECK(line(scratch, {"rev-parse", "holdfast/1/3"}) == id);
    CHECK_THAT(scratch.git({"reflog", "show", "holdfast/1/3"}), ContainsSubstring("holdfast: apply 3"));
    CHECK(scratch.git({"diff", "--stat", "main", "holdfast/1/3"}).find("README") == std::string::npos);

    scratch.git({"pack-refs", "--all"});
    const auto next = commit_of(repository, {{"README", "two\n"}});
    REQUIRE(Writer(repository).set_branch("holdfast/1/3", id, next.id, "two"));
    CHECK(line(scratch, {"rev-parse", "holdfast/1/3"}) == next.id);
    CHECK(faults(scratch).empty());
}

TEST_CASE("a branch that is not what was expected stays as it is, packed or not") {
    const ScratchRepository scratch;
    fill(scratch);
    const auto repository = open_repository(scratch.path());
    const Writer writer(repository);
    const auto id = write_branch(repository);
    const auto next = commit_of(repository, {{"README", "two\n"}}).id;
    for (int packed = 0; packed < 2; ++packed) {
        if (packed == 1)
            scratch.git({"pack-refs", "--all"});
        const auto exists = writer.set_branch("holdfast/1/3", std::nullopt, next, "x");
        REQUIRE_FALSE(exists);
        CHECK(exists.error().kind == Error::Kind::refused);
        CHECK_THAT(exists.error().message(), ContainsSubstring("exists already, at " + id));
        const auto stale = writer.set_branch("holdfast/1/3", next, next, "x");
        REQUIRE_FALSE(stale);
        CHECK_THAT(stale.error().message(), ContainsSubstring("has moved") && ContainsSubstring(id));
        const auto gone = writer.set_branch("holdfast/1/4", id, next, "x");
        REQUIRE_FALSE(gone);
        CHECK_THAT(gone.error().message(), ContainsSubstring("gone"));
        CHECK(line(scratch, {"rev-parse", "holdfast/1/3"}) == id);
    }
    CHECK_FALSE(writer.set_branch("new", std::nullopt, std::string(40, '1'), "no such commit"));
    CHECK_FALSE(writer.set_branch("new", std::nullopt, need(repository.resolve()).tree, "a tree"));
    scratch.git({"symbolic-ref", "refs/heads/alias", "refs/heads/holdfast/1/3"});
    CHECK_THAT(writer.set_branch("alias", id, next, "x").error().message(), ContainsSubstring("another name"));
    for (const std::string name : {"", "a..b", "-x", "a b", "a/", "/a", "HEAD", "x.lock", "a~1", "@{-1}", "a\nb"})
        CHECK(writer.set_branch(name, std::nullopt, next, "x").error().kind == Error::Kind::invalid);
    CHECK_FALSE(writer.set_branch(std::string("a\0b", 3), std::nullopt, next, "x"));
    CHECK(line(scratch, {"rev-parse", "holdfast/1/3"}) == id);
}

TEST_CASE("a branch whose name is the other's folder is named with its remedy") {
    const ScratchRepository scratch;
    fill(scratch);
    const auto repository = open_repository(scratch.path());
    const auto id = need(repository.resolve()).id;
    for (int packed = 0; packed < 2; ++packed) {
        scratch.git({"branch", "holdfast"});
        if (packed == 1)
            scratch.git({"pack-refs", "--all"});
        const auto blocked = Writer(repository).set_branch("holdfast/1/3", std::nullopt, id, "x");
        REQUIRE_FALSE(blocked);
        CHECK(blocked.error().kind == Error::Kind::refused);
        CHECK_THAT(blocked.error().message(), ContainsSubstring("git branch -m 'holdfast'"));
        scratch.git({"branch", "-D", "holdfast"});
        scratch.git({"branch", "holdfast/1/3/deep"});
        if (packed == 1)
            scratch.git({"pack-refs", "--all"});
        CHECK_THAT(Writer(repository).set_branch("holdfast/1/3", std::nullopt, id, "x").error().message(),
                   ContainsSubstring("'holdfast/1/3/deep'"));
        scratch.git({"branch", "-D", "holdfast/1/3/deep"});
    }
    REQUIRE(Writer(repository).set_branch("holdfast/1/3", std::nullopt, id, "x"));
}

TEST_CASE("a branch that any working tree has checked out is not moved") {
    const ScratchRepository scratch;
    fill(scratch);
    const ScratchFolder beside;
    const auto linked = beside.path() / "linked";
    scratch.git({"worktree", "add", "-q", "-b", "topic", linked.string()});
    scratch.git({"branch", "free"});
    for (const auto& folder : {scratch.path(), linked}) {
        const auto repository = open_repository(folder);
        const auto id = need(repository.resolve()).id;
        CHECK(need(repository.checked_out("main")));
        CHECK(need(repository.checked_out("topic")));
        CHECK_FALSE(need(repository.checked_out("free")));
        CHECK_FALSE(need(repository.checked_out("absent")));
        const auto refused = Writer(repository).set_branch("topic", id, id, "x");
        REQUIRE_FALSE(refused);
        CHECK_THAT(refused.error().message(), ContainsSubstring(linked.string()) && ContainsSubstring("git switch"));
        CHECK_THAT(Writer(repository).set_branch("main", id, id, "x").error().message(),
                   ContainsSubstring(scratch.path().string()));
    }
    // HEAD on a branch that has no commit yet.
    scratch.git({"checkout", "-q", "--orphan", "coming"});
    const auto repository = open_repository(linked);
    CHECK(need(repository.checked_out("coming")));
    CHECK_FALSE(Writer(repository).set_branch("coming", std::nullopt, need(repository.resolve()).id, "x"));
}

TEST_CASE("a branch can be written in every kind of clone") {
    const ScratchRepository origin;
    fill(origin);
    origin.write("README", "second\n");
    origin.commit("Second");
    const ScratchFolder beside;
    const auto folder = beside.path() / "clone";
    const std::string url = "file://" + origin.path().string();
    const auto check = [&](const std::filesystem::path& project, const std::filesystem::path& git_folder) {
        const auto id = write_branch(open_repository(project));
        const auto git = [&](std::vector<std::string> words) {
            words.insert(words.begin(), "git");
            return test::run_program(words, git_folder);
        };
        CHECK(git({"rev-parse", "holdfast/1/3"}).output == id + "\n");
        CHECK(git({"fsck", "--strict", "--no-dangling"}).status == 0);
        CHECK(git({"log", "-1", "--format=%an"}).output == "Scratch Author\n"); // HEAD is where it was
        return git({"status", "--porcelain"}).output;
    };
    SECTION("detached") {
        origin.git({"checkout", "-q", "--detach"});
        CHECK(check(origin.path(), origin.path()).empty());
    }
    SECTION("shallow") {
        origin.git({"clone", "-q", "--depth", "1", url, folder.string()});
        CHECK(check(folder, folder).empty());
    }
    SECTION("a project in a subfolder") {
        CHECK(check(origin.path() / "src", origin.path()).empty());
    }
    SECTION("a linked working tree") {
        origin.git({"worktree", "add", "-q", "--detach", folder.string()});
        CHECK(check(folder, folder).empty());
    }
    SECTION("a working tree of a bare repository") {
        const auto bare = beside.path() / "bare.git";
        origin.git({"clone", "-q", "--bare", url, bare.string()});
        REQUIRE(test::run_program({"git", "worktree", "add", "-q", "-b", "work", folder.string()}, bare).status == 0);
        const auto repository = open_repository(folder);
        CHECK(need(repository.checked_out("work")));
        CHECK_FALSE(need(repository.checked_out("main"))); // a bare repository's HEAD is nobody's working tree
        CHECK(check(folder, folder).empty());
        CHECK(Writer(repository)
                  .set_branch("main", need(repository.branch("main"))->id, need(repository.branch("holdfast/1/3"))->id,
                              "x"));
    }
}

TEST_CASE("of several writers at once exactly one makes, and one moves, the branch") {
    const ScratchRepository scratch;
    fill(scratch);
    const auto main = open_repository(scratch.path());
    constexpr std::size_t writers = 4, rounds = 25;
    std::vector<std::string> commits;
    std::vector<Repository> repositories;
    for (std::size_t i = 0; i < writers; ++i) {
        commits.push_back(commit_of(main, {{"README", "writer " + std::to_string(i) + "\n"}}).id);
        repositories.push_back(open_repository(scratch.path())); // a handle of its own, as another process has
    }
    std::optional<std::string> tip;
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::string branch = round % 2 == 0 ? "holdfast/1/" + std::to_string(round) : "moved";
        const auto expected = round % 2 == 0 ? std::nullopt : tip;
        std::vector<int> won(writers, 0);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < writers; ++i)
            threads.emplace_back([&, i] {
                // Not the tip itself: that would be no change, and the next writer's expectation would still hold.
                const auto& commit = expected == commits[i] ? commits[(i + 1) % writers] : commits[i];
                won[i] = Writer(repositories[i]).set_branch(branch, expected, commit, "race") ? 1 : 0;
            });
        for (auto& thread : threads)
            thread.join();
        CHECK(std::count(won.begin(), won.end(), 1) == 1);
        if (round % 2 == 1)
            tip = line(scratch, {"rev-parse", "moved"});
    }
    CHECK(faults(scratch).empty());
}

TEST_CASE("a locked branch and an object store that takes nothing are told with a remedy") {
    const ScratchRepository scratch;
    fill(scratch);
    const auto repository = open_repository(scratch.path());
    const auto base = need(repository.resolve());
    scratch.write(".git/refs/heads/held.lock", "");
    const auto locked = Writer(repository).set_branch("held", std::nullopt, base.id, "x");
    REQUIRE_FALSE(locked);
    CHECK(locked.error().kind == Error::Kind::refused);
    CHECK_THAT(locked.error().message(), ContainsSubstring("held.lock"));

    // A full disk as a process sees it that may write no bytes, root or not.
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_FSIZE, &none);
        const auto tree = Writer(repository).tree_with(base, {{"README", "no room\n"}});
        const bool told = !tree && tree.error().message().find("space") != std::string::npos &&
                          tree.error().message().find("objects") != std::string::npos;
        ::_exit(told ? 0 : 1);
    }
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);

    // A store whose folders cannot be made: what a read-only one comes to, also for root.
    std::filesystem::rename(scratch.path() / ".git/objects", scratch.path() / ".git/kept");
    scratch.write(".git/objects", "not a folder");
    const auto tree = Writer(repository).tree_with(base, {});
    CHECK_FALSE(tree);
    CHECK_FALSE(tree.error().message().empty());
}
