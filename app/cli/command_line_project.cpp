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

} // namespace

void add_project_commands(CommandLine& line) {
    line.performs(line.command("validate", "Check the project file and print the decision rule",
                               "  holdfast validate\n  holdfast -C zorder validate --json"),
                  [&line] { return validate(line.common()); });
    add_doctor(line);
    add_demo(line);
}

} // namespace holdfast::cli
