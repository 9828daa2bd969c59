// SPDX-License-Identifier: GPL-3.0-or-later
// What hyperfine writes with --export-json. All times are seconds.
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::results {

using nlohmann::json;

namespace {

/// "n=10, mode=fast"; a value may be a text or a number.
std::string parameters_of(const json& record) {
    std::string text;
    if (const json* parameters = member(record, "parameters"); parameters != nullptr && parameters->is_object())
        for (const auto& [name, value] : parameters->items())
            text +=
                (text.empty() ? "" : ", ") + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

/// hyperfine keeps what exits other than 0 only when told to. One and the same small code may be the program's answer;
/// a signal (null, or 128 and more through a shell), a command that was not found (126, 127) or a code that comes and
/// goes is a failure, and a failure can be fast.
void judge_exits(const json& record, Benchmark& benchmark) {
    const json* codes = member(record, "exit_codes");
    if (codes == nullptr || !codes->is_array())
        return;
    std::map<std::string, std::size_t> count;
    bool broken = false;
    for (const json& code : *codes) {
        const auto number = number_in(code);
        broken = broken || !number || *number >= 126 || *number < 0;
        ++count[number ? fmt::format("exit code {:g}", *number) : "ended by a signal"];
    }
    if (count.empty() || (count.size() == 1 && count.begin()->first == "exit code 0"))
        return;
    std::string told;
    const bool failures = broken || count.size() > 1;
    for (const auto& [what, times] : count)
        if (!failures || what != "exit code 0")
            told += fmt::format("{}{} of {} runs: {}", told.empty() ? "" : ", ", times, codes->size(), what);
    if (failures)
        benchmark.error = told;
    else
        benchmark.notes.push_back(told);
}

void take_memory(const json& record, Benchmark& benchmark) {
    Quantity memory;
    memory.name = "peak-memory";
    memory.unit = "B";
    memory.ordered = true;
    if (const json* sizes = member(record, "memory_usage_byte"); sizes != nullptr && sizes->is_array())
        if (take_numbers(*sizes, 1, memory.values) == 0 && memory.number())
            benchmark.quantities.push_back(std::move(memory));
}

std::string take(const json& record, std::vector<Draft>& drafts) {
    if (!record.is_object() || text_at(record, "command").empty())
        return "a result in it has no \"command\"";
    Draft draft;
    Benchmark& benchmark = draft.benchmark;
    benchmark.name = text_at(record, "command");
    if (const std::string parameters = parameters_of(record); !parameters.empty())
        draft.longer = benchmark.name + " (" + parameters + ")";
    Quantity time = time_quantity();
    time.ordered = true;
    std::size_t none = 0;
    if (const json* times = member(record, "times"); times != nullptr && times->is_array())
        none = take_numbers(*times, 1, time.values);
    time.mean = number_at(record, "mean");
    time.median = number_at(record, "median");
    time.deviation = number_at(record, "stddev"); // null after a single run
    benchmark.quantities.push_back(std::move(time));
    for (const char* name : {"user", "system"})
        if (const auto mean = number_at(record, name)) {
            benchmark.quantities.push_back(time_quantity(name));
            benchmark.quantities.back().mean = mean;
        }
    take_memory(record, benchmark);
    judge_exits(record, benchmark);
    if (none > 0)
        benchmark.error = fmt::format("{} of its times are no numbers", none);
    if (!benchmark.error.empty())
        benchmark.quantities.clear();
    drafts.push_back(std::move(draft));
    return "";
}

} // namespace

Result<std::vector<Draft>> read_hyperfine(std::string_view text, File& file) {
    std::vector<Draft> drafts;
    auto read = each_record(file.format, text, "results", [&](const json& record) { return take(record, drafts); });
    if (!read)
        return tl::unexpected(read.error());
    return drafts;
}

} // namespace holdfast::results
