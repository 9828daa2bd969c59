// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/words.hpp"

#include "core/project/placeholders.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace holdfast::app::init {

namespace {

constexpr std::string_view needs_shell = "|&;<>()$`*?[]\n";
constexpr std::array interpreters = {"python3", "python", "node", "sh", "bash", "perl", "ruby", "lua", "php"};

class Splitter {
public:
    explicit Splitter(std::string_view line) : line_(line) {}

    std::optional<Argv> run() {
        for (; at_ < line_.size(); ++at_)
            if (!step(line_[at_]))
                return std::nullopt;
        if (quote_ != 0)
            return std::nullopt;
        end_word();
        return words_;
    }

private:
    bool step(char c) {
        if (c == '\\' && quote_ != '\'') {
            if (++at_ == line_.size())
                return false;
            add(line_[at_]);
        } else if (quote_ != 0) {
            if (c == quote_)
                quote_ = 0;
            else if (quote_ == '"' && (c == '$' || c == '`'))
                return false;
            else
                add(c);
        } else if (c == '\'' || c == '"') {
            quote_ = c;
            in_word_ = true;
        } else if (c == ' ' || c == '\t') {
            end_word();
        } else if (needs_shell.find(c) != std::string_view::npos) {
            return false;
        } else {
            add(c);
        }
        return true;
    }
    void add(char c) {
        word_ += c;
        in_word_ = true;
    }
    void end_word() {
        if (in_word_)
            words_.push_back(word_);
        word_.clear();
        in_word_ = false;
    }

    std::string_view line_;
    std::size_t at_ = 0;
    char quote_ = 0;
    bool in_word_ = false;
    std::string word_;
    Argv words_;
};

std::string without_dot(std::string_view word) {
    while (word.starts_with("./"))
        word.remove_prefix(2);
    return std::string(word);
}

/// Printable, and nothing in it is a variable or a placeholder that is not known.
bool plain(const std::string& word) {
    for (auto found = next_placeholder(word, 0); found; found = next_placeholder(word, found->end))
        if (found->after_dollar ||
            (found->name != "source" && found->name != "build" && found->name != "out" && found->name != "inputs"))
            return false;
    return printable(word) == word && word.find("$<") == std::string::npos;
}

/// A word that names a file becomes an input, one that names a folder is read from the source.
class Inputs {
public:
    Inputs(const Seen& seen, Run& run) : seen_(seen), run_(run) {}

    std::string replaced(const std::string& word) {
        const auto equals = word.find('=');
        const std::size_t begin = word.starts_with('-') && equals != std::string::npos ? equals + 1 : 0;
        const std::string head = word.substr(0, begin), path = without_dot(word.substr(begin));
        if (seen_.file(path) != nullptr)
            return head + place(path);
        if (!path.empty() && seen_.has_folder(path))
            return head + "{source}/" + path;
        return word;
    }

private:
    std::string place(const std::string& path) {
        const std::string name = name_of(path);
        for (const std::string& input : run_.inputs)
            if (input != path && name_of(input) == name)
                return "{source}/" + path; // inputs lie side by side, so their names differ
        if (std::find(run_.inputs.begin(), run_.inputs.end(), path) == run_.inputs.end())
            run_.inputs.push_back(path);
        return "{inputs}/" + name;
    }
    const Seen& seen_;
    Run& run_;
};

} // namespace

std::optional<Argv> split_words(std::string_view line) {
    return Splitter(line).run();
}

std::string join_words(const Argv& argv) {
    std::string text;
    for (const std::string& word : argv)
        // Braces are quoted by shells' habits only; placeholders read better as they are.
        text +=
            (text.empty() ? "" : " ") +
            (word.find_first_of(" \t'\"\\|&;<>()$`*?[]#~!") == std::string::npos && !word.empty() ? word
                                                                                                  : shell_quoted(word));
    return text;
}

std::optional<Run> run_of_words(const Seen& seen, const std::vector<Runnable>& programs, const Argv& words) {
    if (words.empty() || !std::all_of(words.begin(), words.end(), plain))
        return std::nullopt;
    Run run;
    Inputs inputs(seen, run);
    std::size_t used = 1;
    const std::string first = without_dot(words[0]), name = name_of(first);
    const auto known =
        std::find_if(programs.begin(), programs.end(), [&](const Runnable& program) { return program.name == name; });
    const bool interpreter = std::find(interpreters.begin(), interpreters.end(), name) != interpreters.end();
    if (interpreter && words.size() > 1 && seen.file(without_dot(words[1])) != nullptr) {
        const std::string script = without_dot(words[1]);
        const auto same = std::find_if(programs.begin(), programs.end(),
                                       [&](const Runnable& program) { return program.source == script; });
        run.program = same == programs.end() ? "" : same->name;
        run.argv =
            same == programs.end() ? Argv{name == "python" ? "python3" : name, "{source}/" + script} : same->argv;
        used = 2;
    } else if (seen.file(first) != nullptr && seen.file(first)->executable) {
        run.argv = {"{source}/" + first};
    } else if (known != programs.end()) {
        run.argv = known->argv;
        run.program = known->name;
    } else {
        return std::nullopt;
    }
    for (; used < words.size(); ++used)
        run.argv.push_back(inputs.replaced(words[used]));
    return run;
}

std::string lower_case(std::string text) {
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

bool has_word(std::string_view text, std::string_view word) {
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !letter(text[at - 1]);
        const auto end = at + word.size();
        if (begins && (end == text.size() || !letter(text[end])))
            return true;
    }
    return false;
}

} // namespace holdfast::app::init
