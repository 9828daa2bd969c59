// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that are still there and refuse less than before.
#include "core/review/look_asked.hpp"
#include "core/review/look_condition.hpp"
#include "core/review/look_gates.hpp"
#include "core/review/look_marks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t most_guards = 100; ///< of a side; each is compared with each
constexpr std::size_t lines_ahead = 8;   ///< how far what a jump skips is looked for
constexpr double edited = 0.6;           ///< likeness of a check and its block to what they were

/// A condition that gives up, or that is asserted.
bool refuses(const File& file, const Line& line) {
    return !line.condition.empty() && (line.asserts || is_gate(file, line));
}

struct Guard {
    const File* file = nullptr;
    const Hunk* hunk = nullptr;
    const Line* line = nullptr;
    AnyOf alternatives;
    bool refuses = false;
};

/// In other words too, where the change names what was spelled out before.
AnyOf asked_in_any_words(const Line& line, const Definitions& definitions) {
    AnyOf asked = alternatives(line), spelled = alternatives(definitions.spelled_out(line.condition), line.asserts);
    std::move(spelled.begin(), spelled.end(), std::back_inserter(asked));
    return asked;
}

/// With that of the new conditions it stands in, and without what an `if` before its `else` takes. A branch that
/// refuses takes nothing.
AnyOf all_asked(const File& file, const std::vector<Line>& side, std::size_t at, const Definitions& definitions) {
    AnyOf asked = asked_in_any_words(side[at], definitions);
    std::size_t indent = side[at].indent;
    bool chained = has({side[at].tokens.front()}, {"}", "else", "elif"});
    for (std::size_t back = at; back-- > 0 && at - back <= lines_ahead;) {
        const Line& line = side[back];
        if (line.code.empty() || line.indent > indent || (line.indent == indent && !chained))
            continue;
        const bool sibling = line.indent == indent;
        if (!line.condition.empty() && line.asks_anew && !line.asserts && !(sibling && is_gate(file, line)))
            asked = both(alternatives(line.condition, sibling), asked);
        if (line.code != "}")
            chained = has({line.tokens.front()}, {"}", "else", "elif"});
        indent = line.indent;
    }
    return asked;
}

std::vector<Guard> guards_of(const std::vector<File>& files, std::vector<Line> Hunk::*side) {
    const Definitions definitions(side == &Hunk::after ? files : std::vector<File>());
    std::vector<Guard> guards;
    for (const File& file : files)
        for (const Hunk& hunk : file.hunks)
            for (std::size_t i = 0; i < (hunk.*side).size(); ++i)
                if (const Line& line = (hunk.*side)[i];
                    guards.size() < most_guards && !line.condition.empty() && line.asks_anew)
                    guards.push_back(
                        {&file, &hunk, &line, all_asked(file, hunk.*side, i, definitions), refuses(file, line)});
    return guards;
}

/// Whether one may be what became of the other: in its place, or moved with most of what it did.
bool related(const Guard& before, const Guard& after) {
    return before.hunk == after.hunk || likeness(tokens_of(before.line->code + '\n' + before.line->follows),
                                                 tokens_of(after.line->code + '\n' + after.line->follows)) >= edited;
}

bool any_implied(const AllOf& strong, const AnyOf& all) {
    return std::any_of(all.begin(), all.end(), [&](const AllOf& weak) { return implies(strong, weak); });
}

/// The guard of `after` that refuses only a part of what the alternative `before` of `was` did.
const Guard* tighter(const Guard& was, const AllOf& before, const std::vector<Guard>& after) {
    for (const Guard& guard : after)
        if (guard.refuses &&
            std::any_of(guard.alternatives.begin(), guard.alternatives.end(),
                        [&](const AllOf& left) { return implies(left, before); }) &&
            related(was, guard))
            return &guard;
    return nullptr;
}

/// The guard of `after` that has another alternative of `before`, and none that is new: the one asked for is gone.
const Guard* without(const Guard& before, const std::vector<Guard>& after) {
    for (const Guard& guard : after)
        if (guard.refuses && !guard.alternatives.empty() &&
            std::all_of(guard.alternatives.begin(), guard.alternatives.end(),
                        [&](const AllOf& left) { return any_implied(left, before.alternatives); }) &&
            related(before, guard))
            return &guard;
    return nullptr;
}

/// The checks of a change as they were and as they are.
struct Checks {
    explicit Checks(const std::vector<File>& files)
        : before(guards_of(files, &Hunk::before)), after(guards_of(files, &Hunk::after)), asked(files) {}

