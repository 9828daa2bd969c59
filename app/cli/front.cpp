// SPDX-License-Identifier: GPL-3.0-or-later
// `trials --front`: the trials of studies with several objectives that hold and that no other beats.
#include "app/cli/front.hpp"

#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "core/decision/verdict.hpp"
#include "core/review/front.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

using nlohmann::json;
using review::Front;
using review::FrontPoint;

constexpr std::size_t plot_columns = 61, plot_lines = 15;

std::string name_of(const FrontPoint& point) {
    return point.trial == 0 ? "baseline" : fmt::format("#{}", point.trial);
}

const char* direction(Better better) {
    return better == Better::lower ? "lower" : "higher";
}

std::string standing(const FrontPoint& point) {
    if (!point.holds)
        return "not on the front: " + point.verdict;
    return point.certain ? "on the front" : point.on_front ? "on the front, not certain" : "beaten";
}

/// With what held-out workloads say, where they were asked.
std::string effect_cell(const FrontPoint& point, std::size_t objective) {
    if (point.trial == 0)
        return "0";
    const std::string& tuning = point.effects[objective].text;
    return point.holdout.empty() ? tuning : fmt::format("{}; held-out {}", tuning, point.holdout[objective].text);
}

std::string front_table(const Front& front) {
    std::vector<std::vector<std::string>> rows{{"trial", "verdict"}};
    for (std::size_t i = 0; i < front.objectives.size(); ++i)
        rows.front().push_back(fmt::format("{} ({} is better)", front.objectives[i], direction(front.better[i])));
    rows.front().emplace_back("");
    for (const FrontPoint& point : front.points) {
        std::vector<std::string> row{name_of(point), point.trial == 0 ? "-" : point.verdict};
        for (std::size_t i = 0; i < point.effects.size(); ++i)
            row.push_back(effect_cell(point, i));
        row.push_back(standing(point));
        rows.push_back(std::move(row));
    }
    return table(rows);
}

struct Axis {
    double low = 0, high = 0;
    std::size_t place(double value, std::size_t places) const {
        const double share = high > low ? (value - low) / (high - low) : 0.5;
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(places - 1)));
    }
};

/// The estimates of one objective, with a little air around them.
Axis axis_of(const Front& front, std::size_t objective) {
    Axis axis;
    for (const FrontPoint& point : front.points)
        if (const double value = point.effects[objective].estimate; std::isfinite(value)) {
            axis.low = std::min(axis.low, value);
            axis.high = std::max(axis.high, value);
        }
    return axis;
}

/// Of the first two objectives. Where points fall together the one on the front is seen.
std::string front_plot(const Front& front) {
    const Axis across = axis_of(front, 0), up = axis_of(front, 1);
    std::vector<std::vector<const char*>> grid(plot_lines, std::vector<const char*>(plot_columns, " "));
    const auto draw = [&](const FrontPoint& point, const char* mark) {
        const double x = point.effects[0].estimate, y = point.effects[1].estimate;
        if (std::isfinite(x) && std::isfinite(y))
            grid[plot_lines - 1 - up.place(y, plot_lines)][across.place(x, plot_columns)] = mark;
    };
    for (const bool on_front : {false, true})
        for (const FrontPoint& point : front.points)
            if (point.on_front == on_front)
                draw(point, point.trial == 0 ? "+" : on_front ? "●" : point.holds ? "○" : "×");
    const auto percent = [](double change) { return decision::percent_text(change) + " %"; };
    std::string text = fmt::format("{} ({} is better)\n", front.objectives[1], direction(front.better[1]));
    for (std::size_t line = 0; line < plot_lines; ++line) {
        const std::string label = line == 0 ? percent(up.high) : line + 1 == plot_lines ? percent(up.low) : "";
        text += fmt::format("{:>10} │", label);
        for (const char* cell : grid[line])
            text += cell;
        text += "\n";
    }
    std::string rule;
    for (std::size_t i = 0; i < plot_columns; ++i)
        rule += "─";
    text += fmt::format("{:>10} └{}\n{:12}{:<{}}{:>10}\n", "", rule, "", percent(across.low), plot_columns - 10,
                        percent(across.high));
    return text + fmt::format("{:12}{} ({} is better)   ● on the front   ○ beaten   × does not hold   + baseline\n", "",
                              front.objectives[0], direction(front.better[0]));
}

