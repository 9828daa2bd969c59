// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.hpp"

#include <memory>
#include <utility>

namespace holdfast::cli {

namespace {

class Help final : public CLI::Formatter {
public:
    /// A positional's name says what it is; its type name is for completions.
    std::string make_option_opts(const CLI::Option* option) const override {
        if (!option->get_positional())
            return CLI::Formatter::make_option_opts(option);
        return option->get_required() ? "" : " (optional)";
    }
};

std::string exit_code_line() {
    std::string text = "Exit codes:";
    for (const Meaning& code : exit_codes())
        text += std::string(&code == &exit_codes().front() ? " " : "; ") + code.name + " " + code.about;
    return text + ".";
}

} // namespace

const std::vector<Meaning>& exit_codes() {
    static const std::vector<Meaning> codes = {
        {"0", "done"},           {"1", "error"},   {"2", "usage or invalid project"},
        {"3", "nothing passed"}, {"4", "refused"}, {"130", "interrupted"}};
    return codes;
}

const std::vector<Meaning>& environment_variables() {
    static const std::vector<Meaning> variables = {
        {"HOLDFAST_CACHE", "The folder for disposable trees: exported sources, builds, pinned inputs. Default: "
                           "$XDG_CACHE_HOME/holdfast or ~/.cache/holdfast; as root /var/tmp/holdfast-0."},
        {"HOLDFAST_LOCK",
         "The file whose lock keeps the measurements of a machine apart. Default: /run/lock/holdfast."},
        {"NO_COLOR", "When set, nothing is coloured."},
    };
    return variables;
}

CommandLine::CommandLine()
    : app_("Holdfast measures proposed performance changes in a sandbox, on workloads their author never saw,\n"
           "and lets nothing reach your branch without your approval.",
           "holdfast") {
    app_.formatter(std::make_shared<Help>());
    app_.footer(exit_code_line() +
                "\nFirst steps: holdfast demo zorder && holdfast -C zorder run && holdfast -C zorder trials");
    app_.set_version_flag("--version", HOLDFAST_VERSION,
                          "Print the version and what this program was built from; with --json as a document");
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.add_option("-C", common_.folder, "The project folder (default: here)")->type_name("DIR");
    add_project_commands(*this);
    add_study_commands(*this);
    add_reading_commands(*this);
    add_review_commands(*this);
    add_house_commands(*this);
}

CLI::App* CommandLine::plain_command(const char* name, const char* about, const char* examples) {
    CLI::App* sub = app_.add_subcommand(name, about);
    sub->footer(std::string("Examples:\n") + examples);
    return sub;
}

CLI::App* CommandLine::command(const char* name, const char* about, const char* examples) {
    CLI::App* sub = plain_command(name, about, examples);
    sub->add_flag("--json", common_.json, "Print one JSON document on standard output");
    return sub;
}

void CommandLine::performs(CLI::App* command, Action action) {
    command->callback([this, action = std::move(action)] { action_ = action; });
}

std::vector<std::string> CommandLine::names() {
    std::vector<std::string> names;
    for (const CLI::App* sub : app_.get_subcommands({}))
        names.push_back(sub->get_name());
    return names;
}

CLI::App* CommandLine::find(const std::string& name) {
    for (CLI::App* sub : app_.get_subcommands({}))
        if (sub->get_name() == name)
            return sub;
    return nullptr;
}

// App::help() would show the command that was parsed.
std::string CommandLine::help() {
    return app_.get_formatter()->make_help(&app_, app_.get_name(), CLI::AppFormatMode::Normal);
}

std::string CommandLine::help(CLI::App& command) {
    return command.get_formatter()->make_help(&command, app_.get_name() + " " + command.get_name(),
                                              CLI::AppFormatMode::Normal);
}

CLI::Option* add_trial_id(CLI::App* command, std::string& id) {
    return command->add_option("ID", id, "A trial's number or id")->type_name("TRIAL")->required();
}

} // namespace holdfast::cli
