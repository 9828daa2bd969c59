// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments in, exit code out: parse, perform, report.
#include "app/cli/command_line.hpp"
#include "app/cli/complete.hpp"
#include "app/cli/empty_arguments.hpp"
#include "app/cli/man_page.hpp"
#include "app/cli/output.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace {

using namespace holdfast;
using namespace holdfast::cli;

int report(const Error& error, const Common& common) {
    std::fflush(stdout);
    fmt::print(stderr, "holdfast: {}\n", error.message());
    if (common.json)
        print_document({{"schema", "holdfast/error/1"},
                        {"kind", kind_text(error.kind)},
                        {"attempted", printable(error.attempted)},
                        {"found", printable(error.found, false)},
                        {"remedy", printable(error.remedy)}});
    return exit_code(error.kind);
}

/// The command's exit code. Nothing below throws on purpose; a library that does must neither end in a core dump nor
/// leave a script without its document.
int perform(const Action& action, const Common& common) {
    int code = Exit::error;
    try {
        auto result = action();
        code = result ? *result : report(result.error(), common);
    } catch (const std::exception& error) {
        code = report({Error::Kind::failed, "finish", std::string("something unexpected happened: ") + error.what(),
                       report_defect},
                      common);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        fmt::print(stderr, "holdfast: standard output could not be written whole.\n");
        return Exit::error;
    }
    return code;
}

/// The command's name as given: the first word that is no option nor -C's folder.
const char* first_word(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "-C")
            ++i;
        else if (argv[i][0] != '-')
            return argv[i];
    }
    return nullptr;
}

bool wants_document(int argc, char** argv) {
    return std::find(argv + 1, argv + argc, std::string_view("--json")) != argv + argc;
}

/// A command line that is wrong may not have told yet that it wants documents.
int misused(CommandLine& line, std::string found, int argc, char** argv) {
    std::string remedy = "See: holdfast --help";
    const std::vector<std::string> commands = line.names();
    if (const char* word = first_word(argc, argv);
        word != nullptr && std::find(commands.begin(), commands.end(), word) == commands.end()) {
        found = "'" + printable(word) + "' is no command";
        const std::string near = nearest(word, commands);
        if (!near.empty())
            remedy = "Did you mean " + near + "? See: holdfast --help";
    } else if (word != nullptr)
        remedy = fmt::format("See: holdfast {} --help", word);
    fmt::print(stderr, "holdfast: Cannot read the command line: {}. {}\n", printable(found), remedy);
    if (wants_document(argc, argv))
        print_document({{"schema", "holdfast/error/1"},
                        {"kind", kind_text(Error::Kind::invalid)},
                        {"attempted", "read the command line"},
                        {"found", printable(found, false)},
                        {"remedy", remedy}});
    return Exit::usage;
}

/// What the shells' completion scripts and the build ask for; no part of the description. Empty: no such word.
Action hidden(CommandLine& line, const std::string& word, std::vector<std::string> words) {
    const auto print = [](const std::string& text) -> Result<int> {
        std::fputs(text.c_str(), stdout);
        return Exit::done;
    };
    if (word == "__complete")
        return [&line, words, print] { return print(to_lines(complete(line, words))); };
    if (word == "__man")
        return [&line, words, print]() -> Result<int> {
            const auto page = words.empty() ? Result<std::string>(fmt::format("{}\n", fmt::join(man_pages(line), "\n")))
                                            : man_page(line, words.front());
            return page ? print(*page) : Result<int>(tl::unexpected(page.error()));
        };
    return {};
}

int start(int argc, char** argv) {
    CommandLine line;
    if (argc > 1 && std::string_view(argv[1]).starts_with("__"))
        if (const Action action = hidden(line, argv[1], {argv + 2, argv + argc}))
            return perform(action, line.common());
    std::string fault;
    try {
        line.app().parse(argc, argv);
    } catch (const CLI::CallForVersion&) {
        Common common;
        common.json = wants_document(argc, argv);
        return perform([&] { return version(common); }, common);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) { // --help
            line.app().exit(error);
            return Exit::done;
        }
        fault = error.what();
    }
    if (const std::string name = empty_argument(line.app(), {argv + 1, argv + argc}); !name.empty())
        fault = name + " is empty";
    if (!fault.empty())
        return misused(line, fault, argc, argv);
    return perform(line.action(), line.common());
}

} // namespace

int main(int argc, char** argv) {
    try {
        return start(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "holdfast: Cannot read the command line: something unexpected happened: {}. {}\n",
                   holdfast::printable(error.what()), holdfast::report_defect);
        return holdfast::cli::Exit::error;
    }
}
