// SPDX-License-Identifier: GPL-3.0-or-later
// What nanobench renders with its own JSON template. Every number of a measurement is of one iteration, in seconds; an
// iteration may process a batch of units.
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::results {

using nlohmann::json;

namespace {

constexpr std::array<const char*, 6> counters = {"instructions", "cpucycles",  "branchinstructions",
                                                 "branchmisses", "pagefaults", "contextswitches"};

Quantity quantity_of(const json& record, const char* key, Quantity quantity) {
    quantity.ordered = true;
    quantity.median = number_at(record, fmt::format("median({})", key).c_str());
    if (const json* measurements = member(record, "measurements"); measurements != nullptr && measurements->is_array())
        for (const json& measurement : *measurements)
            if (const json* value = member(measurement, key))
                quantity.values.push_back(number_in(*value).value_or(NAN));
    return quantity;
}

/// Where the system lets nobody count, nanobench writes 0.
bool was_counted(const Quantity& quantity) {
    return std::any_of(quantity.values.begin(), quantity.values.end(), [](double value) { return value != 0; }) ||
           quantity.median.value_or(0) != 0;
}

std::string take(const json& record, std::vector<Draft>& drafts) {
    if (!record.is_object() || text_at(record, "name").empty())
        return "a result in it has no \"name\"";
    Draft draft;
    Benchmark& benchmark = draft.benchmark;
    benchmark.name = text_at(record, "name");
    draft.longer = text_at(record, "title") + ": " + benchmark.name;
    Quantity time = quantity_of(record, "elapsed", time_quantity());
    const std::string unit = text_at(record, "unit");
    const double batch = record.contains("batch") ? number_at(record, "batch").value_or(NAN) : 1;
    if (!(batch > 0))
        benchmark.error = "its batch is not above zero: what an iteration processed is unknown";
    const auto rate = rate_of(time, batch, "throughput", unit == "byte" ? "B/s" : "1/s");
    benchmark.quantities.push_back(std::move(time));
    if (rate)
        benchmark.quantities.push_back(*rate);
    for (const char* name : counters) {
        Quantity counter;
        counter.name = name;
        counter = quantity_of(record, name, std::move(counter));
        if (was_counted(counter))
            benchmark.quantities.push_back(std::move(counter));
    }
    if (batch != 1)
        benchmark.notes.push_back(fmt::format("time is of one iteration, which processes {:g}", batch));
    drafts.push_back(std::move(draft));
    return "";
}

} // namespace

Result<std::vector<Draft>> read_nanobench(std::string_view text, File& file) {
    std::vector<Draft> drafts;
    auto read = each_record(file.format, text, "results", [&](const json& record) { return take(record, drafts); });
    if (!read)
        return tl::unexpected(read.error());
    return drafts;
}

} // namespace holdfast::results
