// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/config_file.hpp"

#include "core/project/config_outline.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace holdfast {

namespace {

constexpr std::array<std::pair<std::string_view, ConfigFormat>, 8> formats{{{"ini", ConfigFormat::ini},
                                                                            {"conf", ConfigFormat::conf},
                                                                            {"json", ConfigFormat::json},
                                                                            {"yaml", ConfigFormat::yaml},
                                                                            {"toml", ConfigFormat::toml},
                                                                            {"postgresql", ConfigFormat::postgresql},
                                                                            {"redis", ConfigFormat::redis},
                                                                            {"template", ConfigFormat::text}}};

/// Directives that add up, take several values or read another file.
bool takes_no_value(ConfigFormat format, std::string_view key) {
    constexpr std::array<std::string_view, 3> postgresql{"include", "include_if_exists", "include_dir"};
    constexpr std::array<std::string_view, 7> redis{
        "save", "client-output-buffer-limit", "include", "loadmodule", "rename-command", "user", "bind"};
    if (format == ConfigFormat::postgresql)
        return std::find(postgresql.begin(), postgresql.end(), key) != postgresql.end();
    return format == ConfigFormat::redis && std::find(redis.begin(), redis.end(), key) != redis.end();
}

Result<config::Found> find_outlined(ConfigFormat format, std::string_view text, std::string_view key) {
    const auto outline = format == ConfigFormat::yaml   ? config::outline_yaml(text)
                         : format == ConfigFormat::toml ? config::outline_toml(text)
                                                        : config::outline_lines(format, text);
    if (!outline)
        return tl::unexpected(outline.error());
    switch (format) {
    case ConfigFormat::yaml:
        return config::locate(text, *outline, key, {false, false, false, ": "});
    case ConfigFormat::postgresql:
        return config::locate(text, *outline, key, {true, true, true, " = "});
    case ConfigFormat::redis:
        return config::locate(text, *outline, key, {true, false, true, " "});
    case ConfigFormat::conf:
        return config::locate(text, *outline, key, {false, false, true, " = "});
    default:
        return config::locate(text, *outline, key, {false, false, false, " = "});
    }
}

Result<config::Found> find(ConfigFormat format, std::string_view text, std::string_view key) {
    if (key.empty() || printable(key) != key)
        return failed("find the key", "it is empty or has control characters", "Correct the key");
    if (text.find('\0') != std::string_view::npos)
        return failed("find the key", "the file is binary", "Name a text file");
    if (takes_no_value(format, key))
        return failed("find the key", "it takes several values or stands several times, so setting it is ambiguous",
                      "Choose another key, or mark the place for the format \"template\"");
    if (format == ConfigFormat::json)
        return config::find_json(text, key);
    return format == ConfigFormat::text ? config::find_marked(text, key) : find_outlined(format, text, key);
}

/// `error` of a part as the error of the whole.
tl::unexpected<Error> as(std::string attempted, const Error& error) {
    return failed(std::move(attempted), error.found, error.remedy);
}

} // namespace

std::optional<ConfigFormat> config_format(std::string_view word) {
    const auto found =
        std::find_if(formats.begin(), formats.end(), [&](const auto& each) { return each.first == word; });
    return found == formats.end() ? std::nullopt : std::optional(found->second);
}

std::string_view to_text(ConfigFormat format) {
    return std::find_if(formats.begin(), formats.end(), [&](const auto& each) { return each.second == format; })->first;
}

std::vector<std::string_view> config_format_words() {
    std::vector<std::string_view> words;
    for (const auto& [word, format] : formats)
        words.push_back(word);
    return words;
}

Result<std::optional<std::string>> get_config(ConfigFormat format, std::string_view text, std::string_view key) {
    const auto found = find(format, text, key);
    if (!found)
        return as(fmt::format("read the key \"{}\"", printable(key)), found.error());
    if (!found->present)
        return std::nullopt;
    return config::decoded(format, text.substr(found->begin, found->end - found->begin));
}

Result<std::string> set_config(ConfigFormat format, std::string_view text, std::string_view key, const Value& value) {
    const std::string attempted = fmt::format("set the key \"{}\" to {}", printable(key), printable(to_text(value)));
    const auto found = find(format, text, key);
    if (!found)
        return as(attempted, found.error());
    if (found->absent)
        return failed(attempted, *found->absent, "Add the key to the file with its default, or correct the key");
    const std::string_view written = text.substr(found->begin, found->end - found->begin);
    const std::string present = config::decoded(format, written);
    if (found->present && config::says(present, value))
        return std::string(text);
    const bool number = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
    if (found->present && number && config::has_unit(present))
        return failed(
            attempted,
            fmt::format("its value {} has a unit, so a bare number could mean something else", printable(present)),
            "Give the knob's \"through\" a \"value\" such as \"{value}MB\", or write the file's value without a unit");
    auto fresh = config::encoded(format, value, found->present ? written : found->sample);
    if (!fresh)
        return as(attempted, fresh.error());
    if (found->present && written.empty()) {
        // YAML's "key:" needs a space before a value, and a comment one behind it.
        const bool comment =
            found->end < text.size() && std::string_view(" \t\r\n").find(text[found->end]) == std::string_view::npos;
        *fresh = (format == ConfigFormat::yaml ? " " : "") + *fresh + (comment ? " " : "");
    }
    std::string result(text);
    result.replace(found->begin, written.size(), found->before + *fresh + found->after);
    // What cannot be read back as what was meant would be measured as something else.
    const auto back = get_config(format, result, key);
    if (!back || !*back || !config::says(**back, value))
        return failed(attempted, fmt::format("a {} file cannot hold this value in that place", to_text(format)),
                      "Choose another value, or mark the place for the format \"template\"");
    return result;
}

} // namespace holdfast
