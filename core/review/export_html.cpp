// SPDX-License-Identifier: GPL-3.0-or-later
// The report as one file that needs nothing else: no script, no network, and a browser is told to hold it to that. It
// is well-formed XML, so that a strict parser can check it.
#include "core/review/export_parts.hpp"
#include "core/review/html.hpp"
#include "core/review/report_figures.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

// Colours as the desktop's, told apart by the colour-blind; shape or words say it too.
constexpr const char* style = R"(
:root { color-scheme: light dark; --text: #1b1b1b; --page: #ffffff; --muted: #5c5c5c; --grid: #d0d0d0; --band: #e2e2e2;
  --box: #f4f4f4; --better: #0072b2; --worse: #b33a1e; --added: #d3ecd9; --removed: #f8d7d3; --caution: #fff6dd; --edge: #b8860b; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --page: #1b1d1f; --muted: #a9afb5; --grid: #44494e;
  --band: #33373b; --box: #26282b; --better: #56b4e9; --worse: #ff8a65; --added: #1f4a2c; --removed: #5a2520;
  --caution: #3a3220; --edge: #e0b040; } }
body { margin: 0 auto; padding: 1.5rem; max-width: 60rem; font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif;
  color: var(--text); background: var(--page); overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--grid); }
.subtitle { color: var(--muted); margin: .25rem 0 1rem; }
.verdict { font-size: 1.15rem; font-weight: 600; }
.caution { background: var(--caution); border-left: .3rem solid var(--edge); padding: .5rem .75rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; color: var(--muted); }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--grid); }
th { overflow-wrap: normal; } td:first-child { overflow-wrap: break-word; }
dl { display: grid; grid-template-columns: minmax(8rem, 16rem) 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { color: var(--muted); } dd { margin: 0; }
pre { background: var(--box); padding: .75rem; overflow-x: auto; font: .85rem/1.4 "DejaVu Sans Mono", monospace; tab-size: 4; }
.added { background: var(--added); } .removed { background: var(--removed); }
figure { margin: 1rem 0; } figcaption { color: var(--muted); font-size: .9rem; }
svg { max-width: 100%; height: auto; font: 13px system-ui, "DejaVu Sans", sans-serif; }
.pair { display: flex; flex-wrap: wrap; gap: 1rem; }
svg text { fill: var(--text); } svg .tick { fill: var(--muted); font-size: 12px; } svg .heading { font-weight: 600; }
.grid { stroke: var(--grid); } .zero { stroke: var(--text); stroke-width: 1.5; } .band { fill: var(--band); }
.interval { stroke-width: 2.2; fill: none; } .dot { fill-opacity: .35; }
.interval.better { stroke: var(--better); } .interval.worse { stroke: var(--worse); } .interval.unclear { stroke: var(--muted); }
.dot.better, .mark.better { fill: var(--better); } .dot.worse, .mark.worse { fill: var(--worse); }
.dot.unclear, .mark.unclear { fill: var(--muted); }
.curve { fill: none; stroke-width: 1.8; } .curve.baseline { stroke: var(--muted); stroke-dasharray: 6 4; }
.curve.candidate { stroke: var(--better); }
a { color: var(--better); }
@media print { :root { --text: #000; --page: #fff; --muted: #444; --grid: #bbb; --band: #e2e2e2; --box: #f4f4f4;
  --better: #0072b2; --worse: #b33a1e; --added: #d3ecd9; --removed: #f8d7d3; --caution: #fff6dd; --edge: #b8860b; }
  body { max-width: none; padding: 0; font-size: 10pt; } pre { white-space: pre-wrap; } .wide, pre { overflow: visible; }
  h2 { break-after: avoid; } figure, tr, dl { break-inside: avoid; } }
)";

std::string list_of(const std::vector<std::string>& lines) {
    std::string items;
    for (const std::string& line : lines)
        items += fmt::format("<li>{}</li>\n", html_text(line));
    return items.empty() ? "" : fmt::format("<ul>\n{}</ul>\n", items);
}

std::string facts_of(const std::vector<std::pair<std::string, std::string>>& facts) {
    std::string items;
    for (const auto& [what, value] : facts)
        items += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(what), html_text(value));
    return items.empty() ? "" : fmt::format("<dl>\n{}</dl>\n", items);
}

