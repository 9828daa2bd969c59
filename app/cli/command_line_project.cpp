// SPDX-License-Identifier: GPL-3.0-or-later
// Commands about the project and the machine.
#include "app/cli/command_line.hpp"

#include <memory>

namespace holdfast::cli {

namespace {

void add_demo(CommandLine& line) {
    const auto arguments = std::make_shared<DemoArguments>();
    CLI::App* sub = line.command("demo", "Make a bundled example a real project; without NAME list them",
                                 "  holdfast demo\n  holdfast demo zorder\n  holdfast demo zorder-code ~/tryout");
    sub->add_option("NAME", arguments->name, "Which example")->type_name("DEMO");
    sub->add_option("DIR", arguments->folder, "Where; default: a new folder NAME here")->type_name("DIR");
    line.performs(sub, [&line, arguments] { return demo(line.common(), *arguments); });
}

void add_doctor(CommandLine& line) {
    const auto profile = std::make_shared<bool>(false);
    CLI::App* sub = line.command("doctor", "Check this machine: the sandbox, tools, what makes measurements noisy",
                                 "  holdfast doctor\n  holdfast doctor --profile | sudo tee /etc/apparmor.d/bwrap");
    sub->add_flag("--profile", *profile,
                  "Print the AppArmor profile that lets bubblewrap make user namespaces, and how to load it");
    line.performs(sub, [&line, profile] { return doctor(line.common(), *profile); });
}

void add_init(CommandLine& line) {
    const auto arguments = std::make_shared<InitArguments>();
    CLI::App* sub =
        line.command("init", "Write a commented holdfast.json from what is in the folder and at most five answers",
                     "  holdfast init\n  holdfast init ~/mytool --dry-run\n  holdfast init --yes --try\n"
                     "  holdfast init --for postgresql");
    sub->add_option("DIR", arguments->folder, "The folder of the program; default: here")->type_name("DIR");
    sub->add_flag("--yes", arguments->yes, "Ask nothing: take what is proposed");
    sub->add_option("--for", arguments->server, "Tune this server: its own settings become the knobs")
        ->check(CLI::IsMember({"postgresql", "redis", "sqlite"}));
    sub->add_flag("--force", arguments->force, "Replace the project file and the held-out workloads");
    sub->add_flag("--dry-run", arguments->dry_run, "Show what would be written and write nothing");
    sub->add_flag("--try", arguments->try_once, "With --yes: run the program twice in the sandbox");
    line.performs(sub, [&line, arguments] { return init(line.common(), *arguments); });
}

} // namespace

void add_project_commands(CommandLine& line) {
    add_init(line);
    line.performs(line.command("validate", "Check the project file and print the decision rule",
                               "  holdfast validate\n  holdfast -C zorder validate --json"),
                  [&line] { return validate(line.common()); });
    add_doctor(line);
    add_demo(line);
}

} // namespace holdfast::cli
