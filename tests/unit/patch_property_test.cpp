// SPDX-License-Identifier: GPL-3.0-or-later
// Placement against git itself, on random edits of random texts.
#include "core/git/patch.hpp"
#include "core/git/patch_parse.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <rapidcheck.h>
#include <sstream>

using namespace holdfast;
using test::ScratchRepository;

namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines, bool final_newline) {
    std::string text;
    for (const auto& line : lines)
        text += line + '\n';
    if (!final_newline && !text.empty())
        text.pop_back();
    return text;
}

/// Lines from few letters, so that many are equal; some end in CR, some look like a diff's own lines.
rc::Gen<std::string> any_line() {
    return rc::gen::weightedOneOf<std::string>(
        {{6, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab ")))},
         {2, rc::gen::element<std::string>("x\r", "\r", "y\r", "")},
         {1, rc::gen::element<std::string>("-- ", "-- a", "++ b", "@@ -1 +1 @@", "diff --git a/f b/f", "\\ No")}});
}

Lines edited(Lines lines, const rc::Gen<std::string>& fresh) {
    const auto edits = *rc::gen::inRange(1, 5);
    for (int i = 0; i < edits; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, lines.size() + 1));
        const auto kind = *rc::gen::inRange(0, 3);
        if (kind == 0 || at == static_cast<std::ptrdiff_t>(lines.size()))
            lines.insert(lines.begin() + at, *fresh);
        else if (kind == 1)
            lines.erase(lines.begin() + at);
        else
            lines[static_cast<std::size_t>(at)] = *fresh;
    }
    return lines;
}

std::string diff(const ScratchRepository& scratch, const std::string& before, const std::string& after,
                 const std::string& context) {
    scratch.write("a/f", before);
    scratch.write("b/f", after);
    // 1 means "they differ"
    return scratch.try_git({"-c", "core.autocrlf=false", "diff", "--no-index", "--no-prefix", context, "a/f", "b/f"})
        .output;
}

Result<std::string> place(const std::string& patch, const std::string& before) {
    const auto parsed = git::parse_patch(patch);
    if (!parsed)
        return tl::unexpected(parsed.error());
    return git::place_hunks("f", before, parsed->front().hunks);
}

/// What `git apply` makes of it, or nothing when it refuses.
std::optional<std::string> applied(const ScratchRepository& scratch, const std::string& patch,
                                   const std::string& before) {
    scratch.write("f", before);
    if (scratch.try_git({"apply", "--whitespace=nowarn", "-"}, patch).status != 0)
        return std::nullopt;
    return test::read_text(scratch.path() / "f");
}

/// `patch` with every hunk moved by `shift` lines and, on demand, wrong counts and no newline markers.
std::string spoilt(const std::string& patch, int shift, bool wrong_counts, bool no_markers) {
    std::string text, line;
    for (std::istringstream in(patch); std::getline(in, line);) {
        if (no_markers && line.starts_with("\\ No newline"))
            continue;
        int first = 0;
        if (std::sscanf(line.c_str(), "@@ -%d", &first) == 1) {
            const auto old_count = line.find_first_of(", ", 4), plus = line.find('+');
            line = "@@ -" + std::to_string(std::max(0, first + shift)) +
                   (wrong_counts ? ",7 +1,9 @@" : line.substr(old_count, plus - old_count) + line.substr(plus));
        }
        text += line + '\n';
    }
    return text;
}

std::string crlf(const std::string& text) {
    std::string converted;
    for (const char c : text)
        converted += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return converted;
}

} // namespace

TEST_CASE("git's diff of any edit places to the edited text, as with git apply") {
    const ScratchRepository scratch;
    CHECK(rc::check([&] {
        const auto lines = *rc::gen::container<Lines>(any_line());
        const auto before = joined(lines, *rc::gen::arbitrary<bool>());
        const auto after = joined(edited(lines, any_line()), *rc::gen::arbitrary<bool>());
        RC_PRE(before != after);
        const auto patch = diff(scratch, before, after, "-U" + std::to_string(*rc::gen::inRange(1, 4)));
        const auto placed = place(patch, before);
        if (!placed)
            RC_FAIL(placed.error().message() + "\n" + patch);
        RC_ASSERT(*placed == after);
        if (const auto by_git = applied(scratch, patch, before))
            RC_ASSERT(*by_git == after);
    }));
}

TEST_CASE("with shifted lines and wrong counts the result is the same, as long as lines differ") {
    const ScratchRepository scratch;
    CHECK(rc::check([&] {
        Lines lines;
        const auto count = *rc::gen::inRange(1, 40);
        for (int i = 0; i < count; ++i)
            lines.push_back("line " + std::to_string(i));
        const auto unique =
            rc::gen::map(rc::gen::inRange(0, 1000000000), [](int number) { return "fresh " + std::to_string(number); });
        const bool newline = *rc::gen::arbitrary<bool>();
        const auto before = joined(lines, newline), after = joined(edited(lines, unique), newline);
        RC_PRE(before != after);
        const int shift = *rc::gen::inRange(-30, 30);
        const bool wrong_counts = *rc::gen::arbitrary<bool>(), no_markers = *rc::gen::arbitrary<bool>();
        const auto patch = spoilt(diff(scratch, before, after, "-U2"), shift, wrong_counts, no_markers);
        const auto placed = place(patch, before);
        if (!placed)
            RC_FAIL(placed.error().message() + "\n" + patch);
        RC_ASSERT(*placed == after);
        // With wrong counts `git apply` can succeed on the first hunk and drop the rest without a word.
        if (const auto by_git = applied(scratch, patch, before); by_git && !no_markers && !wrong_counts)
            RC_ASSERT(*by_git == after);
    }));
}

TEST_CASE("an LF patch on a CRLF file gives the CRLF result") {
    const ScratchRepository scratch;
    const auto plain = rc::gen::element<std::string>("a", "b", "c", "d", "");
    CHECK(rc::check([&] {
        const auto lines = *rc::gen::nonEmpty(rc::gen::container<Lines>(plain));
        const auto before = joined(lines, true), after = joined(edited(lines, plain), true);
        RC_PRE(before != after);
        const auto patch = diff(scratch, before, after, "-U3");
        RC_ASSERT(place(patch, crlf(before)).value() == crlf(after));
        RC_ASSERT(place(crlf(patch), before).value() == after);
    }));
}

TEST_CASE("no text makes the parser fail other than by a refusal") {
    const auto piece = rc::gen::element<std::string>(
        "diff --git a/f b/f\n", "--- a/f\n", "+++ b/f\n", "--- /dev/null\n", "@@ -1,2 +1,2 @@\n", "@@ -1 +0,0 @@\n",
        "@@\n", "@@ -", " a\n", "+b\n", "-c\n", "\\ No newline\n", "\n", "\r\n", "-- \n", "2.39\n", "\"", "\\",
        "new file mode 100644\n", "deleted file mode 100644\n", "rename from x\n", "GIT binary patch\n", "From ", "x",
        "\xff", "\t");
    CHECK(rc::check([&] {
        const auto pieces = *rc::gen::container<Lines>(piece);
        std::string text;
        for (const auto& each : pieces)
            text += each;
        const auto parsed = git::parse_patch(text);
        if (!parsed) {
            RC_ASSERT(parsed.error().kind == Error::Kind::refused);
            RC_ASSERT(!parsed.error().remedy.empty());
            return;
        }
        for (const auto& file : *parsed)
            if (const auto placed = git::place_hunks(file.path, "a\nc\na\n", file.hunks); !placed)
                RC_ASSERT(placed.error().kind == Error::Kind::refused);
    }));
}
