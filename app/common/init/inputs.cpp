// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/inputs.hpp"

#include "app/common/init/words.hpp"
#include "core/stats/random.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace holdfast::app::init {

namespace {

constexpr std::uintmax_t largest_input = 256ULL << 20;
constexpr std::size_t most_test_sources = 200;

const std::set<std::string, std::less<>> no_data = {
    ".c",   ".cc", ".cpp",  ".cxx", ".h",    ".hh",   ".hpp",      ".rs",     ".go",    ".py",   ".js",    ".mjs",
    ".cjs", ".ts", ".java", ".rb",  ".pl",   ".sh",   ".md",       ".rst",    ".toml",  ".lock", ".cmake", ".mk",
    ".in",  ".am", ".ac",   ".bat", ".cfg",  ".ini",  ".yml",      ".yaml",   ".css",   ".svg",  ".png",   ".out",
    ".ref", ".o",  ".a",    ".so",  ".conf", ".diff", ".expected", ".golden", ".patch", ".html"};
const std::set<std::string, std::less<>> surely_data = {".csv", ".tsv", ".jsonl", ".ndjson",
                                                        ".log", ".dat", ".bin",   ".txt"};
const std::set<std::string, std::less<>> data_folders = {"data",     "dataset",  "datasets", "input",   "inputs",
                                                         "examples", "example",  "samples",  "sample",  "testdata",
                                                         "corpus",   "fixtures", "bench",    "benches", "benchmarks"};

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    for (const auto& part : std::filesystem::path(path))
        parts.push_back(lower_case(part.string()));
    return parts;
}

bool is_data(const SeenFile& file) {
    const std::string extension = extension_of(file.path), name = lower_case(name_of(file.path));
    if (file.size == 0 || file.size > largest_input || file.executable || extension.empty() || name.starts_with('.') ||
        no_data.contains(extension) || name.find("expected") != std::string::npos)
        return false;
    const auto parts = parts_of(file.path);
    const bool placed = std::any_of(parts.begin(), parts.end() - 1,
                                    [](const std::string& part) { return data_folders.contains(part); });
    const bool about = name.starts_with("readme") || name.starts_with("license") || name.starts_with("cmakelists") ||
                       name.starts_with("requirements") || name.starts_with("package") ||
                       name.starts_with("changelog") || name.starts_with("tsconfig") || name.starts_with("holdfast");
    return !about && (placed || (parts.size() <= 2 && surely_data.contains(extension)));
}

std::vector<std::string> by_size(std::vector<const SeenFile*> files) {
    std::stable_sort(files.begin(), files.end(), [](const auto* a, const auto* b) { return a->size > b->size; });
    std::vector<std::string> paths;
    for (const SeenFile* file : files)
        paths.push_back(file->path);
    return paths;
}

