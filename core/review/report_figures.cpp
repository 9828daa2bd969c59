// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/report_figures.hpp"

#include "core/review/plot_scale.hpp"
#include "core/review/svg.hpp"
#include "core/stats/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

using Direction = EffectView::Direction;
using Anchor = Svg::Anchor;

// Of the forest plot, in units of the drawing, which are pixels of an unscaled screen.
constexpr double width = 940, row_height = 28, top = 26, left = 190, right = 690;
constexpr std::size_t name_letters = 24;

/// The first `letters` code points, and an ellipsis when there are more. `text` is valid UTF-8.
std::string shortened(const std::string& text, std::size_t letters) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] & 0xc0) != 0x80 && ++seen > letters)
            return text.substr(0, i) + "…";
    return text;
}

/// As people write it, with the decimals that ticks `step` apart need; very large and small ones as powers of ten.
std::string value_tick(double value, double step) {
    const double size = std::max(std::abs(value), step);
    if (!(step > 1e-6) || size >= 1e7)
        return fmt::format("{:.4g}", value);
    const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 6);
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    return text.find_first_not_of("-0.") == std::string::npos ? "0" : text;
}

/// Four digits, and all those before the point of what is not very large.
std::string plain(double value) {
    const double size = std::abs(value);
    return size >= 1e4 && size < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

const char* style_of(const EffectView& effect) {
    return effect.direction == Direction::better  ? "better"
           : effect.direction == Direction::worse ? "worse"
                                                  : "unclear";
}

class Forest {
public:
    Forest(const Sheet& sheet, const std::string& id)
        : sheet_(sheet), range_(forest_range(sheet)), bottom_(top + row_height * static_cast<double>(lines(sheet))),
          svg_(id, width, bottom_ + 8,
               fmt::format("Change of {} by workload, candidate against baseline", sheet.metric), words(sheet)) {}

    std::string draw() {
        ground();
        double y = top + row_height / 2;
        for (std::size_t i = 0; i < sheet_.rows.size(); ++i) {
            if (i == 0 || sheet_.rows[i].role != sheet_.rows[i - 1].role) {
                svg_.text(4, y + 4, sheet_.rows[i].role == Role::tuning ? "Tuning" : "Held-out", "heading");
                y += row_height;
            }
            row(i, y);
            y += row_height;
        }
        return svg_.markup();
    }

private:
    static std::size_t lines(const Sheet& sheet) {
        std::size_t headings = 0;
        for (std::size_t i = 0; i < sheet.rows.size(); ++i)
            headings += i == 0 || sheet.rows[i].role != sheet.rows[i - 1].role ? 1 : 0;
        return sheet.rows.size() + headings;
    }

    static std::string words(const Sheet& sheet) {
        std::string text;
        for (const WorkloadRow& row : sheet.rows)
            text += (text.empty() ? "" : " ") + spoken(row);
        return text;
    }

    double x(double change) const {
        const double inside = std::clamp(change, range_.low, range_.high);
        return left + (inside - range_.low) / (range_.high - range_.low) * (right - left);
    }

    void ground() {
        const double from = x(-sheet_.band), to = x(sheet_.band);
        svg_.rectangle(from, top, to - from, bottom_ - top, "band");
        const auto ticks = round_ticks(range_, 8);
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 0.01;
        for (const double tick : ticks) {
            svg_.line(x(tick), top, x(tick), bottom_, std::abs(tick) < 1e-12 ? "zero" : "grid");
            svg_.text(x(tick), top - 8, change_tick(tick, step), "tick", Anchor::middle);
        }
    }

    void row(std::size_t index, double y) {
        const WorkloadRow& row = sheet_.rows[index];
        svg_.text(12, y + 4, shortened(row.name, name_letters), "name");
        for (std::size_t i = 0; i < row.dots.size(); ++i)
            if (row.dots[i] >= range_.low && row.dots[i] <= range_.high)
                svg_.circle(x(row.dots[i]), y + 0.28 * row_height * jitter(index, i), 2,
                            std::string("dot ") + style_of(row.effect));
        svg_.text(right + 12, y + 4, is_known(row.effect) ? row.effect.text : "unknown", "effect");
        if (!is_known(row.effect))
            return;
        const std::string line = std::string("interval ") + style_of(row.effect);
        svg_.line(x(row.effect.low), y, x(row.effect.high), y, line);
        end(row.effect.low, row.effect.low < range_.low, -1, y, line);
        end(row.effect.high, row.effect.high > range_.high, 1, y, line);
        mark(row.effect, y);
    }

    /// A bar where the interval ends, an arrow where it goes on beyond the plot.
    void end(double change, bool beyond, double outwards, double y, const std::string& style) {
        const double at = x(change);
        if (beyond)
            svg_.polyline({{at - 6 * outwards, y - 5}, {at, y}, {at - 6 * outwards, y + 5}}, style);
        else
            svg_.line(at, y - 4, at, y + 4, style);
    }

    /// A triangle that points where the metric went when that is better or worse, a circle for unclear, a square for no
    /// practical change.
    void mark(const EffectView& effect, double y) {
        const double at = x(effect.estimate);
        const std::string style = std::string("mark ") + style_of(effect);
        if (effect.direction == Direction::unclear)
            return svg_.circle(at, y, 5, style);
        if (effect.direction == Direction::no_change)
            return svg_.rectangle(at - 4.5, y - 4.5, 9, 9, style);
        const bool down = (effect.direction == Direction::better) == (sheet_.better == Better::lower);
        const double tip = down ? 6 : -6;
        svg_.polygon({{at - 6, y - tip * 0.8}, {at + 6, y - tip * 0.8}, {at, y + tip}}, style);
    }

    const Sheet& sheet_;
    PlotRange range_;
    double bottom_;
    Svg svg_;
};

class Distribution {
public:
    Distribution(const Sheet& sheet, const WorkloadRow& row, const std::string& id)
        : unit_(display_unit(sheet.unit, largest(row))), baseline_(scaled(row.baseline)),
          candidate_(scaled(row.candidate)), range_(value_range({baseline_, candidate_})),
          axis_(unit_.name.empty() ? sheet.metric : fmt::format("{} ({})", sheet.metric, unit_.name)),
          svg_(id, 460, 230, fmt::format("Distribution of {} on {}", sheet.metric, row.name),
               fmt::format("Baseline: {}. Candidate: {}.", summary(baseline_), summary(candidate_))) {
        svg_.text(x0, 16,
                  shortened(fmt::format("{}, {}", row.name, row.role == Role::tuning ? "tuning" : "held-out"), 60),
                  "heading");
    }

    std::string draw() {
        for (const double share : {0.0, 0.5, 1.0}) {
            svg_.line(x0, y(share), x1, y(share), "grid");
            svg_.text(x0 - 6, y(share) + 4, fmt::format("{:.0f} %", 100 * share), "tick", Anchor::end);
        }
        const auto ticks = round_ticks(range_, 5);
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : range_.high - range_.low;
        for (const double tick : ticks) {
            svg_.line(x(tick), y0, x(tick), y1, "grid");
            svg_.text(x(tick), y1 + 16, value_tick(tick, step), "tick", Anchor::middle);
        }
        curve(baseline_, "curve baseline");
        curve(candidate_, "curve candidate");
        svg_.text((x0 + x1) / 2, y1 + 34, axis_, "tick", Anchor::middle);
        return svg_.markup();
    }

private:
    static constexpr double x0 = 52, x1 = 448, y0 = 28, y1 = 186;

    static double largest(const WorkloadRow& row) {
        double largest = 0;
        for (const auto* values : {&row.baseline, &row.candidate})
            for (const double value : *values)
                if (std::isfinite(value))
                    largest = std::max(largest, std::abs(value));
        return largest;
    }

    std::vector<double> scaled(std::vector<double> values) const {
        std::erase_if(values, [](double value) { return !std::isfinite(value); });
        for (double& value : values)
            value *= unit_.factor;
        return values;
    }

    std::string summary(const std::vector<double>& values) const {
        return values.empty()
                   ? "no runs"
                   : fmt::format("{} runs, median {} {}", values.size(), plain(stats::median(values)), unit_.name);
    }

    double x(double value) const { return x0 + (value - range_.low) / (range_.high - range_.low) * (x1 - x0); }
    static double y(double share) { return y1 - share * (y1 - y0); }

    void curve(const std::vector<double>& values, const char* style) {
        if (values.empty())
            return;
        Svg::Points points{{x0, y(0)}};
        for (const Step& step : ecdf(values)) {
            points.emplace_back(x(step.value), points.back().second);
            points.emplace_back(x(step.value), y(step.share));
        }
        points.emplace_back(x1, y(1));
        svg_.polyline(points, style);
    }

    DisplayUnit unit_;
    std::vector<double> baseline_, candidate_;
    PlotRange range_;
    std::string axis_;
    Svg svg_;
};

} // namespace

std::string forest_figure(const Sheet& sheet, const std::string& id) {
    return Forest(sheet, id).draw();
}

std::string ecdf_figure(const Sheet& sheet, const WorkloadRow& row, const std::string& id) {
    return Distribution(sheet, row, id).draw();
}

} // namespace holdfast::review
