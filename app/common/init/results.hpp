// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmark results that lie in the folder: what somebody found worth measuring before.
#pragma once

#include "app/common/init/look.hpp"

#include <string>
#include <vector>

namespace holdfast::app::init {

struct GoogleResult {
    std::string file;               ///< where it was found
    std::string executable;         ///< the program's name
    std::vector<std::string> names; ///< of its benchmarks, each once
};

struct HyperfineResult {
    std::string file;
    std::vector<std::string> commands; ///< as they were given
};

struct Results {
    std::vector<GoogleResult> google;
    std::vector<HyperfineResult> hyperfine;
};

/// JSON files that google-benchmark (--benchmark_out) or hyperfine (--export-json) wrote; at most 50 are opened.
Results find_results(const Seen& seen);

} // namespace holdfast::app::init
