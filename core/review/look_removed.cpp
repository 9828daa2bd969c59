// SPDX-License-Identifier: GPL-3.0-or-later
// What a change takes away: checks, the handling of errors, locks, bounds, assertions, messages.
#include "core/review/look_marks.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

bool is_code(const File& file) {
    return file.language != Language::none;
}

bool is_error_word(const std::string& token) {
    const std::string small = lower_case(token);
    for (const char* part : {"error", "fail", "invalid", "refuse", "exception", "unexpected"})
        if (small.find(part) != std::string::npos)
            return true;
    // EINVAL, and C's habit of one word.
    const bool code = token.size() > 3 && token.front() == 'E' &&
                      std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isupper(c) != 0; });
    return code || small == "err" || small == "errno" || small == "bad" || small == "corrupt";
}

/// `return -1`, `return NULL`, `return err`, a bare `return`: what a function does that gives up.
bool returns_failure(const Tokens& tokens, std::size_t at) {
    if (at + 1 == tokens.size() || tokens[at + 1] == ";" || tokens[at + 1] == "-" || tokens[at + 1] == "}")
        return true;
    const std::string& value = tokens[at + 1];
    if (has({value}, {"NULL", "nullptr", "None", "false", "False", "null", "Err"}) ||
        (std::isdigit(static_cast<unsigned char>(value.front())) != 0 && value != "0"))
        return true;
    for (std::size_t i = at + 1; i < tokens.size() && tokens[i] != ";" && i < at + 12; ++i)
        if (is_error_word(tokens[i]))
            return true;
    return false;
}

bool gives_up(const Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (has({tokens[i]},
                {"throw", "raise", "abort", "panic", "exit", "_exit", "die", "bail", "fatal", "quick_exit"}))
            return true;
        if (tokens[i] == "goto" && i + 1 < tokens.size() &&
            (is_error_word(tokens[i + 1]) || has({tokens[i + 1]}, {"out", "cleanup", "done", "end"})))
            return true;
        if (tokens[i] == "return" && returns_failure(tokens, i))
            return true;
    }
    return false;
}

bool begins_with_if(const Tokens& tokens) {
    std::size_t at = 0;
    while (at < tokens.size() && (tokens[at] == "}" || tokens[at] == "else"))
        ++at;
    return at < tokens.size() && has({tokens[at]}, {"if", "elif", "unless", "guard"});
}

/// An `if` after which the code gives up.
bool is_gate(const File& file, const Line& line) {
    return is_code(file) && begins_with_if(line.tokens) && gives_up(tokens_of(line.code + '\n' + line.follows));
}

/// Where the bracket at `at` is closed; tokens.size() when it is not in this line.
std::size_t closing(const Tokens& tokens, std::size_t at) {
    std::size_t depth = 0;
    for (; at < tokens.size(); ++at) {
        depth += tokens[at] == "(" ? 1 : 0;
        if (tokens[at] == ")" && --depth == 0)
            return at;
    }
    return at;
}

/// Whether the condition asks how a call ended: `f(...) != 0`, or by its words.
bool asks_for_errors(const Tokens& tokens) {
    if (std::any_of(tokens.begin(), tokens.end(), is_error_word))
        return true;
    for (std::size_t i = 2; i < tokens.size(); ++i)
        if (tokens[i] == "(" && is_word(tokens[i - 1]) && !has({tokens[i - 1]}, {"if", "elif", "sizeof", "while"}))
            if (const std::size_t next = closing(tokens, i) + 1;
                next < tokens.size() && has({tokens[next]}, {"!", "=", "<"}))
                return true;
    return false;
}

bool handles_errors(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    const Tokens& tokens = line.tokens;
    if (is_gate(file, line))
        return asks_for_errors(tokens);
    if (has(tokens, {"catch", "except", "rescue", "ferror"}))
        return true;
    if (file.language == Language::rust)
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
            if (tokens[i] == "?" && (tokens[i + 1] == ";" || tokens[i + 1] == "." || tokens[i + 1] == ")"))
                return true;
    return file.language == Language::shell &&
           (line.code.starts_with("set -e") || line.code.find("|| exit") != std::string::npos);
}

bool checks(const File& file, const Line& line) {
    return is_gate(file, line) && !handles_errors(file, line);
}

bool locks(const File& file, const Line& line) {
    return is_code(file) &&
           (has_part(line.tokens, {"mutex", "atomic", "lock_guard", "unique_lock", "scoped_lock", "shared_lock",
                                   "rwlock", "spinlock", "spin_lock", "memory_order", "synchronized", "__sync_",
                                   "seqcst", "semaphore", "_fence", "membarrier"}) ||
            has(line.tokens, {"lock", "unlock", "Lock", "Unlock", "RLock", "RUnlock", "trylock", "volatile", "fence",
                              "barrier", "flock", "lockf"}) ||
            (file.language == Language::sql && lower_case(line.code).find("for update") != std::string::npos));
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
    if (file.language == Language::rust && has(line.tokens, {"unsafe"}))
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

/// A condition that is asked elsewhere now is not gone, though another function gives up in another way.
Category losing_gate(const char* name, const char* why, Finder finds) {
    return {name, why, [finds = std::move(finds)](const std::vector<File>& files) {
                return lost(files, finds, [&](const File& file, const Line& line) {
                    return begins_with_if(line.tokens) || has(line.tokens, {"return"}) || finds(file, line);
                });
            }};
}

} // namespace

std::vector<Category> removed_categories() {
    return {
        losing_gate("look: check removed",
                    "What the program refused before it may accept now, and checking takes time.", checks),
        losing_gate("look: error handling removed", "An error that was handled may pass unseen now.", handles_errors),
        losing("look: lock removed",
               "Threads may see each other's half-done work: a race shows rarely, and not in a few runs.", locks),
        losing("look: bounds check removed", "What ended well out of bounds may read or write there now.",
               stays_in_bounds),
        {"look: unchecked access", "Nothing stops it out of bounds any more.",
         [](const std::vector<File>& files) { return gained(files, leaves_bounds); }},
        losing("look: assertion removed", "What the program made sure of is believed now.", asserts),
        losing("look: message removed", "Somebody may rely on what the program told.", tells),
    };
}

} // namespace holdfast::review::look
