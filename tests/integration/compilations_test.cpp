// SPDX-License-Identifier: GPL-3.0-or-later
// The compiler cache of a project's builds: it changes nothing but their time, and no candidate writes it.
#include "app/common/places.hpp"
#include "core/study/build.hpp"
#include "core/study/files.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <chrono>
#include <fmt/format.h>

using namespace holdfast;
using namespace holdfast::test;
using namespace holdfast::study;
namespace fs = std::filesystem;

namespace {

using Commands = std::vector<Argv>;

/// ccache notes in {build}/log what it did with each file.
const Commands with_cmake = {
    {"cmake", "-S", "{source}", "-B", "{build}", "-DCMAKE_BUILD_TYPE=Release"},
    {"env", "CCACHE_STATSLOG=/build/log", "cmake", "--build", "{build}"},
};
const Commands without_cache = {
    {"env", "-u", "CMAKE_CXX_COMPILER_LAUNCHER", "cmake", "-S", "{source}", "-B", "{build}",
     "-DCMAKE_BUILD_TYPE=Release"},
    {"cmake", "--build", "{build}"},
};

constexpr int file_count = 20;

/// A program of 20 files and one that calls them.
class ManyFiles {
public:
    ManyFiles() {
        std::string list, sum = "0", declarations;
        for (int i = 0; i < file_count; ++i) {
            repository_.write(
                fmt::format("part{}.cpp", i),
                fmt::format("#include <map>\n#include <string>\nint part{0}() {{ std::map<int, std::string> "
                            "all; all[{0}] = \"a\"; return int(all.size()) + {0}; }}\n",
                            i));
            list += fmt::format(" part{}.cpp", i);
            declarations += fmt::format("int part{}();\n", i);
            sum += fmt::format(" + part{}()", i);
        }
        repository_.write("main.cpp", declarations + "int main() { return " + sum + " == 0; }\n");
        repository_.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(parts LANGUAGES CXX)\n"
                                            "add_executable(parts main.cpp" +
                                                list + ")\n");
        write_project("parts");
        commit_ = repository_.commit("Start");
    }
    /// A commit whose part 7 is another one.
    std::string with_change() {
        repository_.write("part7.cpp", "int part7() { return 7; }\n");
        return repository_.commit("Change");
    }
    const std::string& start() const { return commit_; }
    const fs::path& path() const { return repository_.path(); }

private:
    void write_project(const std::string& program) {
        repository_.write("holdfast.json", fmt::format(R"({{ "name": "{0}", "build": [], "objective": "wall",
  "workloads": [{{ "name": "run", "run": ["{{build}}/{0}"], "check": {{ "stdout": "same" }} }}] }})",
                                                       program));
    }
    ScratchRepository repository_;
    std::string commit_;
};

/// Builds commits of a folder as the baseline or as a candidate.
class Builds {
public:
    explicit Builds(const fs::path& folder) : folder_(folder) {
        auto opened = app::open_project_and_repository(folder);
        REQUIRE(opened);
        opened_.emplace(std::move(*opened));
        auto runner = app::start_runner();
        REQUIRE(runner);
        runner_ = std::move(*runner);
        auto workspace = Workspace::open(opened_->project, opened_->repository, *runner_);
        REQUIRE(workspace);
        workspace_.emplace(std::move(*workspace));
    }
    ~Builds() { (void)remove_tree(workspace_->builds().parent_path()); }

    BuildOutcome operator()(const Commands& commands, const std::string& revision, Builder builder) {
        opened_->project.build = commands;
        auto commit = opened_->repository.resolve(revision);
        REQUIRE(commit);
        auto source = workspace_->tree(*commit, {}, commit->tree);
        REQUIRE(source);
        const auto begin = std::chrono::steady_clock::now();
        auto built = study::build(opened_->project, *workspace_, *runner_, Watch(), commit->tree, *source, {}, builder);
        seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        REQUIRE(built);
        INFO(built->log);
        REQUIRE(built->artifact);
        CHECK_FALSE(built->cached);
        return *built;
    }
    double seconds() const { return seconds_; } ///< of the last build
    std::map<std::string, std::string> kept() const {
        auto hashes = hash_folder(workspace_->compilations());
        REQUIRE(hashes);
        return *hashes;
    }

private:
    fs::path folder_;
    std::optional<app::Opened> opened_;
    std::unique_ptr<Runner> runner_;
    std::optional<Workspace> workspace_;
    double seconds_ = 0;
};

int count(const std::string& text, const std::string& word) {
    int found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

} // namespace

TEST_CASE("a candidate of a CMake project compiles what it changed, and what is built is the same without the cache") {
    ManyFiles files;
    const std::string start = files.start(), change = files.with_change();
    Builds build(files.path());
    const BuildOutcome baseline = build(with_cmake, start, Builder::baseline);
    const double all = build.seconds();
    CHECK(count(read_text(baseline.artifact->build / "log"), "\nlocal_storage_write") > 0);
    const auto kept = build.kept();
    const BuildOutcome candidate = build(with_cmake, change, Builder::candidate);
    const double some = build.seconds();
    const std::string log = read_text(candidate.artifact->build / "log");
    CHECK(count(log, "cache_hit") == file_count);
    CHECK(count(log, "\ncache_miss") == 1);
    CHECK(build.kept() == kept);
    const BuildOutcome alone = build(without_cache, change, Builder::candidate);
    CHECK(alone.artifact->executables == candidate.artifact->executables);
    CHECK(alone.artifact->executables.contains("parts"));
    CHECK_FALSE(fs::exists(alone.artifact->build / "log"));
    fmt::print("20 files: all {:.1f} s, one changed {:.1f} s, one changed without the cache {:.1f} s: ratio {:.2f}\n",
               all, some, build.seconds(), some / build.seconds());
    CHECK(some < build.seconds());
}

TEST_CASE("no build of a candidate writes the cache that others read") {
    ManyFiles files;
    Builds build(files.path());
    const Commands honest = {{"sh", "-c",
                              "ccache gcc -x c -c /dev/null -o {build}/empty.o && "
                              "cp {source}/main.cpp /tmp/main.cpp && ccache g++ -c /tmp/main.cpp -o {build}/main.o"}};
    build(honest, files.start(), Builder::baseline);
    const auto kept = build.kept();
    REQUIRE(kept.size() > 2);
    // Each way that is open is told by the build's failure.
    const char* const attempts = R"sh(
unset CCACHE_READONLY
export CCACHE_RECACHE=1
cp /source/part1.cpp /tmp/main.cpp
ccache g++ -c /tmp/main.cpp -o /build/main.o
ccache -C
object=$(find /ccache -type f | head -n 1)
test -n "$object" || exit 1
for try in "touch /ccache/new" "chmod u+w /ccache" "rm -f $object" "mv $object /ccache/moved" "ln /build/main.o /ccache/new" \
    "truncate -s 0 $object" "mount -o remount,rw /ccache" "mount -o bind,rw /tmp /ccache" "umount /ccache"; do
    if $try; then echo "possible: $try"; exit 1; fi
done
if (echo poison > $object) || (echo prefix_command = sh > /ccache/ccache.conf); then exit 1; fi
exit 0
)sh";
    build({{"sh", "-c", attempts}}, files.start(), Builder::candidate);
    CHECK(build.kept() == kept);
}
