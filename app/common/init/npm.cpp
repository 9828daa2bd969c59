// SPDX-License-Identifier: GPL-3.0-or-later
// package.json: programs, scripts, whether packages are needed.
#include "app/common/init/found.hpp"
#include "app/common/init/words.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::app::init {

namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key) {
    const auto at = object.is_object() ? object.find(key) : object.end();
    return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

/// A file of the folder as package.json names it; "" when it is not there.
std::string seen_path(const Seen& seen, std::string path) {
    if (path.starts_with("./"))
        path.erase(0, 2);
    return seen.file(path) == nullptr ? "" : path;
}

void add_program(const Seen& seen, const std::string& name, const std::string& path, const std::string& root,
                 Found& found) {
    const std::string file = seen_path(seen, path);
    if (file.empty() || std::any_of(found.programs.begin(), found.programs.end(),
                                    [&](const Runnable& program) { return program.source == file; }))
        return;
    Runnable program{name.empty() ? stem_of(file) : name, {"node", root + "/" + file}, file};
    program.benchmark = lower_case(file).find("bench") != std::string::npos;
    program.test = !program.benchmark && lower_case(file).find("test") != std::string::npos;
    found.programs.push_back(std::move(program));
}

/// What the script `name` and the scripts that it runs name.
void add_judges(const Seen& seen, const json& scripts, const std::string& name, std::set<std::string>& looked,
                Found& found) {
    if (!looked.insert(name).second)
        return;
    const Argv words = rough_words(text_of(scripts, name.c_str()));
    for (std::string& path : judges_named(seen, found.programs, words))
        found.judges.push_back(std::move(path));
    const bool runs_scripts = std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "npm" || word == "run" || word == "yarn" || word == "pnpm" || word.starts_with("run-") ||
               word.starts_with("npm-run");
    });
    for (const std::string& word : words)
        if (runs_scripts && scripts.contains(word))
            add_judges(seen, scripts, word, looked, found);
}

void read_scripts(const Seen& seen, const json& scripts, const std::string& root, const std::string& main,
                  Found& found) {
    for (const char* name : {"bench", "benchmark", "start", "test"}) {
        const auto words = split_words(text_of(scripts, name));
        if (!words || words->empty())
            continue;
        if ((*words)[0] == "node" && words->size() >= 2 && std::string_view(name) != "test")
            add_program(seen, "", (*words)[1], root, found);
        // What only measures is no program to be changed.
        if (std::string_view(name).starts_with("bench") && words->size() >= 2)
            for (Runnable& program : found.programs)
                program.benchmark =
                    program.benchmark ||
                    (program.source == seen_path(seen, (*words)[1]) &&
                     text_of(scripts, "start").find(program.source) == std::string::npos && program.source != main);
        found.commands.push_back(*words);
    }
    if (const std::string test = text_of(scripts, "test");
        !test.empty() && test.find("no test specified") == std::string::npos) {
        found.test = {{"npm", "--prefix", root, "test"}};
        found.test_why = "the script \"test\" of package.json.";
    }
}

} // namespace

std::optional<Found> find_npm(const Seen& seen) {
    if (seen.file("package.json") == nullptr)
        return std::nullopt;
    Found found;
    found.kind = "npm";
    found.file = "package.json";
    const json package = json::parse(seen.text(found.file), nullptr, false);
    if (!package.is_object()) {
        found.notes.emplace_back("package.json is no JSON object; nothing was taken from it.");
        return found;
    }
    found.name = text_of(package, "name");
    const auto names_some = [&](const char* key) {
        return package.contains(key) && package[key].is_object() && !package[key].empty();
    };
    const bool packages = names_some("dependencies") || names_some("devDependencies");
    const std::string root = packages ? "{build}" : "{source}";
    if (packages) {
        found.fetch = {{"cp", "{source}/package.json", "{source}/package-lock.json", "{deps}"},
                       {"npm", "ci", "--ignore-scripts", "--prefix", "{deps}"}};
        found.build = {{"cp", "-a", "{source}/.", "{build}"},
                       {"ln", "-s", "{deps}/node_modules", "{build}/node_modules"}};
        found.build_why = "A copy of the source beside the packages that were fetched once.";
        found.notes.emplace_back(
            "package.json names packages. They are fetched once with npm ci, with network, only when "
            "you agree (see: holdfast measure --help); runs have no network.");
        if (seen.file("package-lock.json") == nullptr)
            found.notes.emplace_back("There is no package-lock.json, which npm ci needs: make it with npm install.");
    }
    if (const auto bin = package.find("bin"); bin != package.end() && bin->is_object()) {
        for (const auto& [name, path] : bin->items())
            if (path.is_string())
                add_program(seen, name, path.get<std::string>(), root, found);
    } else {
        add_program(seen, "", text_of(package, "bin"), root, found);
    }
    if (package.contains("scripts"))
        read_scripts(seen, package["scripts"], root, seen_path(seen, text_of(package, "main")), found);
    found.judges = {"**/package.json", "**/package-lock.json", "**/*.test.*",      "**/*.spec.*",
                    "**/__tests__/**", "**/__mocks__/**",      "**/*.snap",        "**/test.*",
                    "**/tests.*",      "**/bench*.*",          "**/jest.config.*", "**/vitest.config.*",
                    "**/.mocharc.*",   "**/babel.config.*",    "**/.npmrc"};
    if (found.programs.empty())
        for (const std::string& path : {text_of(package, "main"), std::string("index.js"), std::string("main.js")})
            add_program(seen, "", path, root, found);
    if (found.programs.empty())
        found.notes.emplace_back(
            "package.json names no program that is there: no bin, no main, no index.js and no script "
            "of the form \"start\": \"node FILE\".");
    std::set<std::string> looked;
    if (package.contains("scripts") && package["scripts"].is_object())
        for (const char* name : {"test", "pretest", "posttest", "bench", "benchmark"})
            add_judges(seen, package["scripts"], name, looked, found);
    return found;
}

} // namespace holdfast::app::init
