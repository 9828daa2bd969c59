// SPDX-License-Identifier: GPL-3.0-or-later
// A scratch repository with files written for one test, driven by the real program.
#pragma once

#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::test {

class WrittenProject {
public:
    /// Text by path; what is below .holdfast is not committed.
    explicit WrittenProject(const std::map<std::string, std::string>& files);

    const std::filesystem::path& path() const { return repository_.path(); }
    const ScratchRepository& repository() const { return repository_; }

    /// `environment` entries "NAME=value" are added to this process's.
    Ran holdfast(const std::vector<std::string>& words, std::vector<std::string> environment = {}) const;
    /// The document of --json; throws, with what was said, when there is none.
    nlohmann::json document(const std::vector<std::string>& words) const;

    /// A patch file that replaces `from`, which the committed file `path` holds once, by `to`.
    std::string patch(const std::string& path, const std::string& from, const std::string& to) const;

    /// What 6 rounds say of a candidate, given in the words of `measure`.
    struct Effect {
        double estimate = 0;         ///< a fraction, negative is better
        std::string verdict, reason; ///< of a candidate that a gate stopped; else empty
    };
    Effect measured(const std::vector<std::string>& words) const;

    /// A study of the queue alone.
    void run() const;
    nlohmann::json trial(const std::string& number) const; ///< as `show --json` gives it

private:
    ScratchRepository repository_;
    ScratchFolder lock_;
};

/// Fails the test unless `trial` is incorrect because of the project's own test `command`.
void check_failed_test(const nlohmann::json& trial, const std::string& command);

} // namespace holdfast::test
