// SPDX-License-Identifier: GPL-3.0-or-later
// How near to the optimum each tuner comes on recorded kernel search spaces: best possible time over best found, mean
// over seeds. Usage: tuners_bench [SEEDS] [FILE.csv.zst]...; without files, those of tests/data/t4.
#include "tests/recorded_space.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>

namespace {

constexpr std::array<std::size_t, 4> at = {25, 50, 100, 200};
using Row = std::array<double, at.size()>;

Row mean_over_seeds(const holdfast::tests::RecordedSpace& recorded, const std::string& tuner, int seeds) {
    Row row{};
    for (int seed = 1; seed <= seeds; ++seed) {
        const auto reached = holdfast::tests::tune(recorded, tuner, at.back(), static_cast<std::uint64_t>(seed));
        for (std::size_t i = 0; i < at.size(); ++i)
            row[i] += reached[at[i] - 1] / seeds;
    }
    return row;
}

void print(const std::string& space, const char* offered, const std::string& tuner, const Row& row) {
    fmt::print("{:<20} {:<8} {:<7}", space, offered, tuner);
    for (const double cell : row)
        fmt::print(" {:>7.3f}", cell);
    fmt::print("\n");
}

void run(int seeds, const std::vector<std::string>& files) {
    using holdfast::tests::Offered;
    fmt::print("fraction of the optimum, mean over {} seeds\n{:<20} {:<8} {:<7}", seeds, "space", "knobs", "tuner");
    for (const std::size_t evaluations : at)
        fmt::print(" {:>7}", fmt::format("@{}", evaluations));
    fmt::print("\n");
    for (const auto offered : {Offered::numbers, Offered::words}) {
        const char* label = offered == Offered::numbers ? "numbers" : "words";
        std::vector<holdfast::tests::RecordedSpace> spaces;
        spaces.reserve(files.size());
        for (const std::string& file : files)
            spaces.emplace_back(file, offered);
        for (const std::string& tuner : holdfast::tuners::names()) {
            Row mean{};
            for (std::size_t s = 0; s < files.size(); ++s) {
                const Row row = mean_over_seeds(spaces[s], tuner, seeds);
                const auto name = std::filesystem::path(files[s]).stem().stem().string();
                print(name, label, tuner, row);
                for (std::size_t i = 0; i < at.size(); ++i)
                    mean[i] += row[i] / static_cast<double>(files.size());
            }
            print("mean", label, tuner, mean);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        const int seeds = arguments.empty() ? 50 : std::atoi(arguments[0].c_str());
        if (seeds < 1) {
            fmt::print(stderr, "usage: tuners_bench [SEEDS] [FILE.csv.zst]...\n");
            return 2;
        }
        std::vector<std::string> files(arguments.size() > 1 ? arguments.begin() + 1 : arguments.end(), arguments.end());
        if (files.empty())
            for (const std::string& name : holdfast::tests::recorded_names)
                files.push_back(holdfast::tests::recorded_path(name));
        run(seeds, files);
        return 0;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "{}\n", problem.what());
        return 1;
    }
}