    /// An assertion is none in a release; what only an assertion refused before may stay one.
    bool refused_still(const Guard& was, const AllOf& alternative) const {
        return std::any_of(after.begin(), after.end(), [&](const Guard& now) {
            return (was.line->asserts || !now.line->asserts) && any_implied(alternative, now.alternatives);
        });
    }
    /// What became of `was` and refuses only a part of it; nothing while its terms do not tell so.
    const Guard* weaker(const Guard& was) const {
        for (const AllOf& alternative : was.alternatives) {
            if (refused_still(was, alternative))
                continue;
            const Guard* now = tighter(was, alternative, after);
            if (now == nullptr && !asked.all_of(alternative))
                now = without(was, after);
            if (now != nullptr)
                return now;
        }
        return nullptr;
    }

    std::vector<Guard> before, after;
    AskedTerms asked;
};

/// `return -1`, `return nullptr`: with a value, unlike the `return` of a function that gives none.
bool returns_failing_value(const Tokens& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens[i] == "return" && tokens[i + 1] != ";" && tokens[i + 1] != "}" && returns_failure(tokens, i))
            return true;
    return false;
}

bool ends_softer(const Tokens& before, const Tokens& after) {
    return ends_hard(before) ? !ends_hard(after) && !returns_failing_value(after) : !gives_up(after);
}

Tokens with_what_follows(const Line& line) {
    return tokens_of(line.code + '\n' + line.follows);
}

/// The same condition, in the same place, after which the program goes on now.
const Guard* softened(const Guard& was, const std::vector<Guard>& after) {
    if (!was.refuses || !was.line->changed || was.line->asserts)
        return nullptr;
    const Guard* found = nullptr;
    for (const Guard& now : after)
        if (now.hunk == was.hunk && now.line->condition == was.line->condition && !now.line->asserts) {
            if (!ends_softer(with_what_follows(*was.line), with_what_follows(*now.line)))
                return nullptr;
            found = now.line->changed ? &now : found;
        }
    return found;
}

void compare_guards(const std::vector<File>& files, std::vector<Mark>& marks) {
    const Checks checks(files);
    for (const Guard& was : checks.before) {
        const Guard* now = was.refuses ? checks.weaker(was) : nullptr;
        if (now == nullptr)
            now = softened(was, checks.after);
        if (now != nullptr)
            marks.push_back({now->file->path, *now->line, false});
    }
}

/// A check that was edited so that its terms do not tell whether it refuses as much; other names for the same alone
/// are no edit.
std::vector<Mark> changed_checks(const std::vector<File>& files) {
    const Checks checks(files);
    std::set<const Line*> told; // as weakened
    for (const Guard& was : checks.before)
        if (const Guard* now = was.refuses ? checks.weaker(was) : nullptr)
            told.insert(now->line);
    std::vector<Mark> marks;
    for (const Guard& was : checks.before) {
        if (!was.refuses || !was.line->changed || was.line->asserts)
            continue;
        const bool kept = !was.alternatives.empty() &&
                          std::all_of(was.alternatives.begin(), was.alternatives.end(), [&](const AllOf& alternative) {
                              return checks.asked.all_of(alternative) || checks.refused_still(was, alternative);
                          });
        const bool elsewhere = checks.asked.all_of_that_shape(was.alternatives);
        const auto now = std::find_if(checks.after.begin(), checks.after.end(), [&](const Guard& guard) {
            return guard.hunk == was.hunk && guard.line->changed &&
                   likeness(guard.line->tokens, was.line->tokens) >= edited;
        });
        if (!kept && !elsewhere && now != checks.after.end() && !told.contains(now->line) &&
            skeleton(now->line->condition) != skeleton(was.line->condition))
            marks.push_back({now->file->path, *now->line, false});
    }
    return marks;
}

/// `if` around the lines at `at`, or there itself; nothing for a place that is always reached.
const Line* condition_around(const std::vector<Line>& side, std::size_t at) {
    if (!side[at].condition.empty())
        return &side[at];
    for (std::size_t back = 1; back <= lines_ahead && back <= at; ++back)
        if (const Line& line = side[at - back]; !line.code.empty() && line.code != "{" && line.indent < side[at].indent)
            return line.condition.empty() || line.asserts ? nullptr : &line;
    return nullptr;
}

