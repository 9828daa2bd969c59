// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/written_project.hpp"

#include "tests/catch.h"

#include <stdexcept>

namespace holdfast::test {

using nlohmann::json;

WrittenProject::WrittenProject(const std::map<std::string, std::string>& files) {
    for (const auto& [path, text] : files)
        repository_.write(path, text);
    repository_.write(".gitignore", ".holdfast/\n");
    repository_.commit("Start");
}

Ran WrittenProject::holdfast(const std::vector<std::string>& words, std::vector<std::string> environment) const {
    std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", path().string()};
    argv.insert(argv.end(), words.begin(), words.end());
    environment.push_back("HOLDFAST_LOCK=" + (lock_.path() / "machine").string());
    return run_command(argv, path(), environment);
}

json WrittenProject::document(const std::vector<std::string>& words) const {
    std::vector<std::string> all = words;
    all.emplace_back("--json");
    const Ran ran = holdfast(all);
    json parsed = json::parse(ran.out, nullptr, false);
    if (!parsed.is_object())
        throw std::runtime_error(ran.out + ran.err);
    return parsed;
}

std::string WrittenProject::patch(const std::string& path, const std::string& from, const std::string& to) const {
    const std::string before = read_text(repository_.path() / path);
    repository_.write(path, replaced(before, from, to));
    const std::string text = repository_.git({"diff"});
    repository_.write(path, before);
    const auto file = lock_.path() / (std::to_string(std::hash<std::string>()(text)) + ".patch");
    write_text(file, text);
    return file.string();
}

WrittenProject::Effect WrittenProject::measured(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"measure", "--rounds", "6"};
    all.insert(all.end(), words.begin(), words.end());
    const json document = this->document(all);
    if (!document.at("verdict").is_null())
        return {0, document.at("verdict"), document.at("stopped")};
    return {document.at("effects").at("estimate"), "", ""};
}

void WrittenProject::run() const {
    if (const Ran ran = holdfast({"run", "--tuner", "patch", "--seed", "1"}); ran.code != 0 && ran.code != 3)
        throw std::runtime_error(ran.out + ran.err);
}

json WrittenProject::trial(const std::string& number) const {
    return document({"show", number});
}

void check_failed_test(const json& trial, const std::string& command) {
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "incorrect");
    CHECK_THAT(trial.at("reasons").dump(), ContainsSubstring("the project's test `" + command));
}

} // namespace holdfast::test
