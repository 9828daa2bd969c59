// SPDX-License-Identifier: GPL-3.0-or-later
// What criterion.rs leaves: raw.csv, or the messages of `cargo criterion --message-format=json`, one JSON object in
// each line. A measured value is of all iterations of its sample. (estimates.json is private to criterion.rs and names
// no benchmark.)
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::results {

using nlohmann::json;

namespace {

std::optional<double> estimate(const json& message, const char* which, double per) {
    const json* found = member(message, which);
    const auto value = found == nullptr ? std::nullopt : number_at(*found, "estimate");
    return value ? std::optional(*value / per) : std::nullopt;
}

/// Each value divided by its iteration count; false when they do not fit.
bool take_values(const json& message, double per, Quantity& quantity) {
    const json* counts = member(message, "iteration_count");
    const json* measured = member(message, "measured_values");
    if (counts == nullptr || measured == nullptr || !counts->is_array() || !measured->is_array() ||
        counts->size() != measured->size())
        return false;
    for (std::size_t i = 0; i < measured->size(); ++i) {
        const auto count = number_in((*counts)[i]), value = number_in((*measured)[i]);
        if (!count || !value || *count <= 0)
            return false;
        quantity.values.push_back(*value / per / *count);
    }
    return true;
}

void take_throughput(const json& message, Benchmark& benchmark) {
    const json* list = member(message, "throughput");
    if (list == nullptr || !list->is_array())
        return;
    for (const json& each : *list)
        if (const auto amount = number_at(each, "per_iteration"); amount && benchmark.quantities.front().unit == "s") {
            const bool bytes = text_at(each, "unit").starts_with("bytes");
            if (auto rate = rate_of(benchmark.quantities.front(), *amount, "throughput", bytes ? "B/s" : "1/s"))
                benchmark.quantities.push_back(std::move(*rate));
            return;
        }
}

Draft draft_of(const json& message) {
    Draft draft;
    Benchmark& benchmark = draft.benchmark;
    benchmark.name = text_at(message, "id");
    const std::string unit = text_at(message, "unit");
    const auto per = per_second(unit);
    Quantity quantity = time_quantity();
    if (!per) { // a measurement of the project's own, such as cycles
        quantity.name = "value";
        quantity.unit = printable(unit).substr(0, 20);
    }
    quantity.ordered = true;
    quantity.mean = estimate(message, "mean", per.value_or(1));
    quantity.median = estimate(message, "median", per.value_or(1));
    if (take_values(message, per.value_or(1), quantity)) {
        benchmark.quantities.push_back(std::move(quantity));
        take_throughput(message, benchmark);
    } else {
        benchmark.error = "its measured values and iteration counts do not fit together";
    }
    return draft;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

Result<std::vector<Draft>> read_messages(std::string_view text, File& file) {
    std::vector<Draft> drafts;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        ++number;
        if (line.find_first_not_of(" \t") == std::string_view::npos)
            continue;
        auto message = parse_record(file.format, line);
        if (!message)
            return unreadable(file.format, fmt::format("line {}: {}", number, message.error().found));
        if (text_at(*message, "reason") == "benchmark-complete")
            drafts.push_back(draft_of(*message));
    }
    return drafts;
}

} // namespace

/// By the first key, which cargo-criterion always writes first: another program's file may be one line of 200 MB, too
/// long to be parsed for a look.
bool looks_like_criterion_messages(std::string_view text) {
    const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); };
    skip();
    if (!text.starts_with('{'))
        return false;
    text.remove_prefix(1);
    skip();
    return text.starts_with("\"reason\"");
}

Result<std::vector<Draft>> read_criterion(std::string_view text, File& file) {
    return looks_like_criterion_csv(text) ? read_criterion_csv(text) : read_messages(text, file);
}

} // namespace holdfast::results
