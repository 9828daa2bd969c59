// SPDX-License-Identifier: GPL-3.0-or-later
// The examples tell the stories that their TUNING.md promises. Their programs run here without a sandbox: what is
// tested is the data, the program and the patches.
#include "app/common/demo.hpp"
#include "core/project/knobs.hpp"
#include "core/project/project.hpp"
#include "tests/catch.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace holdfast;
namespace fs = std::filesystem;

namespace {

const fs::path resources = fs::path(HOLDFAST_SOURCE_DIR) / "resources";

/// A folder that goes away with the object.
class Scratch {
public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "holdfast-demo-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no scratch folder");
        path_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    fs::path operator/(const std::string& name) const { return path_ / name; }

private:
    fs::path path_;
};

struct Finished {
    int status;
    std::string output;
};

/// Runs a program in `folder` with both its outputs kept.
Finished run(const Argv& argv, const fs::path& folder) {
    std::string command = "cd '" + folder.string() + "' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null";
    for (const auto& word : argv)
        command += " '" + word + "'";
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr)
        throw std::runtime_error("cannot run " + command);
    Finished finished;
    std::array<char, 4096> part{};
    for (std::size_t count = 0; (count = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
        finished.output.append(part.data(), count);
    finished.status = pclose(pipe);
    return finished;
}

std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw std::runtime_error("cannot read " + file.string());
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::map<std::string, std::string> files_below(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files[entry.path().lexically_relative(folder).string()] = read(entry.path());
    return files;
}

fs::path make(const std::string& name, const fs::path& folder) {
    const auto made = app::make_demo(name, folder, resources);
    if (!made)
        FAIL(made.error().message());
    return *made;
}

Project load(const fs::path& folder) {
    auto project = load_project(folder);
    if (!project)
        FAIL(to_error(project.error()).message());
    return std::move(*project);
}

void build(const Project& project, const fs::path& build_folder) {
    for (const auto& command : project.build) {
        const auto finished = run(
            expand(command, {{"source", project.folder.string()}, {"build", build_folder.string()}}), project.folder);
        INFO(finished.output);
        REQUIRE(finished.status == 0);
    }
}

struct Outcome {
    std::string answers;
    double rows = 0;
};

Outcome run_workload(const Project& project, const Workload& workload, const fs::path& build_folder,
                     const Configuration& configuration) {
    const Scratch scratch;
    const fs::path inputs = scratch / "inputs", out = scratch / "out";
    fs::create_directories(inputs);
    fs::create_directories(out);
    for (const auto& input : workload.inputs)
        fs::copy_file(project.folder / input, inputs / fs::path(input).filename());
    const Places places = {{"build", build_folder.string()}, {"inputs", inputs.string()}, {"out", out.string()}};
    const auto finished = run(expand(workload.run, places, knob_arguments(project, configuration)), out);
    INFO(finished.output);
    REQUIRE(finished.status == 0);
    REQUIRE(workload.check.files.size() == 1);
    REQUIRE(workload.check.files[0].file == "answers.txt");
    const auto counters = nlohmann::json::parse(read(out / "counters.json"));
    return {read(out / "answers.txt"), counters.at("rows").get<double>()};
}

Configuration allocation(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, std::int64_t block_rows) {
    return {{"bits_a", a}, {"bits_b", b}, {"bits_c", c}, {"bits_d", d}, {"block_rows", block_rows}};
}

/// How many times fewer rows `candidate` takes than the default, by workload.
std::map<std::string, double> fewer(const Project& project, const fs::path& build_folder,
                                    const Configuration& candidate) {
    std::map<std::string, double> ratios;
    for (const auto& workload : project.workloads)
        ratios[workload.name] = run_workload(project, workload, build_folder, project.defaults()).rows /
                                run_workload(project, workload, build_folder, candidate).rows;
    return ratios;
}

} // namespace

