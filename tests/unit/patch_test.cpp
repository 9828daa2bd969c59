// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/measured_changes.hpp"
#include "core/git/paths.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <filesystem>

using namespace holdfast;
using git::PatchRules;
using git::PlacedFile;
using git::PlacedPatch;
using test::ScratchFolder;
using test::ScratchRepository;

namespace {

/// A repository with one of everything that a patch may meet.
class Bench {
public:
    Bench() {
        scratch.write("src/a.c", "one\ntwo\nthree\nfour\nfive\n");
        scratch.write("src/twins.c", "x\nsame\ny\nsame\nz\n");
        scratch.write("src/crlf.c", "one\r\ntwo\r\nthree\r\n");
        scratch.write("src/mixed.c", "one\ntwo\r\nthree\r\nfour\n");
        scratch.write("src/bare.c", "one\ntwo");
        scratch.write("src/empty.c", "");
        scratch.write("src/with space.c", "one\n");
        scratch.write("src/sp\xC3\xA9"
                      "cial.c",
                      "one\n");
        scratch.write("src/binary.c", std::string("a\0b\n", 4));
        scratch.write("src/lfs.c", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
        scratch.write("src/run.sh", "#!/bin/sh\n");
        scratch.write("src/only/here.c", "one\n");
        scratch.write("tests/t.c", "one\n");
        scratch.write("holdfast.json", "{}\n");
        scratch.write("other/file.c", "one\n");
        std::filesystem::permissions(scratch.path() / "src/run.sh", std::filesystem::perms::owner_all);
        std::filesystem::create_symlink("../other", scratch.path() / "src/linked");
        std::filesystem::create_symlink("a.c", scratch.path() / "src/link.c");
        scratch.commit("First");
        rules.editable = {"**"};
        rules.protected_paths = {"tests"};
    }

    Result<PlacedPatch> place(std::string_view patch) const {
        const auto repository = git::Repository::open(scratch.path());
        REQUIRE(repository);
        return git::place_patch(*repository, repository->resolve().value(), patch, rules);
    }

    /// The one changed file's new text, or the refusal.
    std::string after(std::string_view patch) const {
        const auto placed = place(patch);
        if (!placed)
            return placed.error().message();
        REQUIRE(placed->files.size() == 1);
        return placed->files.front().after;
    }

    /// The refusal's words; every refusal must be of that kind and say what to do.
    std::string refusal(std::string_view patch) const {
        const auto placed = place(patch);
        if (placed)
            return "placed";
        CHECK(placed.error().kind == Error::Kind::refused);
        CHECK_FALSE(placed.error().found.empty());
        CHECK_FALSE(placed.error().remedy.empty());
        return placed.error().message();
    }

    ScratchRepository scratch;
    PatchRules rules;
};

const std::string two_to_2 = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
const std::string a_header = "--- a/src/a.c\n+++ b/src/a.c\n";
const std::string a_after = "one\n2\nthree\nfour\nfive\n";

std::string edit(const std::string& path) {
    return "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-one\n+1\n";
}

std::string addition(const std::string& path) {
    return "--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+new\n";
}

} // namespace

TEST_CASE("a patch made by git is placed and counted, and its tree is git's") {
    const Bench bench;
    bench.scratch.write("src/a.c", "zero\none\ntwo\n3\nfour\nfive\n");
    bench.scratch.write("src/new.c", "n\n");
    bench.scratch.write("src/void.c", "");
    bench.scratch.remove("src/only");
    bench.scratch.write("src/sp\xC3\xA9"
                        "cial.c",
                        "1\n");
    bench.scratch.write("src/run.sh", "#!/bin/sh\nexit\n");
    bench.scratch.git({"add", "-A"});
    const auto patch = bench.scratch.git({"diff", "--cached", "--no-renames"});
    const auto placed = bench.place(patch);
    REQUIRE(placed);
    CHECK(placed->result_tree == ScratchRepository::first_line(bench.scratch.git({"write-tree"})));
    CHECK(placed->lines_added == 5);
    CHECK(placed->lines_removed == 3);
    std::vector<std::string> paths;
    for (const auto& file : placed->files)
        paths.push_back(file.path);
    CHECK(paths == std::vector<std::string>{"src/a.c", "src/new.c", "src/only/here.c", "src/run.sh",
                                            "src/sp\xC3\xA9"
                                            "cial.c",
                                            "src/void.c"});
    CHECK(placed->files[1].change == PlacedFile::Change::added);
    CHECK(placed->files[2].change == PlacedFile::Change::removed);
    CHECK(placed->files[2].before == "one\n");
    CHECK(placed->files[3].executable);
    const auto repository = git::Repository::open(bench.scratch.path());
    REQUIRE(repository);
    const auto commit = repository->resolve().value();
    const auto changes = git::measured_changes(Project(), *repository, commit, {}, &*placed).value();

    SECTION("and written to an exported tree it gives the same files") {
        const ScratchFolder folder;
        const auto tree = folder.path() / "tree";
        REQUIRE(repository->export_tree(commit, tree));
        std::filesystem::create_hard_link(tree / "src/a.c", folder.path() / "shared");
        REQUIRE(git::write_changes(changes, tree));
        CHECK(test::read_text(tree / "src/a.c") == "zero\none\ntwo\n3\nfour\nfive\n");
        CHECK(test::read_text(folder.path() / "shared") == "one\ntwo\nthree\nfour\nfive\n");
        CHECK_FALSE(std::filesystem::exists(tree / "src/only"));
        CHECK(std::filesystem::exists(tree / "src/void.c"));
        CHECK((std::filesystem::status(tree / "src/run.sh").permissions() & std::filesystem::perms::owner_exec) !=
              std::filesystem::perms::none);
        CHECK_FALSE(git::write_changes(changes, tree)); // not the files it was placed on any more
    }
    SECTION("and a link that has appeared in the tree leads no write outside") {
        const ScratchFolder folder;
        const auto outside = folder.path() / "outside", tree = folder.path() / "tree";
        for (const char* name : {"a.c", "run.sh", "only/here.c",
                                 "sp\xC3\xA9"
                                 "cial.c"})
            test::write_text(outside / name, bench.scratch.git({"show", std::string("HEAD:src/") + name}));
        std::filesystem::create_directory(tree);
        std::filesystem::create_directory_symlink(outside, tree / "src");
        CHECK_FALSE(git::write_changes(changes, tree));
        CHECK(test::read_text(outside / "a.c") == "one\ntwo\nthree\nfour\nfive\n");
        CHECK_FALSE(std::filesystem::exists(outside / "new.c"));
    }
}

TEST_CASE("patches as people and programs write them are understood") {
    const Bench bench;
    const auto patch = GENERATE(
        as<std::string>(), "diff --git a/src/a.c b/src/a.c\nindex 1234567..89abcde 100644\n" + a_header + two_to_2,
        a_header + two_to_2, "--- src/a.c\n+++ src/a.c\n" + two_to_2,
        "diff --git src/a.c src/a.c\n--- src/a.c\n+++ src/a.c\n" + two_to_2,
        "--- i/src/a.c\n+++ w/src/a.c\n" + two_to_2, "--- b/src/a.c\n+++ a/src/a.c\n" + two_to_2,
        "--- a/src/a.c\t2024-01-01 00:00:00\n+++ b/src/a.c\t2024-01-02 00:00:00\n" + two_to_2,
        "--- \"a/src/\\141.c\"\n+++ \"b/src/a.c\"\n" + two_to_2, "\xEF\xBB\xBF" + a_header + two_to_2,
        a_header + "@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n",               // counts too large
        a_header + "@@ -1,1 +1,1 @@\n one\n-two\n+2\n three\n",               // too small
        a_header + "@@ -3,3 +3,3 @@ some function\n one\n-two\n+2\n three\n", // shifted
        a_header + "@@ -900,3 +900,3 @@\n one\n-two\n+2\n three\n",
        a_header + "@@ @@\n one\n-two\n+2\n three\n", // no numbers
        a_header + "@@\n one\n-two\n+2\n three",      // no final newline
        a_header + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\n\n",
        a_header + "@@ -1,2 +1,9 @@\n one\n-two\n+2\n three\n\n\n",
        "```diff\n" + a_header + "@@ -7,7 +1,9 @@\n one\n-two\n+2\n three\n```\n",
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] x\n\n"
        "Body.\n---\n src/a.c | 2 +-\n 1 file changed\n\ndiff --git a/src/a.c b/src/a.c\n" +
            a_header + two_to_2 + "-- \n2.39.5\n\n",
        a_header + "@@ -1,7 +1,7 @@\n one\n-two\n+2\n three\n-- \n2.39.5\n", // signature after wrong counts
        "Index: src/a.c\n=====\n" + a_header + two_to_2);
    CAPTURE(patch);
    CHECK(bench.after(patch) == a_after);
    std::string with_returns;
    for (const char c : patch)
        with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
    if (with_returns.ends_with('\n'))
        CHECK(bench.after(with_returns) == a_after);
}

