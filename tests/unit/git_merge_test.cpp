// SPDX-License-Identifier: GPL-3.0-or-later
// Branches, history, differences and merges as the repository reads them.
#include "core/git/writer.hpp"
#include "tests/catch.h"
#include "tests/unit/git_fixture.hpp"

using namespace holdfast;
using git::Changes;
using git::Repository;
using test::line;
using test::need;
using test::open_repository;
using test::ScratchFolder;
using test::ScratchRepository;

namespace {

std::string numbered(int changed, const std::string& text) {
    std::string lines;
    for (int i = 0; i < 20; ++i)
        lines += i == changed ? text + "\n" : "line " + std::to_string(i) + "\n";
    return lines;
}

std::string refusal(const Repository& repository, const git::Commit& base, const Changes& theirs) {
    const auto merged = repository.merged(base, need(repository.resolve()), theirs);
    REQUIRE_FALSE(merged);
    CHECK(merged.error().kind == Error::Kind::refused);
    CHECK_FALSE(merged.error().remedy.empty());
    return merged.error().message();
}

} // namespace

TEST_CASE("HEAD, branches and settings are read as they are now") {
    const ScratchRepository scratch;
    const auto repository = open_repository(scratch.path());
    CHECK(repository.head().error().kind == Error::Kind::invalid);
    CHECK_THAT(repository.head().error().message(), ContainsSubstring("git commit"));
    const auto id = scratch.commit("First");
    CHECK(need(repository.head()).branch == "main");
    CHECK(need(repository.head()).commit.id == id);
    CHECK(need(repository.branches("")) == std::vector<std::string>{"main"});
    for (const char* name : {"holdfast/2/1", "holdfast/1/3", "holdfast-other", "holdfast/1/10"})
        scratch.git({"branch", name});
    scratch.git({"tag", "holdfast/tag"});
    const std::vector<std::string> ours{"holdfast/1/10", "holdfast/1/3", "holdfast/2/1"};
    CHECK(need(repository.branches("holdfast/")) == ours);
    scratch.git({"pack-refs", "--all"});
    CHECK(need(repository.branches("holdfast/")) == ours);
    CHECK(need(repository.branches("none/")).empty());
    CHECK(need(repository.branch("holdfast/1/3"))->id == id);
    CHECK(need(repository.branch("holdfast/1/3"))->tree == need(repository.resolve()).tree);
    CHECK_FALSE(need(repository.branch("holdfast/1/4")));
    CHECK_FALSE(need(repository.branch("main/below")));
    CHECK_FALSE(repository.branch("not a name"));
    scratch.git({"checkout", "-q", "holdfast/2/1"});
    CHECK(need(repository.head()).branch == "holdfast/2/1");
    scratch.git({"checkout", "-q", "--detach"});
    CHECK(need(repository.head()).branch.empty());
    CHECK(need(repository.head()).commit.id == id);

    CHECK(need(repository.setting("gpg.ssh.allowedsignersfile")).empty());
    scratch.git({"config", "gpg.ssh.allowedSignersFile", " <~/signers>"});
    CHECK(need(repository.setting("gpg.ssh.allowedsignersfile")) == " <~/signers>");
    scratch.git({"config", "--unset", "gpg.ssh.allowedSignersFile"});
    CHECK(need(repository.setting("gpg.ssh.allowedSignersFile")).empty());
    CHECK_FALSE(repository.setting("nodot"));
}

