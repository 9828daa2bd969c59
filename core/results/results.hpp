// SPDX-License-Identifier: GPL-3.0-or-later
// Result files of other benchmarking programs as plain values. Every file is hostile until read.
#pragma once

#include "core/project/error.hpp"
#include "core/project/project.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::results {

enum class Format { google_benchmark, hyperfine, pytest_benchmark, jmh, nanobench, criterion, catch2 };
/// "google-benchmark", "hyperfine", "pytest-benchmark", "jmh", "nanobench", "criterion", "catch2".
std::string_view format_name(Format format);
std::optional<Format> format_from_name(std::string_view name);
const std::vector<Format>& formats();

/// One quantity of one benchmark: "time", "cpu-time", "items_per_second", ...
struct Quantity {
    std::string name;
    std::string unit; ///< "s", "B", "B/s", "1/s", "" for a plain number; times are converted to seconds exactly
    Better better = Better::lower;
    std::vector<double> values;                    ///< each repetition; when the file has aggregates only, none
    std::optional<double> mean, median, deviation; ///< as the file says
    std::optional<double> ratio_of_variation;      ///< a plain ratio, never in a time unit
    bool ordered = false;                          ///< the values are in the order they were taken

    /// The number that stands for it: the median of the values, else the file's median, else its mean.
    std::optional<double> number() const;
};

struct Benchmark {
    std::string name;                 ///< as the file says, any text; unique in a file with its parameters
    std::vector<Quantity> quantities; ///< the tool's main one first
    std::string error;                ///< why it has no numbers: skipped, failed, cut short; "" when it has
    std::vector<std::string> notes;   ///< what was odd: all values equal, exit codes, aggregates left out
};

struct File {
    Format format = Format::google_benchmark;
    std::vector<Benchmark> benchmarks;
    std::vector<std::string> notes; ///< of the whole file
};

/// Largest file read, in bytes.
constexpr std::uint64_t largest_file = 200ULL << 20;

/// Recognises the format from its content. Errors (`invalid`): no known format, not valid, cut short, not UTF-8, no
/// benchmark. Of several benchmarks that cannot be told apart one is left, with an error.
Result<File> read(std::string_view bytes);
Result<File> read(std::string_view bytes, Format format);

/// One benchmark's quantity, and its number. `benchmark` "": the only one; `quantity` "": the main one. Errors name
/// what the file has: an unknown name is never passed over.
Result<const Quantity*> quantity_of(const File& file, const std::string& benchmark, const std::string& quantity);
Result<double> number_of(const File& file, const std::string& benchmark, const std::string& quantity);

/// Canonical JSON of a file's benchmarks, and back.
std::string to_json(const File& file);
Result<File> from_json(std::string_view json);

} // namespace holdfast::results
