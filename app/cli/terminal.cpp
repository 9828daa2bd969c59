// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace holdfast::cli {

Result<Terminal> Terminal::open(const std::string& attempted) {
    const char* remedy = "Do it at a terminal, or in the desktop: nothing is approved without a person.";
    if (::isatty(STDIN_FILENO) != 1)
        return refused(attempted, "standard input is not a terminal", remedy);
    git::Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (terminal.number() < 0)
        return refused(attempted, "this process has no terminal of its own", remedy);
    // What was typed, or pasted, before the question was on the screen is no answer to it.
    ::tcflush(terminal.number(), TCIFLUSH);
    return Terminal(std::move(terminal));
}

void Terminal::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(terminal_.number(), text.data(), text.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return; // a terminal that is gone answers nothing either: ask() tells
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

void Terminal::say(const std::string& text) {
    std::fflush(stdout);
    write(text + "\n");
}

Result<std::string> Terminal::ask(const std::string& question) {
    write(question + " ");
    std::string line;
    for (char c = 0;;) {
        const ssize_t count = ::read(terminal_.number(), &c, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return tl::unexpected(Error{Error::Kind::interrupted, "read your answer", "the input ended", ""});
        if (c == '\n')
            break;
        line += c;
    }
    const auto begin = line.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

} // namespace holdfast::cli
