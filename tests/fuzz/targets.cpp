// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.hpp"

#include "core/git/patch_names.hpp"
#include "core/git/patch_parse.hpp"
#include "core/git/repository.hpp"
#include "core/project/config_file.hpp"
#include "core/project/danger.hpp"
#include "core/project/expression.hpp"
#include "core/project/json_source.hpp"
#include "core/project/project.hpp"
#include "core/project/text.hpp"
#include "core/project/utf8.hpp"
#include "core/results/results.hpp"
#include "core/review/look.hpp"
#include "core/study/coverage_data.hpp"
#include "core/study/evidence_file.hpp"
#include "core/study/probes/sanitizer_log.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

namespace holdfast::fuzz {

namespace {

/// holdfast.json, and after a NUL the file of the held-out workloads. A project that was read is frozen, and the frozen
/// text must give the same project.
void project(std::string_view bytes) {
    const auto parts = halves(bytes, '\0');
    const std::string file(parts.first), holdout(parts.second); // clang 14 captures no structured bindings
    const auto read = [&](const std::string& path) -> std::optional<std::string> {
        if (path == "holdfast.json")
            return file;
        return path.find("holdout") != std::string::npos && !holdout.empty() ? std::optional(holdout) : std::nullopt;
    };
    const auto loaded = load_project("/nowhere", read);
    if (!loaded) {
        require(!loaded.error().empty(), "a project that cannot be read has a problem");
        for (const Problem& problem : loaded.error())
            require(!problem.text().empty(), "a problem has words");
        return;
    }
    const auto frozen = project_from_frozen("/nowhere", loaded->canonical);
    require(frozen.has_value(), "a frozen project can be read");
    require(frozen->canonical == loaded->canonical, "a frozen project is the same project");
}

/// A patch, and after a NUL the text it is for.
void patch(std::string_view bytes) {
    const auto [text, before] = halves(bytes, '\0');
    const auto files = git::parse_patch(text);
    if (!files)
        return;
    for (const git::FilePatch& file : *files) {
        require(!file.path.empty() && file.path.front() != '/' && file.path.find('\0') == std::string::npos,
                "a patch's path stays below the folder");
        require(("/" + file.path + "/").find("/../") == std::string::npos, "a patch's path has no ..");
        static_cast<void>(git::place_hunks(file.path, before, file.hunks));
    }
}

void names(std::string_view bytes) {
    const auto [first, second] = halves(bytes, '\0');
    static_cast<void>(git::common_path(first, second));
    static_cast<void>(git::path_of_git_line(first));
    const std::string quoted = git::quoted_name(first);
    if (const auto back = git::header_name(quoted); !quoted.empty() && quoted.front() == '"')
        require(back && *back == first, "a quoted name can be read back");
}

/// An expression, and after a line break the numbers of its names.
void expression(std::string_view bytes) {
    const auto [source, numbers] = halves(bytes, '\n');
    static const std::map<std::string, ValueType> types = {{"a", ValueType::integer},
                                                           {"b", ValueType::real},
                                                           {"c", ValueType::text},
                                                           {"d", ValueType::boolean},
                                                           {"block_rows", ValueType::integer}};
    const auto compiled = Expression::compile(source, types);
    if (!compiled)
        return;
    std::int64_t number = 0;
    for (const char c : numbers)
        number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) * 257 + static_cast<unsigned char>(c));
    const Configuration configuration = {{"a", number},
                                         {"b", static_cast<double>(number) / 7},
                                         {"c", std::string(numbers)},
                                         {"d", number % 2 == 0},
                                         {"block_rows", number / 3}};
    const auto value = compiled->evaluate(configuration);
    const auto again = Expression::compile(compiled->source(), types);
    require(again.has_value(), "an expression's source can be compiled again");
    const auto same = again->evaluate(configuration);
    require(same.has_value() == value.has_value() && (!value || *same == *value), "and has the same value");
}

void results(std::string_view bytes) {
    const auto keep = [](const results::File& file) {
        const auto back = results::from_json(results::to_json(file));
        require(back.has_value(), "what was read can be stored and read back");
        require(results::to_json(*back) == results::to_json(file), "and is the same");
    };
    if (const auto file = results::read(bytes))
        keep(*file);
    for (const results::Format format : results::formats())
        if (const auto file = results::read(bytes, format))
            keep(*file);
    static_cast<void>(results::from_json(bytes));
}

