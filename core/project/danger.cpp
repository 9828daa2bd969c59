// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/danger.hpp"

#include "core/project/danger_code.hpp"
#include "core/project/danger_scan.hpp"
#include "core/project/knobs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace holdfast {

namespace {

template <std::size_t N> bool among(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_configuration(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 24> endings{".conf",  ".cnf",        ".ini",  ".cfg",     ".config", ".toml",
                                                       ".yaml",  ".yml",        ".json", ".jsonc",   ".env",    ".acl",
                                                       ".xml",   ".properties", ".sh",   ".service", ".bash",   ".mk",
                                                       ".cmake", ".nix",        ".tf",   ".ps1",     ".bat",    ".cmd"};
    constexpr std::array<std::string_view, 6> names{"dockerfile", "makefile", "gnumakefile",
                                                    "procfile",   "justfile", "cmakelists.txt"};
    const std::string name = lower_case(path.filename().string()), ending = lower_case(path.extension().string());
    const std::string folder = lower_case(path.parent_path().filename().string());
    return among(ending, endings) || among(name, names) || name.starts_with("dockerfile") || name == ".env" ||
           (ending.empty() && (folder == "conf" || folder == "config" || folder == "etc"));
}

bool is_comment(std::string_view line, bool configuration) {
    return line.empty() || line.starts_with("//") || line.starts_with("-- ") ||
           (configuration && (line.starts_with('#') || line.starts_with(';')));
}

/// What the program is told, as a line of text.
std::string passed_text(const Knob& knob, const Value& value) {
    const auto seen = [](const Value& given) {
        const std::string text = to_text(given);
        return text.empty() ? "\"\"" : text;
    };
    switch (knob.through) {
    case Knob::Through::argument:
        return expand({knob.target}, {{"value", seen(value)}}).front();
    case Knob::Through::file:
        return knob.key + " = " + seen(written_value(knob, value));
    default:
        return knob.target + "=" + seen(value);
    }
}

} // namespace

std::string_view to_text(Knob::Danger danger) {
    switch (danger) {
    case Knob::Danger::durability:
        return "durability";
    case Knob::Danger::security:
        return "security";
    case Knob::Danger::none:
        break;
    }
    return "none";
}

SettingScope scope_of(std::string_view text) {
    const std::string all = lower_case(text);
    const auto names = [&all](auto... words) { return ((all.find(words) != std::string::npos) || ...); };
    return {names("postgres", "pg_", "pgdata"), names("redis", "valkey", "config set"), names("sqlite", "pragma"),
            names("mysql", "mariadb", "my.cnf")};
}

SettingScope both(SettingScope a, const SettingScope& b) {
    a.postgresql |= b.postgresql;
    a.redis |= b.redis;
    a.sqlite |= b.sqlite;
    a.mysql |= b.mysql;
    return a;
}

SettingScope scope_of(const Project& project) {
    SettingScope scope;
    const auto add = [&scope](const Argv& argv) {
        for (const std::string& word : argv)
            scope = both(scope, scope_of(word));
    };
    for (const Workload& workload : project.workloads) {
        for (const Argv* argv : {&workload.generate, &workload.prepare, &workload.run})
            add(*argv);
        if (workload.server)
            for (const Argv* argv : {&workload.server->start, &workload.server->ready, &workload.server->stop})
                add(*argv);
    }
    return scope;
}

std::vector<DangerousSetting> dangerous_settings(const Knob& knob, const Value& value, const SettingScope& scope) {
    if (knob.danger == Knob::Danger::none)
        return {};
    const std::string given = to_text(value), line = passed_text(knob, value);
    SettingScope wide = both(both(scope, scope_of(knob.target)), scope_of(line));
    if (knob.through == Knob::Through::file) {
        wide.postgresql |= knob.format == ConfigFormat::postgresql;
        wide.redis |= knob.format == ConfigFormat::redis;
    }
    auto all = scan_line(line, wide, false);
    if (all.empty())
        if (auto named = dangerous_setting(knob.name, given.empty() ? "\"\"" : given, wide))
            all.push_back(std::move(*named));
    if (all.empty() && knob.danger)
        all.push_back({knob.name, *knob.danger, "", given, false});
    if (knob.danger)
        for (DangerousSetting& setting : all)
            setting.danger = *knob.danger;
    return all;
}

std::optional<DangerousSetting> dangerous_setting(const Knob& knob, const Value& value, const SettingScope& scope) {
    auto all = dangerous_settings(knob, value, scope);
    return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

std::vector<DangerousSetting> dangerous_settings(std::string_view path, std::string_view line,
                                                 const SettingScope& around, bool script) {
    const std::filesystem::path file(path);
    const std::string_view text = trimmed(line);
    const bool configuration = script || is_configuration(file);
    if (is_comment(text, configuration))
        return {};
    if (lower_case(file.filename().string()) == "pg_hba.conf")
        return {{"pg_hba.conf", Knob::Danger::security, "who may connect depends on it",
                 std::string(text.substr(0, longest_setting_value)), false}};
    auto all = scan_line(text, both(around, both(scope_of(path), scope_of(text))), !configuration);
    if (is_unlogged(text))
        all.push_back({"unlogged table", Knob::Danger::durability, "a crash empties the table", "", true});
    return all;
}

} // namespace holdfast
