// SPDX-License-Identifier: GPL-3.0-or-later
// Opened repositories and their commits, for tests in which both must be there.
#pragma once

#include "core/git/repository.hpp"
#include "tests/scratch.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace holdfast::test {

/// The value, or the test ends with the error's words.
template <class T> T need(Result<T> result) {
    if (!result)
        throw std::runtime_error(result.error().message());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

inline git::Repository open_repository(const std::filesystem::path& folder) {
    return need(git::Repository::open(folder));
}

inline const git::Identity tester{"Tess Ter", "tess@example.org"};

/// What git finds wrong in the object store; "" when nothing.
inline std::string faults(const ScratchRepository& scratch) {
    const auto done = scratch.try_git({"fsck", "--strict", "--no-dangling", "--no-progress"});
    return done.status == 0 ? done.errors : "status " + std::to_string(done.status) + ": " + done.errors + done.output;
}

inline std::string line(const ScratchRepository& scratch, const std::vector<std::string>& arguments) {
    return ScratchRepository::first_line(scratch.git(arguments));
}

} // namespace holdfast::test
