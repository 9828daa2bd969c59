// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/counter_project.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace holdfast::test {

namespace {

const char* const work_text = R"sh(#!/bin/sh
# usage: work.sh INPUT --size=N; counts to counters.json, answers to answer.txt
read -r best < "$1"
size=32
for word in "$@"; do
    case $word in --size=*) size=${word#--size=} ;; esac
done
distance=$((size - best))
if [ "$distance" -lt 0 ]; then distance=$((0 - distance)); fi
echo "{\"rows\": $((200 + 10 * distance))}" > counters.json
echo "the answer is $((best * best))" > answer.txt
)sh";

std::string workload(const std::string& name, const std::string& input, const std::string& check) {
    return fmt::format(
        R"({{ "name": "{}", "inputs": ["{}"], "run": ["/bin/sh", "{{source}}/work.sh", "{{inputs}}/{}"], "check": {} }})",
        name, input, std::filesystem::path(input).filename().string(), check);
}

} // namespace

CounterProject::CounterProject(const CounterOptions& options) {
    repository_.write("work.sh", work_text);
    repository_.write("tests/guard.sh", "#!/bin/sh\nexit 0\n");
    const std::string a = "data/a" + options.marker + ".txt", b = "data/b" + options.marker + ".txt";
    repository_.write(a, std::to_string(options.tuning_best) + "\n");
    repository_.write(b, std::to_string(options.tuning_best + 1) + "\n");
    repository_.write("holdfast.json", fmt::format(R"({{
  "name": "counter",
  "build": [],
  "timeouts": {{ "run": "10s", "test": "20s" }},
  "metrics": {{ "rows": {{ "from": "json", "file": "counters.json", "path": "/rows", "accept-self-reported": true }} }},
  "objective": "rows",
  "workloads": [{}, {}],
  "knobs": [{{ "name": "size", "type": "integer", "min": 1, "max": 64, "default": 32, "through": {{ "argument": "--size={{value}}" }} }}],
  "code": {{ "editable": ["work.sh"], "protected": ["tests/**"], "test": [["/bin/sh", "{{source}}/tests/guard.sh"]] }},
  "probe": {{ "sanitizers": [], "inputs": 0 }},
  "decision": {{ {} }}
}}
)",
                                                   workload("a", a, options.check), workload("b", b, options.check),
                                                   options.extra_decision));
    if (options.holdout) {
        repository_.write(".holdfast/secret/c.txt", std::to_string(options.holdout_best) + "\n");
        repository_.write(
            ".holdfast/holdout.json",
            fmt::format(R"({{ "workloads": [{}] }})", workload("unseen", ".holdfast/secret/c.txt", options.check)));
        repository_.write(".gitignore", ".holdfast/\n");
    }
    repository_.commit("start");
}

std::vector<std::string> CounterProject::command(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", path().string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
}

std::vector<std::string> CounterProject::environment() const {
    return {"HOLDFAST_LOCK=" + (lock_.path() / "machine").string()};
}

Ran CounterProject::holdfast(const std::vector<std::string>& words) const {
    return run_command(command(words), path(), environment());
}

nlohmann::json CounterProject::document(const std::vector<std::string>& words) const {
    std::vector<std::string> all = words;
    all.push_back("--json");
    const Ran ran = holdfast(all);
    const auto document = nlohmann::json::parse(ran.out, nullptr, false);
    if (document.is_discarded())
        throw std::runtime_error("no JSON document from " + words.front() + ": " + ran.out + ran.err);
    return document;
}

nlohmann::json CounterProject::decisions() const {
    nlohmann::json result = nlohmann::json::array();
    const auto trials = document({"trials"}).at("trials");
    for (const auto& trial : trials)
        result.push_back({trial.at("number"), trial.at("tuner"), trial.at("configuration"), trial.at("verdict"),
                          trial.at("tuning"), trial.at("holdout"), trial.at("review")});
    return result;
}

std::string CounterProject::work() const {
    return work_text;
}

std::string CounterProject::patch_to(const std::string& changed) const {
    const ScratchFolder folder;
    write_text(folder.path() / "a" / "work.sh", work_text);
    write_text(folder.path() / "b" / "work.sh", changed);
    return run_command({"git", "diff", "--no-index", "--no-prefix", "a/work.sh", "b/work.sh"}, folder.path()).out;
}

} // namespace holdfast::test
