// SPDX-License-Identifier: GPL-3.0-or-later
// Diffs and mails, given back to git.
#include "core/git/diff.hpp"
#include "core/git/email.hpp"
#include "core/git/patch_names.hpp"
#include "tests/catch.h"
#include "tests/unit/git_fixture.hpp"

#include <chrono>
#include <rapidcheck.h>

using namespace holdfast;
using git::diff_texts;
using git::DiffFile;
using git::DiffLine;
using test::line;
using test::need;
using test::open_repository;
using test::ScratchFolder;
using test::ScratchRepository;
using test::tester;
using Text = std::optional<std::string>;

namespace {

const auto noon = std::chrono::system_clock::from_time_t(1789041906); // 2026-09-10 12:05:06 UTC

/// Lines from few letters, so that many are equal; CRLF, a lone CR, and what looks like a diff's own lines.
std::string any_text() {
    const auto some = rc::gen::weightedOneOf<std::string>(
        {{6, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab \t")))},
         {3, rc::gen::element<std::string>("x\r", "\r", "a\rb", "", "\xC3\xA9", "\xFF")},
         {1, rc::gen::element<std::string>("-- ", "--- a", "+++ b", "@@ -1 +1 @@", "diff --git a/f b/f", "From x")}});
    std::string text;
    for (const auto& one : *rc::gen::container<std::vector<std::string>>(some))
        text += one + '\n';
    if (!text.empty() && *rc::gen::arbitrary<bool>())
        text.pop_back();
    return text;
}

Text any_version() {
    return *rc::gen::inRange(0, 8) == 0 ? Text() : Text(any_text());
}

void put(const std::filesystem::path& file, const Text& text) {
    std::filesystem::remove(file);
    if (text)
        test::write_text(file, *text);
}

Text got(const std::filesystem::path& file) {
    return std::filesystem::exists(file) ? Text(test::read_text(file)) : std::nullopt;
}

/// Commits `before`, gives the mail to git am; returns what git said when it refused.
std::string mailed(const ScratchRepository& scratch, const std::vector<DiffFile>& files, const git::Identity& author,
                   const std::string& subject, const std::string& body) {
    const auto repository = open_repository(scratch.path());
    const auto mail =
        need(git::email_patch(repository, need(repository.resolve()), files, author, subject, body, noon));
    const auto done = scratch.try_git({"am", "--whitespace=nowarn"}, mail);
    if (done.status != 0)
        scratch.try_git({"am", "--abort"});
    return done.status == 0 ? "" : done.errors + "\n" + mail;
}

} // namespace

TEST_CASE("a diff has its lines, numbers and counts") {
    const auto file = need(diff_texts("f", "a\nb\nc\nd\ne\nf\ng\nh", "a\nb\nC\nd\ne\nf\ng\nh\n", 1));
    CHECK(file.lines_added == 2);
    CHECK(file.lines_removed == 2);
    REQUIRE(file.hunks.size() == 2);
    const auto& first = file.hunks[0];
    CHECK(first.old_start == 2);
    CHECK(first.old_count == 3);
    REQUIRE(first.lines.size() == 4);
    CHECK(first.lines[0].kind == DiffLine::Kind::context);
    CHECK(first.lines[1].kind == DiffLine::Kind::removed);
    CHECK(first.lines[1].text == "c");
    CHECK(first.lines[1].old_line == 3);
    CHECK(first.lines[1].new_line == 0);
    CHECK(first.lines[2].kind == DiffLine::Kind::added);
    CHECK(first.lines[2].new_line == 3);
    CHECK(first.lines[3].old_line == 4);
    const auto& last = file.hunks[1].lines;
    REQUIRE(last.size() == 3);
    CHECK_FALSE(last[1].newline);
    CHECK(last[1].text == "h");
    CHECK(last[2].newline);
    CHECK(unified(file) == "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n"
                           "@@ -7,2 +7,2 @@\n g\n-h\n\\ No newline at end of file\n+h\n");
}

TEST_CASE("no hunks for equal, empty and binary texts") {
    CHECK(need(diff_texts("f", "a\n", "a\n")).hunks.empty());
    CHECK(unified(need(diff_texts("f", "a\n", "a\n"))).empty());
    CHECK(unified(need(diff_texts("f", std::nullopt, std::nullopt))).empty());
    const auto created = need(diff_texts("f", std::nullopt, ""));
    CHECK(created.hunks.empty());
    CHECK(unified(created) == "diff --git a/f b/f\nnew file mode 100644\n");
    const auto binary = need(diff_texts("f", std::string(10000, 'a') + '\0', "b\n"));
    CHECK(binary.hunks.empty());
    CHECK_THAT(unified(binary), ContainsSubstring("Binary files a/f and b/f differ"));
}

TEST_CASE("a change of 5,000 lines is compared at once") {
    std::string before, after, shuffled;
    for (int i = 0; i < 10000; ++i) {
        before += "line " + std::to_string(i * 7919 % 10007) + '\n';
        after += (i % 2 == 0 ? "line " : "changed ") + std::to_string(i * 7919 % 10007) + '\n';
        shuffled += "line " + std::to_string(i * 104729 % 10007) + '\n';
    }
    const auto file = need(diff_texts("f", before, after));
    CHECK(file.lines_added == 5000);
    CHECK(file.lines_removed == 5000);
    CHECK(need(diff_texts("f", before, shuffled)).lines_added > 5000); // the worst case: nothing is in order
}

TEST_CASE("git apply makes the new text of the old one with any diff") {
    const ScratchRepository scratch;
    const auto file = scratch.path() / "f";
    CHECK(rc::check([&] {
        const Text before = any_version(), after = any_version();
        RC_PRE(before != after);
        const auto diff = need(diff_texts("f", before, after, *rc::gen::inRange(0U, 5U)));
        put(file, before);
        const auto text = unified(diff);
        const auto done = scratch.try_git({"apply", "--unidiff-zero", "--whitespace=nowarn", "-"}, text);
        if (done.status != 0)
            RC_FAIL(done.errors + text);
        RC_ASSERT(got(file) == after);
        std::size_t added = 0, removed = 0;
        for (const auto& hunk : diff.hunks)
            for (const auto& one : hunk.lines) {
                added += one.kind == DiffLine::Kind::added;
                removed += one.kind == DiffLine::Kind::removed;
            }
        RC_ASSERT(added == diff.lines_added);
        RC_ASSERT(removed == diff.lines_removed);
    }));
}

TEST_CASE("names of all kinds are quoted as git does, and read back") {
    const ScratchRepository scratch;
    for (const std::string name : {"plain", "with space", "quote\"d", "back\\slash", "tab\there",
                                   "\xC3\xBC/\xE2\x82\xAC", "ends with ", " begins", "a b/c d"}) {
        scratch.write(name, "old\n");
        const auto text = unified(need(diff_texts(name, "old\n", "new\n")));
        scratch.git({"add", "-A"});
        const auto by_git = [&] {
            scratch.write(name, "new\n");
            const auto printed = scratch.git({"diff", "--", name});
            scratch.write(name, "old\n");
            return printed;
        }();
        // Only git's line of object ids is not in ours.
        const auto index = by_git.find("index "), end = by_git.find('\n', index);
        CHECK(text == std::string(by_git).erase(index, end + 1 - index));
        CHECK(git::header_name(git::quoted_name(name)) == (name.find('\t') == std::string::npos ? Text(name) : name));
        const auto done = scratch.try_git({"apply", "-"}, text);
        INFO(done.errors << text);
        CHECK(done.status == 0);
        CHECK(test::read_text(scratch.path() / name) == "new\n");
    }
}

TEST_CASE("git am makes the tree, the message and the author of a mail") {
    const ScratchRepository scratch;
    const std::map<std::string, std::pair<Text, Text>> versions{
        {"crlf.c", {{"one\r\ntwo\r\n"}, {"one\r\nthree = 3\r\n"}}},
        {"no-end", {{"a\nb"}, {"a\nc"}}},
        {"new file \"q\" \xC3\xBC", {{}, {"new \xC3\xA9\n"}}},
        {"new-empty", {{}, {""}}},
        {"gone.sh", {{"#!/bin/sh\n"}, {}}},
        {"run.sh", {{"#!/bin/sh\nold \n"}, {"#!/bin/sh\nnew \nFrom me\n" + std::string(2000, 'x') + "\n"}}},
        {"latin1", {{"\xE9\n"}, {"\xE9\xE8\n"}}},
    };
    const bool with_crlf = GENERATE(true, false);
    git::Changes changes;
    std::vector<DiffFile> files;
    for (const auto& [path, pair] : versions) {
        if (path == "crlf.c" && !with_crlf)
            continue;
        if (pair.first)
            scratch.write(path, *pair.first);
        changes.emplace_back(path, pair.second);
        files.push_back(need(diff_texts(path, pair.first, pair.second)));
    }
    for (const char* program : {"gone.sh", "run.sh"})
        std::filesystem::permissions(scratch.path() / program, std::filesystem::perms(0755));
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    // A backslash or quote is no problem for the mail, though tree_with takes no backslash.
    const auto tree = need(repository.tree_with(need(repository.resolve()), changes));
    const std::string subject = "Schneller mit \xC3\xBC"
                                "ber zwanzig W\xC3\xB6rtern, damit die Zeile gefaltet wird = ja";
    const std::string body = "Body with \xE2\x82\xAC.\n\nFrom here on it is fast.\n\nHoldfast-Trial: 1/3\n";
    CHECK(mailed(scratch, files, {"M. J\xC3\xBCrgen", "j@example.org"}, subject, body).empty());
    CHECK(line(scratch, {"rev-parse", "HEAD^{tree}"}) == tree);
    CHECK(scratch.git({"log", "-1", "--format=%B"}) == subject + "\n\n" + body + "\n");
    CHECK(line(scratch, {"log", "-1", "--format=%an <%ae> %at"}) ==
          "M. J\xC3\xBCrgen <j@example.org> " + std::to_string(std::chrono::system_clock::to_time_t(noon)));
    CHECK(test::faults(scratch).empty());
}

TEST_CASE("a plain mail is readable as it is, and patch and git apply take it too") {
    const ScratchRepository scratch;
    scratch.write("f", "old\n");
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    const auto mail =
        need(git::email_patch(repository, need(repository.resolve()), {need(diff_texts("f", "old\n", "new = 1\n"))},
                              {"Ter, \"T\" O", "t@example.org"}, "Faster", "Body\n", noon));
    CHECK(mail.starts_with("From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
                           "From: \"Ter, \\\"T\\\" O\" <t@example.org>\n"
                           "Date: Thu, 10 Sep 2026 12:05:06 +0000\nSubject: [PATCH] Faster\n"));
    CHECK_THAT(mail, ContainsSubstring("\n\nBody\n---\n\ndiff --git a/f b/f\n") && ContainsSubstring("\n+new = 1\n"));
    CHECK(scratch.try_git({"apply", "--check"}, mail).status == 0);
    CHECK(scratch.try_git({"am"}, mail).status == 0);
    CHECK(line(scratch, {"log", "-1", "--format=%an"}) == "Ter, \"T\" O");
}

TEST_CASE("a message that looks like a patch or a mail's header stays the message") {
    const ScratchRepository scratch;
    scratch.write("f", "old\n");
    scratch.commit("First");
    const std::string body =
        "Subject: other\n\n---\ndiff --git a/x b/x\nIndex: y\nFrom x Mon Sep 17 00:00:00 2001\nend\n";
    CHECK(mailed(scratch, {need(diff_texts("f", "old\n", "new\n"))}, tester, "Faster =?UTF-8?q?x?=", body).empty());
    const auto message = scratch.git({"log", "-1", "--format=%B"});
    CHECK_THAT(message, ContainsSubstring("Faster =?UTF-8?q?x?=\n\n") &&
                            ContainsSubstring("Subject: other\n\n ---\n") &&
                            ContainsSubstring("\nFrom x Mon Sep 17 00:00:00 2001\nend\n"));
}

TEST_CASE("git am makes the new texts of the old ones with any mail") {
    const auto versions = rc::gen::exec([] { return std::pair(any_version(), any_version()); });
    for (std::uint64_t mail = 0; mail < 4; ++mail) {
        const ScratchRepository scratch;
        std::vector<DiffFile> files;
        for (std::uint64_t number = 0; number < 50; ++number) {
            const auto [before, after] = versions(rc::Random(mail * 50 + number), static_cast<int>(number)).value();
            const auto name = std::to_string(number);
            put(scratch.path() / name, before);
            if (before != after)
                files.push_back(need(diff_texts(name, before, after)));
        }
        scratch.commit("Before");
        CHECK(mailed(scratch, files, tester, "Change", "").empty());
        for (const auto& file : files) {
            INFO("mail " << mail << ", file " << file.path);
            CHECK(got(scratch.path() / file.path) == file.after);
        }
    }
}

TEST_CASE("what a mail cannot carry is an error") {
    const ScratchRepository scratch;
    scratch.write("f", "old\n");
    scratch.write("b", std::string("a\0", 2));
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    const auto base = need(repository.resolve());
    const auto change = need(diff_texts("f", "old\n", "new\n"));
    const auto fails = [&](const std::vector<DiffFile>& files, const git::Identity& author, const std::string& subject,
                           const std::string& body) {
        const auto mail = git::email_patch(repository, base, files, author, subject, body, noon);
        return !mail && mail.error().kind == Error::Kind::invalid && !mail.error().remedy.empty();
    };
    CHECK(fails({change}, {"", "a@b"}, "s", ""));
    CHECK(fails({change}, {"A\nBcc: x", "a@b"}, "s", ""));
    CHECK(fails({change}, {"A", "a@b> <c"}, "s", ""));
    CHECK(fails({change}, tester, "two\nlines", ""));
    CHECK(fails({change}, tester, " ", ""));
    CHECK(fails({change}, tester, "s", std::string("\0", 1)));
    CHECK(fails({change}, tester, "s", "\xff"));
    CHECK(fails({}, tester, "s", ""));
    CHECK(fails({need(diff_texts("f", "other\n", "new\n"))}, tester, "s", ""));
    CHECK(fails({need(diff_texts("b", std::string("a\0", 2), "new\n"))}, tester, "s", ""));
}
