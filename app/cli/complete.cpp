// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/complete.hpp"

#include "app/common/demo.hpp"
#include "app/common/places.hpp"
#include "core/project/text.hpp"
#include "core/review/exports.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>

namespace holdfast::cli {

namespace {

using Words = std::vector<Completion>;

Words trial_words(const std::filesystem::path& folder) {
    // Nobody waits long for a suggestion.
    const auto store = db::SqliteStore::open(app::history_file(folder), db::SqliteStore::Mode::read,
                                             {std::chrono::milliseconds(200), {}, true});
    const auto trials = store ? (*store)->trials() : Result<std::vector<study::TrialRecord>>();
    Words words;
    for (const study::TrialRecord& trial : trials.value_or(std::vector<study::TrialRecord>()))
        if (trial.search_json.empty() || !trial.result_tree.empty()) // not what the search only looked at
            words.push_back({std::to_string(trial.number), fmt::format("{}, {}", trial.tuner, to_text(trial.state))});
    return words;
}

Words workload_words(const std::filesystem::path& folder) {
    Words words;
    if (const auto project = load_project(folder))
        for (const Workload& workload : project->workloads)
            words.push_back({workload.name, workload.role == Role::tuning ? "tuning" : "held-out"});
    return words;
}

/// Names of knobs, with '=' after them when `assign`; the values of one whose name and '=' are typed already.
Words knob_words(const std::filesystem::path& folder, const std::string& typed, bool assign) {
    Words words;
    const auto project = load_project(folder);
    if (!project)
        return words;
    for (const Knob& knob : project->knobs)
        if (typed.starts_with(knob.name + "=")) {
            const std::vector<std::string> booleans{"true", "false"};
            for (const std::string& value : knob.type == Knob::Type::boolean ? booleans : knob.values)
                words.push_back({knob.name + "=" + value, ""});
        } else
            words.push_back({knob.name + (assign ? "=" : ""), fmt::format("default {}", to_text(knob.default_value))});
    return words;
}

Words branch_words(const std::filesystem::path& folder) {
    Words words;
    const auto repository = git::Repository::open(folder);
    const auto names = repository ? repository->branches("") : Result<std::vector<std::string>>();
    for (const std::string& name : names.value_or(std::vector<std::string>()))
        words.push_back({name, ""});
    return words;
}

Words format_words() {
    Words words;
    for (const review::Format& format : review::formats())
        words.push_back({std::string(format.name), std::string(format.about)});
    return words;
}

Words demo_words() {
    Words words;
    const std::filesystem::path resources = app::resources_folder();
    if (const auto demos = app::list_demos(resources))
        for (const app::DemoInfo& demo : *demos)
            words.push_back({demo.name, demo.about});
    return words;
}

Words command_words(CLI::App& app) {
    Words words;
    for (const CLI::App* sub : app.get_subcommands({}))
        words.push_back({sub->get_name(), sub->get_description()});
    return words;
}

/// The words of a CLI::IsMember check, which its option's type name shows: "TEXT:{bash,zsh,fish}".
Words choices_in(const std::string& type) {
    Words words;
    const std::size_t begin = type.find('{'), end = type.rfind('}');
    if (begin == std::string::npos || end == std::string::npos)
        return words;
    for (const std::string& choice : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ','))
        words.push_back({choice, ""});
    return words;
}

/// What the words say so far.
struct Typed {
    CLI::App* command = nullptr;          ///< null: none yet
    const CLI::Option* option = nullptr;  ///< its value comes next
    std::vector<const CLI::Option*> used; ///< options given
    std::size_t positionals = 0;          ///< given to the command
    bool only_positionals = false;        ///< after "--"
    std::string folder = ".";             ///< -C
};

const CLI::Option* find_option(CLI::App& app, const CLI::App* command, const std::string& name) {
    const CLI::Option* option = command == nullptr ? nullptr : command->get_option_no_throw(name);
    return option != nullptr ? option : static_cast<const CLI::App&>(app).get_option_no_throw(name);
}

bool takes_value(const CLI::Option* option) {
    return option->get_type_size_max() > 0;
}

void read_option(Typed& typed, CLI::App& app, const std::string& word) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = find_option(app, typed.command, word.substr(0, equals));
    if (option == nullptr)
        return;
    typed.used.push_back(option);
    if (takes_value(option) && equals == std::string::npos)
        typed.option = option;
}

Typed read_words(CommandLine& line, const std::vector<std::string>& words) {
    Typed typed;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (typed.option != nullptr) {
            if (typed.option->check_name("-C"))
                typed.folder = word;
            typed.option = nullptr;
        } else if (word == "--")
            typed.only_positionals = true;
        else if (word.starts_with("-") && word != "-" && !typed.only_positionals)
            read_option(typed, line.app(), word);
        else if (typed.command == nullptr)
            typed.command = line.find(word);
        else
            ++typed.positionals;
    }
    return typed;
}

