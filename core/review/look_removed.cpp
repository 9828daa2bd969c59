// SPDX-License-Identifier: GPL-3.0-or-later
// What a change takes away: checks, the handling of errors, locks, bounds, assertions, messages.
#include "core/review/look_asked.hpp"
#include "core/review/look_gates.hpp"
#include "core/review/look_marks.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

bool locks(const File& file, const Line& line) {
    return is_code(file) &&
           (has_part(line.tokens, {"mutex", "atomic", "lock_guard", "unique_lock", "scoped_lock", "shared_lock",
                                   "rwlock", "spinlock", "spin_lock", "memory_order", "synchronized", "__sync_",
                                   "seqcst", "semaphore", "_fence", "membarrier"}) ||
            has(line.tokens, {"lock", "unlock", "Lock", "Unlock", "RLock", "RUnlock", "trylock", "volatile", "fence",
                              "barrier", "flock", "lockf"}) ||
            (file.language == Language::sql && lower_case(line.code).find("for update") != std::string::npos));
}

/// A lock that others may share, that is not waited for, or that nobody holds: `lock_guard<mutex>(m);` ends where it
/// begins.
bool weakens_lock(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (!is_code(file))
        return false;
    if (has(tokens, {"try_to_lock", "defer_lock", "nullcontext", "LOCK_SH", "LOCK_NB", "memory_order_relaxed",
                     "relaxed", "Relaxed"}))
        return true;
    const auto guard = std::find_if(tokens.begin(), tokens.end(), [](const std::string& token) {
        return token == "lock_guard" || token == "scoped_lock" || token == "unique_lock" || token == "shared_lock";
    });
    if (guard == tokens.end())
        return false;
    auto next = guard + 1;
    if (next != tokens.end() && *next == "<")
        next = std::find(next, tokens.end(), ">") + (std::find(next, tokens.end(), ">") == tokens.end() ? 0 : 1);
    const bool statement = guard == tokens.begin() || (guard - tokens.begin() == 3 && tokens[0] == "std");
    return statement && next != tokens.end() && (*next == "(" || *next == "{");
}

/// What gives up wherever it stands: `else throw ...;`, `abort();`. In the block of an `if` the `if` tells.
bool gives_up_alone(const File& file, const Line& line) {
    if (file.language == Language::shell) { // its conditions are not read
        const auto exit = std::find(line.tokens.begin(), line.tokens.end(), "exit");
        return exit != line.tokens.end() && exit + 1 != line.tokens.end() && *(exit + 1) != "0";
    }
    return is_code(file) && !line.conditional && line.condition.empty() &&
           has(line.tokens, {"throw", "raise", "abort", "panic", "_exit", "quick_exit"});
}

/// `catch (...) {}`, `except: pass`, `|| true`: an error that ends there without a word.
bool swallows(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    if (file.language == Language::shell)
        return line.code.ends_with("|| true") || line.code.ends_with("|| :") || line.code.starts_with("set +e") ||
               (line.code.starts_with("trap ") && line.code.find("exit 0") != std::string::npos);
    if (file.language == Language::python && has(line.tokens, {"suppress"}))
        return true;
    if (file.language == Language::go && has(line.tokens, {"recover"}))
        return true;
    const bool catches = has(line.tokens, {"catch", "except", "rescue"});
    const bool nothing = line.code.ends_with("{}") || line.code.ends_with("{ }") || line.code.ends_with(": pass") ||
                         line.follows == "pass\n" || line.follows == "continue\n" || line.empty_block;
    return catches && nothing;
}

/// `.at(i)`, `checked_add`, `snprintf`: what ends well where the plain form does not.
bool stays_in_bounds(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (!is_code(file) || has(tokens, {"include"}))
        return false;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i] == "." && tokens[i + 1] == "at" && tokens[i + 2] == "(" && file.language == Language::c)
            return true;
    return has_part(tokens, {"checked_", "_overflow"}) ||
           has(tokens, {"snprintf", "strncpy", "strlcpy", "strnlen", "fgets"});
}

bool leaves_bounds(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    if ((file.language == Language::rust || file.language == Language::go) && has(line.tokens, {"unsafe"}))
        return true;
    if (file.language == Language::go && line.texts == Tokens{"unsafe"})
        return true;
    return has_part(line.tokens, {"_unchecked", "unchecked_"}) ||
           has(line.tokens, {"__builtin_unreachable", "__builtin_assume", "assume", "unreachable_unchecked", "sprintf",
                             "vsprintf", "strcpy", "strcat", "gets", "alloca", "reinterpret_cast", "transmute"});
}

bool asserts(const File& file, const Line& line) {
    return is_code(file) && !has(line.tokens, {"include", "import"}) &&
           (has_part(line.tokens, {"assert", "dcheck", "validate", "sanitize", "sanitise"}) ||
            has(line.tokens, {"CHECK", "ensure", "precondition", "Expects", "Ensures"}));
}

