// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/written_project.hpp"

#include <stdexcept>

namespace holdfast::test {

using nlohmann::json;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos || text.find(from, at + 1) != std::string::npos)
        throw std::runtime_error("not once there: " + from);
    return text.replace(at, from.size(), to);
}

WrittenProject::WrittenProject(const std::map<std::string, std::string>& files) {
    for (const auto& [path, text] : files)
        repository_.write(path, text);
    repository_.write(".gitignore", ".holdfast/\n");
    repository_.commit("Start");
}

Ran WrittenProject::holdfast(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", path().string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_command(argv, path(), {"HOLDFAST_LOCK=" + (lock_.path() / "machine").string()});
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

json WrittenProject::decided(const std::string& number) const {
    if (const Ran ran = holdfast({"run", "--tuner", "patch", "--seed", "1"}); ran.code != 0 && ran.code != 3)
        throw std::runtime_error(ran.out + ran.err);
    return document({"show", number});
}

} // namespace holdfast::test
