// SPDX-License-Identifier: GPL-3.0-or-later
// What a change of code costs where no run shows it: larger executables, and a longer build, to which work may have
// moved.
#pragma once

#include "core/decision/verdict.hpp"
#include "core/study/bench.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::study {

inline constexpr std::string_view larger_program_flag = "build: larger program",
                                  longer_build_flag = "build: longer build";

/// How the sentence of each flag begins among a verdict's reasons.
inline constexpr std::string_view larger_program_start = "The executables take ",
                                  longer_build_start = "A clean build takes ";

/// Sizes in bytes and build times in milliseconds of both arms, for the row of gate `build`.
nlohmann::json growth_json(const Artifact& baseline, const Artifact& candidate);

/// The same in words, out of such a row's detail: ("executables", "1.2 MiB, the baseline's 1.1 MiB"), ("build", "3.1 s,
/// the baseline's 2.9 s"); empty where it holds none. A build time may be that of an earlier build, or by a compiler's
/// cache.
std::vector<std::pair<std::string, std::string>> growth_words(const std::string& detail_json);

/// Executables larger by more than a tenth and 64 KiB, in sum.
bool grew(std::uint64_t before, std::uint64_t after);
/// Longer than one and a half times, and by more than a second.
bool took_longer(std::chrono::nanoseconds before, std::chrono::nanoseconds after);

/// Adds the flags of a measured change of code, each with its sentence. A build that seems longer is made again, both
/// arms cleanly and without a compiler's cache, and those two are compared. Errors: of the sandbox, or stopped on
/// request.
Result<void> add_growth(Bench& bench, const Arm& arm, decision::Verdict& verdict);

} // namespace holdfast::study