TEST_CASE("mail from format-patch is accepted") {
    const Bench bench;
    bench.scratch.write("src/a.c", a_after);
    bench.scratch.commit("Make two a digit\n\n- first\n+ second\n@@ third");
    const auto patch = bench.scratch.git({"format-patch", "-1", "--stdout"});
    bench.scratch.git({"reset", "-q", "--hard", "HEAD~1"});
    CHECK(bench.after(patch) == a_after);
}

TEST_CASE("removed and added lines that look like headers stay lines") {
    const Bench bench;
    bench.scratch.write("src/q.sql", "a\n-- b\n++ c\n-- \nd\n");
    bench.scratch.commit("SQL");
    bench.scratch.write("src/q.sql", "a\n++ b\n++ e\nd\n");
    const auto patch = bench.scratch.git({"diff"});
    bench.scratch.git({"checkout", "-q", "."});
    CHECK(bench.after(patch) == "a\n++ b\n++ e\nd\n");
}

TEST_CASE("a file keeps its line endings") {
    const Bench bench;
    const std::string crlf = "--- a/src/crlf.c\n+++ b/src/crlf.c\n", mixed = "--- a/src/mixed.c\n+++ b/src/mixed.c\n";
    CHECK(bench.after(crlf + two_to_2) == "one\r\n2\r\nthree\r\n");
    CHECK(bench.after(crlf + "@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n three\r\n") == "one\r\n2\r\nthree\r\n");
    CHECK(bench.after(crlf + "@@ -3,0 +4 @@\n+four\n") == "one\r\ntwo\r\nthree\r\nfour\r\n");
    CHECK(bench.after(crlf + "@@ -1,3 +1,3 @@\n one\r\n-two\r\n+two\n three\r\n") == "one\r\ntwo\nthree\r\n");
    CHECK(bench.after(mixed + "@@ -2,2 +2,3 @@\n two\n+2.5\n three\n") == "one\ntwo\r\n2.5\r\nthree\r\nfour\n");
    CHECK(bench.after(mixed + "@@ -1,2 +1,2 @@\n-one\n+1\n two\r\n") == "1\ntwo\r\nthree\r\nfour\n");
    CHECK(bench.after(a_header + "@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n three\r\n") == a_after);
    CHECK(bench.after("--- /dev/null\n+++ b/src/dos.c\n@@ -0,0 +1 @@\n+one\r\n") == "one\r\n");
}

