// SPDX-License-Identifier: GPL-3.0-or-later
// Reproduces by simulation the figures that the decision rule was chosen by: how often it is wrong, and how many pairs
// it needs. reference_points [REPEATS] prints a table and fails when a figure lies outside its error.
//
// Readings: the coefficient of variation is the standard deviation of ln t of a single run; "effect 3 %" is a ratio of
// medians of 1.03; "faster" is E >= 20 against theta0 = 0 after any of 200 pairs; giving up was measured on the claim
// "at least the default minimum effect, 1 %", on times. The references come from 4,000 repeats themselves, so a
// tolerance is three standard errors of the difference of two simulations, plus the rounding of the printed figure.
#include "core/decision/rule.hpp"
#include "core/stats/random.hpp"
#include "core/stats/sequential.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

constexpr std::uint64_t seed = 20240501;
constexpr double reference_repeats = 4000;
const double shown = std::log(20.0);
const double confirmed = std::log(100.0);

struct Row {
    std::string figure;
    double measured, reference, tolerance;
    bool ok() const { return std::abs(measured - reference) <= tolerance; }
};

double standard_errors(double deviation, int repeats) {
    return 3 * deviation * std::sqrt(1.0 / repeats + 1 / reference_repeats);
}

Row proportion(std::string figure, int hits, int repeats, double reference, double rounding) {
    const double tolerance = standard_errors(std::sqrt(reference * (1 - reference)), repeats) + rounding;
    return {std::move(figure), static_cast<double>(hits) / repeats, reference, tolerance};
}

class Mean {
public:
    void add(double value) {
        ++count_;
        sum_ += value;
        squares_ += value * value;
    }
    Row row(std::string figure, double reference) const {
        const double mean = sum_ / count_;
        const double deviation = std::sqrt(std::max(0.0, squares_ / count_ - mean * mean));
        return {std::move(figure), mean, reference, standard_errors(deviation, count_) + 0.5};
    }

private:
    int count_ = 0;
    double sum_ = 0, squares_ = 0;
};

/// ln of one run's time.
using Run = std::function<double(stats::Random&)>;
/// D of the next pair.
using Pairs = std::function<double(stats::Random&)>;

Run log_normal(double cv) {
    return [cv](stats::Random& random) { return cv * random.normal(); };
}

/// A share of runs is slower by `factor`.
Run mixture(double cv, double share, double factor) {
    return [=](stats::Random& random) {
        const double slow = random.uniform() < share ? std::log(factor) : 0;
        return cv * random.normal() + slow;
    };
}

Pairs pairs(Run run, double effect) {
    return [run = std::move(run), effect](stats::Random& random) {
        const double baseline = run(random);
        return baseline - run(random) + effect;
    };
}

/// Every run, whichever arm's, moves the common drift on; a coin orders the arms.
Pairs drifting(double cv, double persistence, double deviation) {
    return [=, drift = 0.0, started = false](stats::Random& random) mutable {
        if (!started)
            drift = deviation * random.normal();
        started = true;
        const auto run = [&] {
            const double value = drift + cv * random.normal();
            drift = persistence * drift + deviation * std::sqrt(1 - persistence * persistence) * random.normal();
            return value;
        };
        const double first = run(), second = run();
        return random.coin() ? first - second : second - first;
    };
}

struct Outcome {
    std::size_t pairs = 0;
    bool accepted = false;
};

Outcome simulate(Pairs next, stats::Random random, double theta0, double goal, std::size_t cap, bool may_give_up) {
    stats::EProcess process(theta0);
    while (process.size() < cap) {
        process.add(next(random));
        if (process.log_e() >= goal)
            return {process.size(), true};
        if (may_give_up && process.size() >= 12 && !process.can_reach(goal, cap))
            break;
    }
    return {process.size(), false};
}

stats::Random stream(const std::string& figure, int repeat) {
    return stats::Random(stats::derive(seed, fmt::format("{}/{}", figure, repeat)));
}