TEST_CASE("a commit descends from itself and its ancestors, also where a shallow clone ends") {
    const ScratchRepository scratch;
    const auto first = scratch.commit("First"), second = scratch.commit("Second"), third = scratch.commit("Third");
    scratch.git({"checkout", "-q", "-b", "side", first});
    const auto side = scratch.commit("Side");
    const auto descends = [](const Repository& repository, const std::string& below, const std::string& above) {
        return need(repository.descends({below, ""}, {above, ""}));
    };
    const auto repository = open_repository(scratch.path());
    CHECK(descends(repository, third, first));
    CHECK(descends(repository, third, third));
    CHECK_FALSE(descends(repository, first, third));
    CHECK_FALSE(descends(repository, third, side));
    CHECK_FALSE(repository.descends({std::string(40, '1'), ""}, {first, ""}));
    const ScratchFolder beside;
    for (const int depth : {1, 2}) {
        const auto folder = beside.path() / std::to_string(depth);
        scratch.git({"clone", "-q", "--depth", std::to_string(depth), "-b", "main", "file://" + scratch.path().string(),
                     folder.string()});
        const auto shallow = open_repository(folder);
        CHECK(descends(shallow, third, second)); // with depth 1 only named, as a parent
        CHECK(descends(shallow, third, first) == (depth == 2));
        CHECK_FALSE(descends(shallow, third, side));
    }
}

TEST_CASE("changes say byte for byte what turns one commit into another") {
    const ScratchRepository scratch;
    const std::string binary("a\0b\xff\r\n", 6);
    scratch.write("crlf", "one\r\ntwo\r\n");
    scratch.write("removed", "x");
    scratch.write("same", "same\n");
    scratch.write("place", "a file\n");
    scratch.write("run", "#!/bin/sh\n");
    std::filesystem::permissions(scratch.path() / "run", std::filesystem::perms(0755));
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    const auto from = need(repository.resolve());
    scratch.write("crlf", "one\r\nthree");
    scratch.remove("removed");
    scratch.remove("place");
    scratch.write("place/in", "in a folder\n");
    scratch.write("binary", binary);
    scratch.write("empty", "");
    scratch.write("run", "#!/bin/sh\nexit\n");
    std::filesystem::permissions(scratch.path() / "run", std::filesystem::perms(0755));
    scratch.commit("Second");
    const auto to = need(repository.resolve());
    const Changes expected{{"binary", binary},          {"crlf", "one\r\nthree"},      {"empty", ""},
                           {"place", std::nullopt},     {"place/in", "in a folder\n"}, {"removed", std::nullopt},
                           {"run", "#!/bin/sh\nexit\n"}};
    CHECK(need(repository.changes(from, to)) == expected);
    CHECK(need(repository.tree_with(from, expected)) == to.tree);
    CHECK(need(repository.tree_with(to, need(repository.changes(to, from)))) == from.tree);
    CHECK(need(repository.changes(to, to)).empty());
}

TEST_CASE("changes that cannot be said as contents are refused, naming the path") {
    const ScratchRepository scratch;
    scratch.write("file", "x\n");
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    const auto from = need(repository.resolve());
    SECTION("an executable bit") {
        std::filesystem::permissions(scratch.path() / "file", std::filesystem::perms(0755));
    }
    SECTION("a new executable") {
        scratch.write("file2", "x\n");
        std::filesystem::permissions(scratch.path() / "file2", std::filesystem::perms(0755));
    }
    SECTION("a link") {
        std::filesystem::create_symlink("file", scratch.path() / "file-link");
    }
    SECTION("a link in a file's place") {
        scratch.remove("file");
        std::filesystem::create_symlink("other", scratch.path() / "file");
    }
    scratch.commit("Second");
    const auto changes = repository.changes(from, need(repository.resolve()));
    REQUIRE_FALSE(changes);
    CHECK(changes.error().kind == Error::Kind::refused);
    CHECK_THAT(changes.error().message(), ContainsSubstring("file"));
}

