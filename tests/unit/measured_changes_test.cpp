// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/measured_changes.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <filesystem>

using namespace holdfast;
using test::ScratchRepository;

namespace {

Knob file_knob(std::string name, std::string file, std::string key) {
    Knob knob;
    knob.name = std::move(name);
    knob.min = 0;
    knob.max = 100;
    knob.default_value = std::int64_t{5};
    knob.through = Knob::Through::file;
    knob.target = std::move(file);
    knob.format = ConfigFormat::ini;
    knob.key = std::move(key);
    return knob;
}

/// A project in the folder `sub` of a repository.
class Bench {
public:
    Bench() {
        scratch.write("sub/app.ini", "a = 5\nb = 6\n");
        scratch.write("sub/lfs.ini", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
        scratch.write("sub/run.sh", "a=5\n");
        std::filesystem::permissions(scratch.path() / "sub/run.sh", std::filesystem::perms::owner_all);
        std::filesystem::create_symlink("app.ini", scratch.path() / "sub/link.ini");
        scratch.commit("First");
        rules.prefix = "sub/";
        rules.editable = {"**"};
    }

    Result<git::Changes> changes(const std::vector<Knob>& knobs, const Configuration& configuration,
                                 const std::string& patch = "") const {
        Project project;
        project.knobs = knobs;
        const auto repository = git::Repository::open(scratch.path() / "sub").value();
        const git::Commit commit = repository.resolve().value();
        if (patch.empty())
            return git::measured_changes(project, repository, commit, configuration, nullptr);
        const auto placed = git::place_patch(repository, commit, patch, rules).value();
        return git::measured_changes(project, repository, commit, configuration, &placed);
    }

    ScratchRepository scratch;
    git::PatchRules rules;
};

const std::string header = "--- a/sub/app.ini\n+++ b/sub/app.ini\n";

} // namespace

TEST_CASE("file knobs are set together in the files below the project folder") {
    const Bench bench;
    const std::vector<Knob> knobs{file_knob("x", "app.ini", "a"), file_knob("y", "app.ini", "b"),
                                  file_knob("z", "run.sh", "a")};
    const auto changes = bench.changes(knobs, {{"x", std::int64_t{1}}, {"y", std::int64_t{2}}, {"z", std::int64_t{3}}});
    CHECK(changes.value() == git::Changes{{"sub/app.ini", "a = 1\nb = 2\n"}, {"sub/run.sh", "a=3\n"}});
}

TEST_CASE("values that the commit already has change nothing") {
    const Bench bench;
    const std::vector<Knob> knobs{file_knob("x", "app.ini", "a")};
    CHECK(bench.changes(knobs, {{"x", std::int64_t{5}}}).value().empty());
    CHECK(bench.changes({}, {}).value().empty());
    // Also when the knob takes back what the patch did.
    CHECK(bench.changes(knobs, {{"x", std::int64_t{5}}}, header + "@@ -1 +1 @@\n-a = 5\n+a = 9\n").value().empty());
}

TEST_CASE("a knob is set in what the patch leaves") {
    const Bench bench;
    const std::vector<Knob> knobs{file_knob("x", "app.ini", "a"), file_knob("y", "new.ini", "k")};
    const auto changes = bench.changes(knobs, {{"x", std::int64_t{1}}, {"y", std::int64_t{2}}},
                                       header + "@@ -2 +2 @@\n-b = 6\n+b = 7\n" +
                                           "--- /dev/null\n+++ b/sub/new.ini\n@@ -0,0 +1 @@\n+k: 0\n");
    CHECK(changes.value() == git::Changes{{"sub/app.ini", "a = 1\nb = 7\n"}, {"sub/new.ini", "k: 2\n"}});
    const auto removed = bench.changes(knobs, {{"x", std::int64_t{1}}},
                                       "--- a/sub/app.ini\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a = 5\n-b = 6\n");
    REQUIRE_FALSE(removed);
    CHECK(removed.error().kind == Error::Kind::refused);
    CHECK_THAT(removed.error().message(), ContainsSubstring("the patch removes the file"));
}

TEST_CASE("a file that cannot be set is told with knob, file and key") {
    const Bench bench;
    const std::vector<std::pair<std::string, std::string>> rows{{"none.ini", "no such file"},
                                                                {"link.ini", "a link"},
                                                                {"lfs.ini", "Git LFS"},
                                                                {"link.ini/x", "no such file"},
                                                                {"", "a link, a folder"}};
    for (const auto& [file, found] : rows) {
        const auto changes = bench.changes({file_knob("x", file, "a")}, {{"x", std::int64_t{1}}});
        REQUIRE_FALSE(changes);
        CHECK(changes.error().kind == Error::Kind::invalid);
        CHECK_THAT(changes.error().message(), ContainsSubstring("\"x\" in sub/" + file + ", key a"));
        CHECK_THAT(changes.error().message(), ContainsSubstring(found));
    }
}
