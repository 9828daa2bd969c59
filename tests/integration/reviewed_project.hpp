// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of one project whose study is done: trial 1 generalises and waits for review.
#pragma once

#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::test {

class ReviewedProject {
public:
    ReviewedProject(); ///< a copy; the study itself runs once a process

    const std::filesystem::path& path() const { return place_; }
    void move_to(std::filesystem::path place) { place_ = std::move(place); } ///< works on another folder from now on
    std::filesystem::path scratch() const { return folder_.path(); }

    Ran holdfast(const std::vector<std::string>& words) const;
    nlohmann::json document(const std::vector<std::string>& words) const;
    nlohmann::json trial(int number) const;                                      ///< as `trials --json` gives it
    std::string git(const std::vector<std::string>& arguments) const;            ///< its output; throws when it fails
    Ran approve(int number, const std::vector<std::string>& options = {}) const; ///< on a terminal, as a person would

private:
    ScratchFolder folder_;
    std::filesystem::path place_;
};

} // namespace holdfast::test
