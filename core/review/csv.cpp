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

std::string samples_csv(const Sheet& sheet) {
    std::string text = csv_line({"workload", "role", "phase", "round", "arm", "first",
                                 text_cell(sheet.metric.empty() ? "objective" : sheet.metric), "wall seconds",
                                 "cpu seconds", "peak memory bytes", "ending", "started"});
    for (const RunPoint& run : sheet.runs)
        text +=
            csv_line({text_cell(run.workload), run.role == Role::tuning ? "tuning" : "held-out", text_cell(run.phase),
                      std::to_string(run.round), run.candidate ? "candidate" : "baseline", run.first ? "yes" : "no",
                      number_cell(run.objective), number_cell(run.wall_seconds), number_cell(run.cpu_seconds),
                      number_cell(run.peak_memory_bytes), text_cell(run.ending), text_cell(run.started)});
    return text;
}

} // namespace holdfast::review
