// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/csv.hpp"

#include "core/review/sheet.hpp"

#include <cmath>
#include <fmt/format.h>

namespace holdfast::review {

std::string text_cell(std::string_view text) {
    std::string cell(text);
    // Tab and carriage return: some spreadsheets drop them and see what follows.
    if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos)
        cell.insert(0, 1, '\'');
    if (cell.find_first_of(",\"\r\n") == std::string::npos)
        return cell;
    std::string quoted = "\"";
    for (const char c : cell)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string number_cell(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string csv_line(const std::vector<std::string>& cells) {
    return fmt::format("{}\r\n", fmt::join(cells, ","));
}

std::string_view to_text(RunPoint::Counted counted) {
    switch (counted) {
    case RunPoint::Counted::yes:
        return "yes";
    case RunPoint::Counted::warm_up:
        return "warm-up";
    case RunPoint::Counted::dropped:
        return "dropped";
    case RunPoint::Counted::incomplete:
        break;
    }
    return "incomplete";
}

std::string samples_csv(const Sheet& sheet) {
    const bool own = sheet.metric != "wall" && sheet.metric != "cpu" && sheet.metric != "peak-memory";
    std::vector<std::string> head{"workload", "role",    "phase", "session", "round",
                                  "attempt",  "counted", "arm",   "first"};
    if (own)
        head.push_back(text_cell(sheet.metric.empty() ? "objective" : sheet.metric));
    head.insert(head.end(), {"wall seconds", "cpu seconds", "peak memory bytes", "ending", "started"});
    std::string text = csv_line(head);
    for (const RunPoint& run : sheet.runs) {
        std::vector<std::string> cells{text_cell(run.workload),
                                       run.role == Role::tuning ? "tuning" : "held-out",
                                       text_cell(run.phase),
                                       std::to_string(run.session),
                                       std::to_string(run.round),
                                       std::to_string(run.attempt),
                                       std::string(to_text(run.counted)),
                                       run.candidate ? "candidate" : "baseline",
                                       run.first ? "yes" : "no"};
        if (own)
            cells.push_back(number_cell(run.objective));
        for (const double value : {run.wall_seconds, run.cpu_seconds, run.peak_memory_bytes})
            cells.push_back(number_cell(value));
        cells.push_back(text_cell(run.ending));
        cells.push_back(text_cell(run.started));
        text += csv_line(cells);
    }
    return text;
}

} // namespace holdfast::review