/// What `option` takes. `before`: what of the word comes before the value, such as "--format=".
Completions values_of(CLI::App& app, const CLI::Option& option, const std::string& folder, std::string before,
                      std::string value) {
    const std::string type = option.get_type_name();
    if (type == "FILE" || type == "DIR")
        return {type == "FILE" ? Completions::Kind::files : Completions::Kind::folders, {}};
    if (const char delimiter = option.get_delimiter(); delimiter != '\0')
        if (const std::size_t last = value.rfind(delimiter); last != std::string::npos) {
            before += value.substr(0, last + 1);
            value.erase(0, last + 1);
        }
    const std::map<std::string, std::function<Words()>> known = {
        {"TRIAL", [&] { return trial_words(folder); }},
        {"WORKLOAD", [&] { return workload_words(folder); }},
        {"KNOB", [&] { return knob_words(folder, value, false); }},
        {"KNOB=VALUE", [&] { return knob_words(folder, value, true); }},
        {"REVISION", [&] { return branch_words(folder); }},
        {"FORMAT", [] { return format_words(); }},
        {"TUNER",
         [] {
             return Words{{"local", ""}, {"random", ""}, {"patch", "the queue only"}};
         }},
        {"DEMO", [] { return demo_words(); }},
        {"COMMAND", [&] { return command_words(app); }},
    };
    Completions result;
    const auto source = known.find(type);
    result.words = source == known.end() ? choices_in(type) : source->second();
    for (Completion& word : result.words)
        word.text.insert(0, before);
    if (type == "KNOB=VALUE" && value.find('=') == std::string::npos)
        result.kind = Completions::Kind::unfinished;
    return result;
}

Words option_words(CLI::App& app, const Typed& typed) {
    Words words;
    for (CLI::App* of : {typed.command, &app}) {
        if (of == nullptr)
            continue;
        for (const CLI::Option* option : static_cast<const CLI::App*>(of)->get_options()) {
            const bool given = std::find(typed.used.begin(), typed.used.end(), option) != typed.used.end();
            const bool again = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
            if (!option->nonpositional() || (given && !again))
                continue;
            const std::string name =
                option->get_lnames().empty() ? "-" + option->get_snames().front() : "--" + option->get_lnames().front();
            if (std::none_of(words.begin(), words.end(), [&](const Completion& word) { return word.text == name; }))
                words.push_back({name, option->get_description()});
        }
    }
    return words;
}

/// The command's positional that comes after `given` ones; the last one may take several.
const CLI::Option* positional(const CLI::App& command, std::size_t given) {
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional()) {
            if (given == 0 || option->get_items_expected_max() > 1)
                return option;
            --given;
        }
    return nullptr;
}

/// Only what begins as typed, and nothing that a line cannot hold.
void sift(Completions& completions, const std::string& typed) {
    std::erase_if(completions.words, [&](const Completion& word) {
        return !word.text.starts_with(typed) || printable(word.text) != word.text;
    });
    for (Completion& word : completions.words)
        word.about = printable(word.about.substr(0, word.about.find('\n')));
}

} // namespace

Completions complete(CommandLine& line, const std::vector<std::string>& words) {
    CLI::App& app = line.app();
    const std::string current = words.empty() ? "" : words.back();
    const Typed typed = read_words(line, words);
    const std::size_t equals = current.starts_with("--") ? current.find('=') : std::string::npos;
    Completions result;
    if (typed.option != nullptr)
        result = values_of(app, *typed.option, typed.folder, "", current);
    else if (equals != std::string::npos) {
        if (const CLI::Option* option = find_option(app, typed.command, current.substr(0, equals)))
            result = values_of(app, *option, typed.folder, current.substr(0, equals + 1), current.substr(equals + 1));
    } else if (current.starts_with("-") && !typed.only_positionals)
        result.words = option_words(app, typed);
    else if (typed.command == nullptr)
        result.words = command_words(app);
    else if (const CLI::Option* option = positional(*typed.command, typed.positionals))
        result = values_of(app, *option, typed.folder, "", current);
    sift(result, current);
    return result;
}

std::string to_lines(const Completions& completions) {
    static constexpr const char* kinds[] = {"words", "unfinished", "files", "folders"};
    std::string text = std::string(kinds[static_cast<int>(completions.kind)]) + "\n";
    for (const Completion& word : completions.words)
        text += word.text + (word.about.empty() ? "" : "\t" + word.about) + "\n";
    return text;
}

} // namespace holdfast::cli
