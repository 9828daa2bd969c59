// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/cachegrind.hpp"

#include "core/project/text.hpp"
#include "core/study/files.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

const char* const attempted = "count instructions with cachegrind";
const char* const remedy = "Run the workload under `valgrind --tool=cachegrind` by hand, or choose another metric";
constexpr const char* place = "/counts";
constexpr int slower = 100;
constexpr std::uint64_t log_limit = 1 << 20, own_memory = 512ULL << 20;
constexpr std::size_t most_processes = 100'000;

struct Log {
    std::uint64_t count = 0;
    std::int64_t parent = 0;
};

template <class Number> std::optional<Number> number_in(std::string text) {
    std::erase(text, ',');
    Number number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The log of process `pid`, as valgrind writes it: its name first, then "==12== Parent PID: 11", and at the process's
/// end "==12== I   refs:      1,234,567", each once and every line with the process's number. Else why it is none.
tl::expected<Log, std::string> log_in(const std::string& text, const std::string& pid) {
    Log log;
    std::size_t names = 0, parents = 0, counts = 0, number = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line); ++number) {
        std::istringstream words(line);
        std::string prefix, first, second, value;
        words >> prefix >> first >> second >> value;
        if (prefix != "==" + pid + "==" && prefix != "--" + pid + "--")
            return tl::unexpected<std::string>("has lines that valgrind did not write");
        if (number == 0 && first == "Cachegrind,")
            ++names;
        if (first == "Parent" && second == "PID:") {
            const auto parent = number_in<std::int64_t>(value);
            log.parent = parent.value_or(0);
            parents += parent && *parent > 0 ? 1 : 2;
        }
        if (first == "I" && second == "refs:") {
            const auto count = number_in<std::uint64_t>(value);
            log.count = count.value_or(0);
            counts += count ? 1 : 2;
        }
    }
    if (names != 1 || parents != 1)
        return tl::unexpected<std::string>("does not start as valgrind's do");
    if (counts == 0)
        return tl::unexpected<std::string>("has no count: the process did not end by itself");
    if (counts > 1)
        return tl::unexpected<std::string>("has not one count");
    return log;
}

/// Every parent is a process that was counted too, or was there before the first of them.
bool one_family(const std::map<std::int64_t, std::int64_t>& parents) {
    return std::all_of(parents.begin(), parents.end(), [&](const auto& entry) {
        return entry.first != entry.second && (parents.contains(entry.second) || entry.second < parents.begin()->first);
    });
}

} // namespace

Execution under_cachegrind(Execution execution, const fs::path& counts, const std::string& token) {
    Argv argv{"/usr/bin/valgrind",
              "--tool=cachegrind",
              "--cache-sim=no",
              "--branch-sim=no",
              "--trace-children=yes",
              "--vgdb=no",
              "--cachegrind-out-file=/dev/null",
              fmt::format("--log-file={}/{}-%p", place, token)};
    argv.insert(argv.end(), execution.argv.begin(), execution.argv.end());
    execution.argv = std::move(argv);
    execution.mounts.push_back({counts, place, true});
    execution.count_instructions = false;
    execution.limits.time *= slower;
    execution.limits.memory_bytes = 2 * execution.limits.memory_bytes + own_memory;
    return execution;
}

Result<std::uint64_t> cachegrind_instructions(const fs::path& counts, const std::string& token) {
    std::uint64_t sum = 0;
    std::map<std::int64_t, std::int64_t> parents;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(counts, error)) {
        const std::string name = entry.path().filename().string();
        const std::string pid = name.starts_with(token + "-") ? name.substr(token.size() + 1) : "";
        const auto process = number_in<std::int64_t>(pid);
        if (!process || *process <= 0 || std::to_string(*process) != pid)
            return failed(attempted, fmt::format("the program left {} among the logs", printable(name)), remedy);
        if (parents.size() >= most_processes)
            return failed(attempted, "it left more than 100000 logs", remedy);
        auto text = read_output(counts, name, log_limit);
        if (!text)
            return tl::unexpected(text.error());
        const auto log = log_in(text->value_or(""), pid);
        if (!log)
            return failed(attempted, fmt::format("its log of process {} {}", pid, log.error()), remedy);
        if (log->count > std::numeric_limits<std::uint64_t>::max() - sum)
            return failed(attempted, "the counts of its logs are no counts", remedy);
        sum += log->count;
        parents[*process] = log->parent;
    }
    if (error || parents.empty())
        return failed(attempted, "it left no log", remedy);
    if (!one_family(parents))
        return failed(attempted, "one of its logs names a parent that never ran", remedy);
    return sum;
}

} // namespace holdfast::study
