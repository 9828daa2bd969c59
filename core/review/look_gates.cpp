// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look_gates.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

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

} // namespace

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

bool ends_hard(const Tokens& tokens) {
    return has(tokens, {"throw", "raise", "abort", "panic", "exit", "_exit", "die", "bail", "fatal", "quick_exit"});
}

bool gives_up(const Tokens& tokens) {
    if (ends_hard(tokens))
        return true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
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

bool is_gate(const File& file, const Line& line) {
    return is_code(file) && begins_with_if(line.tokens) && gives_up(tokens_of(line.code + '\n' + line.follows));
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

} // namespace holdfast::review::look