bool is_label(const Line& line) {
    return (line.tokens.size() == 2 && line.tokens[1] == ":") ||
           has({line.tokens.front()}, {"case", "default", "#", "else", "}"});
}

/// The statement after `at` that stands no deeper than `indent` in the same block.
const Line* next_statement(const std::vector<Line>& side, std::size_t at, std::size_t indent) {
    for (std::size_t i = at + 1; i < side.size() && i <= at + lines_ahead; ++i) {
        const Line& line = side[i];
        if (line.code.empty() || line.indent > indent || (line.code == "}" && line.indent == indent))
            continue;
        return line.indent == indent && !is_label(line) ? &line : nullptr;
    }
    return nullptr;
}

/// A check of what was there before: not of how something ended that is first done in the condition, since that is
/// skipped with it. Of a block that the hunk cuts off, what it tells is a sign that it refuses.
bool is_check(const File& file, const std::vector<Line>& side, std::size_t at) {
    const Line& line = side[at];
    if (line.condition.empty() || line.asserts || has(with_operators(line.tokens), {"="}) || handles_errors(file, line))
        return false;
    const bool cut_off = std::all_of(side.begin() + static_cast<std::ptrdiff_t>(at) + 1, side.end(),
                                     [&](const Line& each) { return each.code.empty() || each.indent > line.indent; });
    return checks(file, line) ||
           (cut_off && has(tokens_of(line.follows), {"stderr", "cerr", "perror", "eprintln", "syslog", "qWarning"}));
}

/// `if (!done) return done;`, `if err != nil { return err }`: what failed is told to the caller.
bool hands_on(const Line& asking, const Line& jump) {
    // `err != nil` is read as `err`.
    const auto tells = [&](const Term& term) {
        return (term.comparison == "!" || term.comparison.empty()) && has(jump.tokens, {term.left});
    };
    const AnyOf asked = alternatives(asking);
    return std::any_of(asked.begin(), asked.end(),
                       [&](const AllOf& terms) { return std::any_of(terms.begin(), terms.end(), tells); });
}

/// An added `return` in the middle of a block, or one behind a new condition, after which a check that was there is
/// not asked.
bool jumps_over_check(const File& file, const std::vector<Line>& side, std::size_t at) {
    const Line& line = side[at];
    if (!line.changed || line.tokens.empty())
        return false;
    const auto jump = std::find_if(line.tokens.begin(), line.tokens.end(),
                                   [](const std::string& token) { return token == "return" || token == "continue"; });
    if (jump == line.tokens.end() || (jump != line.tokens.begin() && line.condition.empty()))
        return false;
    const Line* around = condition_around(side, at);
    if (around == nullptr) {
        if ((file.language == Language::c || file.language == Language::java) && !line.code.ends_with(';'))
            return false;
        const Line* next = next_statement(side, at, line.indent);
        return next != nullptr && !next->changed;
    }
    if (!around->changed || hands_on(*around, line) ||
        (*jump == "return" && returns_failure(line.tokens, static_cast<std::size_t>(jump - line.tokens.begin()))))
        return false;
    const Line* next = next_statement(side, at, around->indent);
    return next != nullptr && !next->changed && !next->asks_anew &&
           is_check(file, side, static_cast<std::size_t>(next - side.data()));
}

/// `#if 0` around lines that were there before.
bool is_switched_off(const std::vector<Line>& side, std::size_t at) {
    const Tokens& tokens = side[at].tokens;
    if (!side[at].changed || tokens.size() != 3 || tokens[0] != "#" || tokens[1] != "if" ||
        !has({tokens[2]}, {"0", "false", "FALSE"}))
        return false;
    for (std::size_t i = at + 1; i < side.size(); ++i) {
        if (side[i].code.starts_with("#endif") || side[i].code.starts_with("#el"))
            return false;
        if (!side[i].changed && !side[i].code.empty())
            return true;
    }
    return false;
}

/// Whether the block behind the condition at `at` leaves it anywhere.
bool leaves(const std::vector<Line>& side, std::size_t at) {
    const auto ends = [](const Tokens& tokens) {
        return gives_up(tokens) || has(tokens, {"return", "continue", "break", "goto"});
    };
    if (ends(side[at].tokens))
        return true;
    for (std::size_t i = at + 1; i < side.size(); ++i) {
        if (!side[i].code.empty() && side[i].indent <= side[at].indent && side[i].code != "{")
            return false;
        if (ends(side[i].tokens))
            return true;
    }
    return false;
}

