// SPDX-License-Identifier: GPL-3.0-or-later
// One sandbox runner for a whole test program, in a cache folder of its own.
#pragma once

#include "sandbox/sandbox_runner.hpp"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::test {

/// The runner, started at the first use. Ends the program with a message when it cannot start.
study::Runner& runner();

/// A new folder below the cache, given to the sandbox's user, removed when this is.
class Tree {
public:
    explicit Tree(const std::string& file = "", const std::string& text = "");
    ~Tree();
    std::filesystem::path path;
    std::string read(const std::string& file) const;
};

/// A folder with the program NAME, of one C file, built in the sandbox. Fails the test when it does not build.
class Built {
public:
    Built(const std::string& name, const std::string& source);
    const std::filesystem::path& path() const { return build_.path; }

private:
    Tree build_;
};

/// The folder with the compiled victim.c, made at the first use by a build in the sandbox.
const std::filesystem::path& victim_folder();

/// victim MODE ARGUMENT MARKER, with the victim at /build and a time limit of 20 s.
study::Execution victim(const std::string& mode, const std::string& argument = "", const std::string& marker = "");
study::Execution shell(const std::string& script);

/// Fails the test when the sandbox itself failed.
study::ExecutionResult run(const study::Execution& execution, std::stop_token stop = {});

std::string unique_marker();

/// Processes of this machine whose command line holds `marker`, without those that search.
std::vector<pid_t> processes_with(const std::string& marker);

/// Polls until it holds; false after `seconds`.
bool eventually(const std::function<bool()>& holds, int seconds = 20);

/// A program outside any sandbox, in a process group of its own.
struct Child {
    pid_t pid = -1;
    int output = -1;
};
Child start(const std::vector<std::string>& argv, const std::vector<std::string>& more_environment = {});
std::string read_all_and_wait(Child& child);

/// SIGKILL to exactly one process: 0 and negative numbers, which mean many, fail the test.
void end_process(pid_t process);

std::string text_of(const std::filesystem::path& file);

/// Sets a variable and puts the old value back.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        const char* before = std::getenv(name);
        had_ = before != nullptr;
        old_ = had_ ? before : "";
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (had_)
            ::setenv(name_, old_.c_str(), 1);
        else
            ::unsetenv(name_);
    }

private:
    const char* name_;
    bool had_;
    std::string old_;
};

} // namespace holdfast::test