TEST_CASE("a missing final newline is respected, with and without its marker") {
    const Bench bench;
    const std::string bare = "--- a/src/bare.c\n+++ b/src/bare.c\n", none = "\\ No newline at end of file\n";
    CHECK(bench.after(bare + "@@ -1,2 +1,2 @@\n one\n-two\n" + none + "+2\n" + none) == "one\n2");
    CHECK(bench.after(bare + "@@ -1,2 +1,2 @@\n one\n-two\n" + none + "+2\n") == "one\n2\n");
    CHECK(bench.after(bare + "@@ -1,2 +1,2 @@\n-one\n+1\n two\n" + none) == "1\ntwo");
    CHECK(bench.after(bare + "@@ -1,2 +1,2 @@\n one\n-two\n+2\n") == "one\n2");
    CHECK(bench.after(bare + "@@ -1,2 +1,3 @@\n one\n two\n+3\n") == "one\ntwo\n3");
    CHECK(bench.after(bare + "@@ -2,0 +3 @@\n+3\n") == "one\ntwo\n3");
    CHECK(bench.after(bare + "@@ -1 +1 @@\n-one\n+1\n") == "1\ntwo");
    CHECK(bench.after(a_header + "@@ -5 +5 @@\n-five\n+5\n" + none) == "one\ntwo\nthree\nfour\n5");
    CHECK(bench.after("--- /dev/null\n+++ b/src/new.c\n@@ -0,0 +1 @@\n+n\n" + none) == "n");
    CHECK_THAT(bench.refusal(a_header + "@@ -2 +2 @@\n-two\n+2\n" + none), ContainsSubstring("3 lines follow"));
    CHECK_THAT(bench.refusal(a_header + "@@ -5 +5 @@\n-five\n" + none + "+5\n"), ContainsSubstring("line ending"));
    CHECK_THAT(bench.refusal(a_header + "@@ -1,2 +1,2 @@\n-one\n+1\n" + none + " two\n"),
               ContainsSubstring("no newline"));
}