bool tells(const File& file, const Line& line) {
    return is_code(file) && !line.guarded && !has(line.tokens, {"include", "import"}) &&
           (has(line.tokens, {"stderr", "cerr", "clog", "syslog", "perror", "eprintln", "spdlog", "logger", "logging",
                              "qWarning", "qCritical", "audit", "LOG"}) ||
            has_part(line.tokens, {"log_error", "log_warn", "log_info", "log_debug", "log_audit"}) ||
            line.code.find("console.") != std::string::npos || line.code.find("log.") == 0);
}

Category losing(const char* name, const char* why, Finder finds) {
    return {name, why,
            [finds = std::move(finds)](const std::vector<File>& files) { return lost(files, finds, finds); }};
}

/// A condition that is asked elsewhere now is not gone, though another function gives up in another way; nor is one
/// whose terms are all asked elsewhere: joined with others, split, or as the cases of a `switch`.
Category losing_gate(const char* name, const char* why, Finder finds) {
    return {name, why, [finds = std::move(finds)](const std::vector<File>& files) {
                auto marks = lost(files, finds, [&](const File& file, const Line& line) {
                    return begins_with_if(line.tokens) || has(line.tokens, {"return"}) || finds(file, line);
                });
                const AskedTerms asked(files);
                std::erase_if(marks, [&](const Mark& mark) {
                    const AnyOf was = alternatives(mark.line);
                    return asked.all_of(was) || asked.all_of_that_shape(was);
                });
                return marks;
            }};
}

/// And the ends that are gone where no condition tells.
Category with_hard_ends(Category category) {
    category.marks = [gates = std::move(category.marks)](const std::vector<File>& files) {
        auto marks = gates(files), ends = lost(files, gives_up_alone, [](const File&file, const Line&line) {
                                       return is_code(file) && gives_up(line.tokens);
                                   });
        std::move(ends.begin(), ends.end(), std::back_inserter(marks));
        return marks;
    };
    return category;
}

/// Words that keep files from being followed, shared, kept or lost: fewer of one than before, wherever it stood.
std::vector<Mark> lost_open_flags(const std::vector<File>& files) {
    constexpr std::array flags{"O_EXCL",          "O_NOFOLLOW",          "O_CLOEXEC",    "O_TRUNC",     "O_APPEND",
                               "RESOLVE_BENEATH", "RESOLVE_NO_SYMLINKS", "SOCK_CLOEXEC", "MSG_NOSIGNAL"};
    std::vector<Mark> marks;
    for (const char* flag : flags) {
        std::ptrdiff_t more = 0;
        std::optional<Mark> first;
        for (const File& file : files) {
            for (const Line& line : file.removed)
                if (const auto count = std::count(line.tokens.begin(), line.tokens.end(), flag); count > 0) {
                    more += count;
                    first = first ? first : Mark{file.path, line, true};
                }
            for (const Line& line : file.added)
                more -= std::count(line.tokens.begin(), line.tokens.end(), flag);
        }
        if (more > 0)
            marks.push_back(*first);
    }
    for (const File& file : files)
        for (const Line& line : file.added)
            for (std::size_t i = 1; i < line.tokens.size(); ++i)
                if (line.tokens[i - 1] == "~" && std::find(flags.begin(), flags.end(), line.tokens[i]) != flags.end())
                    marks.push_back({file.path, line, false}); // masked out
    return marks;
}

} // namespace

std::vector<Category> removed_categories() {
    return {
        losing_gate("look: check removed",
                    "What the program refused before it may accept now, and checking takes time.", checks),
        with_hard_ends(losing_gate("look: error handling removed", "An error that was handled may pass unseen now.",
                                   handles_errors)),
        {"look: error swallowed", "What went wrong there nobody is told any more.",
         [](const std::vector<File>& files) { return gained(files, swallows); }},
        {"look: open flag removed", "A file may be followed, shared, kept or cut where it was not.", lost_open_flags},
        losing("look: lock removed",
               "Threads may see each other's half-done work: a race shows rarely, and not in a few runs.", locks),
        {"look: lock weakened", "It keeps out less than it seems to: a race shows rarely, and not in a few runs.",
         [](const std::vector<File>& files) { return gained(files, weakens_lock); }},
        losing("look: bounds check removed", "What ended well out of bounds may read or write there now.",
               stays_in_bounds),
        {"look: unchecked access", "Nothing stops it out of bounds any more.",
         [](const std::vector<File>& files) { return gained(files, leaves_bounds); }},
        losing("look: assertion removed", "What the program made sure of is believed now.", asserts),
        losing("look: message removed", "Somebody may rely on what the program told.", tells),
    };
}

} // namespace holdfast::review::look
