// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/value.hpp"

#include <charconv>

namespace holdfast {

namespace {

template <class Number> std::string shortest(Number number) {
    char buffer[32]; // the longest double takes 24 characters, the longest 64-bit integer 20
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, number);
    return {buffer, result.ptr};
}

struct ToText {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return shortest(value); }
    std::string operator()(double value) const { return shortest(value); }
    std::string operator()(const std::string& value) const { return value; }
};

} // namespace

std::string to_text(const Value& value) {
    return std::visit(ToText(), value);
}

std::string to_text(const Configuration& configuration) {
    std::string text;
    for (const auto& [name, value] : configuration) {
        if (!text.empty())
            text += ' ';
        text += name + '=' + to_text(value);
    }
    return text;
}

} // namespace holdfast