Row called_faster(const std::string& figure, const Pairs& next, int repeats, double reference) {
    int hits = 0;
    for (int i = 0; i < repeats; ++i)
        hits += simulate(next, stream(figure, i), 0, shown, 200, false).accepted ? 1 : 0;
    return proportion("A/A called faster: " + figure, hits, repeats, reference, 0.0005);
}

Row pairs_to_accept(double effect, double cv, int repeats, double reference) {
    const std::string figure = fmt::format("pairs to accept {:.0f} % at CV {:.0f} %", 100 * effect, 100 * cv);
    Mean mean;
    for (int i = 0; i < repeats; ++i)
        mean.add(static_cast<double>(
            simulate(pairs(log_normal(cv), std::log1p(effect)), stream(figure, i), 0, shown, 400, false).pairs));
    return mean.row(figure, reference);
}

void giving_up(int repeats, std::vector<Row>& rows) {
    const double claim = decision::improvement_by(0.01, Better::lower);
    int accepted = 0;
    Mean gain, null;
    for (int i = 0; i < repeats; ++i) {
        const Outcome real = simulate(pairs(log_normal(0.03), decision::improvement_by(0.04, Better::lower)),
                                      stream("gain", i), claim, confirmed, 200, true);
        accepted += real.accepted ? 1 : 0;
        gain.add(static_cast<double>(real.pairs));
        null.add(static_cast<double>(
            simulate(pairs(log_normal(0.03), 0), stream("null", i), claim, confirmed, 200, true).pairs));
    }
    rows.push_back(proportion("giving up: power, 4 % at CV 3 %, E >= 100", accepted, repeats, 0.99, 0.005));
    rows.push_back(gain.row("giving up: pairs, 4 % at CV 3 %, E >= 100", 34));
    rows.push_back(null.row("giving up: pairs, no effect", 15));
}

Row guard_passes(int repeats) {
    int hits = 0;
    for (int i = 0; i < repeats; ++i)
        hits += simulate(pairs(log_normal(0.03), 0), stream("guard", i), decision::harm_by(0.03, Better::lower), shown,
                         60, false)
                        .accepted
                    ? 1
                    : 0;
    return proportion("guard of 3 % at CV 3 % safe within 60 pairs", hits, repeats, 0.99, 0.005);
}

} // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 4000;
    if (argc > 2 || repeats < 100) {
        fmt::print(stderr, "usage: reference_points [REPEATS, at least 100]\n");
        return 2;
    }
    std::vector<Row> rows = {
        called_faster("log-normal 3 %", pairs(log_normal(0.03), 0), repeats, 0.026),
        called_faster("3 % and 5 % of runs x3", pairs(mixture(0.03, 0.05, 3), 0), repeats, 0.031),
        called_faster("1 % and 30 % of runs +8 %", pairs(mixture(0.01, 0.3, 1.08), 0), repeats, 0.027),
        called_faster("3 % and AR(1) drift", drifting(0.03, 0.98, 0.1), repeats, 0.027),
        pairs_to_accept(0.03, 0.01, repeats, 7),
        pairs_to_accept(0.03, 0.03, repeats, 25),
        pairs_to_accept(0.03, 0.10, repeats, 194),
        pairs_to_accept(0.10, 0.03, repeats, 7),
        pairs_to_accept(0.10, 0.10, repeats, 26),
        pairs_to_accept(0.01, 0.01, repeats, 25),
    };
    giving_up(repeats, rows);
    rows.push_back(guard_passes(repeats));

    bool all_ok = true;
    fmt::print("{} repeats\n{:<46} {:>9} {:>9} {:>9}\n", repeats, "figure", "measured", "reference", "tolerance");
    for (const Row& row : rows) {
        const int digits = row.reference < 1 ? 4 : 1;
        fmt::print("{:<46} {:>9.{}f} {:>9.{}f} {:>9.{}f}  {}\n", row.figure, row.measured, digits, row.reference,
                   digits, row.tolerance, digits, row.ok() ? "ok" : "NOT OK");
        all_ok = all_ok && row.ok();
    }
    return all_ok ? 0 : 1;
}
