// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/summary.hpp"

#include "core/project/text.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace holdfast::results {

namespace {

void summarise(Quantity& quantity) {
    const std::vector<double>& values = quantity.values;
    if (values.empty())
        return;
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / (count - 1));
    if (!quantity.mean && std::isfinite(mean))
        quantity.mean = mean;
    if (!quantity.median)
        quantity.median = quantity.number();
    if (!quantity.deviation && values.size() > 1 && std::isfinite(deviation))
        quantity.deviation = deviation;
}

} // namespace

void summarise(File& file, std::size_t most) {
    for (Benchmark& benchmark : file.benchmarks)
        for (Quantity& quantity : benchmark.quantities) {
            summarise(quantity);
            if (quantity.values.size() <= most)
                continue;
            quantity.median = quantity.number(); // else another one of the file would take its place
            benchmark.notes.push_back(fmt::format("{}: of {} values mean, median and deviation are kept",
                                                  printable(quantity.name), quantity.values.size()));
            quantity.values.clear();
        }
}

void keep_first(File& file, std::size_t most) {
    if (file.benchmarks.size() <= most)
        return;
    file.notes.push_back(fmt::format("of {} benchmarks the first {} are kept, {} left out", file.benchmarks.size(),
                                     most, file.benchmarks.size() - most));
    file.benchmarks.resize(most);
}

std::optional<double> spread(const Quantity& quantity) {
    const auto number = quantity.number();
    if (quantity.ratio_of_variation)
        return quantity.ratio_of_variation;
    if (!quantity.deviation || !number || !(*number > 0))
        return std::nullopt;
    return *quantity.deviation / *number;
}

} // namespace holdfast::results