TEST_CASE("a shifted hunk goes to its only match; with several it is refused") {
    const Bench bench;
    const std::string twins = "--- a/src/twins.c\n+++ b/src/twins.c\n";
    CHECK(bench.after(twins + "@@ -4 +4 @@\n-same\n+other\n") == "x\nsame\ny\nother\nz\n");
    CHECK(bench.after(twins + "@@ -1,2 +1,2 @@\n y\n-same\n+other\n") == "x\nsame\ny\nother\nz\n");
    CHECK_THAT(bench.refusal(twins + "@@ -3 +3 @@\n-same\n+other\n"),
               ContainsSubstring("hunk 1") && ContainsSubstring("src/twins.c") && ContainsSubstring("lines 2, 4"));
    CHECK_THAT(bench.refusal(a_header + "@@ -1,3 +1,3 @@\n one\n-zwei\n+2\n three\n"),
               ContainsSubstring("line 2 of the file is 'two', the patch has 'zwei'"));
    CHECK_THAT(bench.refusal(a_header + "@@ @@\n one\n-zwei\n+2\n three\n"), ContainsSubstring("'zwei'"));
    CHECK_THAT(bench.refusal(a_header + "@@ @@\n+lost\n"), ContainsSubstring("neither context"));
    CHECK_THAT(bench.refusal(a_header + "@@ -99,0 +100 @@\n+lost\n"), ContainsSubstring("neither context"));
    CHECK(bench.after("--- a/src/empty.c\n+++ b/src/empty.c\n@@ -0,0 +1 @@\n+x\n") == "x\n");
}

TEST_CASE("several hunks are placed in order and do not overlap") {
    const Bench bench;
    const std::string first = "@@ -1,2 +1,2 @@\n-one\n+1\n two\n", second = "@@ -4,2 +4,2 @@\n-four\n+4\n five\n";
    CHECK(bench.after(a_header + first + second) == "1\ntwo\nthree\n4\nfive\n");
    CHECK(bench.after(a_header + first + "\n\n" + second) == "1\ntwo\nthree\n4\nfive\n");
    CHECK(bench.after(a_header + "@@ -7,2 +7,2 @@\n-one\n+1\n two\n@@ -9,2 +9 @@\n three\n-four\n") ==
          "1\ntwo\nthree\nfive\n");
    CHECK_THAT(bench.refusal(a_header + second + first), ContainsSubstring("hunk 2") && ContainsSubstring("order"));
    CHECK_THAT(bench.refusal(a_header + first + "@@ -2 +2 @@\n-two\n+2\n"), ContainsSubstring("hunk 2"));
}

