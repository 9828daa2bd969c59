// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/grammar.hpp"
#include "core/project/knob_values.hpp"
#include "core/project/placeholders.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace holdfast {

using Kind = JsonNode::Kind;

namespace {

// Knob::min and max are doubles, which hold integers exactly up to here.
constexpr std::int64_t largest_integer = std::int64_t{1} << 53;
// Keeps max - min finite.
constexpr double largest_real = 1e300;

bool consists_of(std::string_view text, std::string_view allowed) {
    return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view lower_case = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view digits = "0123456789";

bool is_knob_name(const std::string& name) {
    return !name.empty() && name.size() <= 100 && lower_case.find(name[0]) != std::string_view::npos &&
           consists_of(name, std::string(lower_case) + std::string(digits) + "_");
}

void read_name(Reader& reader, const Spot& at, Knob& knob) {
    const std::string allowed = "a name such as block_rows: a-z first, then a-z, 0-9 and _";
    const Spot spot = reader.need(at, "name", allowed);
    const auto name = spot ? reader.text(spot, allowed) : std::nullopt;
    if (!name)
        return;
    if (!is_knob_name(*name))
        reader.wrong(spot, allowed);
    else if (*name == "true" || *name == "false")
        reader.wrong(spot, "a name that is no constant in constraints");
    else
        knob.name = *name;
}

std::optional<double> read_bound(Reader& reader, const Spot& at, std::string_view key, Knob::Type type) {
    if (type == Knob::Type::integer) {
        const Spot spot = reader.need(at, key, "an integer");
        const auto bound = spot ? reader.integer(spot, -largest_integer, largest_integer) : std::nullopt;
        return bound ? std::optional(static_cast<double>(*bound)) : std::nullopt;
    }
    const std::string allowed = "a number from -1e300 to 1e300";
    const Spot spot = reader.need(at, key, allowed);
    const auto bound = spot ? reader.number(spot, allowed) : std::nullopt;
    if (bound && !(*bound >= -largest_real && *bound <= largest_real)) {
        reader.wrong(spot, allowed);
        return std::nullopt;
    }
    return bound;
}

bool read_range(Reader& reader, const Spot& at, Knob& knob) {
    const auto min = read_bound(reader, at, "min", knob.type);
    const auto max = read_bound(reader, at, "max", knob.type);
    if (const Spot scale = Reader::find(at, "scale"))
        knob.log_scale = reader.word_of(scale, {"linear", "log"}) == "log";
    if (!min || !max)
        return false;
    knob.min = *min;
    knob.max = *max;
    if (knob.min >= knob.max) {
        const Spot spot = Reader::find(at, "max");
        reader.wrong(spot, fmt::format("a number above min, which is {}", Reader::find(at, "min").node->text));
        return false;
    }
    if (knob.log_scale && knob.min <= 0) {
        reader.wrong(Reader::find(at, "min"), "a number above 0, since the scale is log");
        return false;
    }
    return true;
}

bool read_values(Reader& reader, const Spot& at, Knob& knob) {
    const std::string allowed = "an array of at least two different texts";
    const Spot spot = reader.need(at, "values", allowed);
    if (!spot)
        return false;
    const std::size_t before = reader.problem_count();
    for (const Spot& item : reader.items(spot, allowed)) {
        const auto value = reader.text(item, "a text");
        if (value && std::find(knob.values.begin(), knob.values.end(), *value) != knob.values.end())
            reader.problem(item, fmt::format("the value \"{}\" a second time", printable(*value)), "each value once");
        else if (value)
            knob.values.push_back(*value);
    }
    if (reader.problem_count() == before && knob.values.size() < 2)
        reader.wrong(spot, allowed);
    return reader.problem_count() == before;
}

/// A text with {value} in it; `allowed` describes it.
std::string read_template(Reader& reader, const Spot& at, const std::string& allowed) {
    const std::string text = reader.text(at, allowed).value_or("");
    if (at.node->kind != Kind::text)
        return text;
    bool has_value = false;
    for (auto found = next_placeholder(text, 0); found; found = next_placeholder(text, found->end))
        has_value = has_value || found->name == "value";
    if (!has_value)
        reader.wrong(at, allowed);
    else
        reader.check_placeholders(at, text, {"value"});
    return text;
}

/// "file", "format" and "key" of the object `at`.
void read_file_place(Reader& reader, const Spot& at, const Spot& file, Knob& knob) {
    knob.through = Knob::Through::file;
    const std::string allowed =
        "the path of a file inside the project folder, without \"..\", that is not Holdfast's own";
    const auto path = reader.relative_path(file, allowed);
    if (path == "holdfast.json" || path == ".holdfast" || (path && path->starts_with(".holdfast/")))
        reader.wrong(file, allowed);
    else
        knob.target = path.value_or("");
    std::vector<std::string> words;
    for (const std::string_view word : config_format_words())
        words.emplace_back(word);
    if (const Spot format = reader.need(at, "format", one_of(words)))
        if (const auto word = reader.word_of(format, words))
            knob.format = *config_format(*word);
    const std::string key_allowed = "the key of a setting in the file, one line of printable text";
    const Spot key = reader.need(at, "key", key_allowed);
    knob.key = key ? reader.text(key, key_allowed).value_or("") : "";
    if (key && key.node->kind == Kind::text && (knob.key.empty() || printable(knob.key) != knob.key))
        reader.wrong(key, key_allowed);
    if (const Spot text = Reader::find(at, "value"))
        knob.text = read_template(reader, text, "what is written there, with {value} in it, such as \"{value}MB\"");
}

void read_through(Reader& reader, const Spot& at, Knob& knob) {
    const std::string allowed = "an object with one of \"argument\", \"environment\", \"cmake\", \"make\" or \"file\"";
    const Spot spot = reader.need(at, "through", allowed);
    const std::size_t before = reader.problem_count();
    if (!spot || !reader.object(spot, {"argument", "environment", "cmake", "make", "file", "format", "key", "value"}))
        return;
    std::size_t ways = 0;
    for (const char* way : {"argument", "environment", "cmake", "make", "file"})
        ways += Reader::find(spot, way) ? 1 : 0;
    if (ways == 0 && reader.problem_count() > before) // a misspelled way has been told
        return;
    if (ways != 1) {
        reader.problem(spot, fmt::format("{} ways to pass the knob", ways), allowed);
        return;
    }
    if (const Spot file = Reader::find(spot, "file")) {
        read_file_place(reader, spot, file, knob);
        return;
    }
    for (const char* more : {"format", "key", "value"})
        if (const Spot extra = Reader::find(spot, more))
            reader.problem_at_key(extra, fmt::format("\"{}\" without \"file\"", more), "\"file\" beside it");
    if (const Spot argument = Reader::find(spot, "argument"))
        knob.target =
            read_template(reader, argument, "one argument with {value} in it, such as \"--block-rows={value}\"");
    const auto variable = [&](const Spot& from, Knob::Through through, std::string_view more, const char* example) {
        const std::string wanted = fmt::format("the name of a variable, such as {}", example);
        knob.through = through;
        knob.target = reader.text(from, wanted).value_or("");
        if (from.node->kind == Kind::text && !is_variable_name(knob.target, more))
            reader.wrong(from, wanted);
    };
    if (const Spot environment = Reader::find(spot, "environment")) {
        variable(environment, Knob::Through::environment, "", "OMP_NUM_THREADS");
        if (decides_what_runs(knob.target))
            reader.problem(environment, fmt::format("the variable {}, which decides what runs", knob.target),
                           "a variable other than PATH, HOME, TMPDIR and LD_*");
    }
    if (const Spot cmake = Reader::find(spot, "cmake"))
        variable(cmake, Knob::Through::cmake, "-.+/", "CMAKE_CXX_FLAGS_RELEASE");
    if (const Spot make = Reader::find(spot, "make"))
        variable(make, Knob::Through::make, "", "CFLAGS");
}

const std::map<std::string, Knob::Type, std::less<>> types{{"integer", Knob::Type::integer},
                                                           {"real", Knob::Type::real},
                                                           {"categorical", Knob::Type::categorical},
                                                           {"boolean", Knob::Type::boolean}};

std::vector<std::string> keys_of(const std::optional<Knob::Type>& type) {
    std::vector<std::string> keys{"name", "type", "default", "through", "when", "danger"};
    if (type != Knob::Type::categorical && type != Knob::Type::boolean)
        keys.insert(keys.end(), {"min", "max", "scale"});
    if (!type || type == Knob::Type::categorical)
        keys.emplace_back("values");
    return keys;
}

std::map<std::string, ValueType> types_of(const std::vector<Knob>& knobs) {
    std::map<std::string, ValueType> names;
    for (const Knob& knob : knobs) {
        constexpr ValueType of_knob[] = {ValueType::integer, ValueType::real, ValueType::text, ValueType::boolean};
        names.emplace(knob.name, of_knob[static_cast<std::size_t>(knob.type)]);
    }
    return names;
}

void read_when(Reader& reader, const Spot& at, const std::vector<Knob>& earlier, Knob& knob) {
    const std::string allowed = "an expression over knobs declared before it that gives true or false";
    const auto source = reader.text(at, allowed);
    if (!source)
        return;
    const auto expression = Expression::compile(*source, types_of(earlier));
    if (!expression)
        reader.problem(at, fmt::format("in {}, {}", at.node->description(), expression.error().found),
                       expression.error().remedy + " (a condition names knobs declared before its own)");
    else if (expression->type() != ValueType::boolean)
        reader.wrong(at, allowed);
    else
        knob.when = *expression;
}

Knob read_knob(Reader& reader, const Spot& at, const std::vector<Knob>& earlier) {
    Knob knob;
    const Spot type_spot = Reader::find(at, "type");
    std::optional<Knob::Type> type;
    if (type_spot && type_spot.node->kind == Kind::text && types.contains(type_spot.node->text))
        type = types.find(type_spot.node->text)->second;
    if (!reader.object(at, keys_of(type)))
        return knob;
    read_name(reader, at, knob);
    read_through(reader, at, knob);
    if (const Spot when = Reader::find(at, "when"))
        read_when(reader, when, earlier, knob);
    if (const Spot danger = Reader::find(at, "danger"))
        if (const auto word = reader.word_of(danger, {"none", "durability", "security"}))
            knob.danger = *word == "durability" ? Knob::Danger::durability
                          : *word == "security" ? Knob::Danger::security
                                                : Knob::Danger::none;
    if (const Spot spot = reader.need(at, "type", "\"integer\", \"real\", \"categorical\" or \"boolean\""))
        reader.word_of(spot, {"integer", "real", "categorical", "boolean"});
    if (!type)
        return knob;
    knob.type = *type;
    const bool ranged = knob.type == Knob::Type::integer || knob.type == Knob::Type::real;
    const bool domain = ranged                                 ? read_range(reader, at, knob)
                        : knob.type == Knob::Type::categorical ? read_values(reader, at, knob)
                                                               : true;
    const Spot spot = reader.need(at, "default", "the value the baseline is measured with");
    if (!spot || !domain)
        return knob;
    if (auto value = value_from_json(knob, *spot.node))
        knob.default_value = std::move(*value);
    else
        reader.wrong(spot, knob_domain(knob));
    return knob;
}

} // namespace

bool is_variable_name(const std::string& name, std::string_view more) {
    const std::string letters = std::string(lower_case) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return !name.empty() && name.size() <= 200 && letters.find(name[0]) != std::string::npos &&
           consists_of(name, letters + std::string(digits) + std::string(more));
}

bool decides_what_runs(const std::string& variable) {
    return variable == "PATH" || variable == "HOME" || variable == "TMPDIR" || variable.starts_with("LD_");
}

bool read_knobs(Reader& reader, const Spot& at, Project& project) {
    const std::size_t before = reader.problem_count();
    for (const Spot& item : reader.items(at, "an array of knobs")) {
        const std::size_t before_knob = reader.problem_count();
        Knob knob = read_knob(reader, item, project.knobs);
        const bool read_well = reader.problem_count() == before_knob;
        for (const Knob& other : project.knobs) {
            if (!knob.name.empty() && other.name == knob.name)
                reader.problem(Reader::find(item, "name"), fmt::format("a second knob called \"{}\"", knob.name),
                               "each name once");
            if (!knob.target.empty() && knob.through != Knob::Through::argument && other.through == knob.through &&
                other.target == knob.target && other.key == knob.key)
                reader.problem(
                    Reader::find(item, "through"),
                    knob.through == Knob::Through::file
                        ? fmt::format("the key {} of {}, which the knob \"{}\" sets already", printable(knob.key),
                                      printable(knob.target), other.name)
                        : fmt::format("the variable {}, which the knob \"{}\" sets already", knob.target, other.name),
                    "a place of its own for each knob");
        }
        if (read_well && knob.through == Knob::Through::cmake &&
            std::none_of(project.build.begin(), project.build.end(), configures_with_cmake))
            reader.problem(Reader::find(item, "through"),
                           "a cmake knob without a build command that configures with cmake",
                           "a \"build\" whose first word is cmake, or another way to pass the knob");
        if (read_well && knob.through == Knob::Through::make &&
            std::none_of(project.build.begin(), project.build.end(), runs_make))
            reader.problem(Reader::find(item, "through"), "a make knob without a build command that runs make",
                           "a \"build\" whose first word is make, or another way to pass the knob");
        project.knobs.push_back(std::move(knob));
    }
    return reader.problem_count() == before;
}

void read_constraints(Reader& reader, const Spot& at, Project& project) {
    const std::map<std::string, ValueType> names = types_of(project.knobs);
    const Configuration defaults = project.defaults();
    for (const Spot& item : reader.items(at, "an array of expressions such as \"block_rows % 64 == 0\"")) {
        const auto source = reader.text(item, "an expression that gives true or false");
        if (!source)
            continue;
        const auto expression = Expression::compile(*source, names);
        if (!expression) {
            reader.problem(item, fmt::format("in {}, {}", item.node->description(), expression.error().found),
                           expression.error().remedy);
            continue;
        }
        if (expression->type() != ValueType::boolean) {
            reader.wrong(item, "an expression that gives true or false");
            continue;
        }
        const auto value = expression->evaluate(defaults);
        if (!value)
            reader.problem(item,
                           fmt::format("{} under the defaults: {}", item.node->description(), value.error().found),
                           "a constraint that the defaults meet");
        else if (!std::get<bool>(*value))
            reader.problem(item, item.node->description() + ", which is false under the defaults",
                           "a constraint that the defaults meet, since the baseline is measured with them");
        project.constraints.push_back(*expression);
    }
}

} // namespace holdfast