TEST_CASE("a change is merged into a branch that has moved on") {
    const ScratchRepository scratch;
    scratch.write("both", numbered(-1, ""));
    scratch.write("theirs", "old\n");
    scratch.write("removed", "old\n");
    scratch.write("ours", "old\n");
    scratch.write("done", "old\n");
    scratch.write("end", numbered(-1, "") + "last");
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    const auto base = need(repository.resolve());
    scratch.write("both", numbered(2, "ours"));
    scratch.write("ours", "new\n");
    scratch.write("done", "new\n");
    scratch.write("end", numbered(0, "ours") + "last");
    scratch.commit("Second");
    const Changes theirs{{"both", numbered(17, "theirs")},  {"theirs", "new\r\n"},
                         {"removed", std::nullopt},         {"done", "new\n"},
                         {"end", numbered(-1, "") + "end"}, {"added/file", "added"}};
    auto both = numbered(2, "ours");
    both.replace(both.find("line 17"), 7, "theirs");
    const Changes expected{{"added/file", "added"},
                           {"both", both},
                           {"end", numbered(0, "ours") + "end"},
                           {"removed", std::nullopt},
                           {"theirs", "new\r\n"}};
    const auto ours = need(repository.resolve());
    CHECK(need(repository.merged(base, ours, theirs)) == expected);

    // git merges the same to the same tree.
    const git::Writer writer(repository);
    const auto commit = need(writer.commit({need(writer.tree_with(base, theirs)), {base.id}, test::tester, "Theirs"}));
    scratch.git({"merge", "-q", "-m", "Merge", commit.id});
    CHECK(line(scratch, {"rev-parse", "HEAD^{tree}"}) == need(repository.tree_with(ours, expected)));

    CHECK(need(repository.merged(base, base, theirs)).size() == theirs.size());
    CHECK(need(repository.merged(base, commit, theirs)).empty());            // it has all of it
    CHECK(need(repository.merged(base, ours, {{"ours", "old\n"}})).empty()); // no change to the base
}

TEST_CASE("a conflict is refused, naming every path") {
    const ScratchRepository scratch;
    scratch.write("text", numbered(-1, ""));
    scratch.write("text2", "old\n");
    scratch.write("gone", "old\n");
    scratch.write("binary", std::string("a\0b", 3));
    scratch.write("way", "file\n");
    scratch.write("becomes-link", "old\n");
    scratch.commit("First");
    const auto repository = open_repository(scratch.path());
    const auto base = need(repository.resolve());
    scratch.write("text", numbered(4, "ours"));
    scratch.write("text2", "ours\n");
    scratch.remove("gone");
    scratch.write("binary", std::string("c\0b", 3));
    scratch.write("added", "ours\n");
    scratch.write("folder", "a file here\n");
    scratch.remove("way");
    scratch.write("way/in", "a folder here\n");
    scratch.remove("becomes-link");
    std::filesystem::create_symlink("text", scratch.path() / "becomes-link");
    scratch.commit("Second");
    const auto both = refusal(repository, base, {{"text", numbered(4, "theirs")}, {"text2", "theirs\n"}});
    CHECK_THAT(both, ContainsSubstring("text, text2"));
    CHECK_THAT(refusal(repository, base, {{"gone", "changed\n"}}), ContainsSubstring("gone"));
    CHECK_THAT(refusal(repository, base, {{"text2", std::nullopt}}), ContainsSubstring("text2"));
    CHECK_THAT(refusal(repository, base, {{"added", "theirs\n"}}), ContainsSubstring("added"));
    CHECK_THAT(refusal(repository, base, {{"binary", std::string("d\0b", 3)}}), ContainsSubstring("binary"));
    CHECK_THAT(refusal(repository, base, {{"becomes-link", "new\n"}}), ContainsSubstring("becomes-link"));
    CHECK_THAT(refusal(repository, base, {{"becomes-link", std::nullopt}}), ContainsSubstring("becomes-link"));
    CHECK_THAT(refusal(repository, base, {{"folder/file", "x\n"}}), ContainsSubstring("folder"));
    CHECK_THAT(refusal(repository, base, {{"way", "changed\n"}}), ContainsSubstring("way"));
    CHECK(need(repository.merged(base, need(repository.resolve()), {{"gone", std::nullopt}})).empty());
}
