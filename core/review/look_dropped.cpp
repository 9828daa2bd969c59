// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody can ask of a program or call in it, and cannot any more: options, cases, routes, public functions.
#include "core/review/look_marks.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

/// `--block=`, `-b`: by itself in its quotes.
bool is_option_text(const std::string& text) {
    const std::size_t begin = text.find_first_not_of('-');
    if (begin == 0 || begin > 2 || begin == std::string::npos)
        return false;
    return std::isalpha(static_cast<unsigned char>(text[begin])) != 0 &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), [&](unsigned char c) {
               return std::isalnum(c) != 0 || c == '-' || c == '_' || (c == '=' && text.back() == '=');
           });
}

/// `word == "-v"`, `"-v" => ...`.
bool compares_text(const Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i] == "\"\"" &&
            ((i >= 2 && tokens[i - 1] == "=" && has({tokens[i - 2]}, {"=", "!"})) ||
             (i + 2 < tokens.size() && tokens[i + 1] == "=" && has({tokens[i + 2]}, {"=", ">"}))))
            return true;
    return false;
}

/// Where a program reads what it was told, rather than tells another one.
bool reads_words(const Line& line) {
    return has(line.tokens,
               {"strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "case", "match", "when", "equals",
                "startswith", "startsWith", "starts_with", "HasPrefix", "strip_prefix", "removeprefix", "compare"}) ||
           compares_text(line.tokens);
}

bool registers(const Line& line) {
    return has(line.tokens, {"add_argument",
                             "add_option",
                             "add_flag",
                             "add_subcommand",
                             "add_command",
                             "addOption",
                             "addFlag",
                             "addArgument",
                             "addPositionalArgument",
                             "add_parser",
                             "add_options",
                             "no_argument",
                             "required_argument",
                             "optional_argument",
                             "QCommandLineOption",
                             "Arg",
                             "Opt",
                             "option",
                             "StringVar",
                             "BoolVar",
                             "IntVar",
                             "Flag",
                             "DurationVar",
                             "DEFINE_bool",
                             "DEFINE_string"});
}

bool is_flag_call(const Line& line) {
    const Tokens& tokens = line.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i] == "flag" && tokens[i + 1] == ".")
            return true;
    return false;
}

bool routes(const Line& line) {
    return has(line.tokens,
               {"route", "get", "post", "put", "delete", "patch", "HandleFunc", "Handle", "GetMapping", "PostMapping",
                "PutMapping", "DeleteMapping", "RequestMapping", "add_url_rule", "Get", "Post", "Put", "Delete"}) &&
           has(line.tokens, {"("}) && std::any_of(line.texts.begin(), line.texts.end(), [](const std::string& text) {
               return text.size() > 1 && text.starts_with('/');
           });
}

bool is_header(const File& file) {
    const std::string ending = lower_case(std::filesystem::path(file.path).extension().string());
    return ending == ".h" || ending == ".hpp" || ending == ".hh" || ending == ".hxx";
}

/// The name of a function that others can call; "" where the line declares none.
std::string public_function(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    const auto bracket = std::find(tokens.begin(), tokens.end(), "(");
    if (bracket == tokens.end() || bracket == tokens.begin() || !is_word(*(bracket - 1)))
        return "";
    const std::string& name = *(bracket - 1);
    const auto before = Tokens(tokens.begin(), bracket - 1);
    bool open = false;
    if (file.language == Language::rust)
        open = tokens[0] == "pub" && has(before, {"fn"}) && before.size() < 5;
    else if (file.language == Language::go)
        open = tokens[0] == "func" && std::isupper(static_cast<unsigned char>(name[0])) != 0;
    else if (file.language == Language::script)
        open = tokens[0] == "export" && has(before, {"function"});
    else if (file.language == Language::python)
        open = tokens[0] == "def" && line.indent == 0 && name[0] != '_';
    else if (file.language == Language::c && is_header(file))
        open = line.indent == 0 && !before.empty() && line.code.ends_with(';') &&
               !has(tokens, {"#", "=", "return", "typedef", "using", "static", "friend", "delete"});
    return open ? name : "";
}

/// What a removed line offered, by the words that name it; empty where it offered nothing.
std::vector<std::string> offers(const File& file, const Line& line) {
    std::vector<std::string> names;
    if (!is_code(file) || line.tokens.empty())
        return names;
    const bool registered = registers(line) || is_flag_call(line);
    for (const std::string& text : line.texts)
        if (!text.empty() && ((registered && text.size() < 40 && text.find(' ') == std::string::npos) ||
                              (is_option_text(text) && reads_words(line))))
            names.push_back(text);
    if (names.size() > 1 && registered)
        names.resize(1);
    if (!names.empty())
        return names;
    if (line.tokens[0] == "case") {
        if (!line.texts.empty())
            return line.texts;
        for (std::size_t i = 1; i < line.tokens.size() && line.tokens[i] != ":"; ++i)
            if (is_word(line.tokens[i]) || is_number(line.tokens[i]))
                names = {line.tokens[i]}; // of `Kind::other` the last
    } else if (routes(line)) {
        names = line.texts;
    } else if (std::string name = public_function(file, line); !name.empty()) {
        names.push_back(std::move(name));
    }
    return names;
}

/// `--block=` is still read where `block` is.
std::string plain_name(const std::string& name) {
    const std::size_t begin = std::min(name.find_first_not_of('-'), name.size());
    return name.substr(begin, name.find('=', begin) - begin);
}

/// All that added lines name, by word or in quotes.
std::set<std::string> named_anew(const std::vector<File>& files) {
    std::set<std::string> names;
    for (const File& file : files)
        for (const Line& line : file.added) {
            names.insert(line.tokens.begin(), line.tokens.end());
            for (const std::string& text : line.texts)
                for (std::size_t at = 0; at <= text.size();) { // "block,b": several in one
                    const std::size_t end = std::min(text.find_first_of(", |", at), text.size());
                    names.insert(plain_name(text.substr(at, end - at)));
                    at = end + 1;
                }
        }
    return names;
}

std::vector<Mark> dropped(const std::vector<File>& files) {
    const auto anew = named_anew(files);
    std::vector<Mark> marks;
    for (const File& file : files)
        for (const Line& line : file.removed) {
            const auto names = offers(file, line);
            if (!names.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& name) {
                    return anew.count(plain_name(name)) != 0;
                }))
                marks.push_back({file.path, line, true});
        }
    return marks;
}

} // namespace

std::vector<Category> dropped_categories() {
    return {{"look: option removed", "Somebody may use the option, the case or the function that is gone.", dropped}};
}

} // namespace holdfast::review::look
