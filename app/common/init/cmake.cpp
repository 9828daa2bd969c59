// SPDX-License-Identifier: GPL-3.0-or-later
// CMakeLists.txt read as a list of commands; variables that are set to plain texts are replaced, conditions are
// ignored.
#include "app/common/init/found.hpp"
#include "app/common/init/words.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace holdfast::app::init {

namespace {

constexpr std::size_t most_lists = 50; ///< CMakeLists.txt files looked into

struct Command {
    std::string name; ///< lower case
    std::vector<std::string> words;
};

/// The commands of one CMakeLists.txt.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Command> run() {
        std::vector<Command> commands;
        while (skip_blank()) {
            const std::string name = identifier();
            if (name.empty()) {
                ++at_;
                continue;
            }
            if (skip_blank() && text_[at_] == '(')
                commands.push_back({lower_case(name), arguments()});
        }
        return commands;
    }

private:
    /// Whether something is left after blanks and comments.
    bool skip_blank() {
        while (at_ < text_.size()) {
            if (text_[at_] == '#') {
                const bool block = text_.substr(at_ + 1, 2) == "[[";
                const auto end = text_.find(block ? "]]" : "\n", at_);
                at_ = end == std::string_view::npos ? text_.size() : end + (block ? 2 : 1);
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                ++at_;
            } else {
                return true;
            }
        }
        return false;
    }
    std::string identifier() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }
    std::vector<std::string> arguments() {
        std::vector<std::string> words;
        int depth = 1;
        ++at_;
        while (skip_blank()) {
            const char c = text_[at_];
            if (c == '(' || c == ')') {
                ++at_;
                depth += c == '(' ? 1 : -1;
                if (depth == 0)
                    break;
            } else {
                words.push_back(c == '"' ? quoted() : plain());
            }
        }
        return words;
    }
    std::string quoted() {
        std::string word;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size())
                ++at_;
            word += text_[at_];
        }
        ++at_;
        return word;
    }
    std::string plain() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && std::string_view(" \t\r\n()#\"").find(text_[at_]) == std::string_view::npos)
            ++at_;
        if (at_ == begin)
            ++at_; // a quote that no argument begins with
        return std::string(text_.substr(begin, at_ - begin));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

class Reading {
public:
    explicit Reading(const Seen& seen) : seen_(seen) {}

    std::optional<Found> run() {
        if (seen_.file("CMakeLists.txt") == nullptr)
            return std::nullopt;
        found_.kind = "CMake";
        found_.file = "CMakeLists.txt";
        read("");
        finish();
        return std::move(found_);
    }

private:
    void read(const std::string& folder) {
        const std::string file = (folder.empty() ? "" : folder + "/") + "CMakeLists.txt";
        if (seen_.file(file) == nullptr || !visited_.insert(file).second || visited_.size() > most_lists)
            return;
        const std::string text = seen_.text(file);
        all_ += text;
        for (Command& command : Lexer(text).run()) {
            for (std::string& word : command.words) {
                word = expanded(word, folder);
                if (word.starts_with("$<TARGET_FILE:") && word.ends_with('>'))
                    word = word.substr(14, word.size() - 15);
            }
            interpret(command, folder);
        }
    }

    std::string expanded(const std::string& word, const std::string& folder) const {
        std::string result;
        std::size_t at = 0;
        for (int steps = 0; steps < 20; ++steps) {
            const auto open = word.find("${", at);
            const auto close = open == std::string::npos ? open : word.find('}', open);
            if (close == std::string::npos)
                break;
            result += word.substr(at, open - at) + variable(word.substr(open + 2, close - open - 2), folder);
            at = close + 1;
        }
        return result + word.substr(at);
    }

    std::string variable(const std::string& name, const std::string& folder) const {
        const std::string below = folder.empty() ? "" : "/" + folder;
        if (name == "CMAKE_SOURCE_DIR" || name == "PROJECT_SOURCE_DIR")
            return ".";
        if (name == "CMAKE_CURRENT_SOURCE_DIR" || name == "CMAKE_CURRENT_LIST_DIR")
            return "." + below;
        if (name == "CMAKE_BINARY_DIR" || name == "PROJECT_BINARY_DIR")
            return "{build}";
        if (name == "CMAKE_CURRENT_BINARY_DIR")
            return "{build}" + below;
        if (name == "PROJECT_NAME" || name == "CMAKE_PROJECT_NAME")
            return found_.name;
        const auto set = variables_.find(name);
        return set == variables_.end() ? "${" + name + "}" : set->second;
    }

    void interpret(const Command& command, const std::string& folder) {
        const auto& words = command.words;
        if (words.empty())
            return;
        if (command.name == "project") {
            if (found_.name.empty())
                found_.name = words[0];
            const auto has = [&](const char* word) {
                return std::find(words.begin(), words.end(), word) != words.end();
            };
            // Without a list a project speaks C and C++.
            cxx_ = cxx_ || has("CXX") || !has("C");
        } else if (command.name == "set" && words.size() >= 2) {
            variables_[words[0]] = words[1];
        } else if (command.name == "add_subdirectory") {
            read(folder.empty() ? words[0] : folder + "/" + words[0]);
        } else if (command.name == "add_executable") {
            add_executable(words, folder);
        } else if (command.name == "add_test") {
            add_test(words);
        } else if (command.name == "target_link_libraries") {
            for (const std::string& word : words)
                if (word.starts_with("benchmark::") || word == "benchmark")
                    google_.insert(words[0]);
        } else if (command.name == "find_package" && words[0] == "OpenMP") {
            all_ += "\nomp.h\n";
        }
    }

