// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/diff.hpp"
#include "core/git/patch_names.hpp"

namespace holdfast::git {

namespace {

/// "3,7", or "3" for one line.
std::string range(std::size_t start, std::size_t count) {
    return count == 1 ? std::to_string(start) : std::to_string(start) + ',' + std::to_string(count);
}

/// A tab ends a name with a blank in it: else `patch` would take what follows the blank for a time.
std::string name_line(const std::string& mark, const std::string& prefix, const DiffFile& file, bool there) {
    if (!there)
        return mark + "/dev/null\n";
    const auto name = quoted_name(prefix + file.path);
    return mark + name + (name.find(' ') != std::string::npos ? "\t\n" : "\n");
}

void print(std::string& text, const DiffHunk& hunk) {
    text += "@@ -" + range(hunk.old_start, hunk.old_count) + " +" + range(hunk.new_start, hunk.new_count) + " @@\n";
    for (const auto& line : hunk.lines) {
        text += line.kind == DiffLine::Kind::added ? '+' : line.kind == DiffLine::Kind::removed ? '-' : ' ';
        text += line.text;
        text += line.newline ? "\n" : "\n\\ No newline at end of file\n";
    }
}

} // namespace

std::string unified(const DiffFile& file) {
    if (file.before == file.after)
        return "";
    const auto old_name = quoted_name("a/" + file.path), new_name = quoted_name("b/" + file.path);
    const std::string mode = file.executable ? "100755" : "100644";
    std::string text = "diff --git " + old_name + ' ' + new_name + '\n';
    if (!file.before)
        text += "new file mode " + mode + '\n';
    if (!file.after)
        text += "deleted file mode " + mode + '\n';
    if (!file.hunks.empty()) {
        text += name_line("--- ", "a/", file, file.before.has_value());
        text += name_line("+++ ", "b/", file, file.after.has_value());
    } else if (file.before.value_or("") != file.after.value_or("")) { // binary
        text += "Binary files " + (file.before ? old_name : "/dev/null") + " and " +
                (file.after ? new_name : "/dev/null") + " differ\n";
    }
    for (const auto& hunk : file.hunks)
        print(text, hunk);
    return text;
}

} // namespace holdfast::git
