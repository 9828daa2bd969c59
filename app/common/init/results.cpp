// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/results.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::app::init {

namespace {

using nlohmann::json;

constexpr std::size_t most_files = 50;

std::string text_at(const json& object, const char* key) {
    const auto at = object.is_object() ? object.find(key) : object.end();
    return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

void read_google(const std::string& file, const json& document, Results& results) {
    const auto context = document.find("context"), benchmarks = document.find("benchmarks");
    if (context == document.end() || benchmarks == document.end() || !benchmarks->is_array())
        return;
    GoogleResult result{file, name_of(text_at(*context, "executable")), {}};
    for (const json& benchmark : *benchmarks) {
        std::string name = text_at(benchmark, "run_name");
        if (name.empty())
            name = text_at(benchmark, "name");
        if (!name.empty() && std::find(result.names.begin(), result.names.end(), name) == result.names.end())
            result.names.push_back(name);
    }
    if (!result.executable.empty() && !result.names.empty())
        results.google.push_back(std::move(result));
}

void read_hyperfine(const std::string& file, const json& document, Results& results) {
    const auto list = document.find("results");
    if (list == document.end() || !list->is_array())
        return;
    HyperfineResult result{file, {}};
    for (const json& each : *list)
        if (const std::string command = text_at(each, "command"); !command.empty() && each.contains("mean"))
            result.commands.push_back(command);
    if (!result.commands.empty())
        results.hyperfine.push_back(std::move(result));
}

} // namespace

Results find_results(const Seen& seen) {
    Results results;
    std::size_t opened = 0;
    for (const SeenFile& file : seen.files) {
        if (extension_of(file.path) != ".json" || file.size > seen.text_bytes || ++opened > most_files)
            continue;
        const json document = json::parse(seen.text(file.path), nullptr, false);
        if (!document.is_object())
            continue;
        read_google(file.path, document, results);
        read_hyperfine(file.path, document, results);
    }
    return results;
}

} // namespace holdfast::app::init
