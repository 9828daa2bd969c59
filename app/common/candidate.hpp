// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate given by hand: knobs as NAME=VALUE, a patch as a file or a branch.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/error.hpp"
#include "core/project/project.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

struct CandidateArguments {
    std::vector<std::string> set; ///< "knob=value"
    std::string patch;            ///< file, "-" for standard input, "" without one
    std::string revision;         ///< whose changes since it left HEAD's history are the patch; "" without one
};

/// The configuration that `set` makes from the defaults, and the patch's text.
struct CandidateInput {
    Configuration configuration;
    std::string patch, kind;
};
Result<CandidateInput> read_candidate(const Project& project, const git::Repository& repository,
                                      const CandidateArguments& arguments);

/// A candidate that waits for the next study.
struct Queued {
    std::string id;
    std::int64_t number = 0;
};
Result<Queued> queue_candidate(const std::filesystem::path& folder, const CandidateArguments& arguments);
/// The candidate of the trial `number` once more, to be measured against HEAD as it is now.
Result<Queued> queue_again(const std::filesystem::path& folder, std::int64_t number);

} // namespace holdfast::app
