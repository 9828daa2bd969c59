// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/danger_code.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace holdfast {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Wrappers named after the call count as well: pg_fsync, os.fsync, redis_fsync.
std::string_view called(std::string_view word) {
    constexpr std::array<std::string_view, 9> calls{"fdatasync", "fsync",     "sync_file_range",
                                                    "msync",     "syncfs",    "sync_all",
                                                    "sync_data", "fsyncSync", "fdatasyncSync"};
    const std::string small = lower_case(word);
    const auto found = std::find_if(calls.begin(), calls.end(), [&](std::string_view call) {
        const std::string name = lower_case(call);
        return small == name || small.ends_with("_" + name) || small.ends_with("." + name) ||
               (small.ends_with("fsync") && name == "fsync");
    });
    if (found != calls.end())
        return *found;
    return small == "flushfilebuffers" ? "FlushFileBuffers" : "";
}

/// Options that a file is opened or written with.
std::string_view option(std::string_view word) {
    constexpr std::array<std::string_view, 5> options{"O_SYNC", "O_DSYNC", "O_RSYNC", "F_FULLFSYNC",
                                                      "FILE_FLAG_WRITE_THROUGH"};
    const auto found = std::find(options.begin(), options.end(), word);
    return found == options.end() ? "" : *found;
}

/// Without a comment that is the whole line or its end.
std::string_view code_of(std::string_view path, std::string_view line) {
    line = trimmed(line);
    if (line.starts_with("/*") || line.starts_with("* "))
        return "";
    const std::string ending = std::filesystem::path(path).extension().string();
    constexpr std::array<std::string_view, 6> hashes{".py", ".sh", ".rb", ".pl", ".bash", ""};
    line = line.substr(0, line.find("//"));
    if (std::find(hashes.begin(), hashes.end(), ending) != hashes.end())
        line = line.substr(0, line.find('#'));
    // Defining a call away is no call.
    return line.starts_with("#define") && called(line.substr(7, line.find('(') - 7)) != "" ? "" : line;
}

/// Go's f.Sync() writes a file out; that of a logger only its lines.
bool is_file_sync(std::string_view before, std::string_view word, std::string_view after) {
    return word == "Sync" && before.ends_with('.') && after.starts_with("()") &&
           !lower_case(before).ends_with("log.") && !lower_case(before).ends_with("logger.");
}

bool is_true(std::string_view after) {
    after = trimmed(after);
    if (after.starts_with("(true)"))
        return true;
    if (!after.starts_with('=') && !after.starts_with(':'))
        return false;
    return lower_case(trimmed(after.substr(after.starts_with(":=") ? 2 : 1))).starts_with("true");
}

/// `Sync: true` of an options object, in the spellings of several stores.
bool is_sync_option(std::string_view word) {
    constexpr std::array<std::string_view, 6> names{"sync",    "syncwrites", "sync_writes",
                                                    "setsync", "set_sync",   "withsyncwrites"};
    const std::string small = lower_case(word);
    return std::find(names.begin(), names.end(), small) != names.end();
}

} // namespace

std::vector<std::string> sync_calls(std::string_view path, std::string_view line) {
    const std::string_view code = code_of(path, line);
    std::vector<std::string> all;
    for (std::size_t at = 0; at < code.size();) {
        if (!is_word(code[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < code.size() && is_word(code[end]))
            ++end;
        const std::string_view word = code.substr(at, end - at), before = code.substr(0, at), after = code.substr(end);
        if (const auto name = called(word); !name.empty() && trimmed(after).starts_with('('))
            all.emplace_back(name);
        else if (const auto flag = option(word); !flag.empty())
            all.emplace_back(flag);
        else if (is_file_sync(before, word, after))
            all.emplace_back("Sync()");
        else if (word == "force" && before.ends_with('.') && is_true(after))
            all.emplace_back("force(true)");
        else if (is_sync_option(word) && is_true(after))
            all.push_back(std::string(word) + ": true");
        at = end;
    }
    return all;
}

bool is_unlogged(std::string_view line) {
    const std::string text = lower_case(line);
    const std::size_t at = text.find("unlogged");
    if (at == std::string::npos)
        return false;
    std::string_view before(text);
    before = trimmed(before.substr(0, at));
    return before.ends_with("create") || before.ends_with("set");
}

} // namespace holdfast
