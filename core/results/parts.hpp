// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of the seven formats share. Each takes UTF-8 without a byte order mark.
#pragma once

#include "core/results/results.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::results {

/// A benchmark as it was read, and the longer name that tells it from others of its name.
struct Draft {
    Benchmark benchmark;
    std::string longer; ///< "" when there is none
};

Result<std::vector<Draft>> read_google_benchmark(std::string_view text, File& file);
Result<std::vector<Draft>> read_hyperfine(std::string_view text, File& file);
Result<std::vector<Draft>> read_pytest_benchmark(std::string_view text, File& file);
Result<std::vector<Draft>> read_jmh(std::string_view text, File& file);
Result<std::vector<Draft>> read_nanobench(std::string_view text, File& file);
Result<std::vector<Draft>> read_criterion(std::string_view text, File& file);
Result<std::vector<Draft>> read_criterion_csv(std::string_view text);
Result<std::vector<Draft>> read_catch2(std::string_view text, File& file);

/// Whether the text begins as criterion's raw.csv, or as the messages of cargo-criterion.
bool looks_like_criterion_csv(std::string_view text);
bool looks_like_criterion_messages(std::string_view text);

/// "Cannot read the FORMAT file: `found`."
tl::unexpected<Error> unreadable(Format format, std::string found);

/// A finite number. Nothing for null, for what json_records.hpp makes of a bare NaN or Infinity, and for any text, as
/// JMH writes NaN.
std::optional<double> number_in(const nlohmann::json& value);
std::optional<double> number_at(const nlohmann::json& object, const char* key);
/// "" when there is no text.
std::string text_at(const nlohmann::json& object, const char* key);
/// Null when there is no such member, or `object` is none.
const nlohmann::json* member(const nlohmann::json& object, const char* key);

/// Takes the numbers of an array, each divided by `per`; how many of them are none is returned.
std::size_t take_numbers(const nlohmann::json& array, double per, std::vector<double>& values);

/// How many of the unit make a second: "ns" is 1e9. Dividing by it is exact where multiplying by 1e-9 is not.
std::optional<double> per_second(std::string_view unit);

/// A quantity with the numbers of a sum divided by how often it was done; better is higher for rates.
Quantity time_quantity(std::string name = "time");
Quantity rate_quantity(std::string name, std::string unit);

/// The rate of each value: `amount` of it in that time. Nothing where a time is not above zero.
std::optional<Quantity> rate_of(const Quantity& time, double amount, std::string name, std::string unit);

/// Removes quantities without a number, notes what is odd, and gives an error to what has no main number.
void settle(Benchmark& benchmark);

} // namespace holdfast::results
