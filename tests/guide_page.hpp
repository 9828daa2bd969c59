// SPDX-License-Identifier: GPL-3.0-or-later
// A page of the documentation that is run as it stands: fenced blocks with a path after the language are files to
// write, blocks of plain "sh" are commands; both in order, in one folder.
#pragma once

#include "tests/command.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::test {

struct PageStep {
    std::string path; ///< of a file to write; "": `text` are commands
    std::string text;
};

/// Throws when a block is not closed.
inline std::vector<PageStep> page_steps(const std::filesystem::path& page) {
    std::vector<PageStep> steps;
    std::string text = read_text(page), fence = "```";
    for (std::size_t at = 0; (at = text.find("\n" + fence, at)) != std::string::npos;) {
        const std::size_t head = at + 1 + fence.size(), body = text.find('\n', head);
        const std::size_t end = body == std::string::npos ? body : text.find("\n" + fence, body);
        if (end == std::string::npos)
            throw std::runtime_error("a block is not closed in " + page.string());
        const std::string words = text.substr(head, body - head);
        const std::size_t blank = words.find(' ');
        if (blank != std::string::npos)
            steps.push_back({words.substr(blank + 1), text.substr(body + 1, end - body)});
        else if (words == "sh")
            steps.push_back({"", text.substr(body + 1, end - body)});
        at = end + 1 + fence.size();
    }
    return steps;
}

/// Takes the steps in `folder`, with the built programs first in PATH and a name for git; stops at a command that
/// fails, whose output and block the result has.
inline Ran run_page(const std::filesystem::path& page, const std::filesystem::path& folder,
                    std::vector<std::string> environment) {
    const std::string path = "PATH=" HOLDFAST_BIN_DIR ":" + std::string(std::getenv("PATH"));
    for (const char* who : {"AUTHOR", "COMMITTER"}) {
        environment.push_back(std::string("GIT_") + who + "_NAME=Pat Page");
        environment.push_back(std::string("GIT_") + who + "_EMAIL=pat@example.org");
    }
    Ran last{0, "", ""};
    for (const PageStep& step : page_steps(page)) {
        if (!step.path.empty()) {
            write_text(folder / step.path, step.text);
            continue;
        }
        Ran ran = run_command({"/usr/bin/env", path, "/bin/sh", "-e", "-c", step.text}, folder, environment);
        last = {ran.code, last.out + ran.out, last.err + ran.err};
        if (ran.code != 0) {
            last.err += "\nin the block:\n" + step.text;
            return last;
        }
    }
    return last;
}

} // namespace holdfast::test
