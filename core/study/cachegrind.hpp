// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions counted by valgrind's cachegrind (manual, "Cachegrind: a high-precision tracing profiler"): user mode,
// exact and the same from run to run, some 20 to 50 times slower than the program itself.
#pragma once

#include "core/study/runner.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace holdfast::study {

/// `execution` as a run that is counted: under cachegrind with every program it starts, with more time and memory.
/// `counts`: an empty folder that Runner::give() was called for. `token`: what the logs' names begin with, new for each
/// run. Valgrind runs in the program's own process, so a program that looks for it can reach its logs all the same:
/// instructions_caution() says so.
Execution under_cachegrind(Execution execution, const std::filesystem::path& counts, const std::string& token);

/// The sum over all processes of such a run. A process that was killed left no count and is an error; so is any file
/// that is not the log of a process as valgrind writes it, and a parent that was not counted.
Result<std::uint64_t> cachegrind_instructions(const std::filesystem::path& counts, const std::string& token);

} // namespace holdfast::study
