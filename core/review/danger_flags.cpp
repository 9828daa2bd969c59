// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate changes at durability and security, by its knobs and by the lines of its patch.
#include "core/git/patch_parse.hpp"
#include "core/project/danger.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace holdfast::review {

namespace {

/// `place`: where it is changed, in words.
void add(std::vector<Flag>& flags, const DangerousSetting& setting, const std::string& state,
         const std::string& place) {
    const std::string name = printable(fmt::format("{}: {} {}", to_text(setting.danger), setting.name, state));
    if (std::any_of(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; }))
        return;
    std::string judgement = fmt::format("The project file declares that it touches {}.", to_text(setting.danger));
    if (!setting.cost.empty())
        judgement = (setting.weak ? "Weaker than usual: " : "Judge it; of a weak value: ") + setting.cost + ".";
    flags.push_back({name, printable(place) + ". " + judgement});
}

/// As its program is given it; nothing when the knob is omitted.
std::optional<Value> passed(const Knob& knob, const Configuration& configuration) {
    return counts(knob, configuration) ? std::optional(configuration.at(knob.name)) : std::nullopt;
}

std::string text_of(const std::optional<Value>& value) {
    return value ? holdfast::to_text(*value) : "not given";
}

void add_knobs(std::vector<Flag>& flags, const Project& project, const Configuration& configuration) {
    const SettingScope scope = scope_of(project);
    const Configuration defaults = project.defaults();
    for (const Knob& knob : project.knobs) {
        const auto before = passed(knob, defaults), after = passed(knob, configuration);
        if (before == after)
            continue;
        const auto setting = after ? dangerous_setting(knob, *after, scope) : std::nullopt;
        const std::string place = fmt::format("The knob {}: {} → {}", knob.name, text_of(before), text_of(after));
        if (setting)
            add(flags, *setting, "= " + setting->value, place);
        else if (const auto lost = before ? dangerous_setting(knob, *before, scope) : std::nullopt)
            add(flags, *lost, "removed", place);
    }
}

struct ChangedSetting {
    DangerousSetting setting;
    std::string line;
};

std::vector<ChangedSetting> changed_settings(const git::FilePatch& file, git::HunkLine::Kind kind) {
    std::vector<ChangedSetting> all;
    for (const git::Hunk& hunk : file.hunks)
        for (const git::HunkLine& line : hunk.lines)
            if (line.kind == kind)
                for (DangerousSetting& setting : dangerous_settings(file.path, line.text))
                    all.push_back({std::move(setting), std::string(line.text.substr(0, 200))});
    return all;
}

bool has(const std::vector<ChangedSetting>& all, const DangerousSetting& setting, bool same_value) {
    return std::any_of(all.begin(), all.end(), [&](const ChangedSetting& each) {
        return each.setting.name == setting.name && (!same_value || each.setting.value == setting.value);
    });
}

/// A line that only moved within its file says nothing.
void add_lines(std::vector<Flag>& flags, const git::FilePatch& file) {
    const auto added = changed_settings(file, git::HunkLine::Kind::added);
    const auto removed = changed_settings(file, git::HunkLine::Kind::removed);
    for (const ChangedSetting& each : added)
        if (!has(removed, each.setting, true))
            add(flags, each.setting, each.setting.value.empty() ? "set" : "= " + each.setting.value,
                fmt::format("{} gets the line `{}`", file.path, each.line));
    for (ChangedSetting each : removed) {
        each.setting.weak = false; // of the value that went
        if (!has(added, each.setting, false))
            add(flags, each.setting, "removed", fmt::format("{} loses the line `{}`", file.path, each.line));
    }
}

} // namespace

std::vector<Flag> danger_flags(const Project& project, const std::string& configuration_json,
                               const std::string& patch) {
    std::vector<Flag> flags;
    if (const auto configuration = configuration_from_json(project, configuration_json))
        add_knobs(flags, project, *configuration);
    if (!patch.empty())
        if (const auto files = git::parse_patch(patch)) // what does not parse was refused
            for (const git::FilePatch& file : *files)
                add_lines(flags, file);
    return flags;
}

} // namespace holdfast::review
