// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/cachegrind.hpp"

#include "core/project/text.hpp"
#include "core/study/files.hpp"

#include <charconv>
#include <fmt/format.h>
#include <limits>
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

/// Of "==12== I   refs:      1,234,567", which comes at a process's end.
std::optional<std::uint64_t> count_in(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string prefix, kind, refs, number, digits;
        if (!(words >> prefix >> kind >> refs >> number) || kind != "I" || refs != "refs:")
            continue;
        for (const char c : number)
            if (c != ',')
                digits += c;
        std::uint64_t count = 0;
        const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
        if (fault == std::errc() && end == digits.data() + digits.size())
            return count;
    }
    return std::nullopt;
}

} // namespace

Execution under_cachegrind(Execution execution, const fs::path& counts) {
    Argv argv{"/usr/bin/valgrind",
              "--tool=cachegrind",
              "--cache-sim=no",
              "--branch-sim=no",
              "--trace-children=yes",
              "--vgdb=no",
              "--cachegrind-out-file=/dev/null",
              fmt::format("--log-file={}/%p", place)};
    argv.insert(argv.end(), execution.argv.begin(), execution.argv.end());
    execution.argv = std::move(argv);
    execution.mounts.push_back({counts, place, true});
    execution.count_instructions = false;
    execution.limits.time *= slower;
    execution.limits.memory_bytes = 2 * execution.limits.memory_bytes + own_memory;
    return execution;
}

Result<std::uint64_t> cachegrind_instructions(const fs::path& counts) {
    std::uint64_t sum = 0;
    std::size_t processes = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(counts, error)) {
        const std::string name = entry.path().filename().string();
        if (++processes > most_processes)
            return failed(attempted, "it left more than 100000 logs", remedy);
        auto log = read_output(counts, name, log_limit);
        if (!log)
            return tl::unexpected(log.error());
        const auto count = *log ? count_in(**log) : std::nullopt;
        if (!count)
            return failed(attempted,
                          fmt::format("its log {} has no count: the process did not end by itself", printable(name)),
                          remedy);
        if (*count > std::numeric_limits<std::uint64_t>::max() - sum)
            return failed(attempted, "the counts of its logs are no counts", remedy);
        sum += *count;
    }
    if (error || processes == 0)
        return failed(attempted, "it left no log", remedy);
    return sum;
}

} // namespace holdfast::study
