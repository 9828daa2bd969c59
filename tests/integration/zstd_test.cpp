// SPDX-License-Identifier: GPL-3.0-or-later
// A foreign program from the distribution, tuned on real files of the system.
#include "tests/catch.h"
#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

/// Regular files below `folder` joined up to `bytes`.
std::string joined_files(const fs::path& folder, std::size_t bytes) {
    std::string text;
    for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied), end;
         entry != end && text.size() < bytes; ++entry)
        if (entry->is_regular_file() && !entry->is_symlink())
            text += read_text(entry->path());
    text.resize(std::min(text.size(), bytes));
    return text;
}

std::string workload(const std::string& name, const std::string& input) {
    const std::string file = fs::path(input).filename().string();
    return fmt::format(R"js({{ "name": "{0}", "inputs": ["{1}"],
      "run": ["/bin/sh", "-c", "zstd -q -f \"$@\" -o /out/data.zst /inputs/{2} && stat -c 'compressed bytes %s' /out/data.zst", "zstd", "{{knobs}}"],
      "check": {{ "command": ["/bin/sh", "-c", "zstd -dcq {{out}}/data.zst | cmp - {{inputs}}/{2}"] }} }})js",
                       name, input, file);
}

class ZstdProject {
public:
    ZstdProject() {
        repository_.write("data/headers.txt", joined_files("/usr/include/c++", 600'000));
        repository_.write("data/licences.txt", joined_files("/usr/share/common-licenses", 300'000));
        repository_.write(".holdfast/libc.bin", read_text("/usr/lib/x86_64-linux-gnu/libc.so.6").substr(0, 700'000));
        repository_.write(".gitignore", ".holdfast/\n");
        repository_.write("holdfast.json", fmt::format(R"js({{
  "name": "zstd",
  "build": [],
  "metrics": {{ "size": {{ "from": "stdout", "pattern": "compressed bytes (\\d+)", "unit": "B" }} }},
  "objective": "wall",
  "limits": {{ "size": {{ "worse-by-at-most": "15%" }} }},
  "workloads": [{}, {}],
  "knobs": [
    {{ "name": "level", "type": "integer", "min": 1, "max": 15, "default": 13, "through": {{ "argument": "-{{value}}" }} }},
    {{ "name": "long", "type": "categorical", "values": ["--no-progress", "--long=24"], "default": "--no-progress", "through": {{ "argument": "{{value}}" }} }},
    {{ "name": "strategy", "type": "integer", "min": 1, "max": 7, "default": 6, "through": {{ "argument": "--zstd=strategy={{value}}" }} }},
    {{ "name": "threads", "type": "integer", "min": 1, "max": 2, "default": 1, "through": {{ "argument": "-T{{value}}" }} }}
  ],
  "decision": {{ "max-confirmations": 4, "holdout-pairs": 20 }}
}}
)js",
                                                       workload("headers", "data/headers.txt"),
                                                       workload("licences", "data/licences.txt")));
        repository_.write(".holdfast/holdout.json",
                          fmt::format(R"({{ "workloads": [{}] }})", workload("binary", ".holdfast/libc.bin")));
        repository_.commit("start");
    }

    Ran holdfast(std::vector<std::string> words) const {
        words.insert(words.begin(), {std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", repository_.path().string()});
        return run_command(words, repository_.path(), {"HOLDFAST_LOCK=" + (lock_.path() / "machine").string()});
    }

private:
    ScratchRepository repository_;
    ScratchFolder lock_;
};

} // namespace

TEST_CASE("zstd: a faster setting within the size limit generalises to another kind of file, one past it regresses") {
    const ZstdProject project;
    REQUIRE(project.holdfast({"propose", "--set", "level=6", "--set", "strategy=5"}).code == 0);
    REQUIRE(project.holdfast({"propose", "--set", "level=1", "--set", "strategy=1"}).code == 0);
    const Ran ran = project.holdfast({"run", "--tuner", "random", "--trials", "3", "--leaders", "1", "--seed", "2"});
    INFO(ran.out << ran.err);
    const auto trials = nlohmann::json::parse(project.holdfast({"trials", "--json"}).out).at("trials");
    INFO(trials.dump(2));
    CHECK(trials.at(0).at("verdict") == "generalises");
    CHECK(trials.at(1).at("verdict") == "regresses");
    CHECK_THAT(trials.at(1).at("reasons").dump(), ContainsSubstring("size"));
    CHECK(ran.code == 0);
    CHECK(project.holdfast({"audit"}).code == 0);
}
