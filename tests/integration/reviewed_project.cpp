// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/reviewed_project.hpp"

#include "tests/integration/counter_project.hpp"
#include "tests/terminal.hpp"

#include <stdexcept>

namespace holdfast::test {

namespace {

/// Size 9 suits the tuning inputs (best at 8 and 9) and the held-out one (10).
const CounterProject& studied() {
    static const CounterProject project;
    static const bool done = [] {
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"propose", "--set", "size=9"}, {"run", "--tuner", "patch", "--seed", "1"}})
            if (const Ran ran = project.holdfast(words); ran.code != 0)
                throw std::runtime_error("holdfast " + words.front() + ": " + ran.out + ran.err);
        return true;
    }();
    static_cast<void>(done);
    return project;
}

std::vector<std::string> command(const std::filesystem::path& folder, const std::vector<std::string>& words) {
    std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", folder.string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
}

} // namespace

ReviewedProject::ReviewedProject() : place_(folder_.path() / "project") {
    const Ran copied = run_command({"cp", "-a", studied().path().string(), place_.string()}, folder_.path());
    if (copied.code != 0)
        throw std::runtime_error(copied.err);
    git({"config", "user.name", "Ada"});
    git({"config", "user.email", "ada@example.org"});
}

Ran ReviewedProject::holdfast(const std::vector<std::string>& words) const {
    return run_command(command(place_, words), place_, studied().environment());
}

nlohmann::json ReviewedProject::document(const std::vector<std::string>& words) const {
    std::vector<std::string> all = words;
    all.emplace_back("--json");
    const Ran ran = holdfast(all);
    auto parsed = nlohmann::json::parse(ran.out, nullptr, false);
    if (!parsed.is_object())
        throw std::runtime_error(ran.out + ran.err);
    return parsed;
}

nlohmann::json ReviewedProject::trial(int number) const {
    const auto all = document({"trials"});
    for (const auto& trial : all.at("trials"))
        if (trial.at("number") == number)
            return trial;
    throw std::runtime_error("no trial " + std::to_string(number));
}

std::string ReviewedProject::git(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"git"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Ran ran = run_command(argv, place_);
    if (ran.code != 0)
        throw std::runtime_error("git " + arguments.front() + ": " + ran.err);
    return ran.out;
}

Ran ReviewedProject::approve(int number, const std::vector<std::string>& options) const {
    std::vector<std::string> words{"approve", std::to_string(number)};
    words.insert(words.end(), options.begin(), options.end());
    return run_on_terminal(command(place_, words), place_, studied().environment(),
                           {{"[yes/no]", "yes"}, {"type the proposal's number:", std::to_string(number)}});
}

} // namespace holdfast::test