bool a_number_alone(std::string_view line) {
    return !line.empty() &&
           std::all_of(line.begin(), line.end(), [](char c) { return c == ' ' || (c >= '0' && c <= '9'); });
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// How an argparse program takes its file; "" for as a plain argument.
std::optional<std::string> argparse_option(const std::string& text) {
    for (auto at = text.find("add_argument("); at != std::string::npos; at = text.find("add_argument(", at + 1)) {
        const auto open = text.find_first_of("\"'", at);
        const auto close = open == std::string::npos ? open : text.find(text[open], open + 1);
        if (close == std::string::npos)
            break;
        const std::string name = text.substr(open + 1, close - open - 1);
        if (!name.starts_with('-'))
            return "";
        for (const char* usual : {"--input", "--file", "--data", "-i", "-f"})
            if (name == usual)
                return name;
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> data_files(const Seen& seen) {
    std::map<std::string, std::vector<const SeenFile*>> families;
    for (const SeenFile& file : seen.files)
        if (is_data(file))
            families[folder_of(file.path) + "/*" + extension_of(file.path)].push_back(&file);
    const std::vector<const SeenFile*>* best = nullptr;
    double best_score = -1;
    for (const auto& [name, files] : families) {
        double score = static_cast<double>(std::min<std::size_t>(files.size(), 5));
        score += surely_data.contains(extension_of(name)) ? 2 : 0;
        score -= belongs_to_tests(name) ? 3 : 0;
        if (score > best_score) {
            best_score = score;
            best = &files;
        }
    }
    return best == nullptr ? std::vector<std::string>{} : by_size(*best);
}

std::vector<std::string> family_of(const Seen& seen, const std::string& input) {
    std::vector<const SeenFile*> files;
    for (const SeenFile& file : seen.files)
        if (folder_of(file.path) == folder_of(input) && extension_of(file.path) == extension_of(input) &&
            (file.path == input || is_data(file)))
            files.push_back(&file);
    return by_size(files);
}

bool belongs_to_tests(std::string_view path) {
    const auto parts = parts_of(path);
    return std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
        return part == "test" || part == "tests" || part == "testdata" || part == "spec" || part == "fixtures";
    });
}

bool needed_by_tests(const Seen& seen, const std::string& path) {
    if (belongs_to_tests(path))
        return true;
    std::size_t looked = 0;
    return std::any_of(seen.files.begin(), seen.files.end(), [&](const SeenFile& file) {
        const std::string name = name_of(file.path);
        const bool describes = name == "CMakeLists.txt" || name == "package.json" || name == "Makefile" ||
                               name == "makefile" || name == "GNUmakefile";
        const bool tests = (belongs_to_tests(file.path) || lower_case(name).find("test") != std::string::npos) &&
                           no_data.contains(extension_of(name));
        return (describes || tests) && ++looked <= most_test_sources &&
               seen.text(file.path).find(name_of(path)) != std::string::npos;
    });
}

Reads reads_input(const Seen& seen, const Runnable& program) {
    const std::string text = program.source.empty() ? "" : seen.text(program.source);
    if (text.find("ArgumentParser") != std::string::npos)
        return argparse_option(text) ? Reads::argument : Reads::nothing;
    for (const char* sign : {"argv[", "sys.argv", "env::args", "process.argv", "getopt", "argc", "click."})
        if (text.find(sign) != std::string::npos)
            return Reads::argument;
    for (const char* sign : {"stdin", "std::cin", "cin >>", "getchar", "scanf(", "input()"})
        if (text.find(sign) != std::string::npos)
            return Reads::standard_input;
    return Reads::nothing;
}

std::optional<Argv> run_with(const Seen& seen, const Runnable& program, const std::string& name) {
    Argv argv = program.argv;
    switch (reads_input(seen, program)) {
    case Reads::argument:
        if (const auto option = argparse_option(seen.text(program.source)); option && !option->empty())
            argv.push_back(*option);
        argv.push_back("{inputs}/" + name);
        return argv;
    case Reads::standard_input:
        argv.insert(argv.begin(), {"sh", "-c", "input=$1; shift; exec \"$@\" < \"$input\"", "sh", "{inputs}/" + name});
        return argv;
    case Reads::nothing:
        break;
    }
    return std::nullopt;
}

std::optional<std::string> variant_of(std::string_view text, std::string_view extension) {
    const bool table = extension == ".csv" || extension == ".tsv";
    if (!table && extension != ".txt" && extension != ".log" && extension != ".jsonl" && extension != ".ndjson")
        return std::nullopt;
    std::vector<std::string_view> lines = lines_of(text);
    // A first line that counts the others, or a quoted field of several lines, would be broken by another order.
    if (lines.size() < 10 || text.find('\0') != std::string_view::npos ||
        (a_number_alone(lines[0]) && (!a_number_alone(lines[1]) || lines[0] == std::to_string(lines.size() - 1))) ||
        std::any_of(lines.begin(), lines.end(),
                    [&](std::string_view line) { return table && std::count(line.begin(), line.end(), '"') % 2 != 0; }))
        return std::nullopt;
    std::string result;
    if (table) {
        result = std::string(lines.front()) + "\n";
        lines.erase(lines.begin());
    }
    stats::Random(1).shuffle(lines);
    lines.resize(lines.size() - lines.size() / 5);
    for (const std::string_view line : lines)
        result.append(line).append(1, '\n');
    return result;
}

} // namespace holdfast::app::init
