// SPDX-License-Identifier: GPL-3.0-or-later
// Changes where secrets, rights and randomness are handled, and where the order of what reaches the disk is set: little
// that is read there tells by its words what it weakens, so the place itself is a reason to look.
#include "core/review/look_marks.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::review::look {

namespace {

bool names_secrets(const Line& line) {
    return has_part(line.tokens,
                    {"secret",   "passw",        "passphrase",     "credential",     "crypt",     "hmac",
                     "csrf",     "nonce",        "privilege",      "explicit_bzero", "memset_s",  "securezero",
                     "cleanse",  "timingsafe",   "compare_digest", "random_device",  "getrandom", "authenticat",
                     "authoriz", "access_token", "auth_token",     "certificate",    "permission"}) ||
           has(line.tokens, {"umask", "setuid", "setgid", "seteuid", "setegid", "setgroups", "initgroups", "auth",
                             "AUTH", "capset", "acl"});
}

bool says_something(const Line& line) {
    return !line.tokens.empty() && !line.code.starts_with("#include");
}

/// The first changed line that is about them or stands near one that is; null: none.
const Line* changed_near(const std::vector<Line>& side) {
    constexpr std::size_t near = 6; // lines; a hunk shows three around a change
    for (std::size_t i = 0; i < side.size(); ++i) {
        if (!side[i].changed || !says_something(side[i]))
            continue;
        const auto begin = side.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, near));
        const auto end = side.begin() + static_cast<std::ptrdiff_t>(std::min(i + near + 1, side.size()));
        if (std::any_of(begin, end, [](const Line& line) { return says_something(line) && names_secrets(line); }))
            return &side[i];
    }
    return nullptr;
}

std::vector<Mark> near_secrets(const std::vector<File>& files) {
    std::vector<Mark> marks;
    for (const File& file : files) {
        if (!is_code(file))
            continue;
        for (const Hunk& hunk : file.hunks)
            for (const auto* side : {&hunk.after, &hunk.before})
                if (const Line* const line = changed_near(*side)) {
                    marks.push_back({file.path, *line, side == &hunk.before});
                    break;
                }
    }
    return marks;
}

bool orders_disk(const Line& line) {
    return has(line.tokens, {"fsync", "fdatasync", "rename", "renameat", "renameat2", "sync_file_range", "msync",
                             "replace", "syncfs", "Rename", "Sync", "F_FULLFSYNC"});
}

/// The calls of one side, in their order.
std::vector<const Line*> disk_calls(const File& file, std::vector<Line> Hunk::*side) {
    std::vector<const Line*> calls;
    for (const Hunk& hunk : file.hunks)
        for (const Line& line : hunk.*side)
            if (orders_disk(line))
                calls.push_back(&line);
    return calls;
}

/// Calls of which each is still there, in another order among them.
std::vector<Mark> moved_syncs(const std::vector<File>& files) {
    std::vector<Mark> marks;
    for (const File& file : files) {
        if (!is_code(file))
            continue;
        const auto before = disk_calls(file, &Hunk::before), after = disk_calls(file, &Hunk::after);
        const auto same = [](const Line* left, const Line* right) { return left->tokens == right->tokens; };
        if (before.size() != after.size() || !std::is_permutation(before.begin(), before.end(), after.begin(), same))
            continue;
        const auto [was, is] = std::mismatch(before.begin(), before.end(), after.begin(), same);
        if (is != after.end())
            marks.push_back({file.path, **is, false});
    }
    return marks;
}

} // namespace

std::vector<Category> secret_categories() {
    return {{"look: near secrets",
             "Here secrets, rights or randomness are handled; what is faster may be easier to guess, to time or to "
             "take.",
             near_secrets},
            {"look: order of syncs",
             "What reaches the disk first decides what a crash leaves; a moved call counts as before.", moved_syncs}};
}

} // namespace holdfast::review::look
