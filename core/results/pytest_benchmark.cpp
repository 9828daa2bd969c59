// SPDX-License-Identifier: GPL-3.0-or-later
// What pytest-benchmark writes with --benchmark-json. All times are seconds of one call: "data" has been divided by
// "iterations" already.
#include "core/project/text.hpp"
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::results {

using nlohmann::json;

namespace {

void take_timer(const json& record, Benchmark& benchmark) {
    const json* options = member(record, "options");
    const std::string timer = options == nullptr ? "" : text_at(*options, "timer");
    if (timer == "process_time" || timer == "thread_time")
        benchmark.notes.push_back("times are processor time: the timer was " + timer);
    else if (!timer.empty() && timer != "perf_counter" && timer != "time")
        benchmark.notes.push_back("measured with the timer " + printable(timer.substr(0, 100)));
}

std::string take(const json& record, std::vector<Draft>& drafts) {
    const json* stats = member(record, "stats");
    if (stats == nullptr || !stats->is_object() || text_at(record, "name").empty())
        return "a benchmark in it has no \"name\" or \"stats\"";
    Draft draft;
    Benchmark& benchmark = draft.benchmark;
    benchmark.name = text_at(record, "name");
    draft.longer = text_at(record, "fullname");
    Quantity time = time_quantity();
    time.ordered = true;
    std::size_t none = 0;
    if (const json* data = member(*stats, "data"); data != nullptr && data->is_array())
        none = take_numbers(*data, 1, time.values);
    time.mean = number_at(*stats, "mean");
    time.median = number_at(*stats, "median");
    const auto rounds = number_at(*stats, "rounds");
    if (!rounds || *rounds > 1) // it writes 0 for the deviation of a single round
        time.deviation = number_at(*stats, "stddev");
    if (time.values.empty())
        benchmark.notes.emplace_back("aggregates only: the rounds were not written");
    const auto rate = rate_of(time, 1, "throughput", "1/s");
    benchmark.quantities.push_back(std::move(time));
    if (rate)
        benchmark.quantities.push_back(*rate);
    take_timer(record, benchmark);
    if (none > 0) {
        benchmark.error = fmt::format("{} of its times are no numbers", none);
        benchmark.quantities.clear();
    }
    drafts.push_back(std::move(draft));
    return "";
}

} // namespace

Result<std::vector<Draft>> read_pytest_benchmark(std::string_view text, File& file) {
    std::vector<Draft> drafts;
    auto read = each_record(file.format, text, "benchmarks", [&](const json& record) { return take(record, drafts); });
    if (!read)
        return tl::unexpected(read.error());
    return drafts;
}

} // namespace holdfast::results
