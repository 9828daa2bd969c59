// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/knobs.hpp"

#include "core/project/hash.hpp"
#include "core/project/knob_values.hpp"
#include "core/project/placeholders.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace holdfast {

namespace {

std::string list(const std::vector<std::string>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + fmt::format("\"{}\"", printable(values[i]));
    return text;
}

std::string allowed(const Knob& knob) {
    switch (knob.type) {
    case Knob::Type::integer:
        return fmt::format("an integer from {} to {}", to_text(static_cast<std::int64_t>(knob.min)),
                           to_text(static_cast<std::int64_t>(knob.max)));
    case Knob::Type::real:
        return fmt::format("a number from {} to {}", to_text(knob.min), to_text(knob.max));
    case Knob::Type::categorical:
        return list(knob.values);
    case Knob::Type::boolean:
        break;
    }
    return "true or false";
}

bool in_domain(const Knob& knob, const Value& value) {
    switch (knob.type) {
    case Knob::Type::integer: {
        const auto* number = std::get_if<std::int64_t>(&value);
        return number != nullptr && *number >= static_cast<std::int64_t>(knob.min) &&
               *number <= static_cast<std::int64_t>(knob.max);
    }
    case Knob::Type::real: {
        const auto* number = std::get_if<double>(&value);
        return number != nullptr && std::isfinite(*number) && *number >= knob.min && *number <= knob.max;
    }
    case Knob::Type::categorical: {
        const auto* text = std::get_if<std::string>(&value);
        return text != nullptr && std::find(knob.values.begin(), knob.values.end(), *text) != knob.values.end();
    }
    case Knob::Type::boolean:
        break;
    }
    return std::holds_alternative<bool>(value);
}

std::string quoted(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? to_text(value) : fmt::format("\"{}\"", printable(*text));
}

tl::unexpected<Error> outside(const Knob& knob, const std::string& found) {
    return invalid(fmt::format("set the knob \"{}\"", knob.name), found, fmt::format("Give {}.", allowed(knob)));
}

tl::unexpected<Error> unknown_knob(const Project& project, const std::string& name) {
    std::vector<std::string> names;
    for (const Knob& knob : project.knobs)
        names.push_back(knob.name);
    const std::string near = nearest(name, names);
    std::string remedy = "The project has no knobs.";
    if (!near.empty())
        remedy = fmt::format("The nearest knob is \"{}\".", near);
    else if (!names.empty())
        remedy = fmt::format("The knobs are {}.", list(names));
    return invalid(fmt::format("set the knob \"{}\"", printable(name)), "the project has no such knob", remedy);
}

/// A value that has no effect would be approved, applied and never run.
Result<void> settled_already(const Project& project, const Configuration& configuration) {
    for (const Knob& knob : project.knobs)
        if (!counts(knob, configuration) && configuration.at(knob.name) != knob.default_value)
            return invalid(
                fmt::format("set the knob \"{}\"", knob.name),
                fmt::format("{}, while its condition \"{}\" does not hold", quoted(configuration.at(knob.name)),
                            printable(knob.when->source())),
                fmt::format("Leave it at {}, or set the knobs in the condition too.", quoted(knob.default_value)));
    return {};
}

Result<void> complete(const Project& project, const Configuration& configuration) {
    for (const auto& [name, value] : configuration) {
        const Knob* knob = project.knob(name);
        if (knob == nullptr)
            return unknown_knob(project, name);
        if (!in_domain(*knob, value))
            return outside(*knob, quoted(value));
    }
    for (const Knob& knob : project.knobs)
        if (!configuration.contains(knob.name))
            return outside(knob, "no value");
    return {};
}

template <class Number> std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<Value> read(const Knob& knob, std::string_view text) {
    switch (knob.type) {
    case Knob::Type::integer:
        if (const auto value = number<std::int64_t>(text))
            return Value(*value);
        return std::nullopt;
    case Knob::Type::real:
        if (const auto value = number<double>(text))
            return Value(*value);
        return std::nullopt;
    case Knob::Type::categorical:
        return Value(std::string(text));
    case Knob::Type::boolean:
        break;
    }
    if (text == "true" || text == "false")
        return Value(text == "true");
    return std::nullopt;
}

std::optional<Value> read(const Knob& knob, const JsonNode& node) {
    using Kind = JsonNode::Kind;
    if (knob.type == Knob::Type::integer && node.kind == Kind::integer)
        return Value(node.integer);
    if (knob.type == Knob::Type::real && (node.kind == Kind::integer || node.kind == Kind::real))
        return Value(node.real);
    if (knob.type == Knob::Type::categorical && node.kind == Kind::text)
        return Value(node.text);
    if (knob.type == Knob::Type::boolean && node.kind == Kind::boolean)
        return Value(node.boolean);
    return std::nullopt;
}

} // namespace

