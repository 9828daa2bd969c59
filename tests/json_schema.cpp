// SPDX-License-Identifier: GPL-3.0-or-later
// <regex> and false warnings: as in core/project/pattern.cpp.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "tests/json_schema.hpp"

#include "tests/scratch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

/// Far above any schema's nesting: what goes deeper refers to itself.
constexpr int deepest = 200;

[[noreturn]] void reject(const std::string& at, const std::string& why) {
    throw std::invalid_argument("schema " + (at.empty() ? "/" : at) + ": " + why);
}

bool is_integer(const json& value) {
    return value.is_number_integer() ||
           (value.is_number_float() && std::isfinite(value.get<double>()) && std::rint(value.get<double>()) == value);
}

bool has_type(const json& value, const std::string& type) {
    static const std::map<std::string, std::function<bool(const json&)>> types = {
        {"object", [](const json& v) { return v.is_object(); }},
        {"array", [](const json& v) { return v.is_array(); }},
        {"string", [](const json& v) { return v.is_string(); }},
        {"number", [](const json& v) { return v.is_number(); }},
        {"integer", is_integer},
        {"boolean", [](const json& v) { return v.is_boolean(); }},
        {"null", [](const json& v) { return v.is_null(); }},
    };
    const auto found = types.find(type);
    if (found == types.end())
        throw std::invalid_argument("no type is called " + type);
    return found->second(value);
}

std::string escaped(const std::string& key) {
    std::string text;
    for (const char c : key)
        text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
}

std::size_t code_points(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

bool matches(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern, std::regex::ECMAScript));
}

/// Reads a schema for what the checks below would not see.
class SchemaReader {
public:
    explicit SchemaReader(const json& root) : root_(root) {}

    void read(const json& schema, const std::string& at) const {
        if (schema.is_boolean())
            return;
        if (!schema.is_object())
            reject(at, "neither an object nor true or false");
        for (const auto& [keyword, value] : schema.items())
            read_keyword(keyword, value, at + "/" + escaped(keyword));
    }

private:
    void read_keyword(const std::string& keyword, const json& value, const std::string& at) const {
        static const std::set<std::string> notes = {"$schema", "$comment", "title", "description"};
        static const std::set<std::string> counts = {"minLength", "maxLength",     "minItems",
                                                     "maxItems",  "minProperties", "maxProperties"};
        static const std::set<std::string> bounds = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
        if (keyword == "default" || keyword == "const")
            return;
        if (notes.count(keyword) > 0)
            need(value.is_string(), at, "not a string");
        else if (counts.count(keyword) > 0)
            need(value.is_number_unsigned(), at, "not a count");
        else if (bounds.count(keyword) > 0)
            need(value.is_number(), at, "not a number");
        else if (keyword == "items" || keyword == "additionalProperties" || keyword == "propertyNames" ||
                 keyword == "not")
            read(value, at);
        else if (keyword == "properties" || keyword == "$defs") {
            need(value.is_object(), at, "not an object");
            for (const auto& [name, schema] : value.items())
                read(schema, at + "/" + escaped(name));
        } else if (keyword == "anyOf" || keyword == "oneOf") {
            need(value.is_array() && !value.empty(), at, "not a list of schemas");
            for (std::size_t i = 0; i < value.size(); ++i)
                read(value[i], at + "/" + std::to_string(i));
        } else if (keyword == "enum")
            need(value.is_array() && !value.empty(), at, "not a list of values");
        else if (keyword == "required")
            read_names(value, at);
        else if (keyword == "dependentRequired") {
            need(value.is_object(), at, "not an object");
            for (const auto& [name, names] : value.items())
                read_names(names, at + "/" + escaped(name));
        } else if (keyword == "uniqueItems")
            need(value.is_boolean(), at, "neither true nor false");
        else if (keyword == "type")
            read_type(value, at);
        else if (keyword == "pattern")
            read_pattern(value, at);
        else if (keyword == "$ref")
            read_reference(value, at);
        else
            reject(at, "a keyword that is not checked");
    }

    static void read_names(const json& value, const std::string& at) {
        need(value.is_array(), at, "not a list of names");
        for (const json& name : value)
            need(name.is_string(), at, "not a list of names");
    }

