// SPDX-License-Identifier: GPL-3.0-or-later
// JSON as benchmarking programs write it, one benchmark at a time: a file of 200 MB never is a tree of its values.
#pragma once

#include "core/results/results.hpp"

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace holdfast::results {

/// Takes one element; "" goes on, anything else is the fault that ends the reading.
using TakeRecord = std::function<std::string(const nlohmann::json& record)>;

/// The elements of the array that is the root (`key` "") or the root object's member `key`, in their order. NaN and
/// Infinity, which are no JSON, become an empty text. Errors: not JSON, cut short, a key twice in one object, more than
/// 64 levels, no such array, more values in one element than a benchmark has.
Result<void> each_record(Format format, std::string_view text, const std::string& key, const TakeRecord& take);

/// Where the first array of records is and its first element, to tell the format by.
struct FirstRecord {
    std::string key;    ///< "" for a root array
    std::string record; ///< canonical JSON; "" when the array is empty or there is none
    std::string fault;  ///< why it cannot be read so far; "" when it can
};
FirstRecord first_record(std::string_view text);

/// One whole JSON value. Errors as above.
Result<nlohmann::json> parse_record(Format format, std::string_view text);

} // namespace holdfast::results