std::string knob_domain(const Knob& knob) {
    return allowed(knob);
}

Result<Value> value_from_json(const Knob& knob, const JsonNode& node) {
    const auto value = read(knob, node);
    if (!value || !in_domain(knob, *value))
        return outside(knob, node.description());
    return *value;
}

Result<Value> parse_value(const Knob& knob, std::string_view text) {
    const auto value = read(knob, text);
    if (!value || !in_domain(knob, *value))
        return outside(knob, fmt::format("\"{}\"", printable(text)));
    return *value;
}

Result<void> admit(const Project& project, const Configuration& configuration) {
    if (auto result = complete(project, configuration); !result)
        return result;
    if (auto result = settled_already(project, configuration); !result)
        return result;
    for (const Expression& constraint : project.constraints) {
        const auto value = constraint.evaluate(configuration);
        if (!value)
            return tl::unexpected(value.error());
        if (!std::get<bool>(*value)) {
            Configuration involved;
            for (const std::string& name : constraint.names_used())
                involved.emplace(name, configuration.at(name));
            return invalid("use the configuration " + printable(to_text(configuration)),
                           fmt::format("the constraint \"{}\" does not hold with {}", printable(constraint.source()),
                                       printable(to_text(involved))),
                           "Choose values that meet it.");
        }
    }
    return {};
}

bool counts(const Knob& knob, const Configuration& configuration) {
    if (!knob.when)
        return true;
    const auto value = knob.when->evaluate(configuration);
    return value && std::get<bool>(*value);
}

Configuration settled(const Project& project, Configuration configuration) {
    // In the project's order: a condition names knobs declared before its own.
    for (const Knob& knob : project.knobs)
        if (!counts(knob, configuration))
            configuration[knob.name] = knob.default_value;
    return configuration;
}

bool feasible(const Project& project, const Configuration& configuration) {
    return std::all_of(project.constraints.begin(), project.constraints.end(), [&](const Expression& constraint) {
        const auto value = constraint.evaluate(configuration);
        return value && std::get<bool>(*value);
    });
}

