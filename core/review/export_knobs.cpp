// SPDX-License-Identifier: GPL-3.0-or-later
// A configuration in the formats of the programs it is for. Only knobs that a format can bring to its program are in
// its file; the others are named in a comment.
#include "core/project/config_file.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/export_parts.hpp"
#include "core/review/rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace holdfast::review {

namespace {

struct Setting {
    const Knob* knob = nullptr;
    std::string key;
    Value value;
};

struct Settings {
    std::vector<Setting> written;
    std::vector<std::string> left_out; ///< names
};

tl::unexpected<Error> cannot_hold(const Format& format, const Setting& setting, const std::string& found) {
    return invalid(fmt::format("write the knob \"{}\" as {}", setting.knob->name, format.name), found,
                   "Choose another format");
}

std::optional<ConfigFormat> file_format(const Format& format) {
    // A sysctl.d file is what the project file calls "conf".
    return config_format(format.name == "sysctl" ? "conf" : format.name);
}

/// The knob's own key in `format`; nothing when it has none.
std::optional<std::string> own_key(const Knob& knob, const Format& format) {
    if (knob.through == Knob::Through::environment && (format.name == "env" || format.name == "cmake-presets"))
        return knob.target;
    if (knob.through == Knob::Through::cmake && format.name == "cmake-presets")
        return knob.target;
    if (knob.through == Knob::Through::file && file_format(format) == knob.format)
        return knob.key;
    return std::nullopt;
}

/// A setting as an argument names it: key and value of "--work_mem={value}kB", "-c fsync={value}" or
/// "--io-threads {value}". The unit is part of the value: 64MB is not what 64 would be in a file.
Setting named_by_argument(const Format& format, const Knob& knob, const Value& value) {
    Setting setting{&knob, knob.name, value};
    if (knob.through != Knob::Through::argument || (format.name != "postgresql" && format.name != "redis"))
        return setting;
    std::string_view rest = knob.target;
    for (const std::string_view prefix : {"--", "-c ", "-c"})
        if (rest.starts_with(prefix)) {
            rest.remove_prefix(prefix.size());
            break;
        }
    const std::size_t end = rest.find_first_of("= ");
    if (end == std::string_view::npos || end == 0 || rest.substr(0, end).find('{') != std::string_view::npos)
        return setting;
    setting.key = rest.substr(0, end);
    if (format.name == "postgresql")
        std::replace(setting.key.begin(), setting.key.end(), '-', '_');
    if (const std::string written(rest.substr(end + 1)); written != "{value}")
        setting.value = expand({written}, {{"value", holdfast::to_text(value)}}).front();
    return setting;
}

/// With a knob that has a key of its own in the format, only such knobs are for its program. Without one the names are
/// the keys, but a preset has no place for names that nothing reads.
Settings settings_of(const Format& format, const Project& project, const Configuration& configuration) {
    const bool by_name =
        format.name == "env" ||
        (format.name != "cmake-presets" && std::none_of(project.knobs.begin(), project.knobs.end(),
                                                        [&](const Knob& knob) { return own_key(knob, format); }));
    Settings settings;
    for (const Knob& knob : project.knobs) {
        if (!counts(knob, configuration))
            continue;
        const auto key = own_key(knob, format);
        const Value& value = configuration.at(knob.name);
        if (key)
            settings.written.push_back(
                {&knob, *key, knob.through == Knob::Through::file ? written_value(knob, value) : value});
        else if (by_name)
            settings.written.push_back(named_by_argument(format, knob, value));
        else
            settings.left_out.push_back(knob.name);
    }
    return settings;
}

bool one_line(std::string_view text) {
    return text.find_first_of(std::string_view("\n\r\0", 3)) == std::string_view::npos;
}

Result<std::string> env_lines(const Format& format, const Settings& settings) {
    std::string text;
    for (const Setting& setting : settings.written) {
        const std::string value = holdfast::to_text(setting.value);
        if (!one_line(value))
            return cannot_hold(format, setting, "the value has a line break");
        text += fmt::format("{}={}\n", setting.key, shell_quoted(value));
    }
    return text;
}

/// sysctl(8) takes everything after the equals sign, without white space around it.
Result<std::string> sysctl_lines(const Format& format, const Settings& settings) {
    std::string text;
    for (const Setting& setting : settings.written) {
        const std::string value = holdfast::to_text(setting.value);
        if (!one_line(value) || value.empty() || value.find_first_of(" \t") == 0 ||
            value.find_last_of(" \t") == value.size() - 1)
            return cannot_hold(format, setting, "the value is empty, has a line break or white space around it");
        if (setting.key.find_first_of("= \t\r\n") != std::string::npos || setting.key.find_first_of("#;-") == 0)
            return cannot_hold(format, setting, fmt::format("\"{}\" is no key", printable(setting.key)));
        text += fmt::format("{} = {}\n", setting.key, value);
    }
    return text;
}

Value as_written(const Format& format, const Value& value) {
    if (const bool* truth = std::get_if<bool>(&value); truth != nullptr && format.name == "redis")
        return std::string(*truth ? "yes" : "no");
    return value;
}

bool holds_line(const std::string& text, const std::string& line) {
    return text.find("\n" + line) != std::string::npos;
}

Result<std::string> config_lines(const Format& format, const Settings& settings, std::string text) {
    for (const Setting& setting : settings.written) {
        // Here the file is made: a section that a knob's key names has to be opened first.
        if (const std::size_t dot = setting.key.rfind('.'); format.name == "ini" && dot != std::string::npos)
            if (const std::string section = "[" + setting.key.substr(0, dot) + "]\n"; !holds_line(text, section))
                text += section;
        auto next = set_config(*file_format(format), text, setting.key, as_written(format, setting.value));
        if (!next)
            return cannot_hold(format, setting, next.error().found);
        text = std::move(*next);
    }
    return text;
}

/// "$" starts a macro in a preset.
std::string preset_text(const Value& value) {
    std::string text;
    for (const char c : holdfast::to_text(value))
        text += c == '$' ? std::string("${dollar}") : std::string(1, c);
    return text;
}

Result<std::string> presets(const Dossier& dossier, const Settings& settings, const std::string& about) {
    if (settings.written.empty())
        return invalid(fmt::format("export trial {} as cmake-presets", dossier.trial.number),
                       "no knob of the project goes through cmake or the environment", "Choose another format");
    nlohmann::ordered_json preset = {{"name", fmt::format("holdfast-{}", dossier.trial.number)},
                                     {"description", about},
                                     {"cacheVariables", nlohmann::ordered_json::object()},
                                     {"environment", nlohmann::ordered_json::object()}};
    for (const Setting& setting : settings.written) {
        const bool cmake = setting.knob->through == Knob::Through::cmake;
        preset[cmake ? "cacheVariables" : "environment"][setting.key] = preset_text(setting.value);
    }
    const nlohmann::ordered_json document = {{"version", 3}, {"configurePresets", {preset}}};
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace

Result<std::string> knob_file(const Format& format, const Dossier& dossier) {
    const std::string attempted = fmt::format("export trial {} as {}", dossier.trial.number, format.name);
    if (!dossier.project)
        return failed(attempted, printable(dossier.change_error), "Run `holdfast audit`");
    if (dossier.project->knobs.empty())
        return invalid(attempted, "the project has no knobs", "Export the patch with: --format patch");
    const auto configuration = configuration_from_json(*dossier.project, dossier.trial.configuration_json);
    if (!configuration)
        return tl::unexpected(configuration.error());
    const Settings settings = settings_of(format, *dossier.project, *configuration);
    std::vector<std::string> about{fmt::format("Trial {} of {}, evidence {}.", dossier.trial.number,
                                               printable(dossier.project->name),
                                               printable(dossier.verdict.evidence_digest))};
    for (const Flag& flag : danger_flags(*dossier.project, dossier.trial.configuration_json, ""))
        about.push_back(fmt::format("! {}. {}", flag.name, flag.evidence));
    if (!settings.left_out.empty())
        about.push_back(fmt::format("Not in here: {}.", fmt::join(settings.left_out, ", ")));
    if (!dossier.trial.patch.empty())
        about.emplace_back("The trial also has a patch, which is not in here.");
    if (format.name == "cmake-presets")
        return presets(dossier, settings, fmt::format("{}", fmt::join(about, " ")));
    std::string header;
    for (const std::string& line : about)
        header += "# " + line + "\n";
    if (format.name != "env" && format.name != "sysctl")
        return config_lines(format, settings, header);
    auto lines = format.name == "env" ? env_lines(format, settings) : sysctl_lines(format, settings);
    if (!lines)
        return lines;
    return header + *lines;
}

} // namespace holdfast::review
