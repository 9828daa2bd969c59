// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate changes at durability and security, by its knobs and by the lines of its patch.
#include "core/git/patch_parse.hpp"
#include "core/project/danger.hpp"
#include "core/project/danger_code.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace holdfast::review {

namespace {

constexpr std::size_t longest_line = 200; // bytes

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
        const std::string place = fmt::format("The knob {}: {} → {}", knob.name, text_of(before), text_of(after));
        const auto set = after ? dangerous_settings(knob, *after, scope) : std::vector<DangerousSetting>();
        const auto was = before ? dangerous_settings(knob, *before, scope) : std::vector<DangerousSetting>();
        for (const DangerousSetting& setting : set)
            add(flags, setting, "= " + setting.value, place);
        for (DangerousSetting lost : was) {
            lost.weak = false; // of the value that went
            if (std::none_of(set.begin(), set.end(), [&](const auto& each) { return each.name == lost.name; }))
                add(flags, lost, "removed", place);
        }
    }
}

/// A line of one side of a file, with the section that the line before it opens.
struct Line {
    std::string_view text;
    std::string section; ///< "journal." below "journal:", else ""
};

/// What changes in a file, by side.
struct ChangedFile {
    std::string path;
    std::vector<Line> added, removed;
    SettingScope scope; ///< by all that is seen of the file
    bool script = false;
};

/// Collects the lines of a file in their order; `Kind` is that of a hunk's or a diff's line.
class ChangedLines {
public:
    ChangedLines(std::string path, const SettingScope& scope) { file_.path = std::move(path), file_.scope = scope; }

    template <class Kind> void take(Kind kind, std::string_view text) {
        file_.scope = both(file_.scope, scope_of(text));
        file_.script |= text.starts_with("#!");
        if (kind != Kind::removed)
            keep(text, added_section_, kind == Kind::added ? &file_.added : nullptr);
        if (kind != Kind::added)
            keep(text, removed_section_, kind == Kind::removed ? &file_.removed : nullptr);
    }

    ChangedFile take_file() { return std::move(file_); }

private:
    static void keep(std::string_view text, std::string& section, std::vector<Line>* lines) {
        if (lines != nullptr)
            lines->push_back({text, section});
        const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
        const bool opens = first != std::string_view::npos && text[last] == ':' && last > first;
        section = opens ? std::string(text.substr(first, last - first)) + "." : "";
        if (section.find_first_of(" \"'(){}<>") != std::string::npos)
            section.clear();
    }

    ChangedFile file_;
    std::string added_section_, removed_section_;
};

struct ChangedSetting {
    DangerousSetting setting;
    std::string line;
};

std::vector<ChangedSetting> changed_settings(const ChangedFile& file, const std::vector<Line>& lines) {
    std::vector<ChangedSetting> all;
    for (const Line& line : lines) {
        std::string text(line.text);
        if (!line.section.empty())
            text.insert(std::min(text.find_first_not_of(" \t"), text.size()), line.section);
        for (DangerousSetting& setting : dangerous_settings(file.path, text, file.scope, file.script))
            all.push_back({std::move(setting), std::string(line.text.substr(0, longest_line))});
    }
    return all;
}

bool has(const std::vector<ChangedSetting>& all, const DangerousSetting& setting, bool same_value) {
    return std::any_of(all.begin(), all.end(), [&](const ChangedSetting& each) {
        return each.setting.name == setting.name && (!same_value || each.setting.value == setting.value);
    });
}

/// A line that only moved within its file says nothing.
void add_settings(std::vector<Flag>& flags, const ChangedFile& file) {
    const auto added = changed_settings(file, file.added), removed = changed_settings(file, file.removed);
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

/// The calls of each name: how many there are, and the line of the first.
std::map<std::string, std::pair<std::size_t, std::string_view>> calls_of(const ChangedFile& file,
                                                                         const std::vector<Line>& lines) {
    std::map<std::string, std::pair<std::size_t, std::string_view>> calls;
    for (const Line& line : lines)
        for (const std::string& call : sync_calls(file.path, line.text))
            if (++calls[call].first == 1)
                calls[call].second = line.text.substr(0, longest_line);
    return calls;
}

/// Fewer calls than before that wait for the disk; one that moves, or is replaced by another, is none fewer.
void add_lost_calls(std::vector<Flag>& flags, const ChangedFile& file) {
    const auto added = calls_of(file, file.added), removed = calls_of(file, file.removed);
    std::size_t gained = 0, lost = 0;
    for (const auto& [name, call] : added)
        gained += call.first;
    for (const auto& [name, call] : removed)
        lost += call.first;
    if (lost <= gained)
        return;
    for (const auto& [name, call] : removed)
        if (const auto kept = added.find(name); kept == added.end() || kept->second.first < call.first)
            add(flags,
                {name, Knob::Danger::durability, "a crash of the machine loses what the program took for written", "",
                 false},
                "removed", fmt::format("{} loses the line `{}`", file.path, call.second));
}

void add_file(std::vector<Flag>& flags, const ChangedFile& file) {
    add_settings(flags, file);
    add_lost_calls(flags, file);
}

} // namespace

std::vector<Flag> danger_flags(const Project& project, const std::string& configuration_json,
                               const std::string& patch) {
    std::vector<Flag> flags;
    if (const auto configuration = configuration_from_json(project, configuration_json))
        add_knobs(flags, project, *configuration);
    if (patch.empty())
        return flags;
    const auto files = git::parse_patch(patch);
    if (!files)
        return flags; // what does not parse was refused
    for (const git::FilePatch& file : *files) {
        ChangedLines lines(file.path, scope_of(project));
        for (const git::Hunk& hunk : file.hunks)
            for (const git::HunkLine& line : hunk.lines)
                lines.take(line.kind, line.text);
        add_file(flags, lines.take_file());
    }
    return flags;
}

std::vector<Flag> danger_flags(const Project& project, const std::vector<git::DiffFile>& files) {
    std::vector<Flag> flags;
    for (const git::DiffFile& file : files) {
        ChangedLines lines(file.path, scope_of(project));
        for (const git::DiffHunk& hunk : file.hunks)
            for (const git::DiffLine& line : hunk.lines)
                lines.take(line.kind, line.text);
        add_file(flags, lines.take_file());
    }
    return flags;
}

bool is_danger(const std::string& flag) {
    return flag.starts_with("durability: ") || flag.starts_with("security: ");
}

std::string danger_words(const std::vector<std::string>& flags) {
    std::string text;
    for (const std::string& flag : flags)
        if (is_danger(flag))
            text += (text.empty() ? "! " : "; ") + printable(flag);
    return text;
}

} // namespace holdfast::review
