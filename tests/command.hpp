// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program and keeps what it said.
#pragma once

#include "tests/scratch.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::test {

struct Ran {
    int code = -1; ///< exit status; 128 + signal when it died by one
    std::string out, err;
};

/// A started program whose outputs go to files in `folder`.
class Command {
public:
    /// `environment` entries "NAME=value" are added to this process's.
    Command(const std::vector<std::string>& argv, const std::filesystem::path& folder,
            const std::vector<std::string>& environment = {});
    ~Command(); ///< kills it when it still runs
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    int pid() const { return pid_; }
    void signal(int number) const;
    bool wait_for(std::chrono::milliseconds time); ///< whether it ended
    Ran wait();

private:
    int pid_ = -1;
    int status_ = 0;
    bool ended_ = false;
    std::filesystem::path out_, err_;
};

Ran run_command(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                const std::vector<std::string>& environment = {});

} // namespace holdfast::test
