// SPDX-License-Identifier: GPL-3.0-or-later
// A file's benchmarks as they are kept in the history.
#include "core/project/hash.hpp"
#include "core/results/parts.hpp"
#include "core/results/results.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::results {

using nlohmann::json;

namespace {

json document_of(const Quantity& quantity) {
    json document = {{"name", quantity.name},
                     {"unit", quantity.unit},
                     {"better", quantity.better == Better::higher ? "higher" : "lower"},
                     {"values", quantity.values},
                     {"ordered", quantity.ordered}};
    const auto add = [&](const char* key, const std::optional<double>& value) {
        if (value)
            document[key] = *value;
    };
    add("mean", quantity.mean);
    add("median", quantity.median);
    add("deviation", quantity.deviation);
    add("ratio-of-variation", quantity.ratio_of_variation);
    return document;
}

json document_of(const Benchmark& benchmark) {
    json quantities = json::array();
    for (const Quantity& quantity : benchmark.quantities)
        quantities.push_back(document_of(quantity));
    return {{"name", benchmark.name},
            {"quantities", std::move(quantities)},
            {"error", benchmark.error},
            {"notes", benchmark.notes}};
}

Quantity quantity_from(const json& document) {
    Quantity quantity;
    document.at("name").get_to(quantity.name);
    document.at("unit").get_to(quantity.unit);
    quantity.better = document.at("better") == "higher" ? Better::higher : Better::lower;
    document.at("values").get_to(quantity.values);
    document.at("ordered").get_to(quantity.ordered);
    quantity.mean = number_at(document, "mean");
    quantity.median = number_at(document, "median");
    quantity.deviation = number_at(document, "deviation");
    quantity.ratio_of_variation = number_at(document, "ratio-of-variation");
    return quantity;
}

Benchmark benchmark_from(const json& document) {
    Benchmark benchmark;
    document.at("name").get_to(benchmark.name);
    document.at("error").get_to(benchmark.error);
    document.at("notes").get_to(benchmark.notes);
    for (const json& quantity : document.at("quantities"))
        benchmark.quantities.push_back(quantity_from(quantity));
    return benchmark;
}

} // namespace

std::string to_json(const File& file) {
    json benchmarks = json::array();
    for (const Benchmark& benchmark : file.benchmarks)
        benchmarks.push_back(document_of(benchmark));
    const json document = {
        {"format", format_name(file.format)}, {"benchmarks", std::move(benchmarks)}, {"notes", file.notes}};
    return canonical_json(document.dump());
}

Result<File> from_json(std::string_view text) {
    const auto foreign = [] {
        return failed("read stored benchmark results", "they are not what an import stores", "Run: holdfast audit");
    };
    try {
        const json document = json::parse(text);
        const auto format = format_from_name(document.at("format").get<std::string>());
        if (!format)
            return foreign();
        File file;
        file.format = *format;
        document.at("notes").get_to(file.notes);
        for (const json& benchmark : document.at("benchmarks"))
            file.benchmarks.push_back(benchmark_from(benchmark));
        return file;
    } catch (const json::exception&) {
        return foreign();
    }
}

} // namespace holdfast::results