std::string to_json(const Configuration& configuration) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [name, value] : configuration)
        std::visit([&object, &key = name](const auto& each) { object[key] = each; }, value);
    return canonical_json(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<Configuration> configuration_from_json(const Project& project, std::string_view json) {
    const std::string attempted = "read a configuration";
    const std::string remedy = "Give a JSON object with one value for each knob.";
    const auto document = parse_json(json);
    if (!document)
        return invalid(attempted,
                       fmt::format("line {}, column {}: {}", document.error().line, document.error().column,
                                   printable(document.error().found)),
                       remedy);
    if (!document->duplicates.empty())
        return invalid(attempted, document->duplicates.front().found, remedy);
    const JsonNode& root = document->root;
    if (root.kind != JsonNode::Kind::object)
        return invalid(attempted, root.description(), remedy);
    Configuration configuration;
    for (const JsonNode& member : root.children) {
        const Knob* knob = project.knob(member.key);
        if (knob == nullptr)
            return unknown_knob(project, member.key);
        auto value = value_from_json(*knob, member);
        if (!value)
            return tl::unexpected(std::move(value.error()));
        configuration.emplace(knob->name, std::move(*value));
    }
    if (auto result = complete(project, configuration); !result)
        return tl::unexpected(std::move(result.error()));
    return configuration;
}

Argv expand(const Argv& argv, const Places& places, const Argv& knob_arguments) {
    Argv result;
    bool placed = false;
    for (const std::string& word : argv) {
        if (word == "{knobs}") {
            result.insert(result.end(), knob_arguments.begin(), knob_arguments.end());
            placed = true;
            continue;
        }
        result.push_back(replace_placeholders(word, [&](std::string_view name) -> std::optional<std::string> {
            const auto place = places.find(std::string(name));
            return place == places.end() ? std::nullopt : std::optional(place->second);
        }));
    }
    if (!placed)
        result.insert(result.end(), knob_arguments.begin(), knob_arguments.end());
    return result;
}

ServedCommands expand(const Workload& workload, const Places& places, const Argv& knob_arguments) {
    const auto has_place = [](const Argv& argv) {
        return std::find(argv.begin(), argv.end(), "{knobs}") != argv.end();
    };
    if (!workload.server)
        return {{}, expand(workload.run, places, knob_arguments)};
    const Argv& start = workload.server->start;
    const bool in_run = has_place(workload.run), in_start = has_place(start) || !in_run;
    return {expand(start, places, in_start ? knob_arguments : Argv()),
            expand(workload.run, places, in_run ? knob_arguments : Argv())};
}

std::string shown(const Argv& argv) {
    std::string text;
    for (const std::string& word : argv)
        text += (text.empty() ? "" : " ") + word;
    return printable(text);
}

namespace {

std::string filled(const std::string& text, const std::string& value) {
    return replace_placeholders(
        text, [&](std::string_view name) { return name == "value" ? std::optional(value) : std::nullopt; });
}

template <class Use>
void each_knob(const Project& project, const Configuration& configuration, Knob::Through through, const Use& use) {
    for (const Knob& knob : project.knobs) {
        const auto value = configuration.find(knob.name);
        if (knob.through == through && value != configuration.end() && counts(knob, configuration))
            use(knob, to_text(value->second));
    }
}

} // namespace

Argv knob_arguments(const Project& project, const Configuration& configuration) {
    Argv arguments;
    each_knob(project, configuration, Knob::Through::argument,
              [&](const Knob& knob, const std::string& value) { arguments.push_back(filled(knob.target, value)); });
    return arguments;
}

std::vector<std::pair<std::string, std::string>> knob_environment(const Project& project,
                                                                  const Configuration& configuration) {
    std::vector<std::pair<std::string, std::string>> variables;
    each_knob(project, configuration, Knob::Through::environment,
              [&](const Knob& knob, const std::string& value) { variables.emplace_back(knob.target, value); });
    return variables;
}

Value written_value(const Knob& knob, const Value& value) {
    return knob.text == "{value}" ? value : Value(filled(knob.text, to_text(value)));
}

std::vector<std::pair<std::string, std::string>> knob_files(const Project& project,
                                                            const Configuration& configuration) {
    std::vector<std::pair<std::string, std::string>> settings;
    each_knob(project, configuration, Knob::Through::file, [&](const Knob& knob, const std::string& value) {
        settings.emplace_back(knob.target + ' ' + knob.key, filled(knob.text, value));
    });
    return settings;
}

namespace {

std::string program_of(const Argv& command) {
    return command.empty() ? "" : command.front().substr(command.front().rfind('/') + 1); // npos + 1 is 0
}

} // namespace

bool runs_make(const Argv& command) {
    return program_of(command) == "make" || program_of(command) == "gmake";
}

bool configures_with_cmake(const Argv& command) {
    if (program_of(command) != "cmake")
        return false;
    if (command.size() == 1)
        return true;
    const std::string& first = command[1];
    return first != "-E" && first != "-P" && !first.starts_with("--build") && !first.starts_with("--install");
}

std::vector<Argv> build_commands(const Project& project, const Configuration& configuration) {
    Argv definitions, variables;
    each_knob(project, configuration, Knob::Through::cmake, [&](const Knob& knob, const std::string& value) {
        definitions.push_back("-D" + knob.target + '=' + value);
    });
    each_knob(project, configuration, Knob::Through::make,
              [&](const Knob& knob, const std::string& value) { variables.push_back(knob.target + '=' + value); });
    std::vector<Argv> commands = project.build;
    for (Argv& command : commands)
        if (configures_with_cmake(command))
            command.insert(command.end(), definitions.begin(), definitions.end());
        else if (runs_make(command))
            command.insert(command.end(), variables.begin(), variables.end());
    return commands;
}

} // namespace holdfast