/// `return 0;`, `continue;`, `break;`: ways out of a block that tell of no failure.
bool ends_well(const std::vector<Line>& side, std::size_t at) {
    const auto well = [](const Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (has({tokens[i]}, {"continue", "break"}) ||
                (tokens[i] == "return" && i + 1 < tokens.size() && has({tokens[i + 1]}, {"0", "true", "True"})))
                return true;
        return false;
    };
    for (std::size_t i = at; i < side.size() && (i == at || side[i].indent > side[at].indent || side[i].code == "{");
         ++i)
        if (gives_up(side[i].tokens))
            return false;
        else if (well(side[i].tokens))
            return true;
    return false;
}

/// All tokens of the condition at `at` and of its block.
Tokens block_at(const std::vector<Line>& side, std::size_t at) {
    Tokens tokens = side[at].tokens;
    for (std::size_t i = at + 1; i < side.size(); ++i) {
        if (!side[i].code.empty() && side[i].indent <= side[at].indent && side[i].code != "{")
            break;
        tokens.insert(tokens.end(), side[i].tokens.begin(), side[i].tokens.end());
    }
    return tokens;
}

/// The conditions that stand on both sides: those that gave up before and go on, or end well, now.
void compare_bodies(const File& file, const Hunk& hunk, std::vector<Mark>& marks) {
    std::size_t after = 0;
    for (std::size_t before = 0; before < hunk.before.size(); ++before) {
        const Line& line = hunk.before[before];
        if (line.changed)
            continue;
        while (after < hunk.after.size() && hunk.after[after].changed)
            ++after;
        if (after == hunk.after.size())
            return;
        const Line& now = hunk.after[after++];
        const bool whole = next_statement(hunk.after, after - 1, now.indent) != nullptr;
        if (!line.asserts && refuses(file, line) && line.condition == now.condition &&
            ((whole && !leaves(hunk.after, after - 1)) || ends_well(hunk.after, after - 1) ||
             ends_softer(block_at(hunk.before, before), block_at(hunk.after, after - 1))))
            marks.push_back({file.path, now, false});
    }
}

/// `x && 0`, `true || x`, `if (false)`: a term that decides by itself.
bool has_decided_term(const File& file, const Line& line) {
    if (file.language == Language::none)
        return false;
    const Tokens tokens = with_operators(line.tokens);
    const auto is_constant = [](const std::string& token) {
        return has({token}, {"0", "1", "true", "false", "True", "False"});
    };
    const auto joins = [](const std::string& token) { return has({token}, {"&&", "||", "and", "or"}); };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!is_constant(tokens[i]))
            continue;
        const std::string& before = i == 0 ? "" : tokens[i - 1];
        const std::string& after = i + 1 == tokens.size() ? "" : tokens[i + 1];
        if (joins(before) && (after.empty() || joins(after) || has({after}, {")", ";", "{", ":", "?"})))
            return true;
        if (joins(after) && (before.empty() || has({before}, {"(", "=", "return", "if", "elif", "while"})))
            return true;
        if (i >= 1 && begins_with_if(line.tokens) &&
            (before == "if" || before == "elif" || (before == "(" && i >= 2 && tokens[i - 2] == "if")) &&
            has({after}, {")", ":", "{"}))
            return true;
    }
    return false;
}

std::vector<Mark> weakened(const std::vector<File>& files) {
    std::vector<Mark> marks;
    compare_guards(files, marks);
    for (const File& file : files) {
        if (!is_code(file))
            continue;
        for (const Hunk& hunk : file.hunks) {
            for (std::size_t i = 0; i < hunk.after.size(); ++i)
                if (is_switched_off(hunk.after, i) || jumps_over_check(file, hunk.after, i))
                    marks.push_back({file.path, hunk.after[i], false});
            compare_bodies(file, hunk, marks);
        }
    }
    for (Mark& mark : gained(files, has_decided_term))
        if (std::none_of(marks.begin(), marks.end(), [&](const Mark& other) {
                return other.path == mark.path && other.line.number == mark.line.number;
            }))
            marks.push_back(std::move(mark));
    return marks;
}

} // namespace

std::vector<Category> weakened_categories() {
    return {{"look: check weakened", "What the program refused before it may accept now.", weakened},
            {"look: check changed", "Whether it refuses as much as before is not told by its words.", changed_checks},
            {"look: less looping",
             "What is gone over in larger steps or only in part may be left out, not done faster.", shortened_loops}};
}

} // namespace holdfast::review::look