std::string table_of(const ReportTable& table) {
    if (table.rows.empty())
        return "";
    std::string head, body;
    for (const std::string& name : table.head)
        head += fmt::format("<th scope=\"col\">{}</th>", html_text(name));
    for (const auto& row : table.rows) {
        body += "<tr>";
        for (const std::string& cell : row)
            body += fmt::format("<td>{}</td>", html_text(cell));
        body += "</tr>\n";
    }
    return fmt::format("<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}"
                       "</tbody></table></div>\n",
                       html_text(table.caption), head, body);
}

/// Lines of a diff in colours that their first character says too.
std::string code_of(const ReportSection& section) {
    if (section.code.empty())
        return "";
    std::string lines;
    for (std::size_t at = 0; at < section.code.size();) {
        const std::size_t end = std::min(section.code.find('\n', at), section.code.size());
        const std::string line = html_text(std::string_view(section.code).substr(at, end - at), false);
        const char first = section.language == "diff" && end > at ? section.code[at] : ' ';
        lines += first == '+'   ? fmt::format("<span class=\"added\">{}</span>\n", line)
                 : first == '-' ? fmt::format("<span class=\"removed\">{}</span>\n", line)
                                : line + "\n";
        at = end + 1;
    }
    return fmt::format("<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\"><code>{}</code></pre>\n",
                       html_text(section.title), lines);
}

std::string figures(const Sheet& sheet) {
    if (sheet.rows.empty())
        return "";
    const bool lower = sheet.better == Better::lower;
    std::string text =
        fmt::format("<figure class=\"wide\">\n{}<figcaption>Dots are rounds, lines intervals. {} better, {} "
                    "worse, ● unclear, ■ no practical change (grey band). An arrow: the interval goes on."
                    "</figcaption></figure>\n",
                    forest_figure(sheet, "forest"), lower ? "▼" : "▲", lower ? "▲" : "▼");
    std::string pairs;
    for (std::size_t i = 0; i < sheet.rows.size(); ++i)
        if (!sheet.rows[i].candidate.empty())
            pairs += ecdf_figure(sheet, sheet.rows[i], fmt::format("ecdf-{}", i + 1));
    if (!pairs.empty())
        text += fmt::format(
            "<figure>\n<div class=\"pair\">\n{}</div>\n<figcaption>Share of runs at or below each value, of "
            "the rounds that the estimate rests on. Dashed: baseline; solid: candidate.</figcaption>"
            "</figure>\n",
            pairs);
    return text;
}

std::string section_of(const ReportSection& section, const std::string& drawn) {
    return fmt::format("<section>\n<h2>{}</h2>\n{}{}{}{}{}{}</section>\n", html_text(section.title),
                       section.note.empty() ? "" : fmt::format("<p>{}</p>\n", html_text(section.note)),
                       list_of(section.lines), facts_of(section.facts), table_of(section.table), drawn,
                       code_of(section));
}

std::string head_of(const Report& report) {
    std::string text = fmt::format("<header>\n<h1>#{} {}</h1>\n<p class=\"subtitle\">{}</p>\n", report.number,
                                   html_text(report.title), html_text(report.subtitle));
    for (const std::string& doubt : report.doubts)
        text += fmt::format("<p class=\"caution\" role=\"note\">⚠ {}</p>\n", html_text(doubt));
    text += fmt::format("<p class=\"verdict\">{}</p>\n", html_text(report.verdict));
    if (!report.danger.empty())
        text += fmt::format("<p class=\"caution\" role=\"note\">{}</p>\n", html_text(report.danger));
    text += "<p>";
    for (const std::string& sentence : report.summary)
        text += html_text(sentence) + " ";
    return text + "</p>\n</header>\n";
}

std::string samples_section(const Report& report, const Sheet& sheet) {
    return fmt::format(
        "<section>\n<h2>Samples</h2>\n<p>{} timed runs, warm-ups among them. <a download=\"trial-{}-samples.csv\" "
        "href=\"{}\">Save them as CSV</a>, or write them with <code>holdfast export {} --format csv</code>."
        "</p>\n</section>\n",
        sheet.runs.size(), report.number, data_url("text/csv", samples_csv(sheet)), report.number);
}

} // namespace

std::string trial_html(const Report& report, const Sheet& sheet) {
    std::string sections;
    for (const ReportSection& section : report.sections)
        sections += section_of(section, section.title == "Workloads" ? figures(sheet) : "");
    return fmt::format(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; img-src data:\"/>\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n"
        "<title>#{} {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}{}{}</main>\n</body>\n</html>\n",
        report.number, html_text(report.title), style, head_of(report), sections, samples_section(report, sheet));
}

} // namespace holdfast::review