/// A letter for the format, a key up to the line break, then the file.
void config(std::string_view bytes) {
    if (bytes.empty())
        return;
    const auto words = config_format_words();
    const auto format = config_format(words[static_cast<unsigned char>(bytes.front()) % words.size()]);
    const auto [key, text] = halves(bytes.substr(1), '\n');
    static_cast<void>(get_config(*format, text, key));
    static_cast<void>(replace_json(text, std::string(key), "7"));
    for (const Value& value : {Value(std::int64_t{7}), Value(std::string("on"))}) {
        const auto set = set_config(*format, text, key, value);
        if (!set)
            continue;
        const auto back = get_config(*format, *set, key);
        require(back && *back, "what was set is there");
        const auto again = set_config(*format, *set, key, value);
        require(again && *again == *set, "setting it again changes nothing");
    }
}

void json(std::string_view bytes) {
    const auto document = parse_json(bytes);
    if (!document) {
        require(!document.error().found.empty(), "a fault has words");
        return;
    }
    require(document->root.begin <= document->root.end && document->root.end <= bytes.size(),
            "a value lies in the text");
    static_cast<void>(document->root.description());
}

void glob(std::string_view bytes) {
    const auto [pattern, path] = halves(bytes, '\n');
    static_cast<void>(git::matches(std::string(pattern), std::string(path)));
    if (pattern.find_first_of("*?") == std::string_view::npos)
        require(git::matches(std::string(pattern), std::string(path)) == (pattern == path), "a plain glob is a name");
    require(git::matches("**", std::string(path)), "** matches everything");
}

void evidence(std::string_view bytes) {
    static_cast<void>(study::begins_evidence_file(bytes));
    if (const auto file = study::read_evidence_file(bytes))
        static_cast<void>(study::recompute(*file));
}

/// Whatever was written, what is shown is valid UTF-8 without control characters.
void shown(std::string_view bytes) {
    const std::string text = printable(bytes);
    require(!first_invalid_utf8(text), "what is shown is UTF-8");
    for (const char c : text)
        require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "what is shown has no control characters");
}

/// A path, then lines of the file: what a candidate adds.
void added_lines(std::string_view bytes) {
    const auto [path, lines] = halves(bytes, '\n');
    const SettingScope scope = scope_of(lines);
    for (std::string_view rest = lines; !rest.empty();) {
        const auto [line, after] = halves(rest, '\n');
        static_cast<void>(dangerous_settings(path, line, scope, lines.starts_with("#!")));
        rest = after;
    }
}

void coverage(std::string_view bytes) {
    study::LineCounts counts;
    study::add_gcov(std::string(bytes), counts);
    static_cast<void>(study::counts_of(counts, "work.c"));
}

/// A patch, as a person is told what to look at in it.
void look(std::string_view bytes) {
    std::set<std::string> names;
    for (const review::Flag& flag : review::look_flags(std::string(bytes))) {
        require(names.insert(flag.name).second, "a kind is flagged once");
        shown(flag.evidence);
        require(flag.evidence == printable(flag.evidence), "what is told of a patch can be shown");
    }
}

/// What a sanitizer wrote, or a program in its place.
void sanitizer_log(std::string_view bytes) {
    study::probes::Findings findings;
    study::probes::read_sanitizer_log(bytes, findings);
    for (const auto& [finding, report] : findings)
        require(!finding.text().empty() && finding.text() == printable(finding.text()), "a finding can be shown");
}

} // namespace

const std::vector<Target>& targets() {
    static const std::vector<Target> all = {
        {"project", project},
        {"patch", patch},
        {"names", names},
        {"expression", expression},
        {"results", results},
        {"config", config},
        {"json", json},
        {"glob", glob},
        {"evidence", evidence},
        {"shown", shown},
        {"added-lines", added_lines},
        {"coverage", coverage},
        {"look", look},
        {"sanitizer-log", sanitizer_log},
    };
    return all;
}

const Target* target(const std::string& name) {
    for (const Target& each : targets())
        if (each.name == name)
            return &each;
    return nullptr;
}

void require(bool holds, const char* promise) {
    if (holds)
        return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

std::pair<std::string_view, std::string_view> halves(std::string_view bytes, char separator) {
    const std::size_t at = bytes.find(separator);
    if (at == std::string_view::npos)
        return {bytes, {}};
    return {bytes.substr(0, at), bytes.substr(at + 1)};
}

} // namespace holdfast::fuzz
