// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/asked.hpp"

#include "core/project/hash.hpp"
#include "core/study/input_bytes.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::study {

namespace {

using nlohmann::json;

/// Of an input: how commands name it, and its bytes' SHA-256.
struct NamedInput {
    std::string place, digest;
};

/// The command with each input named by its content. A longer name goes first: it may begin with a shorter one.
json by_content(const Argv& command, const std::vector<NamedInput>& inputs) {
    json words = json::array();
    for (std::string word : command) {
        for (const NamedInput& input : inputs)
            for (std::size_t at = word.find(input.place); at != std::string::npos;
                 at = word.find(input.place, at + input.digest.size()))
                word.replace(at, input.place.size(), input.digest);
        words.push_back(std::move(word));
    }
    return words;
}

bool takes_seed(const Argv& command) {
    return std::any_of(command.begin(), command.end(),
                       [](const std::string& word) { return word.find("{seed}") != std::string::npos; });
}

} // namespace

std::string asked_digest(const Workload& workload, const std::vector<std::string>& inputs) {
    std::vector<NamedInput> named;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        named.push_back(
            {"{inputs}/" + std::filesystem::path(workload.inputs.at(i)).filename().string(), "{inputs}/" + inputs[i]});
    std::sort(named.begin(), named.end(),
              [](const NamedInput& a, const NamedInput& b) { return a.place.size() > b.place.size(); });
    json asked = {{"inputs", std::multiset<std::string>(inputs.begin(), inputs.end())}};
    const bool fresh = workload.fresh_seeds > 0;
    if (!workload.generate.empty())
        asked["generate"] = by_content(workload.generate, named);
    if (!fresh || workload.generate.empty()) {
        asked["run"] = by_content(workload.run, named);
        asked["prepare"] = by_content(workload.prepare, named);
        asked["server"] = workload.server ? by_content(workload.server->start, named) : json();
    }
    if (!fresh && (takes_seed(workload.generate) || takes_seed(workload.prepare) || takes_seed(workload.run)))
        asked["seeds"] = std::set<std::int64_t>(workload.seeds.begin(), workload.seeds.end());
    return sha256(asked.dump());
}

Result<std::vector<std::string>> asked_digests(const Project& project, const git::Repository& repository,
                                               const git::Commit& commit,
                                               const std::vector<const Workload*>& workloads) {
    std::set<std::string> digests;
    for (const Workload* workload : workloads) {
        if (workload->role != Role::holdout)
            continue;
        std::vector<std::string> inputs;
        for (const std::string& input : workload->inputs) {
            auto bytes = input_bytes(project, repository, commit, *workload, input);
            if (!bytes)
                return tl::unexpected(bytes.error());
            inputs.push_back(sha256(*bytes));
        }
        digests.insert(asked_digest(*workload, inputs));
    }
    return std::vector<std::string>(digests.begin(), digests.end());
}

std::optional<std::vector<std::string>> asked_digests(const StudyRecord& study) {
    const json options = json::parse(study.options_json, nullptr, false);
    if (!options.is_object() || !options.contains(asked_key) || !options.at(asked_key).is_array())
        return std::nullopt;
    std::vector<std::string> digests;
    for (const json& digest : options.at(asked_key))
        if (digest.is_string())
            digests.push_back(digest.get<std::string>());
    return digests;
}

} // namespace holdfast::study