TEST_CASE("the examples are listed with their proposals") {
    const auto demos = app::list_demos(resources);
    REQUIRE(demos);
    REQUIRE(demos->size() == 2);
    CHECK(demos->at(0).name == "zorder");
    CHECK(demos->at(0).propose == std::vector<std::vector<std::string>>{{"--set", "block_rows=24"}});
    CHECK(demos->at(1).name == "zorder-code");
    CHECK(demos->at(1).propose.size() == 2);
    for (const auto& demo : *demos) {
        CHECK_FALSE(demo.about.empty());
    }
}

TEST_CASE("an example is a committed repository whose held-out workloads are private") {
    for (const std::string name : {"zorder", "zorder-code"}) {
        const Scratch scratch;
        const fs::path project = make(name, scratch / "made");
        CHECK(run({"git", "symbolic-ref", "HEAD"}, project).output == "refs/heads/main\n");
        CHECK(run({"git", "log", "--format=%an <%ae>"}, project).output == "Holdfast demo <demo@localhost>\n");
        CHECK(run({"git", "status", "--porcelain"}, project).output.empty());
        const auto tracked = run({"git", "ls-files"}, project).output;
        CHECK_THAT(tracked, ContainsSubstring("holdfast.json\n"));
        CHECK_THAT(tracked, ContainsSubstring("src/scan.cpp\n"));
        CHECK_THAT(tracked, ContainsSubstring("data/table.bin\n"));
        CHECK(tracked.find(".holdfast/") == std::string::npos);
        CHECK(tracked.find("demo.json") == std::string::npos);
        CHECK(fs::status(project / ".holdfast").permissions() == fs::perms::owner_all);
        const auto with_role = [loaded = load(project)](Role role) { return loaded.with_role(role).size(); };
        CHECK(with_role(Role::tuning) == 2);
        CHECK(with_role(Role::holdout) == 2);
    }
}

TEST_CASE("two makes of an example are the same bytes") {
    for (const std::string name : {"zorder", "zorder-code"}) {
        const Scratch scratch;
        const fs::path first = make(name, scratch / "first"), second = make(name, scratch / "second");
        const Argv tree = {"git", "rev-parse", "HEAD^{tree}"};
        CHECK(run(tree, first).output == run(tree, second).output);
        CHECK(files_below(first / ".holdfast") == files_below(second / ".holdfast"));
    }
}

TEST_CASE("an example goes into a new or an empty folder only") {
    const Scratch scratch;
    SECTION("empty") {
        fs::create_directories(scratch / "empty");
        CHECK(app::make_demo("zorder", scratch / "empty", resources));
    }
    SECTION("not empty") {
        fs::create_directories(scratch / "used");
        std::ofstream(scratch / "used/mine") << "x";
        const auto made = app::make_demo("zorder", scratch / "used", resources);
        REQUIRE_FALSE(made);
        CHECK(made.error().kind == Error::Kind::invalid);
        CHECK(files_below(scratch / "used").size() == 1);
    }
    SECTION("a file") {
        std::ofstream(scratch / "file") << "x";
        CHECK_FALSE(app::make_demo("zorder", scratch / "file", resources));
        CHECK(read(scratch / "file") == "x");
    }
}

TEST_CASE("an unknown example is refused with the known names") {
    const Scratch scratch;
    const auto made = app::make_demo("zordre", scratch / "made", resources);
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == Error::Kind::invalid);
    CHECK_THAT(made.error().message(), ContainsSubstring("zorder, zorder-code"));
    CHECK_FALSE(fs::exists(scratch / "made"));
}