TEST_CASE("half a hunk is refused, not cut short") {
    const Bench bench;
    CHECK_THAT(bench.refusal(a_header + "@@ -1,3 +1,3 @@\n one\n-two\n+2\nthree\n"),
               ContainsSubstring("line 7") && ContainsSubstring("'three' in the middle of a hunk"));
    CHECK_THAT(bench.refusal(a_header), ContainsSubstring("without any hunk"));
    CHECK_THAT(bench.refusal(a_header + "@@ -1,3 +1,3 @@\n"), ContainsSubstring("without lines"));
    CHECK_THAT(bench.refusal(two_to_2), ContainsSubstring("belongs to no file"));
    CHECK_THAT(bench.refusal(a_header + two_to_2 + "and then\n" + two_to_2), ContainsSubstring("belongs to no file"));
    CHECK_THAT(bench.refusal(a_header + "@@ -1 +1 @@\n\\ No newline\n-one\n"), ContainsSubstring("before any line"));
    CHECK_THAT(bench.refusal(a_header + "@@ -1,3 +1 @@\n one\n"), ContainsSubstring("leaves every file as it was"));
}

TEST_CASE("only plain changes of text files are allowed") {
    const Bench bench;
    const std::string git_a = "diff --git a/src/a.c b/src/a.c\n", git_n = "diff --git a/src/n b/src/n\n";
    const std::string hunk = "--- /dev/null\n+++ b/src/n\n@@ -0,0 +1 @@\n+x\n";
    struct Row {
        std::string patch, words;
    };
    const std::vector<Row> rows{
        {git_a + "old mode 100644\nnew mode 100755\n", "mode"},
        {git_a + "old mode 100644\nnew mode 100755\n" + a_header + two_to_2, "mode"},
        {git_n + "new file mode 100755\n" + hunk, "mode"},
        {git_n + "new file mode 120000\n" + hunk, "symbolic link"},
        {git_n + "new file mode 160000\n" + hunk, "submodule"},
        {git_n + "new file mode 100600\n" + hunk, "mode"},
        {"diff --git a/src/link.c b/src/link.c\ndeleted file mode 120000\n", "symbolic link"},
        {"diff --git a/src/link.c b/src/link.c\nindex 123..456 120000\n" + edit("src/link.c"), "symbolic link"},
        {"diff --git a/src/a.c b/src/b.c\nsimilarity index 100%\nrename from src/a.c\nrename to src/b.c\n", "rename"},
        {"diff --git a/src/a.c b/src/b.c\nsimilarity index 100%\ncopy from src/a.c\ncopy to src/b.c\n", "copy"},
        {"--- a/src/a.c\n+++ b/src/b.c\n" + two_to_2, "two different file names"},
        {"diff --git a/src/a.c b/src/a.c\n--- a/src/b.c\n+++ b/src/b.c\n" + two_to_2, "another file"},
        {"diff --git a/src/a.c b/src/a.c\n--- /dev/null\n+++ b/src/b.c\n@@ -0,0 +1 @@\n+x\n", "another file"},
        {"--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n", "both added and removed"},
        {git_n + "new file mode 100644\nindex 0..1\nGIT binary patch\nliteral 3\nabc\n", "binary"},
        {git_a + "index 1..2 100644\nBinary files a/src/a.c and b/src/a.c differ\n", "binary"},
        {"Binary files a/src/a.c and b/src/a.c differ\n", "binary"},
        {edit("src/link.c"), "symbolic link"},
        {edit("src/linked/file.c"), "src/linked is a symbolic link"},
        {addition("src/linked/new.c"), "src/linked is a symbolic link"},
        {edit("src/binary.c"), "binary"},
        {edit("src/lfs.c"), "LFS"},
        {edit("src/none.c"), "no such file"},
        {edit("src"), "not a file"},
        {addition("src/a.c"), "it exists"},
        {addition("src"), "it exists"},
        {addition("src/link.c"), "it exists"},
        {addition("src/a.c/x"), "src/a.c is a file, not a folder"},
        {addition("src/n") + addition("src/n/x"), "which is its folder"},
        {"--- /dev/null\n+++ b/src/n\n@@ -1 +1,2 @@\n x\n+y\n", "new file"},
        {"--- a/src/a.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n", "not all of its lines"},
        {git_a + "deleted file mode 100644\n", "not all of its lines"},
        {a_header + two_to_2 + a_header + "@@ -5 +5 @@\n-five\n+5\n", "twice"},
        {a_header + "@@ -1 +1 @@\n-one\n+one\n", "leaves every file as it was"},
        {"diff --cc src/a.c\nindex 1,2..3\n--- a/src/a.c\n+++ b/src/a.c\n@@@ -1,1 -1,1 +1,1 @@@\n- one\n++1\n",
         "merge"},
        {a_header + "@@@ -1,1 -1,1 +1,1 @@@\n- one\n++1\n", "merge"},
        {"--- \"a/src/a.c\n+++ \"b/src/a.c\n" + two_to_2, "quoted"},
        {"--- \"a/src/\\q\"\n+++ \"b/src/\\q\"\n" + two_to_2, "quoted"},
        {"", "no change"},
        {"Hello.\n", "no change"},
        {std::string("--- a/x\0\n", 9), "NUL"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.patch);
        CHECK_THAT(bench.refusal(row.patch), ContainsSubstring(row.words));
    }
}

