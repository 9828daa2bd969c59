// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/export_parts.hpp"
#include "core/review/markdown.hpp"

#include "core/project/text.hpp"

#include <fmt/format.h>

namespace holdfast::review {

namespace {

std::string row_of(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells)
        text += fmt::format(" {} |", plain(cell));
    return text + "\n";
}

std::string table_of(const ReportTable& table) {
    if (table.rows.empty())
        return "";
    std::string text = row_of(table.head) + "|";
    for (std::size_t i = 0; i < table.head.size(); ++i)
        text += " --- |";
    text += "\n";
    for (const auto& row : table.rows)
        text += row_of(row);
    return text;
}

std::string content_of(const ReportSection& section) {
    std::vector<std::string> parts;
    const auto add = [&](std::string part) {
        if (!part.empty())
            parts.push_back(std::move(part));
    };
    if (!section.note.empty())
        add(plain(section.note) + "\n");
    std::string list;
    for (const std::string& line : section.lines)
        list += fmt::format("- {}\n", plain(line));
    for (const auto& [what, value] : section.facts)
        list += fmt::format("- {}: {}\n", plain(what), plain(value));
    add(std::move(list));
    add(table_of(section.table));
    if (!section.code.empty())
        add(code_block(section.language, printable(section.code, false)));
    return fmt::format("{}", fmt::join(parts, "\n"));
}

} // namespace

std::string trial_markdown(const Report& report) {
    std::string text = fmt::format("# \\#{} {}\n\n{}\n\n", report.number, plain(report.title), plain(report.subtitle));
    for (const std::string& doubt : report.doubts)
        text += fmt::format("**{}**\n\n", plain(doubt));
    text += fmt::format("**{}**", plain(report.verdict));
    if (!report.danger.empty())
        text += fmt::format(" **{}**.", plain(report.danger));
    for (const std::string& sentence : report.summary)
        text += " " + plain(sentence);
    text += "\n";
    for (const ReportSection& section : report.sections)
        text += fmt::format("\n## {}\n\n{}", section.title, content_of(section));
    return text + fmt::format("\n## Samples\n\nEvery timed run: `holdfast export {} --format csv`\n", report.number);
}

} // namespace holdfast::review
