// SPDX-License-Identifier: GPL-3.0-or-later
// A person at a terminal, asked and answering there whatever is redirected. It proves no human: a program of the same
// user can own a terminal too. It keeps pipes, scripts and sandboxed agents out.
#pragma once

#include "core/git/files.hpp"
#include "core/project/error.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace holdfast::cli {

class Terminal {
public:
    /// Refused when standard input is no terminal or the process has none. `attempted`: what the person wants.
    static Result<Terminal> open(const std::string& attempted);

    void say(const std::string& text);
    /// The line typed after `question`, without blanks around it. Interrupted at the end of input.
    Result<std::string> ask(const std::string& question);

private:
    void write(std::string_view text);
    explicit Terminal(git::Descriptor terminal) : terminal_(std::move(terminal)) {}
    git::Descriptor terminal_;
};

} // namespace holdfast::cli
