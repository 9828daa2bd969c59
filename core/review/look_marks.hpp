// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of things that look.hpp marks, and how marks that only moved are taken out.
#pragma once

#include "core/review/look_lines.hpp"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::review::look {

/// A line that gives a reason to look.
struct Mark {
    std::string path;
    Line line;
    bool removed = false;
};

struct Category {
    std::string name; ///< of the flag
    std::string why;  ///< one sentence: what may be behind it
    std::function<std::vector<Mark>(const std::vector<File>&)> marks;
};

using Finder = std::function<bool(const File&, const Line&)>;

/// Removed lines that `finds` and that no added line which `keeps` is like: moved, renamed or laid out anew they are
/// still there. Each added line stands for one.
std::vector<Mark> lost(const std::vector<File>& files, const Finder& finds, const Finder& keeps);
/// Added lines that `finds` and that no removed line of the kind is like.
std::vector<Mark> gained(const std::vector<File>& files, const Finder& finds);

/// Changed lines as they are after the change, of whatever file, that `finds` in their hunk.
std::vector<Mark> in_hunks(const std::vector<File>& files,
                           const std::function<bool(const File&, const Hunk&, const Line&)>& finds);

/// Loops over the same that take larger steps, begin later or end earlier, and whose bodies do not do several at once;
/// `while` that became `if`. Whether the
/// rest is done elsewhere is not told.
std::vector<Mark> shortened_loops(const std::vector<File>& files);

/// What hides from the probe; what a change takes away, weakens, narrows, sets anew, does near secrets, adds, and what
/// it does to the build.
std::vector<Category> hiding_categories();
std::vector<Category> removed_categories();
std::vector<Category> weakened_categories();
std::vector<Category> dropped_categories();
std::vector<Category> narrowed_categories();
std::vector<Category> value_categories();
std::vector<Category> secret_categories();
std::vector<Category> added_categories();
std::vector<Category> build_categories();

} // namespace holdfast::review::look
