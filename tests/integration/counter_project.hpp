// SPDX-License-Identifier: GPL-3.0-or-later
// A project whose objective is an exact counter, so that every decision is the same in every run: a shell program whose
// counter grows with the distance between the knob `size` and the number in its input.
#pragma once

#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::test {

struct CounterOptions {
    int tuning_best = 8;
    int holdout_best = 10;
    bool holdout = true;
    std::string extra_decision = R"("max-confirmations": 4, "holdout-pairs": 20)";
    std::string marker = ""; ///< in the inputs' names, so that a test finds its programs among all processes
    std::string check = R"({ "files": { "answer.txt": "same" } })";
};

class CounterProject {
public:
    explicit CounterProject(const CounterOptions& options = {});

    const std::filesystem::path& path() const { return repository_.path(); }
    ScratchRepository& repository() { return repository_; }

    /// Runs `holdfast -C path() WORDS...`.
    Ran holdfast(const std::vector<std::string>& words) const;
    std::vector<std::string> command(const std::vector<std::string>& words) const;
    /// The environment that keeps tests apart from each other's machine lock.
    std::vector<std::string> environment() const;

    /// `holdfast ... --json` parsed.
    nlohmann::json document(const std::vector<std::string>& words) const;

    /// What was decided of each trial, without ids and times.
    nlohmann::json decisions() const;

    /// A unified diff that changes `work.sh` from its text to `changed`.
    std::string patch_to(const std::string& changed) const;
    std::string work() const; ///< the program's text

private:
    ScratchRepository repository_;
    ScratchFolder lock_;
};

} // namespace holdfast::test
