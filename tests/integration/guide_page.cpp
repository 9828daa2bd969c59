// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/guide_page.hpp"

#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

namespace holdfast::test {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// The words of a line; every number is the same word, with or without a sign (also the typographic one).
std::vector<std::string> words_of(const std::string& line) {
    static const std::regex number("(\xE2\x88\x92|[-+])?[0-9]+([.,][0-9]+)*");
    std::istringstream stream(std::regex_replace(line, number, "0"));
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

bool has_words(const std::string& line, const std::vector<std::string>& expected) {
    auto next = expected.begin();
    for (const std::string& word : words_of(line))
        if (next != expected.end() && word == *next)
            ++next;
    return next == expected.end();
}

/// The folder a page is executed in, and what its commands find there.
class Execution {
public:
    /// What it printed, on both streams, or the fault.
    std::optional<std::string> run(const Block& block, std::string& printed) {
        // Blank lines before, so that bash counts as the page does.
        const fs::path script = beside_.path() / "block", failed = beside_.path() / "failed";
        write_text(script, "trap 'echo \"$LINENO\" > " + failed.string() + "' ERR" +
                               std::string(static_cast<std::size_t>(block.line) - 1, '\n') + block.text);
        fs::remove(failed);
        const Ran ran = run_command({"bash", "-e", script.string()}, folder_.path(), environment());
        printed = ran.out + ran.err;
        if (ran.code == 0)
            return std::nullopt;
        const std::string line = ScratchRepository::first_line(read_text(failed));
        return (line.empty() ? std::to_string(block.line) : line) + ": exit " + std::to_string(ran.code) + "\n" +
               printed;
    }
    void write(const Block& block) const { write_text(folder_.path() / block.path, block.text); }

private:
    std::vector<std::string> environment() const {
        return {std::string("PATH=") + HOLDFAST_BIN_DIR + ":" + std::getenv("PATH"),
                "HOLDFAST_LOCK=" + (beside_.path() / "machine").string(),
                "GIT_AUTHOR_NAME=A Reader",
                "GIT_AUTHOR_EMAIL=reader@example.org",
                "GIT_COMMITTER_NAME=A Reader",
                "GIT_COMMITTER_EMAIL=reader@example.org"};
    }
    ScratchFolder folder_, beside_;
};

std::optional<std::string> execute(const std::vector<Block>& blocks) {
    Execution execution;
    std::string printed;
    for (const Block& block : blocks) {
        const bool after_commands =
            block.follows && &block != blocks.data() && (&block - 1)->language == "sh" && (&block - 1)->path.empty();
        if (!block.path.empty()) {
            execution.write(block);
        } else if (block.language == "sh") {
            if (auto fault = execution.run(block, printed))
                return fault;
        } else if (block.language == "text" && after_commands) {
            if (const auto line = missing_line(block.text, printed))
                return std::to_string(block.line) + ": not printed: " + *line + "\n" + printed;
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<Block> blocks_of(const std::string& page) {
    static const std::regex opening("```([A-Za-z]*)(?: ([^ ]+))?");
    std::vector<Block> blocks;
    bool inside = false, text_between = false;
    int number = 0;
    for (const std::string& line : lines_of(page)) {
        ++number;
        std::smatch match;
        if (inside && line == "```") {
            inside = text_between = false;
        } else if (inside) {
            blocks.back().text += line + '\n';
        } else if (std::regex_match(line, match, opening)) {
            inside = true;
            blocks.push_back({number + 1, match[1], match[2], "", !text_between});
        } else if (!line.empty()) {
            text_between = true;
        }
    }
    return blocks;
}

std::optional<std::string> missing_line(const std::string& expected, const std::string& output) {
    const std::vector<std::string> lines = lines_of(output);
    auto from = lines.begin();
    for (const std::string& line : lines_of(expected)) {
        if (line == "...")
            continue;
        const auto found = std::find_if(from, lines.end(), [words = words_of(line)](const std::string& printed) {
            return has_words(printed, words);
        });
        if (found == lines.end())
            return line;
        from = found + 1;
    }
    return std::nullopt;
}

std::optional<std::string> fault_of(const fs::path& page) {
    const std::vector<Block> blocks = blocks_of(read_text(page));
    const std::string name = page.filename().string() + ":";
    if (std::none_of(blocks.begin(), blocks.end(),
                     [](const Block& block) { return block.language == "sh" && block.path.empty(); }))
        return name + "1: no sh block: nothing shows that the page is true";
    if (const auto fault = execute(blocks))
        return name + *fault;
    return std::nullopt;
}

} // namespace holdfast::test
