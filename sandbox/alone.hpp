// SPDX-License-Identifier: GPL-3.0-or-later
// Running without name spaces: no mounts, so what a program knows as /build is a link below CACHE/at, the same for both
// arms and every run, and its command names it by that path.
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::sandbox {

/// In the cache: the links and scratch folders of the last run without name spaces.
constexpr const char* alone_folder = "at";
/// Beside it: held for each run, since another process of the same user clears the folder for its own.
constexpr const char* alone_lock = "at.lock";

/// `text` with each path of `places` replaced that stands in it as a path of its own or begins one: "/build/x",
/// "-I/build", "a=/build:/tmp", but neither "/x/build" nor "/builder". `places`: what is replaced, and by what.
std::string moved(std::string_view text, const std::vector<std::pair<std::string, std::string>>& places);

/// `prepared` (prepare.hpp) as it runs without name spaces. Makes the links and fresh, empty folders for /tmp and HOME,
/// which are among its mounts then. Refused: a server, which needs a loopback of its own.
Result<study::Execution> placed_on_host(const study::Execution& prepared, const std::filesystem::path& cache);

} // namespace holdfast::sandbox
