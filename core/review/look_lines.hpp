// SPDX-License-Identifier: GPL-3.0-or-later
// The changed lines of a patch as look.hpp reads them: code without comments, in tokens.
#pragma once

#include "core/git/diff.hpp"
#include "core/git/patch_parse.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review::look {

enum class Language { c, rust, go, java, script, python, shell, sql, none };

/// By the file's ending; `none` for what is no source text.
Language language_of(std::string_view path);

/// A line of one side of a hunk.
struct Line {
    std::size_t number = 0;          ///< in the file before (removed) or after (added) the change
    bool changed = false;            ///< false: it stands around the change, on both sides
    std::string text;                ///< as it is
    std::string code;                ///< without comments and blanks around it; texts in quotes stay
    std::vector<std::string> tokens; ///< words, numbers, single characters; a quoted text is the token `""`
    std::vector<std::string>
        texts;           ///< in its quotes, decoded; those that are put together also as one (look_texts.hpp)
    std::string follows; ///< the code of the next lines of its side that are indented more: a short block, in the hunk
    std::vector<std::string>
        condition;            ///< tokens, over as many lines as it takes; empty where it asks and asserts none
    bool asserts = false;     ///< the condition is what is asserted, not what an `if` asks
    bool asks_anew = false;   ///< a line of the condition is changed
    std::size_t indent = 0;   ///< columns
    bool hidden = false;      ///< holds, anywhere, what printable() would not show as it is, beside tabs
    bool conditional = false; ///< the line before it that is indented less is an `if`
    bool empty_block = false; ///< opens one that the next line with code closes
    bool guarded = false;     ///< stands in a short block whose `if` or `catch` is changed in the same way
};

struct Hunk {
    std::vector<Line> before, after; ///< with the lines around the change
};

struct File {
    std::string path; ///< from the repository's root
    Language language = Language::none;
    std::vector<Hunk> hunks;
    std::vector<Line> added, removed; ///< the changed lines of the hunks that hold code
};

std::vector<File> files_of(const std::vector<git::FilePatch>& patch);
std::vector<File> files_of(const std::vector<git::DiffFile>& diff);

std::vector<std::string> tokens_of(std::string_view code);
bool is_word(std::string_view token);
bool is_number(std::string_view token);
/// Whether `file` holds source text that is read here.
bool is_code(const File& file);
bool has(const std::vector<std::string>& tokens, std::initializer_list<std::string_view> words);
/// Whether some token, in lower case, holds one of `parts`.
bool has_part(const std::vector<std::string>& tokens, std::initializer_list<std::string_view> parts);
/// 0 to 1: the share of tokens that both have (Dice's coefficient over multisets).
double likeness(const std::vector<std::string>& left, const std::vector<std::string>& right);
/// With every word that is not the language's replaced by one letter: what a renaming leaves as it was.
std::string skeleton(const std::vector<std::string>& tokens);

} // namespace holdfast::review::look
