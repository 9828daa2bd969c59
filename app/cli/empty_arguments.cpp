// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/empty_arguments.hpp"

#include <algorithm>

namespace holdfast::cli {

std::string empty_argument(CLI::App& whole, const std::vector<std::string>& arguments) {
    std::vector<CLI::App*> parsed = whole.get_subcommands();
    parsed.insert(parsed.begin(), &whole);
    for (const CLI::App* app : parsed)
        for (const CLI::Option* option : app->get_options()) {
            const CLI::results_t& given = option->results();
            if (option->get_type_name() != "WORDS" && std::find(given.begin(), given.end(), "") != given.end())
                return option->get_name();
        }
    // The parser would take the next word as the value of "--candidate=".
    for (const std::string& word : arguments) {
        if (word == "--")
            break;
        if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1)
            return word.substr(0, word.size() - 1);
    }
    return "";
}

} // namespace holdfast::cli
