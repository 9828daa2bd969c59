// SPDX-License-Identifier: GPL-3.0-or-later
// Revisions by name, and branches as patches.
#include "core/git/diff.hpp"
#include "core/git/patch.hpp"
#include "core/git/revision_patch.hpp"
#include "tests/catch.h"
#include "tests/unit/git_fixture.hpp"

using namespace holdfast;
using namespace holdfast::test;
using git::Repository;

namespace {

const git::PatchRules anything{"", {"**"}, {}, 1 << 20, 200};

std::string twenty_lines(const std::string& third = "line 3", const std::string& last = "line 20") {
    std::string text;
    for (int i = 1; i <= 20; ++i)
        text += (i == 3 ? third : i == 20 ? last : "line " + std::to_string(i)) + "\n";
    return text;
}

/// main and topic, made of the same commit; main has moved on since.
struct Forked {
    ScratchRepository scratch;
    Forked() {
        scratch.write("src/a.txt", twenty_lines());
        scratch.write("src/b.txt", "as it was\n");
        scratch.commit("Start");
        scratch.git({"checkout", "-q", "-b", "topic"});
    }
    /// Commits the topic's work, then others' on main.
    void move_on() const {
        scratch.commit("Topic");
        scratch.git({"checkout", "-q", "main"});
        scratch.write("src/a.txt", twenty_lines("line 3", "the others' last line"));
        scratch.write("src/others.txt", "new\n");
        scratch.commit("Others");
    }
    Repository open() const { return open_repository(scratch.path()); }
    Error error(const std::string& revision = "topic") const {
        auto patch = git::revision_patch(open(), revision);
        REQUIRE_FALSE(patch);
        return patch.error();
    }
};

} // namespace

TEST_CASE("a branch that is behind gives its own changes and takes back nobody else's") {
    const Forked forked;
    forked.scratch.write("src/a.txt", twenty_lines("the topic's third line"));
    forked.scratch.write("src/new.txt", "one\ntwo");
    forked.scratch.remove("src/b.txt");
    forked.move_on();
    const auto repository = forked.open();
    const auto patch = need(git::revision_patch(repository, "topic"));
    CHECK(patch.behind);
    CHECK(patch.base.id == need(repository.resolve("HEAD~1")).id);
    CHECK(patch.commit.id == need(repository.resolve("topic")).id);

    const auto placed = need(git::place_patch(repository, need(repository.resolve()), patch.text, anything));
    REQUIRE(placed.files.size() == 3);
    CHECK(placed.files[0].after == twenty_lines("the topic's third line", "the others' last line"));
    CHECK(placed.files[1].change == git::PlacedFile::Change::removed);
    CHECK(placed.files[2].after == "one\ntwo");
    // What git itself makes of the two.
    forked.scratch.git({"merge", "-q", "-m", "Merge", "topic"});
    CHECK(placed.result_tree == line(forked.scratch, {"rev-parse", "HEAD^{tree}"}));
}

