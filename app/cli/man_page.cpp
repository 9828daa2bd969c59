// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/man_page.hpp"

#include <fmt/format.h>
#include <sstream>

namespace holdfast::cli {

namespace {

/// Text as it is, on a line of its own or within one.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool starts_line = out.empty() || out.back() == '\n';
        if (starts_line && (c == '.' || c == '\''))
            out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-"; // a hyphen could not be pasted into a shell
        else if (c == '~')
            out += "\\(ti";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '\'' && !starts_line)
            out += "\\(aq";
        else if (c == '`')
            out += "\\(ga";
        else
            out += c;
    }
    return out;
}

std::string heading(const std::string& title) {
    return ".SH " + title + "\n";
}

std::string upper(std::string text) {
    for (char& c : text)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string first_lines(const std::string& page, const std::string& about) {
    return fmt::format(".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n.TH {} 1 \"\" \"holdfast {}\" \"Holdfast\"\n",
                       upper(roff(page)), HOLDFAST_VERSION) +
           heading("NAME") + roff(page) + " \\- " + roff(about) + "\n";
}

/// "--set KNOB=VALUE" in the fonts of manual pages.
std::string option_words(const CLI::Option& option) {
    if (option.get_positional())
        return "\\fI" + roff(option.get_name(true)) + "\\fR";
    std::string words;
    for (const std::string& name : option.get_snames())
        words += (words.empty() ? "\\fB" : ", \\fB") + roff("-" + name) + "\\fR";
    for (const std::string& name : option.get_lnames())
        words += (words.empty() ? "\\fB" : ", \\fB") + roff("--" + name) + "\\fR";
    if (option.get_type_size_max() > 0)
        words += " \\fI" + roff(option.get_type_name()) + "\\fR";
    return words;
}

std::string options_of(const CLI::App& app, const std::string& title) {
    std::string text;
    for (const CLI::Option* option : app.get_options())
        text += ".TP\n" + option_words(*option) + "\n" + roff(option->get_description()) +
                (option->get_required() && !option->get_positional() ? " (required)" : "") + "\n";
    return text.empty() ? "" : heading(title) + text;
}

std::string synopsis_of(const CLI::App& command) {
    std::string text = heading("SYNOPSIS") + "\\fBholdfast " + roff(command.get_name()) + "\\fR [\\fIoptions\\fR]";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional())
            continue;
        const std::string name = "\\fI" + roff(option->get_name(true)) + "\\fR";
        text += option->get_required() ? " " + name : " [" + name + "]";
        if (option->get_items_expected_max() > 1)
            text += " ...";
    }
    return text + "\n";
}

/// A footer's sections: a line that ends with a colon is a heading, what is indented below stays as it is.
std::string footer_of(const CLI::App& command) {
    std::istringstream lines(command.get_footer());
    std::string text, line;
    bool open = false;
    while (std::getline(lines, line)) {
        if (line.empty())
            continue;
        const bool title = line.front() != ' ';
        if (title && open)
            text += ".fi\n";
        if (title)
            text += heading(upper(roff(line.substr(0, line.find_last_not_of(':') + 1)))) + ".nf\n";
        else
            text += roff(line) + "\n";
        open = true;
    }
    return text + (open ? ".fi\n" : "");
}

std::string meanings(const std::string& title, const std::vector<Meaning>& rows) {
    std::string text = heading(title);
    for (const Meaning& row : rows)
        text += ".TP\n\\fB" + roff(row.name) + "\\fR\n" + roff(row.about) + "\n";
    return text;
}

std::string main_page(CommandLine& line) {
    CLI::App& app = line.app();
    std::string text = first_lines("holdfast", "measured performance changes that a person approves");
    text += heading("SYNOPSIS") + "\\fBholdfast\\fR [\\fB\\-C\\fR \\fIDIR\\fR] \\fICOMMAND\\fR [\\fIarguments\\fR]\n";
    text += heading("DESCRIPTION") + roff(app.get_description()) + "\n";
    text += options_of(app, "OPTIONS") + heading("COMMANDS");
    for (const CLI::App* command : app.get_subcommands({}))
        text +=
            ".TP\n\\fBholdfast\\-" + roff(command->get_name()) + "\\fR(1)\n" + roff(command->get_description()) + "\n";
    return text + meanings("EXIT STATUS", exit_codes()) + meanings("ENVIRONMENT", environment_variables());
}

std::string command_page(CLI::App& command) {
    return first_lines("holdfast-" + command.get_name(), command.get_description()) + synopsis_of(command) +
           options_of(command, "OPTIONS") + footer_of(command) + meanings("EXIT STATUS", exit_codes()) +
           heading("SEE ALSO") + "\\fBholdfast\\fR(1)\n";
}

} // namespace

std::vector<std::string> man_pages(CommandLine& line) {
    std::vector<std::string> names{"holdfast"};
    for (const std::string& command : line.names())
        names.push_back("holdfast-" + command);
    return names;
}

Result<std::string> man_page(CommandLine& line, const std::string& name) {
    if (name == "holdfast")
        return main_page(line);
    CLI::App* command = name.starts_with("holdfast-") ? line.find(name.substr(9)) : nullptr;
    if (command == nullptr)
        return invalid("write a manual page", "there is none of that name", "See the names with: holdfast __man");
    return command_page(*command);
}

} // namespace holdfast::cli
