// SPDX-License-Identifier: GPL-3.0-or-later
// Result files of other benchmarking programs, as they are shown.
#pragma once

#include "core/results/results.hpp"
#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace holdfast::cli {

/// Why nothing is decided by such a file; one sentence.
extern const char* const results_caveat;

/// What --json says of a file, its benchmarks included.
nlohmann::json results_document(const study::ResultsFileRecord& record, const results::File& file);

/// A table of its benchmarks with units, spread and notes; at most `most` rows.
std::string results_table(const results::File& file, std::size_t most);

/// "google-benchmark, bench.json: 4 benchmarks, 1 without a number".
std::string results_words(const study::ResultsFileRecord& record, const results::File& file);

} // namespace holdfast::cli
