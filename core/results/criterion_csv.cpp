// SPDX-License-Identifier: GPL-3.0-or-later
// criterion.rs' raw.csv: a row for each sample, `sample_measured_value` of all its `iteration_count` iterations.
#include "core/project/text.hpp"
#include "core/results/parts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace holdfast::results {

namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t most_cells = 64;

/// One record of RFC 4180, taken off `text`; nothing when it ends inside quotes.
std::optional<Cells> next_record(std::string_view& text) {
    Cells cells(1);
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '"' && at + 1 < text.size() && text[at + 1] == '"')
                cells.back() += text[++at];
            else if (c == '"')
                quoted = false;
            else
                cells.back() += c;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' && cells.size() < most_cells) {
            cells.emplace_back();
        } else if (c == '\n') {
            ++at;
            break;
        } else {
            cells.back() += c;
        }
    }
    text.remove_prefix(at);
    if (quoted)
        return std::nullopt;
    if (cells.back().ends_with('\r'))
        cells.back().pop_back();
    return cells;
}

std::optional<double> number(const std::string& cell) {
    double value = 0;
    const auto [end, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool whole = fault == std::errc() && end == cell.data() + cell.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Where the columns are; versions before 0.3 call the value sample_time_nanos and have no unit and no throughput.
class Table {
public:
    explicit Table(Cells header) : header_(std::move(header)) {}

    std::string cell(const Cells& record, const char* name) const {
        const auto found = std::find(header_.begin(), header_.end(), name);
        const auto at = static_cast<std::size_t>(found - header_.begin());
        return found == header_.end() || at >= record.size() ? "" : record[at];
    }
    bool has(const char* name) const { return std::find(header_.begin(), header_.end(), name) != header_.end(); }
    std::size_t columns() const { return header_.size(); }

private:
    Cells header_;
};

struct Samples {
    Draft draft;
    double amount = 0; ///< of the throughput; 0 without one
    bool bytes = false;
};

std::string name_of(const Table& table, const Cells& record) {
    std::string name = table.cell(record, "group");
    for (const char* part : {"function", "value"})
        if (const std::string more = table.cell(record, part); !more.empty())
            name += (name.empty() ? "" : "/") + more;
    return name;
}

/// The fault, "" without one.
std::string take(const Table& table, const Cells& record, std::vector<Samples>& all,
                 std::map<std::string, std::size_t>& places) {
    if (record.size() != table.columns())
        return fmt::format("a row has {} cells in place of {}: it is cut short or none of criterion's", record.size(),
                           table.columns());
    const bool old = !table.has("sample_measured_value");
    const auto measured = number(table.cell(record, old ? "sample_time_nanos" : "sample_measured_value"));
    const auto count = number(table.cell(record, "iteration_count"));
    const std::string unit = old ? "ns" : table.cell(record, "unit"), name = name_of(table, record);
    if (!measured || !count || *count <= 0)
        return fmt::format("a row of {} has no measured value or no iteration count above zero",
                           printable(name.substr(0, 100)));
    const auto per = per_second(unit);
    const auto [place, added] = places.try_emplace(name, all.size());
    if (added) {
        all.emplace_back();
        Samples& made = all.back();
        made.draft.benchmark.name = name;
        made.draft.benchmark.quantities = {time_quantity(per ? "time" : "value")};
        made.draft.benchmark.quantities[0].unit = per ? "s" : printable(unit).substr(0, 20);
        made.draft.benchmark.quantities[0].ordered = true;
        made.amount = number(table.cell(record, "throughput_num")).value_or(0);
        made.bytes = table.cell(record, "throughput_type") == "bytes";
    }
    Quantity& quantity = all[place->second].draft.benchmark.quantities[0];
    if ((quantity.unit == "s") != per.has_value())
        return fmt::format("rows of {} are in different units", printable(name.substr(0, 100)));
    quantity.values.push_back(*measured / per.value_or(1) / *count);
    return "";
}

} // namespace

bool looks_like_criterion_csv(std::string_view text) {
    return text.starts_with("group,function,value,");
}

Result<std::vector<Draft>> read_criterion_csv(std::string_view text) {
    if (!text.ends_with('\n')) // else a number that lost its last digits would count
        return unreadable(Format::criterion, "it is cut short: its last line has no end");
    const auto header = next_record(text);
    if (!header)
        return unreadable(Format::criterion, "its first line is cut short");
    const Table table(*header);
    if (!table.has("iteration_count") || !(table.has("sample_measured_value") || table.has("sample_time_nanos")))
        return unreadable(Format::criterion, "its first line names no measured value or no iteration count");
    std::vector<Samples> all;
    std::map<std::string, std::size_t> places;
    while (!text.empty()) {
        const auto record = next_record(text);
        if (!record)
            return unreadable(Format::criterion, "it is cut short: it ends inside quotes");
        if (record->size() == 1 && record->front().empty())
            continue;
        if (const std::string fault = take(table, *record, all, places); !fault.empty())
            return unreadable(Format::criterion, fault);
    }
    std::vector<Draft> drafts;
    for (Samples& samples : all) {
        std::vector<Quantity>& quantities = samples.draft.benchmark.quantities;
        if (samples.amount > 0 && quantities[0].unit == "s")
            if (auto rate = rate_of(quantities[0], samples.amount, "throughput", samples.bytes ? "B/s" : "1/s"))
                quantities.push_back(std::move(*rate));
        drafts.push_back(std::move(samples.draft));
    }
    return drafts;
}

} // namespace holdfast::results
