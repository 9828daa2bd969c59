// SPDX-License-Identifier: GPL-3.0-or-later
// Globs as a set of positions that moves along the path: linear in glob times path, whatever the glob.
#include "core/git/repository.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace holdfast::git {

namespace {

struct Step {
    enum class Kind { literal, one, name, path, folders } kind; // ?, *, **, and "**/" for any number of whole folders
    char letter = 0;
};

std::vector<Step> compile(std::string_view glob) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < glob.size(); ++i) {
        if (glob[i] == '?') {
            steps.push_back({Step::Kind::one});
        } else if (glob[i] != '*') {
            steps.push_back({Step::Kind::literal, glob[i]});
        } else if (i + 1 == glob.size() || glob[i + 1] != '*') {
            steps.push_back({Step::Kind::name});
        } else {
            const bool at_start = i == 0 || glob[i - 1] == '/';
            while (i + 1 < glob.size() && glob[i + 1] == '*')
                ++i;
            if (at_start && i + 1 < glob.size() && glob[i + 1] == '/') {
                steps.push_back({Step::Kind::folders});
                ++i;
            } else {
                steps.push_back({Step::Kind::path});
            }
        }
    }
    return steps;
}

bool continuation_byte(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

/// Marks `step` and every step that can be reached from it without reading a character.
void enter(const std::vector<Step>& steps, std::size_t step, std::vector<bool>& active) {
    for (;; ++step) {
        active[step] = true;
        if (step == steps.size() || steps[step].kind == Step::Kind::literal || steps[step].kind == Step::Kind::one)
            return;
    }
}

/// Where the steps in `now` can be after reading `letter`. A '?' takes a whole UTF-8 sequence, so continuation bytes
/// after it are read by `inside_one`.
struct Walk {
    std::vector<bool> at, inside_folders, after_one;
    explicit Walk(std::size_t size) : at(size), inside_folders(size), after_one(size) {}
};

Walk advance(const std::vector<Step>& steps, const Walk& now, char letter) {
    Walk next(steps.size() + 1);
    for (std::size_t i = 0; i <= steps.size(); ++i) {
        if (now.after_one[i] && continuation_byte(letter)) {
            next.after_one[i] = true;
            enter(steps, i, next.at);
        }
        if (i == steps.size())
            break;
        const bool in_folders = now.at[i] || now.inside_folders[i];
        if (steps[i].kind == Step::Kind::folders && in_folders) {
            next.inside_folders[i] = true;
            if (letter == '/')
                enter(steps, i, next.at);
            continue;
        }
        if (!now.at[i])
            continue;
        switch (steps[i].kind) {
        case Step::Kind::literal:
            if (letter == steps[i].letter)
                enter(steps, i + 1, next.at);
            break;
        case Step::Kind::one:
            if (letter != '/' && !continuation_byte(letter)) {
                enter(steps, i + 1, next.at);
                next.after_one[i + 1] = true;
            }
            break;
        case Step::Kind::name:
            if (letter != '/')
                enter(steps, i, next.at);
            break;
        case Step::Kind::path:
            enter(steps, i, next.at);
            break;
        case Step::Kind::folders:
            break;
        }
    }
    return next;
}

} // namespace

bool matches(const std::string& glob, const std::string& path) {
    const auto steps = compile(glob);
    Walk walk(steps.size() + 1);
    enter(steps, 0, walk.at);
    for (const char letter : path)
        walk = advance(steps, walk, letter);
    return walk.at[steps.size()];
}

} // namespace holdfast::git
