// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.hpp"

#include <utility>

namespace holdfast::cli {

CommandLine::CommandLine()
    : app_("Holdfast measures proposed performance changes in a sandbox, on workloads their author never saw,\n"
           "and lets nothing reach your branch without your approval.",
           "holdfast") {
    app_.footer(
        "Exit codes: 0 done; 1 error; 2 usage or invalid project; 3 nothing passed; 4 refused; 130 interrupted.\n"
        "First steps: holdfast demo zorder && holdfast -C zorder run && holdfast -C zorder trials");
    app_.set_version_flag("--version", std::string("holdfast ") + HOLDFAST_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.add_option("-C", common_.folder, "The project folder (default: here)");
    add_project_commands(*this);
    add_study_commands(*this);
    add_reading_commands(*this);
    add_review_commands(*this);
}

CLI::App* CommandLine::command(const char* name, const char* about, const char* examples) {
    CLI::App* sub = app_.add_subcommand(name, about);
    sub->footer(std::string("Examples:\n") + examples);
    sub->add_flag("--json", common_.json, "Print one JSON document on standard output");
    return sub;
}

void CommandLine::performs(CLI::App* command, Action action) {
    command->callback([this, action = std::move(action)] { action_ = action; });
}

} // namespace holdfast::cli
