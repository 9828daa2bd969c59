// SPDX-License-Identifier: GPL-3.0-or-later
// What the editors of configuration files share: where a value stands in a text, and where a new line would go.
#pragma once

#include "core/project/config_file.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::config {

struct Line {
    std::size_t begin = 0; ///< a byte order mark is no part of the first line
    std::size_t end = 0;   ///< without LF or CR LF
    std::size_t next = 0;  ///< `end` in a last line without a newline
};

std::vector<Line> lines_of(std::string_view text);

/// One setting, live or commented out.
struct Entry {
    std::string name; ///< with its sections: "section.key"
    std::string key;  ///< as written
    std::size_t line = 0;
    std::size_t begin = 0, end = 0; ///< of the value as written, quotes included
    std::string indent, separator;  ///< before the key; between key and value
    std::string trouble;            ///< why this editor cannot set it: "its value goes on in the next line"; "": it can
};

/// Part of a file that can take another key.
struct Section {
    std::string name; ///< "" for what comes before the first section
    std::size_t last_line = 0;
    bool has_lines = false;
    std::string indent; ///< of the keys in it
};

struct Outline {
    std::vector<Line> lines;
    std::vector<Entry> live, commented;
    std::vector<Section> sections;           ///< never empty; the first has no name
    std::optional<std::size_t> first_header; ///< the line where the part without a name ends
};

/// Where to put a value.
struct Found {
    bool present = false;
    std::size_t begin = 0, end = 0;    ///< the bytes to replace; equal when `present` is false
    std::string before, after;         ///< what goes around a new value: its line
    std::string sample;                ///< the commented value, whose quotes a new one takes
    std::optional<std::string> absent; ///< why a value cannot be added; `present` is false then
};

struct Rules {
    bool fold_case = false, last_counts = false, dots_in_keys = false;
    std::string_view separator; ///< where the file shows none
};

Result<Found> locate(std::string_view text, const Outline& outline, std::string_view key, const Rules& rules);

Result<Outline> outline_lines(ConfigFormat format, std::string_view text);
Result<Outline> outline_toml(std::string_view text);
Result<Outline> outline_yaml(std::string_view text);
Result<Found> find_json(std::string_view text, std::string_view key);
Result<Found> find_marked(std::string_view text, std::string_view key);

/// The value that `written` stands for.
std::string decoded(ConfigFormat format, std::string_view written);

/// How `value` is written in place of `present` (empty: as the format likes it). Error: the format cannot hold it.
Result<std::string> encoded(ConfigFormat format, const Value& value, std::string_view present);

/// Whether `text` already says `value`: 0.50 is 0.5, and "on" is true.
bool says(std::string_view text, const Value& value);

/// "4MB": a number with a unit.
bool has_unit(std::string_view text);

/// The offset after the closing quote of the text that opens at `at`; npos when it does not close on its line. A
/// backslash escapes when `escapes`; a doubled quote stands for one when `doubles`.
std::size_t after_quotes(std::string_view text, std::size_t at, bool escapes, bool doubles);

std::string_view trimmed(std::string_view text);

/// A line this editor does not understand, from 0.
tl::unexpected<Error> not_understood(std::size_t line, const std::string& found);

} // namespace holdfast::config
