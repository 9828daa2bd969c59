// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look.hpp"

#include "core/project/text.hpp"
#include "core/review/look_marks.hpp"

#include <fmt/format.h>
#include <iterator>

namespace holdfast::review {

namespace look {

namespace {

constexpr double alike = 0.6;              ///< two lines with so many tokens in common are one that was edited
constexpr std::size_t most_marks = 300;    ///< of a category and side; a patch with more is flagged, whatever moved
constexpr std::size_t longest_shown = 120; ///< bytes

std::vector<Mark> all_marks(const std::vector<File>& files, const Finder& finds, bool removed) {
    std::vector<Mark> marks;
    for (const File& file : files)
        for (const Line& line : removed ? file.removed : file.added) {
            if (marks.size() == most_marks)
                return marks;
            if (finds(file, line))
                marks.push_back({file.path, line, removed});
        }
    return marks;
}

bool same(const Line& left, const Line& right) {
    return left.tokens == right.tokens || skeleton(left.tokens) == skeleton(right.tokens) ||
           likeness(left.tokens, right.tokens) >= alike;
}

/// Those of `marks` that have no partner in `others`.
std::vector<Mark> without_partners(std::vector<Mark> marks, std::vector<Mark> others) {
    if (marks.size() == most_marks)
        return marks;
    std::vector<Mark> left;
    for (Mark& mark : marks) {
        auto partner = others.begin();
        while (partner != others.end() && !same(mark.line, partner->line))
            ++partner;
        if (partner == others.end())
            left.push_back(std::move(mark));
        else
            others.erase(partner);
    }
    return left;
}

std::string evidence(const Category& category, const std::vector<Mark>& marks) {
    const Mark& first = marks.front();
    std::string text = fmt::format("{}:{} {} the line `{}`", first.path, first.line.number,
                                   first.removed ? "loses" : "gets", first.line.text.substr(0, longest_shown));
    if (marks.size() > 1)
        text += fmt::format(" and {} more", marks.size() - 1);
    return printable(text) + ". " + category.why;
}

std::vector<Flag> flags(const std::vector<File>& files) {
    std::vector<Flag> all;
    for (const auto& categories :
         {hiding_categories(), removed_categories(), weakened_categories(), dropped_categories(), narrowed_categories(),
          value_categories(), secret_categories(), added_categories(), build_categories()})
        for (const Category& category : categories)
            if (const auto marks = category.marks(files); !marks.empty())
                all.push_back({category.name, evidence(category, marks)});
    return all;
}

} // namespace

std::vector<Mark> lost(const std::vector<File>& files, const Finder& finds, const Finder& keeps) {
    return without_partners(all_marks(files, finds, true), all_marks(files, keeps, false));
}

std::vector<Mark> gained(const std::vector<File>& files, const Finder& finds) {
    return without_partners(all_marks(files, finds, false), all_marks(files, finds, true));
}

std::vector<Mark> in_hunks(const std::vector<File>& files,
                           const std::function<bool(const File&, const Hunk&, const Line&)>& finds) {
    std::vector<Mark> marks;
    for (const File& file : files)
        for (const Hunk& hunk : file.hunks)
            for (const Line& line : hunk.after)
                if (line.changed && finds(file, hunk, line))
                    marks.push_back({file.path, line, false});
    return marks;
}

} // namespace look

std::vector<Flag> look_flags(const std::string& patch) {
    const auto files = patch.empty() ? Result<std::vector<git::FilePatch>>() : git::parse_patch(patch);
    return files ? look::flags(look::files_of(*files)) : std::vector<Flag>();
}

std::vector<Flag> look_flags(const std::vector<git::DiffFile>& files) {
    return look::flags(look::files_of(files));
}

} // namespace holdfast::review
