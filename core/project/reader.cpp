// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/reader.hpp"

#include "core/project/placeholders.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast {

using Kind = JsonNode::Kind;

std::string one_of(const std::vector<std::string>& words) {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = 0; i < words.size() && i < most; ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + fmt::format("\"{}\"", printable(words[i]));
    return words.size() > most ? text + ", ..." : text;
}

void Reader::problem(const Spot& at, std::string found, std::string allowed) {
    problems_.push_back({file_, at.node->line, at.node->column, at.pointer, std::move(found), std::move(allowed)});
}

void Reader::problem_at_key(const Spot& at, std::string found, std::string allowed) {
    problems_.push_back(
        {file_, at.node->key_line, at.node->key_column, at.pointer, std::move(found), std::move(allowed)});
}

void Reader::problem(const JsonFault& fault) {
    problems_.push_back({file_, fault.line, fault.column, fault.pointer, fault.found, fault.allowed});
}

bool Reader::object(const Spot& at, const std::vector<std::string>& keys) {
    if (at.node->kind != Kind::object) {
        wrong(at, "an object with " + one_of(keys));
        return false;
    }
    for (const Spot& member : members(at)) {
        const std::string& key = member.node->key;
        if (std::find(keys.begin(), keys.end(), key) != keys.end())
            continue;
        const std::string near = nearest(key, keys);
        const std::string all = one_of(keys);
        problem_at_key(member, fmt::format("the unknown key \"{}\"", printable(key.substr(0, 100))),
                       near.empty() ? all : fmt::format("{} (nearest: \"{}\")", all, near));
    }
    return true;
}

Spot Reader::find(const Spot& at, std::string_view key) {
    const JsonNode* node = at.node->member(key);
    return node == nullptr ? Spot{} : Spot{node, pointer_to(at.pointer, key)};
}

Spot Reader::need(const Spot& at, std::string_view key, const std::string& allowed) {
    Spot spot = find(at, key);
    if (!spot)
        problem(at, fmt::format("no \"{}\"", key), fmt::format("\"{}\": {}", key, allowed));
    return spot;
}

std::vector<Spot> Reader::items(const Spot& at, const std::string& allowed) {
    std::vector<Spot> result;
    if (at.node->kind != Kind::array) {
        wrong(at, allowed);
        return result;
    }
    for (const JsonNode& item : at.node->children)
        result.push_back({&item, fmt::format("{}/{}", at.pointer, result.size())});
    return result;
}

std::vector<Spot> Reader::members(const Spot& at) {
    std::vector<Spot> result;
    for (const JsonNode& member : at.node->children)
        result.push_back({&member, pointer_to(at.pointer, member.key)});
    return result;
}

std::optional<std::string> Reader::text(const Spot& at, const std::string& allowed) {
    if (at.node->kind != Kind::text) {
        wrong(at, allowed);
        return std::nullopt;
    }
    if (at.node->text.find('\0') != std::string::npos) {
        wrong(at, "a text without NUL, which no program or file name can take");
        return std::nullopt;
    }
    return at.node->text;
}

std::optional<std::string> Reader::name(const Spot& at) {
    const std::string allowed = "a name: 1 to 100 bytes of printable text, no space at its ends";
    auto value = text(at, allowed);
    if (value && (value->empty() || value->size() > 100 || value->front() == ' ' || value->back() == ' ' ||
                  printable(*value) != *value)) {
        wrong(at, allowed);
        return std::nullopt;
    }
    return value;
}

std::optional<std::string> Reader::word_of(const Spot& at, const std::vector<std::string>& words) {
    if (at.node->kind == Kind::text && std::find(words.begin(), words.end(), at.node->text) != words.end())
        return at.node->text;
    const std::string near = at.node->kind == Kind::text ? nearest(at.node->text, words) : "";
    wrong(at, near.empty() ? one_of(words) : fmt::format("{} (nearest: \"{}\")", one_of(words), near));
    return std::nullopt;
}

