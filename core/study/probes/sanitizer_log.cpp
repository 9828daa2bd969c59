// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/sanitizer_log.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace holdfast::study::probes {

namespace {

constexpr std::size_t most_findings = 200, most_frames = 3, longest_report = 4096;
constexpr std::string_view leak = "memory leak";

std::string_view trimmed_left(std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

/// Numbers name sizes, values and addresses, which differ between two runs.
std::string without_numbers(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool in_word = !result.empty() && std::isalpha(static_cast<unsigned char>(result.back())) != 0;
        if (std::isdigit(static_cast<unsigned char>(text[i])) == 0 || in_word) {
            result += text[i];
            continue;
        }
        while (i + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0)
            ++i;
        result += '#';
    }
    return result;
}

std::string_view before(std::string_view text, std::string_view mark) {
    return text.substr(0, text.find(mark));
}

std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    return at == std::string_view::npos ? std::nullopt : std::optional(text.substr(at + mark.size()));
}

/// What a line says that a report begins with; nothing when none does.
std::optional<std::string> kind_of(std::string_view line) {
    if (const auto error = after(line, "ERROR: AddressSanitizer: "))
        return without_numbers(before(before(before(*error, " on "), " (pid"), ":"));
    if (const auto warning = after(line, "WARNING: ThreadSanitizer: "))
        return std::string(before(*warning, " (pid"));
    if (const auto error = after(line, "ERROR: ThreadSanitizer: "))
        return without_numbers(before(before(*error, " on "), " (pid"));
    if (const auto error = after(line, ": runtime error: "))
        return without_numbers(before(*error, ":"));
    if (line.starts_with("Direct leak of ") || line.starts_with("Indirect leak of "))
        return std::string(leak);
    return std::nullopt;
}

/// The function of "    #1 0x4f3a in scan(int) /source/a.cpp:12:3"; nothing when the line is no frame.
std::optional<std::string> function_of(std::string_view line) {
    line = trimmed_left(line);
    if (!line.starts_with('#') || line.size() < 2 || std::isdigit(static_cast<unsigned char>(line[1])) == 0)
        return std::nullopt;
    line.remove_prefix(std::min(line.find(' '), line.size()));
    line = trimmed_left(line);
    if (line.starts_with("0x")) {
        const auto named = after(line, " in ");
        if (!named)
            return "?";
        line = *named;
    }
    return std::string(before(line, line.find(" (") < line.find(" /") ? " (" : " /"));
}

bool is_runtime(const std::string& function) {
    constexpr std::array starts{"__interceptor_", "__asan",       "__tsan",          "__ubsan",     "__sanitizer",
                                "__lsan",         "operator new", "operator delete", "malloc",      "calloc",
                                "realloc",        "free",         "_start",          "__libc_start"};
    return std::any_of(starts.begin(), starts.end(), [&](const char* start) { return function.starts_with(start); });
}

/// One report: its kind, and the stacks it shows.
struct Report {
    std::string kind, text;
    std::vector<std::vector<std::string>> stacks;
    bool in_stack = false;

    void add(std::string_view line) {
        if (text.size() < longest_report)
            text.append(line).push_back('\n');
        const auto function = function_of(line);
        if (!function) {
            in_stack = false;
            return;
        }
        if (!in_stack)
            stacks.emplace_back();
        in_stack = true;
        if (!is_runtime(*function) && stacks.back().size() < most_frames)
            stacks.back().push_back(*function);
    }

    /// Which access of a race is told first is chance, and with it its callers.
    Finding finding() const {
        Finding found{kind.empty() ? "fault without a name" : kind, {}};
        if (!found.is_race()) {
            if (!stacks.empty())
                found.functions = stacks.front();
            return found;
        }
        for (std::size_t i = 0; i < stacks.size() && i < 2; ++i)
            if (!stacks[i].empty())
                found.functions.push_back(stacks[i].front());
        std::sort(found.functions.begin(), found.functions.end());
        return found;
    }
};

} // namespace

bool Finding::is_leak() const {
    return kind == leak;
}

std::string Finding::text() const {
    return printable(
        functions.empty() ? kind : fmt::format("{} in {}", kind, fmt::join(functions, is_race() ? " and " : " < ")));
}

void read_sanitizer_log(std::string_view log, Findings& findings) {
    std::optional<Report> report;
    const auto end = [&] {
        if (report && findings.size() < most_findings)
            findings.emplace(report->finding(), report->text);
        report.reset();
    };
    while (!log.empty()) {
        const std::string_view line = log.substr(0, std::min(log.find('\n'), log.size()));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        if (auto kind = kind_of(line)) {
            end();
            report = Report{std::move(*kind), "", {}};
        }
        if (report)
            report->add(line);
    }
    end();
}

Findings without_known(const Findings& own, const Findings& known, const Renames& renames) {
    std::vector<const Finding*> gone; // what the baseline alone has
    for (const auto& [finding, report] : known)
        if (!own.contains(finding))
            gone.push_back(&finding);
    Findings fresh;
    for (const auto& [finding, report] : own) {
        if (known.contains(finding))
            continue;
        const auto stands_for = std::find_if(gone.begin(), gone.end(), [&, &now = finding](const Finding* old) {
            return old->kind == now.kind && renames.same_functions(old->functions, now.functions);
        });
        if (stands_for == gone.end())
            fresh.emplace(finding, report);
        else
            gone.erase(stands_for);
    }
    return fresh;
}

} // namespace holdfast::study::probes