TEST_CASE("what may be edited is decided on the path inside the project") {
    Bench bench;
    CHECK_THAT(bench.refusal(edit("tests/t.c")), ContainsSubstring("tests/t.c") && ContainsSubstring("protected"));
    CHECK_THAT(bench.refusal(edit("holdfast.json")), ContainsSubstring("Holdfast's own"));
    CHECK_THAT(bench.refusal(addition(".holdfast/holdout.json")), ContainsSubstring("Holdfast's own"));
    bench.rules.editable = {"src/*.c"};
    CHECK(bench.place(edit("src/with space.c")));
    CHECK_THAT(bench.refusal(edit("src/only/here.c")), ContainsSubstring("code.editable"));
    // One allowed file does not carry another along.
    CHECK_THAT(bench.refusal(edit("src/with space.c") + edit("other/file.c")), ContainsSubstring("other/file.c"));
    bench.rules.editable.clear();
    CHECK_THAT(bench.refusal(edit("src/with space.c")), ContainsSubstring("code.editable"));
    bench.rules.editable = {"*.c"};
    bench.rules.prefix = "src/";
    CHECK(bench.place(edit("src/with space.c")));
    CHECK_THAT(bench.refusal(edit("other/file.c")), ContainsSubstring("outside the project's folder"));
    CHECK_THAT(bench.refusal(addition("src/holdfast.json")), ContainsSubstring("Holdfast's own"));
    CHECK_THAT(bench.refusal(addition("srcx.c")), ContainsSubstring("outside the project's folder"));
}

TEST_CASE("a protected file is protected in any case of letters") {
    Bench bench;
    bench.rules.protected_paths = {"tests", "Bench/**", "*.lock"};
    for (const char* path : {"Tests/t.c", "TESTS/new.c", "bench/b.c", "BENCH/deep/b.c", "cargo.LOCK", "HOLDFAST.json",
                             ".Holdfast/holdout.json"}) {
        INFO(path);
        const std::string refusal =
            bench.after("--- /dev/null\n+++ b/" + std::string(path) + "\n@@ -0,0 +1,1 @@\n+x\n");
        CHECK((refusal.find("protected by") != std::string::npos || refusal.find("own file") != std::string::npos));
    }
    CHECK(bench.after("--- /dev/null\n+++ b/testing/t.c\n@@ -0,0 +1,1 @@\n+x\n") == "x\n");
}

