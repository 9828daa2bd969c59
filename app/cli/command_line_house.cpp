// SPDX-License-Identifier: GPL-3.0-or-later
// Commands about the program itself.
#include "app/cli/command_line.hpp"
#include "app/cli/complete.hpp"
#include "core/project/text.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace holdfast::cli {

namespace {

Result<int> print_help(CommandLine& line, const std::string& name) {
    if (name.empty()) {
        fmt::print("{}", line.help());
        return Exit::done;
    }
    CLI::App* command = line.find(name);
    if (command == nullptr) {
        const std::string near = nearest(name, line.names());
        return invalid("show help", fmt::format("'{}' is no command", printable(name)),
                       near.empty() ? "See: holdfast --help" : "Did you mean " + near + "? See: holdfast --help");
    }
    fmt::print("{}", line.help(*command));
    return Exit::done;
}

void add_gc(CommandLine& line) {
    const auto arguments = std::make_shared<GcArguments>();
    CLI::App* sub = line.command("gc", "Say what the cache folder could do without, and free it; never the history",
                                 "  holdfast gc\n  holdfast gc --yes\n  holdfast gc --keep 2w --yes\n"
                                 "  holdfast gc --history --yes");
    CLI::Option* apply = sub->add_flag("--yes,--apply", arguments->apply, "Free it; no study may be running");
    sub->add_flag_function(
           "--dry-run", [](std::int64_t) {}, "Only say what would be freed: what happens without --yes")
        ->excludes(apply);
    sub->add_option("--keep", arguments->keep, "What is younger than this stays: 0, 90m, 12h, 7d (default), 2w")
        ->type_name("TIME");
    sub->add_flag("--history", arguments->history, "Also compact the project's history; every row stays");
    line.performs(sub, [&line, arguments] { return gc(line.common(), *arguments); });
}

void add_completions(CommandLine& line) {
    const auto shell = std::make_shared<std::string>();
    CLI::App* sub =
        line.plain_command("completions", "Print the completion script of a shell",
                           "  holdfast completions bash > ~/.local/share/bash-completion/completions/holdfast\n"
                           "  source <(holdfast completions zsh)\n"
                           "  holdfast completions fish > ~/.config/fish/completions/holdfast.fish");
    sub->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
    line.performs(sub, [shell]() -> Result<int> {
        std::fputs(completion_script(*shell), stdout);
        return Exit::done;
    });
}

void add_help(CommandLine& line) {
    const auto name = std::make_shared<std::string>();
    CLI::App* sub = line.plain_command("help", "Show what a command does, as COMMAND --help",
                                       "  holdfast help\n  holdfast help run");
    sub->add_option("COMMAND", *name, "Which command; default: all of them in brief")->type_name("COMMAND");
    line.performs(sub, [&line, name] { return print_help(line, *name); });
}

} // namespace

void add_house_commands(CommandLine& line) {
    add_gc(line);
    add_completions(line);
    add_help(line);
}

} // namespace holdfast::cli
