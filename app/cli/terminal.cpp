// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace holdfast::cli {

Result<Terminal> Terminal::open(const std::string& attempted) {
    const char* remedy = "Do it at a terminal, or in the desktop: nothing is approved without a person.";
    if (::isatty(STDIN_FILENO) != 1)
        return refused(attempted, "standard input is not a terminal", remedy);
    const int descriptor = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    std::FILE* file = descriptor < 0 ? nullptr : ::fdopen(descriptor, "r+");
    if (file == nullptr) {
        if (descriptor >= 0)
            ::close(descriptor);
        return refused(attempted, "this process has no terminal of its own", remedy);
    }
    // What was typed, or pasted, before the question was on the screen is no answer to it.
    ::tcflush(descriptor, TCIFLUSH);
    return Terminal(file);
}

void Terminal::say(const std::string& text) {
    std::fflush(stdout);
    std::fputs((text + "\n").c_str(), file_.get());
    std::fflush(file_.get());
}

Result<std::string> Terminal::ask(const std::string& question) {
    std::fputs((question + " ").c_str(), file_.get());
    std::fflush(file_.get());
    std::string line;
    for (int c = 0; (c = std::fgetc(file_.get())) != '\n';) {
        if (c == EOF)
            return tl::unexpected(Error{Error::Kind::interrupted, "read your answer", "the input ended", ""});
        line += static_cast<char>(c);
    }
    std::fseek(file_.get(), 0, SEEK_CUR); // between reading and writing, as the C library wants it
    const auto begin = line.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

} // namespace holdfast::cli