    void add_executable(const std::vector<std::string>& words, const std::string& folder) {
        const std::string& name = words[0];
        if (name.find('$') != std::string::npos || words.size() < 2 || words[1] == "IMPORTED" || words[1] == "ALIAS")
            return;
        Runnable program;
        program.name = name;
        const auto place = variables_.find("CMAKE_RUNTIME_OUTPUT_DIRECTORY");
        std::string where = "{build}" + (folder.empty() ? "" : "/" + folder);
        if (place != variables_.end() && place->second.starts_with("{build}"))
            where = place->second;
        program.argv = {where + "/" + name};
        for (std::size_t i = 1; i < words.size(); ++i) {
            std::string source = words[i].starts_with("./") ? words[i].substr(2) : words[i];
            if (seen_.file(source) == nullptr && !folder.empty())
                source = folder + "/" + source;
            if (seen_.file(source) == nullptr)
                continue;
            if (const std::string text = seen_.text(source); program.source.empty() && has_word(text, "main"))
                program.source = source;
            sources_ += seen_.text(source).substr(0, 20'000);
        }
        const std::string lower = lower_case(name);
        program.benchmark = lower.find("bench") != std::string::npos || lower.find("perf") != std::string::npos;
        program.test = !program.benchmark && lower.find("test") != std::string::npos;
        found_.programs.push_back(std::move(program));
    }

    void add_test(const std::vector<std::string>& words) {
        const auto command = std::find(words.begin(), words.end(), "COMMAND");
        tests_ = true;
        if (command == words.end()) {
            if (words.size() >= 2)
                found_.commands.emplace_back(words.begin() + 1, words.end());
            return;
        }
        const auto end = std::find_if(command + 1, words.end(), [](const std::string& word) {
            return word == "WORKING_DIRECTORY" || word == "CONFIGURATIONS" || word == "COMMAND_EXPAND_LISTS";
        });
        found_.commands.emplace_back(command + 1, end);
        // What a test runs without arguments is the test itself.
        if (end - command == 2)
            for (Runnable& program : found_.programs)
                program.test = program.test || (program.name == *(command + 1) && !program.benchmark);
    }

    void finish() {
        for (Runnable& program : found_.programs)
            if (google_.contains(program.name) ||
                seen_.text(program.source).find("benchmark/benchmark.h") != std::string::npos)
                program.benchmark = program.google_benchmark = true;
        const auto rank = [](const Runnable& program) { return program.test ? 2 : program.benchmark ? 1 : 0; };
        std::stable_sort(found_.programs.begin(), found_.programs.end(),
                         [&](const Runnable& a, const Runnable& b) { return rank(a) < rank(b); });
        found_.build = {{"cmake", "-S", "{source}", "-B", "{build}", "-DCMAKE_BUILD_TYPE=Release"},
                        {"cmake", "--build", "{build}", "-j2"}};
        found_.build_why = "CMakeLists.txt, built out of the source: {source} is read-only.";
        if (tests_) {
            found_.test = {{"ctest", "--test-dir", "{build}", "--output-on-failure"}};
            found_.test_why = "CMakeLists.txt declares tests with add_test.";
        }
        for (const std::string& file : visited_) // those that declare tests
            if (const std::string text = seen_.text(file); text.find("_test") != std::string::npos)
                found_.judges.push_back(file);
        for (const Argv& words : found_.commands)
            for (std::string& path : judges_named(seen_, found_.programs, words))
                found_.judges.push_back(std::move(path));
        suggest();
    }

    void suggest() {
        const std::string flags = cxx_ ? "CMAKE_CXX_FLAGS_RELEASE" : "CMAKE_C_FLAGS_RELEASE";
        if (variables_.contains(flags))
            found_.notes.push_back(flags +
                                   " is set in CMakeLists.txt, so no knob for it was proposed: it would not count.");
        else
            found_.knobs.push_back(
                {categorical_knob("optimisation", optimisation_choices("-O3 -DNDEBUG"), "-O3 -DNDEBUG",
                                  Knob::Through::cmake, flags),
                 "The compiler's flags. -march=native is not portable: the program then runs only on "
                 "machines like this one."});
        if (!variables_.contains("CMAKE_INTERPROCEDURAL_OPTIMIZATION"))
            found_.knobs.push_back(
                {categorical_knob("lto", {"OFF", "ON"}, "OFF", Knob::Through::cmake,
                                  "CMAKE_INTERPROCEDURAL_OPTIMIZATION"),
                 "Optimising across files when linking: slower builds, sometimes a faster program."});
        suggest_environment(all_ + sources_, found_.knobs);
    }

    const Seen& seen_;
    Found found_;
    std::map<std::string, std::string> variables_;
    std::set<std::string> visited_, google_;
    std::string all_, sources_;
    bool cxx_ = false, tests_ = false;
};

} // namespace

std::optional<Found> find_cmake(const Seen& seen) {
    return Reading(seen).run();
}

} // namespace holdfast::app::init