    static void need(bool right, const std::string& at, const char* why) {
        if (!right)
            reject(at, why);
    }

    static void read_type(const json& value, const std::string& at) {
        const json types = value.is_array() ? value : json::array({value});
        need(!types.empty(), at, "no type");
        for (const json& type : types) {
            need(type.is_string(), at, "not a type's name");
            try {
                has_type(nullptr, type.get<std::string>());
            } catch (const std::invalid_argument& error) {
                reject(at, error.what());
            }
        }
    }

    static void read_pattern(const json& value, const std::string& at) {
        need(value.is_string(), at, "not a string");
        try {
            matches("", value.get<std::string>());
        } catch (const std::regex_error& error) {
            reject(at, error.what());
        }
    }

    void read_reference(const json& value, const std::string& at) const {
        static const std::string start = "#/$defs/";
        const std::string target = value.is_string() ? value.get<std::string>() : "";
        need(target.rfind(start, 0) == 0 && target.find('/', start.size()) == std::string::npos, at,
             "not of the form #/$defs/NAME");
        need(root_.is_object() && root_.contains("$defs") && root_.at("$defs").contains(target.substr(start.size())),
             at, "refers to nothing");
    }

    const json& root_;
};

class Check {
public:
    explicit Check(const json& root) : root_(root) {}

    Lines check(const json& value, const json& schema, const std::string& at, int depth) const {
        if (depth > deepest)
            throw std::invalid_argument("schema: it refers to itself without end");
        Lines lines;
        if (schema.is_boolean()) {
            if (!schema.get<bool>())
                add(lines, at, "must not be there");
            return lines;
        }
        const Place place{value, schema, at, depth, lines};
        whole(place);
        combined(place);
        if (value.is_object())
            object(place);
        else if (value.is_array())
            array(place);
        else if (value.is_string())
            string(place);
        else if (value.is_number())
            number(place);
        return lines;
    }

private:
    struct Place {
        const json& value;
        const json& schema;
        const std::string& at;
        int depth;
        Lines& lines;
        const json* keyword(const char* name) const {
            const auto found = schema.find(name);
            return found == schema.end() ? nullptr : &*found;
        }
    };

    static void add(Lines& lines, const std::string& at, const std::string& what) {
        lines.push_back((at.empty() ? "/" : at) + ": " + what);
    }

    void into(const Place& place, const json& value, const json& schema, const std::string& at) const {
        const Lines more = check(value, schema, at, place.depth + 1);
        place.lines.insert(place.lines.end(), more.begin(), more.end());
    }