TEST_CASE("damaged resources leave nothing behind") {
    const Scratch scratch;
    fs::create_directories(scratch / "resources/examples");
    fs::copy(resources / "examples", scratch / "resources/examples", fs::copy_options::recursive);
    SECTION("a description that is cut off") {
        std::ofstream(scratch / "resources/examples/zorder/demo.json") << "{ \"about\": ";
    }
    SECTION("a program that is missing") {
        fs::remove_all(scratch / "resources/examples/zorder-program");
    }
    SECTION("a description and a file that need the same path") {
        std::ofstream(scratch / "resources/examples/zorder/data") << "a file where the data folder goes";
    }
    const auto made = app::make_demo("zorder", scratch / "made", scratch / "resources");
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == Error::Kind::failed);
    CHECK_FALSE(fs::exists(scratch / "made"));
}

TEST_CASE("zorder: the tuned allocation wins on tuning and loses held out, the queued one wins on both") {
    const Scratch scratch;
    const Project project = load(make("zorder", scratch / "project"));
    const fs::path build_folder = scratch / "build";
    build(project, build_folder);
    CHECK(run(expand(project.code.test.at(0), {{"build", build_folder.string()}}), scratch / "").status == 0);

    SECTION("answers do not depend on the configuration") {
        for (const auto& workload : project.workloads) {
            const auto expected = run_workload(project, workload, build_folder, project.defaults()).answers;
            CHECK_FALSE(expected.empty());
            for (const auto& configuration : {allocation(0, 0, 0, 0, 64), allocation(8, 8, 8, 8, 8),
                                              allocation(4, 2, 8, 0, 64), allocation(0, 8, 0, 1, 1000)})
                CHECK(run_workload(project, workload, build_folder, configuration).answers == expected);
        }
    }
    SECTION("overfits") { // what a local search finds; nearby allocations do the same
        auto ratio = fewer(project, build_folder, allocation(4, 2, 8, 0, 64));
        CHECK(std::sqrt(ratio["draw-1"] * ratio["draw-2"]) > 1.4);
        CHECK(ratio["draw-1"] > 1.03);
        CHECK(ratio["draw-2"] > 1.03);
        CHECK(ratio["draw-3"] < 0.85);
        CHECK(ratio["draw-4"] < 0.85);
    }
    SECTION("generalises") {
        auto ratio = fewer(project, build_folder, allocation(4, 4, 4, 4, 24));
        for (const auto& [name, value] : ratio) {
            INFO(name);
            CHECK(value > 1.05);
        }
        CHECK(std::sqrt(ratio["draw-3"] * ratio["draw-4"]) > std::sqrt(ratio["draw-1"] * ratio["draw-2"]) * 0.98);
    }
}

TEST_CASE("zorder-code: the fast patch answers the same, the other one does not, and neither fails the tests") {
    const Scratch scratch;
    const Project base = load(make("zorder-code", scratch / "project"));
    build(base, scratch / "build");

    for (const std::string name : {"faster-scan", "skip-boundary"}) {
        INFO(name);
        make("zorder-code", scratch / name);
        REQUIRE(run({"git", "apply", "patches/" + name + ".patch"}, scratch / name).status == 0);
        CHECK(run({"git", "diff", "--name-only"}, scratch / name).output == "src/scan.cpp\n");
        const Project patched = load(scratch / name);
        const fs::path build_folder = scratch / (name + "-build");
        build(patched, build_folder);
        CHECK(run(expand(patched.code.test.at(0), {{"build", build_folder.string()}}), scratch / "").status == 0);
        for (const auto& workload : patched.workloads) {
            INFO(workload.name);
            const auto expected = run_workload(base, workload, scratch / "build", {}).answers;
            const auto answers = run_workload(patched, workload, build_folder, {}).answers;
            CHECK((answers == expected) == (name == "faster-scan"));
        }
    }
}

TEST_CASE("zorder-code: the third patch applies and touches a protected file") {
    const Scratch scratch;
    const fs::path project = make("zorder-code", scratch / "project");
    REQUIRE(run({"git", "apply", "patches/edits-tests.patch"}, project).status == 0);
    CHECK(run({"git", "diff", "--name-only"}, project).output == "src/scan.cpp\ntests/zorder_test.cpp\n");
}