TEST_CASE("paths that lead elsewhere, here or on another system, are refused") {
    const Bench bench;
    const std::string ignorable = "\xE2\x80\x8C";
    for (const std::string& path : {std::string("/etc/passwd"),
                                    std::string("../x"),
                                    std::string("src/../../x"),
                                    std::string("src/./x"),
                                    std::string("src//x"),
                                    std::string("src/x/"),
                                    std::string(".git/config"),
                                    std::string(".GIT/config"),
                                    std::string("src/.Git/hooks/post-checkout"),
                                    std::string("git~1/config"),
                                    std::string("GIT~12/x"),
                                    std::string(".git./config"),
                                    std::string(".git /config"),
                                    std::string(".git. . /config"),
                                    std::string(".git::$INDEX_ALLOCATION/config"),
                                    std::string("src\\x"),
                                    std::string("..\\x"),
                                    ".g" + ignorable + "it/config",
                                    std::string("\xEF\xBB\xBF") + ".git/config",
                                    std::string("src/\xE2\x80\xAE"
                                                "x"),
                                    std::string("src/\xFF"),
                                    std::string("src/\xC0\xAF"),
                                    std::string("src/\xED\xA0\x80"),
                                    std::string("src/a\x1b[31m"),
                                    std::string("src/\x7f"),
                                    std::string("src/\xC2\x85"),
                                    std::string(300, 'x'),
                                    [] {
                                        std::string deep;
                                        for (int i = 0; i < 70; ++i)
                                            deep += "d/";
                                        return deep + "x";
                                    }(),
                                    [] {
                                        std::string many;
                                        for (int i = 0; i < 600; ++i)
                                            many += "d/";
                                        return many + "x";
                                    }()}) {
        CAPTURE(path);
        CHECK(git::path_fault(path));
        CHECK_THAT(bench.refusal(addition(path)), ContainsSubstring("the path"));
    }
    // Quoted, so that the bytes only appear when the quotes are undone.
    CHECK_THAT(bench.refusal("--- /dev/null\n+++ \"b/.g\\151t/config\"\n@@ -0,0 +1 @@\n+x\n"),
               ContainsSubstring("git's own"));
    CHECK_THAT(bench.refusal("--- /dev/null\n+++ \"b/src/a\\nb\"\n@@ -0,0 +1 @@\n+x\n"), ContainsSubstring("control"));
    CHECK_THAT(bench.refusal("--- /dev/null\n+++ \"b/src/a\\000b\"\n@@ -0,0 +1 @@\n+x\n"),
               ContainsSubstring("control"));
    for (const char* path : {".gitignore", ".github/x.yml", "git~/x", "agit~1", "src/.gitx",
                             "sp\xC3\xA9"
                             "cial",
                             "a b/c."})
        CHECK_FALSE(git::path_fault(path));
}

TEST_CASE("sizes past the limits are refused, and hostile sizes below them end soon") {
    Bench bench;
    bench.rules.max_files = 2;
    CHECK_THAT(bench.refusal(addition("src/1") + addition("src/2") + addition("src/3")), ContainsSubstring("3 files"));
    bench.rules.max_bytes = 40;
    CHECK_THAT(bench.refusal(a_header + two_to_2), ContainsSubstring("the limit is 40 bytes"));
    bench.rules = PatchRules{"", {"**"}, {}, 8 << 20, 200};

    const std::string equal(200000, '\n');
    bench.scratch.write("src/equal.c", equal);
    bench.scratch.commit("Equal lines");
    const std::string header = "--- a/src/equal.c\n+++ b/src/equal.c\n";
    std::string context;
    for (int i = 0; i < 100000; ++i)
        context += " \n";
    CHECK_THAT(bench.refusal(header + "@@ @@\n" + context + "+x\n"), ContainsSubstring("and more"));
    CHECK_THAT(bench.refusal(header + "@@ @@\n" + context + "-x\n"), ContainsSubstring("not in the file"));
    const std::string longest(4 << 20, 'y');
    CHECK(bench.after("--- /dev/null\n+++ b/src/long.c\n@@ -0,0 +1 @@\n+" + longest + "\n").size() ==
          longest.size() + 1);
    std::string hunks;
    for (int i = 0; i < 10001; ++i)
        hunks += "@@ @@\n-x\n";
    CHECK_THAT(bench.refusal(header + hunks), ContainsSubstring("10000 hunks"));
    CHECK_THAT(bench.refusal(header + "@@ -99999999999999999999,1 +1,1 @@\n-x\n"),
               ContainsSubstring("not in the file"));
    CHECK_THAT(bench.refusal(header + "@@ -1,18446744073709551615 +1,1 @@\n-x\n"),
               ContainsSubstring("not in the file"));
    std::string spaces = "diff --git " + std::string(1 << 20, ' ') + "\n";
    CHECK_THAT(bench.refusal(spaces + "--- \n+++ \n" + two_to_2), ContainsSubstring("the path"));
}

TEST_CASE("text from a patch is made safe to show in the refusal") {
    const Bench bench;
    const auto words = bench.refusal(a_header + "@@ -1 +1 @@\n-\x1b[2Jone\n+1\n");
    CHECK(words.find('\x1b') == std::string::npos);
    CHECK_THAT(words, ContainsSubstring("hunk 1"));
}