std::optional<double> Reader::number(const Spot& at, const std::string& allowed) {
    if (at.node->kind == Kind::integer || at.node->kind == Kind::real)
        return at.node->real;
    wrong(at, allowed);
    return std::nullopt;
}

std::optional<std::int64_t> Reader::integer(const Spot& at, std::int64_t least, std::int64_t most) {
    if (at.node->kind == Kind::integer && at.node->integer >= least && at.node->integer <= most)
        return at.node->integer;
    wrong(at, fmt::format("an integer from {} to {}", least, most));
    return std::nullopt;
}

std::optional<double> Reader::fraction(const Spot& at, const std::string& allowed) {
    if (at.node->kind != Kind::text)
        return number(at, allowed);
    const auto value = parse_percent(at.node->text);
    if (!value)
        wrong(at, allowed);
    return value;
}

std::vector<std::string> Reader::texts(const Spot& at, const std::string& allowed) {
    std::vector<std::string> result;
    for (const Spot& item : items(at, allowed))
        if (auto value = text(item, "a text"))
            result.push_back(std::move(*value));
    return result;
}

void Reader::check_placeholders(const Spot& at, const std::string& word, const std::vector<std::string>& placeholders) {
    std::vector<std::string> braced;
    for (const std::string& name : placeholders)
        braced.push_back('{' + name + '}');
    for (auto found = next_placeholder(word, 0); found; found = next_placeholder(word, found->end)) {
        const std::string spelled = '{' + std::string(found->name) + '}';
        const bool known = std::find(braced.begin(), braced.end(), spelled) != braced.end();
        if (known && found->after_dollar)
            problem(at, '$' + spelled, spelled + " without the $: Holdfast replaces it before any shell sees it");
        else if (known && found->name == "knobs" && word != spelled)
            problem(at, fmt::format("{} inside a longer word", spelled), "{knobs} as a word of its own");
        else if (!known && !found->after_dollar) {
            const std::string near = nearest(spelled, braced);
            const std::string all = one_of(braced);
            problem(at, fmt::format("the unknown placeholder {}", printable(spelled.substr(0, 100))),
                    near.empty() ? all : fmt::format("{} (nearest: \"{}\")", all, near));
        }
    }
}

Argv Reader::command(const Spot& at, const std::vector<std::string>& placeholders) {
    const std::string allowed = "a command: an array of texts, the program first";
    Argv argv;
    bool knobs = false;
    const std::size_t before = problem_count();
    for (const Spot& item : items(at, allowed)) {
        const auto word = text(item, "a text, one word of the command");
        if (!word)
            continue;
        check_placeholders(item, *word, placeholders);
        if (*word == "{knobs}" && knobs)
            problem(item, "{knobs} a second time", "{knobs} once");
        knobs = knobs || *word == "{knobs}";
        argv.push_back(*word);
    }
    if (problem_count() == before && (argv.empty() || argv.front().empty() || argv.front() == "{knobs}"))
        wrong(at, allowed);
    return argv;
}

std::vector<Argv> Reader::commands(const Spot& at, const std::vector<std::string>& placeholders) {
    std::vector<Argv> result;
    for (const Spot& item : items(at, "an array of commands, each an array of texts"))
        result.push_back(command(item, placeholders));
    return result;
}

std::optional<std::string> path_below(const std::string& text) {
    const std::filesystem::path path(text);
    const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
    std::string simple = path.lexically_normal().string();
    if (simple.empty() || path.is_absolute() || climbs || simple == "." || simple.back() == '/' ||
        simple.find('\0') != std::string::npos)
        return std::nullopt;
    return simple;
}

std::optional<std::string> Reader::relative_path(const Spot& at, const std::string& allowed) {
    const auto value = text(at, allowed);
    if (!value)
        return std::nullopt;
    auto simple = path_below(*value);
    if (!simple)
        wrong(at, allowed);
    return simple;
}

} // namespace holdfast