    static void whole(const Place& place) {
        const std::string shown = place.value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 200);
        if (const json* types = place.keyword("type")) {
            const json list = types->is_array() ? *types : json::array({*types});
            if (std::none_of(list.begin(), list.end(), [&](const json& type) { return has_type(place.value, type); }))
                add(place.lines, place.at, shown + " is not of type " + types->dump());
        }
        if (const json* constant = place.keyword("const"); constant != nullptr && place.value != *constant)
            add(place.lines, place.at, shown + " is not " + constant->dump());
        if (const json* values = place.keyword("enum");
            values != nullptr && std::find(values->begin(), values->end(), place.value) == values->end())
            add(place.lines, place.at, shown + " is none of " + values->dump());
    }

    void combined(const Place& place) const {
        if (const json* target = place.keyword("$ref"))
            into(place, place.value, root_.at(json::json_pointer(target->get<std::string>().substr(1))), place.at);
        for (const char* name : {"anyOf", "oneOf"}) {
            const json* schemas = place.keyword(name);
            if (schemas == nullptr)
                continue;
            std::size_t right = 0;
            std::string why;
            for (const json& schema : *schemas) {
                const Lines lines = check(place.value, schema, place.at, place.depth + 1);
                right += lines.empty() ? 1u : 0u;
                why += lines.empty() ? "" : "\n    " + lines.front();
            }
            if (right == 0)
                add(place.lines, place.at, std::string("matches nothing of ") + name + ":" + why);
            else if (right > 1 && name == std::string("oneOf"))
                add(place.lines, place.at, "matches more than one of oneOf");
        }
        if (const json* schema = place.keyword("not");
            schema != nullptr && check(place.value, *schema, place.at, place.depth + 1).empty())
            add(place.lines, place.at, "matches what it must not");
    }

    void needs(const Place& place, const json& names) const {
        for (const json& name : names)
            if (!place.value.contains(name.get<std::string>()))
                add(place.lines, place.at, "lacks " + name.dump());
    }

    void object(const Place& place) const {
        if (const json* names = place.keyword("required"))
            needs(place, *names);
        if (const json* dependent = place.keyword("dependentRequired"))
            for (const auto& [name, names] : dependent->items())
                if (place.value.contains(name))
                    needs(place, names);
        size(place, place.value.size(), "minProperties", "maxProperties");
        const json none = json::object();
        const json* properties = place.keyword("properties");
        const json& known = properties != nullptr ? *properties : none;
        const json* others = place.keyword("additionalProperties");
        const json* naming = place.keyword("propertyNames");
        for (const auto& [name, value] : place.value.items()) {
            const std::string inside = place.at + "/" + escaped(name);
            if (naming != nullptr)
                into(place, name, *naming, inside);
            if (const auto found = known.find(name); found != known.end())
                into(place, value, *found, inside);
            else if (others != nullptr)
                into(place, value, *others, inside);
        }
    }

    void array(const Place& place) const {
        size(place, place.value.size(), "minItems", "maxItems");
        if (const json* items = place.keyword("items"))
            for (std::size_t i = 0; i < place.value.size(); ++i)
                into(place, place.value[i], *items, place.at + "/" + std::to_string(i));
        if (const json* unique = place.keyword("uniqueItems"); unique != nullptr && unique->get<bool>())
            for (auto item = place.value.begin(); item != place.value.end(); ++item)
                if (std::find(place.value.begin(), item, *item) != item)
                    add(place.lines, place.at, "has " + item->dump() + " twice");
    }

    static void string(const Place& place) {
        const std::string text = place.value.get<std::string>();
        size(place, code_points(text), "minLength", "maxLength");
        if (const json* pattern = place.keyword("pattern");
            pattern != nullptr && !matches(text, pattern->get<std::string>()))
            add(place.lines, place.at, place.value.dump() + " does not match " + pattern->get<std::string>());
    }

    static void number(const Place& place) {
        const auto bound = [&](const char* name, const auto& holds) {
            if (const json* limit = place.keyword(name); limit != nullptr && !holds(place.value, *limit))
                add(place.lines, place.at, place.value.dump() + " breaks " + name + " " + limit->dump());
        };
        bound("minimum", std::greater_equal<json>());
        bound("maximum", std::less_equal<json>());
        bound("exclusiveMinimum", std::greater<json>());
        bound("exclusiveMaximum", std::less<json>());
    }

    static void size(const Place& place, std::size_t size, const char* least, const char* most) {
        if (const json* limit = place.keyword(least); limit != nullptr && size < limit->get<std::size_t>())
            add(place.lines, place.at, "shorter than " + std::string(least) + " " + limit->dump());
        if (const json* limit = place.keyword(most); limit != nullptr && size > limit->get<std::size_t>())
            add(place.lines, place.at, "longer than " + std::string(most) + " " + limit->dump());
    }

    const json& root_;
};

} // namespace

JsonSchema::JsonSchema(json schema) : schema_(std::move(schema)) {
    SchemaReader(schema_).read(schema_, "");
}

JsonSchema JsonSchema::read(const std::filesystem::path& file) {
    json schema = json::parse(read_text(file), nullptr, false);
    if (schema.is_discarded())
        throw std::invalid_argument(file.string() + " is not JSON");
    return JsonSchema(std::move(schema));
}

Lines JsonSchema::violations(const json& document) const {
    return Check(schema_).check(document, schema_, "", 0);
}

Lines JsonSchema::violations(const json& document, const std::string& definition) const {
    return Check(schema_).check(document, schema_.at("$defs").at(definition), "", 0);
}

} // namespace holdfast::test
