// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded kernel search spaces (tests/data/t4) as search spaces, and tuners let loose on them.
#pragma once

#include "core/stats/random.hpp"
#include "tuners/tuners.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::tests {

/// Which knobs a recorded space is offered with.
enum class Offered {
    numbers, ///< integers between the least and the greatest value, booleans where those are 0 and 1
    words,   ///< categorical, one word per recorded value
};

class RecordedSpace {
public:
    /// Throws std::runtime_error when `path` (.csv.zst) is not what the README there says.
    RecordedSpace(const std::string& path, Offered offered) : offered_(offered) {
        std::istringstream lines(decompress(path));
        std::string line;
        std::getline(lines, line);
        names_ = split(line);
        if (names_.size() < 2 || names_.back() != "time")
            throw std::runtime_error(path + ": no header");
        names_.pop_back();
        while (std::getline(lines, line)) {
            const auto cells = split(line);
            std::vector<int> row;
            for (std::size_t i = 0; i < names_.size(); ++i)
                row.push_back(std::stoi(cells.at(i)));
            std::optional<double> time;
            if (!cells.at(names_.size()).empty()) {
                time = std::stod(cells.back());
                best_ = std::min(best_, *time);
            }
            times_.emplace(key(row), time);
            rows_.push_back(std::move(row));
        }
        if (rows_.empty())
            throw std::runtime_error(path + ": no configuration");
        make_knobs();
    }

    double best() const { return best_; }
    std::size_t size() const { return rows_.size(); }

    /// The space, with the configuration of row `start` as the default. Must not outlive this object.
    study::SearchSpace space(std::size_t start) const {
        study::SearchSpace space;
        space.knobs = knobs_;
        const auto& row = rows_.at(start);
        for (std::size_t i = 0; i < row.size(); ++i)
            space.knobs[i].default_value = value(knobs_[i], row[i]);
        space.feasible = [this](const Configuration& point) { return times_.contains(key(point)); };
        return space;
    }

    /// Milliseconds; nothing when the configuration failed.
    std::optional<double> time(const Configuration& point) const { return times_.at(key(point)); }

private:
    static std::string decompress(const std::string& path) {
        const std::string command = "zstd -dcq '" + path + "'";
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
        if (!pipe)
            throw std::runtime_error("cannot start zstd");
        std::string text;
        std::array<char, 65536> part{};
        while (const std::size_t length = fread(part.data(), 1, part.size(), pipe.get()))
            text.append(part.data(), length);
        return text;
    }

    /// "a,b," has three cells.
    static std::vector<std::string> split(const std::string& line) {
        std::vector<std::string> cells(1);
        for (const char c : line) {
            if (c == ',')
                cells.emplace_back();
            else
                cells.back() += c;
        }
        return cells;
    }

    /// Seven knobs of values below 512 fill the 64 bits.
    static std::uint64_t key(const std::vector<int>& row) {
        std::uint64_t result = 0;
        for (const int cell : row)
            result = result << 9 | static_cast<std::uint64_t>(cell);
        return result;
    }

    std::uint64_t key(const Configuration& point) const {
        std::uint64_t result = 0;
        for (const std::string& name : names_) {
            const Value& value = point.at(name);
            std::uint64_t cell = 0;
            if (const auto* on = std::get_if<bool>(&value))
                cell = *on ? 1 : 0;
            else if (const auto* word = std::get_if<std::string>(&value))
                cell = std::stoull(*word);
            else
                cell = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
            result = result << 9 | cell;
        }
        return result;
    }

    static Value value(const Knob& knob, int number) {
        if (knob.type == Knob::Type::boolean)
            return number == 1;
        if (knob.type == Knob::Type::categorical)
            return std::to_string(number);
        return std::int64_t{number};
    }

    void make_knobs() {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            std::set<int> values;
            for (const auto& row : rows_)
                values.insert(row[i]);
            Knob knob;
            knob.name = names_[i];
            if (offered_ == Offered::words) {
                knob.type = Knob::Type::categorical;
                for (const int number : values)
                    knob.values.push_back(std::to_string(number));
            } else if (*values.begin() == 0 && *values.rbegin() == 1) {
                knob.type = Knob::Type::boolean;
            } else {
                knob.min = *values.begin();
                knob.max = *values.rbegin();
                // Each value twice the one before: what a person would write down as a logarithmic knob.
                const auto no_double = [](int a, int b) { return b != 2 * a; };
                knob.log_scale = std::adjacent_find(values.begin(), values.end(), no_double) == values.end();
            }
            knobs_.push_back(std::move(knob));
        }
    }

    Offered offered_;
    std::vector<std::string> names_;
    std::vector<Knob> knobs_;
    std::vector<std::vector<int>> rows_;
    std::unordered_map<std::uint64_t, std::optional<double>> times_;
    double best_ = HUGE_VAL;
};

/// The best possible time over the best found, after each of `evaluations` (failed ones count); 0 before the first
/// success. The default configuration is drawn anew for each seed, so that no start is favoured.
inline std::vector<double> tune(const RecordedSpace& recorded, const std::string& tuner, std::size_t evaluations,
                                std::uint64_t seed) {
    stats::Random starts(stats::derive(seed, "start"));
    const auto searching = tuners::make(tuner, recorded.space(starts.below(recorded.size())), seed).value();
    double found = HUGE_VAL;
    std::vector<double> reached;
    while (reached.size() < evaluations) {
        const auto point = searching->propose();
        if (!point)
            break;
        const auto time = recorded.time(*point);
        // Any baseline does: it shifts every log ratio by the same amount.
        searching->tell(time ? std::optional(std::log(recorded.best() / *time)) : std::nullopt);
        found = std::min(found, time.value_or(HUGE_VAL));
        reached.push_back(recorded.best() / found);
    }
    reached.resize(evaluations, recorded.best() / found);
    return reached;
}

/// The recorded spaces in tests/data/t4.
inline const std::vector<std::string> recorded_names = {"convolution_A100", "convolution_A4000", "convolution_MI250X",
                                                        "dedispersion_A100", "dedispersion_W6600"};

inline std::string recorded_path(const std::string& name) {
    return std::string(HOLDFAST_SOURCE_DIR) + "/tests/data/t4/" + name + ".csv.zst";
}

} // namespace holdfast::tests
