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

} // namespace

void add_project_commands(CommandLine& line) {
    line.performs(line.command("validate", "Check the project file and print the decision rule",
                               "  holdfast validate\n  holdfast -C zorder validate --json"),
                  [&line] { return validate(line.common()); });
    line.performs(
        line.command("doctor", "Check this machine: isolation, tools, git identity, load", "  holdfast doctor"),
        [&line] { return doctor(line.common()); });
    add_demo(line);
}

} // namespace holdfast::cli
