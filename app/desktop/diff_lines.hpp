// SPDX-License-Identifier: GPL-3.0-or-later
// A diff as the lines a pane shows, with a style for every byte: all files in one run of lines, unified or as two sides
// of the same height.
#pragma once

#include "core/git/diff.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::desktop {

/// What a byte is, whatever the language; the styles of the panes.
enum class Ink : char { plain, comment, text, number, keyword, directive, hidden, heading, position, note };

struct ShownLine {
    enum class Kind { context, added, removed, file, hunk, note, filler };
    Kind kind = Kind::context;
    std::string text;                       ///< safe to show, UTF-8, without newline
    std::string inks;                       ///< one Ink for each byte of `text`
    std::size_t old_line = 0, new_line = 0; ///< from 1; 0: none
    bool continued = false;                 ///< goes on with the line of the row above
};

/// Where a hunk is, in the lines of a view and in the files.
struct HunkPlace {
    std::size_t file = 0;
    std::size_t line = 0; ///< of its position line; the hunk ends where the next place or file begins
    std::string words;    ///< "hunk 2 of 3 in src/scan.cpp", safe to show
};

struct ShownDiff {
    std::vector<ShownLine> unified;
    std::vector<ShownLine> before, after; ///< the same number of lines
    std::vector<HunkPlace> in_unified, in_split;
};

/// Both forms of `files`. A file with no hunk (binary, mode only) has one place of its own, so that it can be marked as
/// viewed too.
ShownDiff shown_diff(const std::vector<git::DiffFile>& files);

/// All of `text` safe to show, `inks` grown along where a byte becomes an escape, which gets Ink::hidden; a long line
/// in several rows, cut between characters. `inks` may be empty: all plain.
std::vector<ShownLine> shown_rows(const std::string& text, const std::string& inks);

} // namespace holdfast::desktop
