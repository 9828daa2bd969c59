// SPDX-License-Identifier: GPL-3.0-or-later
// What google-benchmark writes with --benchmark_out_format=json: a row for each repetition and for each aggregate of
// them.
#include "core/project/text.hpp"
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::results {

using nlohmann::json;

namespace {

/// Numbers of a row that measure nothing; every other number is a counter.
constexpr std::array<std::string_view, 14> no_counters = {"family_index",
                                                          "per_family_instance_index",
                                                          "repetitions",
                                                          "repetition_index",
                                                          "threads",
                                                          "iterations",
                                                          "real_time",
                                                          "cpu_time",
                                                          "cpu_coefficient",
                                                          "real_coefficient",
                                                          "rms",
                                                          "bytes_per_second",
                                                          "items_per_second",
                                                          "complexity_n"};

/// The rows of one benchmark.
struct Rows {
    Benchmark benchmark;
    std::set<std::int64_t> repetitions;
    std::size_t rows = 0, failed = 0, others = 0; ///< others: aggregates that are not read
    bool twice = false;
    std::map<std::string, Quantity> quantities; ///< by their key in the file
};

class Reading {
public:
    std::string take(const json& row) {
        const std::string aggregate = aggregate_of(row);
        if (aggregate == "BigO" || aggregate == "RMS" || row.contains("big_o") || row.contains("rms")) {
            ++complexities_; // a fitted curve: no time of any benchmark
            return "";
        }
        Rows& rows = rows_of(row, aggregate);
        if (has_failed(row, rows))
            return "";
        const auto unit = time_unit(row);
        if (!unit)
            return fmt::format("\"{}\" has times in the unknown unit \"{}\"", printable(text_at(row, "name")),
                               printable(text_at(row, "time_unit").substr(0, 20)));
        without_unit_ += text_at(row, "time_unit").empty() && row.contains("real_time") ? 1 : 0;
        if (text_at(row, "run_type") == "aggregate" || !aggregate.empty())
            take_aggregate(row, aggregate, *unit, rows);
        else
            take_repetition(row, *unit, rows);
        return "";
    }

    std::vector<Draft> drafts(File& file) {
        if (complexities_ > 0)
            file.notes.push_back(fmt::format("{} rows of a fitted complexity left out", complexities_));
        if (by_name_ > 0)
            file.notes.push_back(fmt::format(
                "{} rows without \"run_type\" taken for aggregates by the ending of their names", by_name_));
        if (without_unit_ > 0)
            file.notes.push_back(fmt::format(
                "{} rows without \"time_unit\" taken as ns, which google-benchmark takes by itself", without_unit_));
        std::vector<Draft> drafts;
        for (Rows& rows : rows_) {
            finish(rows);
            drafts.push_back({std::move(rows.benchmark), ""});
        }
        return drafts;
    }

private:
    /// Versions before 1.5 write only a name: NAME_mean after the repetitions of NAME.
    std::string aggregate_of(const json& row) {
        if (!text_at(row, "run_type").empty() || !text_at(row, "run_name").empty() || row.contains("aggregate_name"))
            return text_at(row, "aggregate_name");
        const std::string name = text_at(row, "name");
        for (const std::string ending : {"mean", "median", "stddev", "cv"}) {
            if (!name.ends_with("_" + ending))
                continue;
            const auto place = places_.find(name.substr(0, name.size() - ending.size() - 1));
            if (place == places_.end() || rows_[place->second].rows == 0)
                continue;
            ++by_name_;
            return ending;
        }
        return "";
    }

    /// "run_name" is the name without the aggregate's ending; older versions have none.
    Rows& rows_of(const json& row, const std::string& aggregate) {
        std::string name = text_at(row, "run_name");
        if (name.empty()) {
            name = text_at(row, "name");
            if (!aggregate.empty() && name.ends_with("_" + aggregate))
                name.resize(name.size() - aggregate.size() - 1);
        }
        const auto [place, added] = places_.try_emplace(name, rows_.size());
        if (added) {
            rows_.emplace_back();
            rows_.back().benchmark.name = name;
        }
        return rows_[place->second];
    }

    static bool has_failed(const json& row, Rows& rows) {
        const auto is_true = [&](const char* key) {
            const json* found = member(row, key);
            return found != nullptr && found->is_boolean() && found->get<bool>();
        };
        const bool error = is_true("error_occurred");
        if (!error && !is_true("skipped"))
            return false;
        ++rows.failed;
        const std::string said = text_at(row, error ? "error_message" : "skip_message");
        if (rows.benchmark.error.empty())
            rows.benchmark.error = (error ? "it failed" : "it was skipped") + (said.empty() ? "" : ": " + said);
        return true;
    }

    static std::optional<double> time_unit(const json& row) {
        const std::string unit = text_at(row, "time_unit");
        return unit.empty() ? std::optional(1e9) : per_second(unit); // nanoseconds are the default
    }

    Quantity& quantity(Rows& rows, const std::string& key) {
        const auto [place, added] = rows.quantities.try_emplace(key);
        Quantity& made = place->second;
        if (added) {
            made.name = key == "real_time" ? "time" : key == "cpu_time" ? "cpu-time" : key;
            made.unit = key == "real_time" || key == "cpu_time" ? "s"
                        : key == "bytes_per_second"             ? "B/s"
                        : key == "items_per_second"             ? "1/s"
                                                                : "";
            made.better = key.ends_with("_per_second") ? Better::higher : Better::lower;
            made.ordered = true;
        }
        return made;
    }

    /// Every number of the row that measures something; a bare NaN of a counter comes as a text.
    template <class Take> void each_number(const json& row, double unit, Rows& rows, const Take& take) {
        for (const char* key : {"real_time", "cpu_time"})
            if (const json* found = member(row, key))
                take(quantity(rows, key), number_in(*found), unit);
        for (const auto& [key, value] : row.items()) {
            const bool rate = key == "bytes_per_second" || key == "items_per_second";
            const bool counter = std::find(no_counters.begin(), no_counters.end(), key) == no_counters.end();
            if (rate || (counter && (value.is_number() || value == "")))
                take(quantity(rows, key), number_in(value), 1.0);
        }
    }

    void take_repetition(const json& row, double unit, Rows& rows) {
        ++rows.rows;
        if (const auto index = number_at(row, "repetition_index"))
            rows.twice = !rows.repetitions.insert(static_cast<std::int64_t>(*index)).second || rows.twice;
        each_number(row, unit, rows, [](Quantity& quantity, std::optional<double> value, double per) {
            quantity.values.push_back(value ? *value / per : NAN);
        });
    }

    void take_aggregate(const json& row, const std::string& name, double unit, Rows& rows) {
        // A share of something: its "time_unit" says nothing.
        const bool ratio = text_at(row, "aggregate_unit") == "percentage" || name == "cv";
        if (ratio ? name != "cv" : name != "mean" && name != "median" && name != "stddev") {
            ++rows.others;
            return;
        }
        each_number(row, ratio ? 1.0 : unit, rows, [&](Quantity& quantity, std::optional<double> value, double per) {
            (name == "cv"       ? quantity.ratio_of_variation
             : name == "mean"   ? quantity.mean
             : name == "median" ? quantity.median
                                : quantity.deviation) = value ? std::optional(*value / (ratio ? 1.0 : per)) : value;
        });
    }

    static void finish(Rows& rows) {
        Benchmark& benchmark = rows.benchmark;
        if (rows.twice)
            benchmark.error = "the file has several benchmarks of this name";
        if (rows.failed > 0 && rows.rows > 0)
            benchmark.error += fmt::format(" ({} of {} repetitions)", rows.failed, rows.failed + rows.rows);
        if (!benchmark.error.empty())
            return;
        if (rows.rows == 0)
            benchmark.notes.emplace_back("aggregates only: the repetitions were not written");
        if (rows.others > 0)
            benchmark.notes.push_back(fmt::format("{} other aggregates left out", rows.others));
        for (const char* key : {"real_time", "cpu_time", "bytes_per_second", "items_per_second"})
            if (const auto found = rows.quantities.find(key); found != rows.quantities.end()) {
                benchmark.quantities.push_back(std::move(found->second));
                rows.quantities.erase(found);
            }
        for (auto& [key, quantity] : rows.quantities)
            benchmark.quantities.push_back(std::move(quantity));
    }

    std::vector<Rows> rows_;
    std::map<std::string, std::size_t> places_;
    std::size_t complexities_ = 0, by_name_ = 0, without_unit_ = 0; ///< rows
};

} // namespace

Result<std::vector<Draft>> read_google_benchmark(std::string_view text, File& file) {
    Reading reading;
    auto read = each_record(file.format, text, "benchmarks", [&](const json& row) {
        return row.is_object() ? reading.take(row) : std::string("a benchmark in it is no object");
    });
    if (!read)
        return tl::unexpected(read.error());
    return reading.drafts(file);
}

} // namespace holdfast::results
