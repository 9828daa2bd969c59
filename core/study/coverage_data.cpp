// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/coverage_data.hpp"

#include "core/study/files.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr std::size_t most_processes = 1000;
constexpr std::uint64_t most_of_process = 8ULL << 20;

void add(FileCounts& counts, std::size_t line, std::uint64_t times) {
    std::uint64_t& seen = counts[line];
    seen = times > std::numeric_limits<std::uint64_t>::max() - seen ? times : seen + times;
}

void add_document(const json& document, LineCounts& counts) {
    const fs::path folder = document.value("current_working_directory", "");
    for (const json& file : document.at("files")) {
        const std::string path = (folder / file.at("file").get<std::string>()).lexically_normal().string();
        for (const json& line : file.at("lines")) {
            const json& number = line.at("line_number");
            const json& count = line.at("count");
            if (number.is_number_unsigned() && count.is_number_unsigned())
                add(counts[path], number.get<std::size_t>(), count.get<std::uint64_t>());
        }
    }
}

} // namespace

const char* const python_hook = R"py(import atexit, json, os, sys, threading

def follow():
    with open("/coverage/files") as names:
        wanted = {name for name in names.read().split("\n") if name}
    known, run = {}, {}

    def wanted_name(file):
        if file not in known:
            path = os.path.realpath(file)
            names = [n for n in wanted if path == "/source/" + n or (path.startswith("/build/") and path.endswith("/" + n))]
            known[file] = (names[0], path) if names else None
        return known[file]

    def line_of(frame, event, argument):
        if event == "line":
            run[frame.f_code.co_filename].add(frame.f_lineno)
        return line_of

    def call_of(frame, event, argument):
        if wanted_name(frame.f_code.co_filename) is None:
            return None
        run.setdefault(frame.f_code.co_filename, set())
        return line_of

    def lines_in(code):
        lines = {line for _, _, line in code.co_lines() if line} if hasattr(code, "co_lines") else {
            line for _, line in __import__("dis").findlinestarts(code) if line}
        for constant in code.co_consts:
            if hasattr(constant, "co_code"):
                lines |= lines_in(constant)
        return lines

    def write():
        sys.settrace(None)
        told = []
        for file, lines in run.items():
            name, path = wanted_name(file)
            with open(path, "rb") as source:
                told.append({"file": name, "can": sorted(lines_in(compile(source.read(), path, "exec"))),
                             "run": sorted(lines)})
        if told:
            with open("/coverage/%d.lines" % os.getpid(), "w") as out:
                json.dump(told, out)

    atexit.register(write)
    threading.settrace(call_of)
    sys.settrace(call_of)

try:
    follow()
except Exception:
    pass
)py";

void add_gcov(const std::string& text, LineCounts& counts) {
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const json document = json::parse(rest.substr(0, end), nullptr, false);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        try {
            if (document.is_object())
                add_document(document, counts);
        } catch (const json::exception&) { // not gcov's: as if it had not told
        }
    }
}

void add_python(const fs::path& folder, LineCounts& counts) {
    std::error_code code;
    std::size_t processes = 0;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        if (entry->path().extension() != ".lines" || ++processes > most_processes)
            continue;
        const auto text = read_output(folder, entry->path().filename().string(), most_of_process);
        if (!text || !*text)
            continue;
        const json told = json::parse(**text, nullptr, false);
        try {
            for (const json& file : told) {
                FileCounts& lines = counts[file.at("file").get<std::string>()];
                for (const json& line : file.at("can"))
                    add(lines, line.get<std::size_t>(), 0);
                for (const json& line : file.at("run"))
                    if (const auto known = lines.find(line.get<std::size_t>()); known != lines.end())
                        add(lines, known->first, 1);
            }
        } catch (const json::exception&) { // not the hook's: as if it had not told
        }
    }
}

FileCounts counts_of(const LineCounts& counts, const std::string& path) {
    FileCounts all;
    for (const auto& [file, lines] : counts) {
        const bool same =
            file == path || file == "/source/" + path || (file.starts_with("/build/") && file.ends_with("/" + path));
        if (!same)
            continue;
        for (const auto& [line, times] : lines)
            add(all, line, times);
    }
    return all;
}

} // namespace holdfast::study
