// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/danger_scan.hpp"

#include "core/project/danger_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace holdfast {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view quotes = "\"'`";

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
    case SettingOwner::many:
        break;
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
        std::string rest = lower_case(name.substr(skip));
        rest.erase(0, rest.find_first_not_of("-.@_"));
        std::replace(rest.begin(), rest.end(), '-', '_');
        std::string flat = rest;
        std::replace(flat.begin(), flat.end(), '.', '_');
        for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.', dot + 1))
            all.push_back(flat.substr(dot + 1));
        all.push_back(std::move(flat));
    }
    return all;
}

const KnownSetting* known_setting(std::string_view name) {
    // The parameters of a Go driver's address have short forms, which mean something only there.
    if (name == "_sync")
        name = "synchronous";
    else if (name == "_journal")
        name = "journal_mode";
    else if (name == "_fk")
        name = "foreign_keys";
    const auto ways = readings(name);
    const auto table = known_settings();
    const auto found = std::find_if(table.begin(), table.end(), [&](const KnownSetting& known) {
        return std::find(ways.begin(), ways.end(), known.name) != ways.end();
    });
    return found == table.end() ? nullptr : &*found;
}

bool is_weak(const KnownSetting& known, std::string_view value) {
    constexpr std::string_view in_memory = "/dev/shm";
    if (value.starts_with(in_memory))
        value = in_memory; // and what is below it
    return !value.empty() && known.weak.find(' ' + lower_case(value) + ' ') != std::string_view::npos;
}

/// A name that many programs have counts elsewhere too when its value promises less.
std::optional<DangerousSetting> told(const KnownSetting& known, std::string_view value, const SettingScope& scope) {
    const bool weak = is_weak(known, value);
    if (!weak && !owned(known, scope))
        return std::nullopt;
    return DangerousSetting{std::string(known.name), known.danger, std::string(known.cost), std::string(value), weak};
}

struct Word {
    std::string_view text;
    std::size_t end = 0;
    bool first = false;     ///< of its line
    bool quoted = false;    ///< a quote is before it
    bool parameter = false; ///< of an address: after '?' or '&'
};

/// Reads the settings out of one line.
class LineScan {
public:
    LineScan(std::string_view line, const SettingScope& scope, bool statements_only)
        : line_(line), scope_(scope), statements_only_(statements_only),
          pragma_(lower_case(line).find("pragma") != std::string::npos) {}

    std::vector<DangerousSetting> settings() {
        std::vector<DangerousSetting> all;
        std::vector<std::string> before;
        for (std::size_t at = 0; at < line_.size();) {
            if (!is_name_character(line_[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            while (end < line_.size() && is_name_character(line_[end]))
                ++end;
            const char left = at > 0 ? line_[at - 1] : ' ';
            const Word word{line_.substr(at, end - at), end, before.empty(),
                            quotes.find(left) != std::string_view::npos, left == '?' || left == '&'};
            if (const KnownSetting* known = known_setting(word.text))
                if (auto found = told(*known, value_after(word), scope_);
                    found && is_set(*known, word, found->weak, before.empty() ? "" : before.back()))
                    all.push_back(std::move(*found));
            before.push_back(word.text == "-F" ? std::string(word.text) : lower_case(word.text));
            at = end;
        }
        if (without_fsync(before))
            all.push_back(*told(*known_setting("fsync"), "off", scope_));
        return all;
    }

private:
    /// The character after the word, its closing quote and blanks; '\0' at the end.
    char next_of(const Word& word) const {
        std::size_t next = word.end;
        if (next < line_.size() && quotes.find(line_[next]) != std::string_view::npos)
            ++next;
        next = line_.find_first_not_of(blanks, next);
        return next == std::string_view::npos ? '\0' : line_[next];
    }

    bool is_set(const KnownSetting& known, const Word& word, bool weak, const std::string& before) const {
        constexpr std::array<std::string_view, 6> statements{"pragma", "set", "local", "session", "global", "persist"};
        if (std::find(statements.begin(), statements.end(), before) != statements.end() || word.parameter ||
            lower_case(word.text).find("sqlite_") != std::string::npos)
            return true;
        const char next = next_of(word);
        const bool separated = next == '=' || next == ':', listed = word.quoted && next == ',';
        if (word.quoted && pragma_ && (separated || listed))
            return true;
        const bool distinct = known.owner == SettingOwner::any || known.owner == SettingOwner::many;
        if (statements_only_) // there any name may be a variable's
            return weak && ((word.quoted && (separated || listed)) || (separated && distinct));
        return word.first || separated || listed || word.text.starts_with("--") ||
               known.name.find("eatmydata") != std::string_view::npos;
    }

    /// PostgreSQL's option -F; other programs have one too.
    bool without_fsync(const std::vector<std::string>& words) const {
        constexpr std::array<std::string_view, 3> servers{"postgres", "postmaster", "pg_ctl"};
        constexpr std::array<std::string_view, 13> others{"psql", "pg_dump", "pg_restore", "pg_basebackup", "awk",
                                                          "gawk", "mawk",    "grep",       "curl",          "ssh",
                                                          "ls",   "tail",    "less"};
        const auto holds = [&](const auto& names) {
            return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
                return std::find(names.begin(), names.end(), word) != names.end();
            });
        };
        return std::find(words.begin(), words.end(), "-F") != words.end() && !holds(others) &&
               (holds(servers) || (!statements_only_ && scope_.postgresql));
    }

    /// A line that starts with the name has the value up to its end: "save 900 1".
    std::string_view value_after(const Word& word) const {
        std::size_t at = word.end;
        const auto skip = [&](std::string_view set) { at = std::min(line_.find_first_not_of(set, at), line_.size()); };
        if (at < line_.size() && quotes.find(line_[at]) != std::string_view::npos)
            ++at;
        skip(blanks);
        bool separated = false;
        const std::string_view separators = word.quoted ? "=:(," : "=:(";
        if (at < line_.size() && separators.find(line_[at]) != std::string_view::npos) {
            separated = true;
            ++at;
        } else if (lower_case(line_.substr(at, 3)) == "to ") {
            at += 3;
        }
        skip(" \t\r\\"); // a quote may be escaped
        if (at < line_.size() && quotes.find(line_[at]) != std::string_view::npos) {
            const std::size_t close = std::min(line_.find(line_[at], at + 1), line_.size());
            const std::string_view inside = line_.substr(at + 1, close - at - 1);
            return inside.empty() || inside == "\\" ? "\"\"" : inside.substr(0, longest_setting_value);
        }
        const std::string_view ends = word.first && !separated ? ";#" : " \t\r;,\"'`#)]}&";
        return trimmed(line_.substr(at, line_.find_first_of(ends, at) - at)).substr(0, longest_setting_value);
    }

    std::string_view line_;
    const SettingScope& scope_;
    bool statements_only_, pragma_;
};

} // namespace

std::string lower_case(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<DangerousSetting> scan_line(std::string_view line, const SettingScope& scope, bool statements_only) {
    return LineScan(line, scope, statements_only).settings();
}

std::optional<DangerousSetting> dangerous_setting(std::string_view name, std::string_view value,
                                                  const SettingScope& scope) {
    const KnownSetting* known = known_setting(name);
    return known == nullptr ? std::nullopt : told(*known, value, scope);
}

} // namespace holdfast