json number(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json effects_document(const Front& front, const std::vector<review::EffectView>& side) {
    json effects = json::array();
    for (std::size_t i = 0; i < side.size(); ++i)
        effects.push_back({{"metric", front.objectives[i]},
                           {"estimate", number(side[i].estimate)},
                           {"low", number(side[i].low)},
                           {"high", number(side[i].high)},
                           {"rounds", side[i].rounds}});
    return effects;
}

json point_document(const Front& front, const FrontPoint& point) {
    return {{"trial", point.trial == 0 ? json(nullptr) : json(point.trial)},
            {"id", point.id.empty() ? json(nullptr) : json(point.id)},
            {"verdict", point.verdict.empty() ? json(nullptr) : json(point.verdict)},
            {"holds", point.holds},
            {"on-front", point.on_front},
            {"certain", point.certain},
            {"effects", effects_document(front, point.effects)},
            {"holdout", point.holdout.empty() ? json() : effects_document(front, point.holdout)}};
}

json fronts_document(const std::vector<Front>& fronts) {
    json list = json::array();
    for (const Front& front : fronts) {
        json objectives = json::array(), points = json::array();
        for (std::size_t i = 0; i < front.objectives.size(); ++i)
            objectives.push_back(
                {{"metric", front.objectives[i]}, {"unit", front.units[i]}, {"better", direction(front.better[i])}});
        for (const FrontPoint& point : front.points)
            points.push_back(point_document(front, point));
        list.push_back({{"study", front.study},
                        {"number", front.number},
                        {"objectives", std::move(objectives)},
                        {"points", std::move(points)}});
    }
    return {{"schema", "holdfast/front/1"}, {"fronts", std::move(list)}};
}

std::string csv_number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
}

/// RFC 4180, one line a trial and objective. Names of metrics and verdicts hold nothing to quote.
std::string fronts_csv(const std::vector<Front>& fronts) {
    std::string text = "study,trial,verdict,on front,certain,objective,better,estimate,low,high,holds,"
                       "held-out estimate,held-out low,held-out high\r\n";
    for (const Front& front : fronts)
        for (const FrontPoint& point : front.points)
            for (std::size_t i = 0; i < point.effects.size(); ++i) {
                const auto held_out = [&](double review::EffectView::*part) {
                    return point.holdout.empty() ? "" : csv_number(point.holdout[i].*part);
                };
                text +=
                    fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", front.number,
                                point.trial == 0 ? "baseline" : std::to_string(point.trial), point.verdict,
                                point.on_front, point.certain, front.objectives[i], direction(front.better[i]),
                                csv_number(point.effects[i].estimate), csv_number(point.effects[i].low),
                                csv_number(point.effects[i].high), point.holds, held_out(&review::EffectView::estimate),
                                held_out(&review::EffectView::low), held_out(&review::EffectView::high));
            }
    return text;
}

} // namespace

Result<int> front(const Common& common, bool csv) {
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto fronts = review::fronts(**store);
    if (!fronts)
        return tl::unexpected(fronts.error());
    if (common.json)
        print_document(fronts_document(*fronts));
    else if (csv)
        fmt::print("{}", fronts_csv(*fronts));
    else if (fronts->empty())
        fmt::print("No study with two or three objectives has a decided trial. Declare them in holdfast.json, such as "
                   "\"objective\": [\"wall\", \"peak-memory\"], and search with: holdfast run\n");
    else
        for (const Front& each : *fronts)
            fmt::print(
                "study {}, on the tuning workloads where nothing else is said, in percent of the baseline\n{}\n{}{}\n",
                each.number, front_table(each), front_plot(each),
                each.objectives.size() > 2 ? "The plot shows the first two of three objectives.\n" : "");
    return Exit::done;
}

} // namespace holdfast::cli
