// SPDX-License-Identifier: GPL-3.0-or-later
// Settings whose change may cost durability or security. They make programs faster, so a tuner finds them: a change is
// never taken for a plain win, a person is told. Recognised by name, not judged: any value but the default counts.
#pragma once

#include "core/project/project.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

std::string_view to_text(Knob::Danger danger); ///< "none", "durability", "security"

/// A recognised setting and what is said of it.
struct DangerousSetting {
    std::string name; ///< as its server writes it: "fsync"
    Knob::Danger danger = Knob::Danger::none;
    std::string cost;  ///< what a weak value costs, in words: "a crash can corrupt the database"
    std::string value; ///< what it is set to, where it was found in a line; not printable() yet
    bool weak = false; ///< `value` is known to promise less than the usual default
};

/// Whose settings a name is looked up in: "save" is one of Redis and of many other programs. Distinct names such as
/// fsync are recognised everywhere, the others elsewhere too when their value is weak: unsure, a person is told.
struct SettingScope {
    bool postgresql = false, redis = false, sqlite = false, mysql = false;
};
/// By what a path, a command or a text names: "redis-server", "conf/postgresql.conf", "PRAGMA".
SettingScope scope_of(std::string_view text);
/// By the commands of the workloads.
SettingScope scope_of(const Project& project);
SettingScope both(SettingScope a, const SettingScope& b); ///< what either names

/// `value`: whether it is weak; may be empty. The name may have '-' for '_', a section before it and any case.
std::optional<DangerousSetting> dangerous_setting(std::string_view name, std::string_view value,
                                                  const SettingScope& scope);

/// What `knob` sets, by the text it passes, its value included (which may be options itself), its key or its name;
/// `value` as the program is given it. A declared danger decides; `none` is an answer too.
std::vector<DangerousSetting> dangerous_settings(const Knob& knob, const Value& value, const SettingScope& scope);
/// The first of them.
std::optional<DangerousSetting> dangerous_setting(const Knob& knob, const Value& value, const SettingScope& scope);

/// The settings that one line of the file `path` sets. In configuration files and scripts every line that is no comment
/// is read; in other texts PRAGMA, SET and CONFIG SET statements, SQLite's compile options, parameters of addresses,
/// and what sets a distinct name to a weak value. `around`: by the rest of the file and the project's commands.
/// `script`: the file starts as a script.
std::vector<DangerousSetting> dangerous_settings(std::string_view path, std::string_view line,
                                                 const SettingScope& around = {}, bool script = false);

} // namespace holdfast
