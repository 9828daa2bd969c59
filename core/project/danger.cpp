// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/danger.hpp"

#include "core/project/danger_settings.hpp"
#include "core/project/knobs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace holdfast {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view quotes = "\"'`";
constexpr std::size_t longest_value = 60;

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

template <std::size_t N> bool among(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

bool owned(const KnownSetting& known, const SettingScope& scope) {
    switch (known.owner) {
    case SettingOwner::any:
        return true;
    case SettingOwner::postgresql:
        return scope.postgresql;
    case SettingOwner::redis:
        return scope.redis;
    case SettingOwner::sqlite:
        return scope.sqlite;
    case SettingOwner::mysql:
        return scope.mysql;
    }
    return false;
}

/// The ways in which `name` may be meant, as the table writes them: "--main.synchronous" is "main_synchronous" or
/// "synchronous"; "-cfsync" may be fsync.
std::vector<std::string> readings(std::string_view name) {
    const bool glued = name.starts_with("-c") || name.starts_with("-D");
    std::vector<std::string> all;
    for (const std::size_t skip : {std::size_t{0}, std::size_t{2}}) {
        if (skip > 0 && !glued)
            break;
        std::string rest = lower(name.substr(skip));
        rest.erase(0, rest.find_first_not_of("-.@"));
        std::replace(rest.begin(), rest.end(), '-', '_');
        for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.', dot + 1))
            all.push_back(rest.substr(dot + 1));
        std::replace(rest.begin(), rest.end(), '.', '_');
        all.push_back(std::move(rest));
    }
    return all;
}

const KnownSetting* known_setting(std::string_view name, const SettingScope& scope) {
    const auto ways = readings(name);
    const auto table = known_settings();
    const auto found = std::find_if(table.begin(), table.end(), [&](const KnownSetting& known) {
        return owned(known, scope) && std::find(ways.begin(), ways.end(), known.name) != ways.end();
    });
    return found == table.end() ? nullptr : &*found;
}

DangerousSetting told(const KnownSetting& known, std::string_view value) {
    const bool weak = !value.empty() && known.weak.find(' ' + lower(value) + ' ') != std::string_view::npos;
    return {std::string(known.name), known.danger, std::string(known.cost), std::string(value), weak};
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Reads the settings out of one line.
class LineScan {
public:
    /// `statements_only`: in a text that is no configuration.
    LineScan(std::string_view line, const SettingScope& scope, bool statements_only)
        : line_(line), scope_(scope), statements_only_(statements_only) {}

    std::vector<DangerousSetting> settings() {
        std::vector<DangerousSetting> all;
        std::string before;
        for (std::size_t at = 0; at < line_.size();) {
            if (!is_name_character(line_[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            while (end < line_.size() && is_name_character(line_[end]))
                ++end;
            const std::string_view word = line_.substr(at, end - at);
            const bool first = before.empty();
            const KnownSetting* known = known_setting(word, scope_);
            if (known != nullptr && is_set(word, end, first, before))
                all.push_back(told(*known, value_after(end, first)));
            before = lower(word);
            at = end;
        }
        return all;
    }

private:
    bool is_set(std::string_view word, std::size_t end, bool first, const std::string& before) const {
        constexpr std::array<std::string_view, 6> statements{"pragma", "set", "local", "session", "global", "persist"};
        if (among(before, statements) || lower(word).find("sqlite_") != std::string::npos)
            return true;
        if (statements_only_)
            return false;
        std::size_t next = end;
        if (next < line_.size() && quotes.find(line_[next]) != std::string_view::npos)
            ++next;
        next = std::min(line_.find_first_not_of(blanks, next), line_.size());
        const bool separated = next < line_.size() && (line_[next] == '=' || line_[next] == ':');
        return first || separated || word.starts_with("--") || lower(word).find("eatmydata") != std::string::npos;
    }

    /// A line that starts with the name has the value up to its end: "save 900 1".
    std::string_view value_after(std::size_t end, bool first) const {
        std::size_t at = end;
        const auto skip = [&](std::string_view set) { at = std::min(line_.find_first_not_of(set, at), line_.size()); };
        if (at < line_.size() && quotes.find(line_[at]) != std::string_view::npos)
            ++at;
        skip(blanks);
        bool separated = false;
        if (at < line_.size() && std::string_view("=:(").find(line_[at]) != std::string_view::npos) {
            separated = true;
            ++at;
        } else if (lower(line_.substr(at, 3)) == "to ") {
            at += 3;
        }
        skip(blanks);
        if (at < line_.size() && quotes.find(line_[at]) != std::string_view::npos) {
            const std::size_t close = std::min(line_.find(line_[at], at + 1), line_.size());
            const std::string_view inside = line_.substr(at + 1, close - at - 1);
            return inside.empty() ? "\"\"" : inside.substr(0, longest_value);
        }
        const std::string_view ends = first && !separated ? ";#" : " \t\r;,\"'`#)]}";
        return trimmed(line_.substr(at, line_.find_first_of(ends, at) - at)).substr(0, longest_value);
    }

    std::string_view line_;
    const SettingScope& scope_;
    bool statements_only_;
};

bool is_configuration(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 24> endings{".conf",  ".cnf",        ".ini",  ".cfg",     ".config", ".toml",
                                                       ".yaml",  ".yml",        ".json", ".jsonc",   ".env",    ".acl",
                                                       ".xml",   ".properties", ".sh",   ".service", ".bash",   ".mk",
                                                       ".cmake", ".nix",        ".tf",   ".ps1",     ".bat",    ".cmd"};
    constexpr std::array<std::string_view, 6> names{"dockerfile", "makefile", "gnumakefile",
                                                    "procfile",   "justfile", "cmakelists.txt"};
    const std::string name = lower(path.filename().string()), ending = lower(path.extension().string());
    const std::string folder = lower(path.parent_path().filename().string());
    return among(ending, endings) || among(name, names) || name.starts_with("dockerfile") || name == ".env" ||
           (ending.empty() && (folder == "conf" || folder == "config" || folder == "etc"));
}

bool is_comment(std::string_view line) {
    return line.empty() || line.starts_with('#') || line.starts_with(';') || line.starts_with("//") ||
           line.starts_with("-- ");
}

SettingScope both(SettingScope a, const SettingScope& b) {
    a.postgresql |= b.postgresql;
    a.redis |= b.redis;
    a.sqlite |= b.sqlite;
    a.mysql |= b.mysql;
    return a;
}

/// What the program is told, as a line of text.
std::string passed_text(const Knob& knob, const Value& value) {
    switch (knob.through) {
    case Knob::Through::argument:
        return expand({knob.target}, {{"value", to_text(value)}}).front();
    case Knob::Through::file:
        return knob.key + " = " + to_text(written_value(knob, value));
    default:
        return knob.target + "=" + to_text(value);
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
    const std::string all = lower(text);
    const auto names = [&all](auto... words) { return ((all.find(words) != std::string::npos) || ...); };
    return {names("postgres", "pg_", "pgdata"), names("redis", "valkey", "config set"), names("sqlite", "pragma"),
            names("mysql", "mariadb", "my.cnf")};
}

SettingScope scope_of(const Project& project) {
    SettingScope scope;
    const auto add = [&scope](const Argv& argv) {
        for (const std::string& word : argv)
            scope = both(scope, scope_of(word));
    };
    for (const Workload& workload : project.workloads) {
        add(workload.run);
        if (workload.server)
            add(workload.server->start);
    }
    return scope;
}

std::optional<DangerousSetting> dangerous_setting(std::string_view name, std::string_view value,
                                                  const SettingScope& scope) {
    const KnownSetting* known = known_setting(name, scope);
    return known == nullptr ? std::nullopt : std::optional(told(*known, value));
}

std::optional<DangerousSetting> dangerous_setting(const Knob& knob, const Value& value, const SettingScope& scope) {
    if (knob.danger == Knob::Danger::none)
        return std::nullopt;
    const std::string given = to_text(value), line = passed_text(knob, value);
    SettingScope wide = both(both(scope, scope_of(knob.target)), scope_of(line));
    if (knob.through == Knob::Through::file) {
        wide.postgresql |= knob.format == ConfigFormat::postgresql;
        wide.redis |= knob.format == ConfigFormat::redis;
    }
    std::optional<DangerousSetting> found;
    if (auto all = LineScan(line, wide, false).settings(); !all.empty())
        found = std::move(all.front());
    else
        found = dangerous_setting(knob.name, given, wide);
    if (!found && knob.danger)
        found = DangerousSetting{knob.name, *knob.danger, "", given, false};
    if (found && knob.danger)
        found->danger = *knob.danger;
    return found;
}

std::vector<DangerousSetting> dangerous_settings(std::string_view path, std::string_view line) {
    const std::filesystem::path file(path);
    const std::string_view text = trimmed(line);
    const bool configuration = is_configuration(file);
    if (configuration && is_comment(text))
        return {};
    if (lower(file.filename().string()) == "pg_hba.conf")
        return {{"pg_hba.conf", Knob::Danger::security, "who may connect depends on it",
                 std::string(text.substr(0, longest_value)), false}};
    return LineScan(text, both(scope_of(path), scope_of(text)), !configuration).settings();
}

} // namespace holdfast
