// SPDX-License-Identifier: GPL-3.0-or-later
// What behaves in another way while it is probed: built with sanitizers, followed, or run by valgrind.
#include "core/review/look_marks.hpp"

#include <algorithm>
#include <string_view>

namespace holdfast::review::look {

namespace {

bool begins_with(const std::vector<std::string>& tokens, std::initializer_list<std::string_view> starts) {
    return std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
        return std::any_of(starts.begin(), starts.end(),
                           [&](std::string_view start) { return token.starts_with(start); });
    });
}

bool holds(const std::vector<std::string>& texts, std::initializer_list<std::string_view> parts) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](std::string_view part) { return text.find(part) != std::string::npos; });
    });
}

/// The words of GCC, Clang, Rust and Go, and what a sanitizer's runtime and valgrind can be asked.
bool knows_sanitizers(const Line& line) {
    const auto& tokens = line.tokens;
    return begins_with(tokens, {"no_sanitize", "no_asan", "no_tsan", "no_ubsan", "__SANITIZE_", "__asan_", "__tsan_",
                                "__lsan_", "__ubsan_", "__msan_", "__sanitizer_", "VALGRIND_"}) ||
           has(tokens, {"disable_sanitizer_instrumentation", "RUNNING_ON_VALGRIND", "NVALGRIND",
                        "no_address_safety_analysis", "norace", "checkptr"}) ||
           (has(tokens, {"__has_feature", "cfg"}) && has_part(tokens, {"sanitize"})) ||
           holds(line.texts, {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"});
}

/// The ways to learn that somebody follows.
bool looks_for_watchers(const Line& line) {
    return has(line.tokens, {"PTRACE_TRACEME", "PT_TRACE_ME", "PT_DENY_ATTACH", "PR_GET_SECCOMP", "gettrace"}) ||
           holds(line.texts, {"TracerPid", "Seccomp", "/self/status", "/self/stat", "/self/wchan", "/self/syscall",
                              "/thread-self/"});
}

bool hides(const File& file, const Line& line) {
    // Build files and scripts too: they turn a sanitizer off by its option.
    return line.code.find("-fno-sanitize") != std::string::npos ||
           line.code.find("-fsanitize-ignorelist") != std::string::npos ||
           line.code.find("-fsanitize-blacklist") != std::string::npos ||
           (is_code(file) && (knows_sanitizers(line) || looks_for_watchers(line)));
}

/// Whatever the file holds: comments and texts are read by people too.
std::vector<Mark> hidden_characters(const std::vector<File>& files) {
    return in_hunks(files, [](const File&, const Hunk&, const Line& line) { return line.hidden; });
}

} // namespace

std::vector<Category> hiding_categories() {
    return {{"hidden characters",
             "Control characters, those that set a direction and those that draw nothing can make a line read as "
             "something else than what is compiled.",
             hidden_characters},
            {"look: hides from the probe",
             "Code that asks whether it is probed, or keeps the probe out, can do there what it does nowhere else.",
             [](const std::vector<File>& files) { return gained(files, hides); }}};
}

} // namespace holdfast::review::look