TEST_CASE("a branch that cannot be a patch to HEAD is refused with the path and the way out") {
    const Forked forked;
    const auto& scratch = forked.scratch;
    SECTION("the same lines changed on both sides") {
        scratch.write("src/a.txt", twenty_lines("line 3", "the topic's last line"));
        forked.move_on();
        const auto error = forked.error();
        CHECK(error.kind == Error::Kind::refused);
        CHECK_THAT(error.message(), ContainsSubstring("src/a.txt") && ContainsSubstring("git rebase"));
    }
    SECTION("a binary file") {
        scratch.write("table.bin", std::string("\0\1", 2));
        forked.move_on();
        CHECK_THAT(forked.error().message(), ContainsSubstring("table.bin is a binary file"));
    }
    SECTION("an executable bit") {
        std::filesystem::permissions(scratch.path() / "src" / "b.txt", std::filesystem::perms::owner_all);
        forked.move_on();
        CHECK_THAT(forked.error().message(), ContainsSubstring("src/b.txt") && ContainsSubstring("executable bit"));
    }
    SECTION("a symbolic link") {
        std::filesystem::create_symlink("b.txt", scratch.path() / "src" / "link");
        forked.move_on();
        CHECK_THAT(forked.error().message(), ContainsSubstring("src/link") && ContainsSubstring("symbolic link"));
    }
    SECTION("a submodule") {
        const ScratchRepository other;
        other.commit("Elsewhere");
        scratch.git({"submodule", "--quiet", "add", other.path().string(), "elsewhere"});
        forked.move_on();
        const auto error = forked.error();
        CHECK(error.kind == Error::Kind::refused);
        CHECK_THAT(error.message(), ContainsSubstring("elsewhere") && ContainsSubstring("submodule"));
    }
    SECTION("an empty file") {
        scratch.write("src/empty", "");
        forked.move_on();
        CHECK_THAT(forked.error().message(), ContainsSubstring("src/empty is a new file without a line"));
    }
    CHECK(forked.error().kind == Error::Kind::refused);
}

TEST_CASE("a branch that adds nothing to HEAD is told so") {
    const Forked forked;
    SECTION("made of HEAD") {
        CHECK(forked.error().kind == Error::Kind::invalid);
    }
    SECTION("an ancestor of HEAD") {
        forked.scratch.git({"checkout", "-q", "main"});
        forked.scratch.commit("More");
    }
    SECTION("picked already") {
        forked.scratch.write("src/b.txt", "changed\n");
        forked.move_on();
        forked.scratch.git({"cherry-pick", "topic"});
    }
    CHECK_THAT(forked.error().message(), ContainsSubstring("HEAD has everything"));
}

TEST_CASE("an unknown revision names the nearest, an ambiguous one both") {
    const ScratchRepository scratch;
    scratch.commit("First");
    scratch.git({"branch", "faster-sort"});
    scratch.git({"update-ref", "refs/remotes/origin/release", "HEAD"});
    scratch.git({"tag", "twice"});
    const auto repository = open_repository(scratch.path());
    const auto message = [&](const std::string& revision) { return repository.resolve(revision).error().message(); };
    CHECK_THAT(message("faster-srot"), ContainsSubstring("Did you mean faster-sort?"));
    CHECK_THAT(message("release"), ContainsSubstring("Did you mean origin/release?"));
    CHECK_THAT(message("nothing-like-it"), ContainsSubstring("git branch -a"));
    CHECK(message("x\x1b[2J").find(char(0x1b)) == std::string::npos);
    CHECK(repository.resolve("twice"));
    scratch.commit("Second");
    scratch.git({"branch", "twice"});
    CHECK_THAT(message("twice"), ContainsSubstring("heads/twice or tags/twice"));
    CHECK(need(repository.resolve("tags/twice")).id != need(repository.resolve("heads/twice")).id);
    CHECK(repository.resolve("faster-srot").error().kind == Error::Kind::invalid);
}

TEST_CASE("a shallow clone finds the common commit it has, and says how to fetch the one it lacks") {
    const Forked forked;
    forked.scratch.write("src/b.txt", "changed\n");
    forked.move_on();
    const ScratchFolder folder;
    const auto clone = [&](const std::string& depth) {
        const auto place = folder.path() / depth;
        forked.scratch.git({"clone", "-q", "--no-single-branch", "--depth", depth,
                            "file://" + forked.scratch.path().string(), place.string()});
        return open_repository(place);
    };
    const auto deep = clone("2");
    CHECK_THAT(need(git::revision_patch(deep, "origin/topic")).text, ContainsSubstring("+changed"));
    const auto flat = git::revision_patch(clone("1"), "origin/topic");
    REQUIRE_FALSE(flat);
    CHECK_THAT(flat.error().message(), ContainsSubstring("no commit in common") && ContainsSubstring("--unshallow") &&
                                           ContainsSubstring("git fetch --depth") &&
                                           ContainsSubstring("fetch-depth: 0"));
}
