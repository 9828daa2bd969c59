// SPDX-License-Identifier: GPL-3.0-or-later
// Makefile: variables, targets and recipes, line by line.
#include "app/common/init/found.hpp"
#include "app/common/init/words.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::app::init {

namespace {

struct Variable {
    std::string value;
    bool added_to = false; ///< by +=: a value on the command line would drop what is added
};

struct Target {
    std::string name;
    std::vector<std::string> needs, recipe;
};

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text + " ")
        if (c == ' ' || c == '\t' || c == '\r') {
            if (!word.empty())
                words.push_back(word);
            word.clear();
        } else {
            word += c;
        }
    return words;
}

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

class Reading {
public:
    explicit Reading(const Seen& seen) : seen_(seen) {}

    std::optional<Found> run() {
        for (const char* name : {"GNUmakefile", "Makefile", "makefile"})
            if (seen_.file(name) != nullptr && found_.file.empty())
                found_.file = name;
        if (found_.file.empty())
            return std::nullopt;
        found_.kind = "Make";
        found_.name = name_of(seen_.folder.string());
        lines(seen_.text(found_.file));
        programs();
        commands();
        judges();
        knobs();
        return std::move(found_);
    }

private:
    void lines(const std::string& text) {
        std::string joined;
        std::size_t begin = 0;
        while (begin < text.size()) {
            const auto end = std::min(text.find('\n', begin), text.size());
            std::string piece = text.substr(begin, end - begin);
            begin = end + 1;
            if (piece.ends_with('\\')) {
                piece.pop_back();
                joined += piece + " ";
                continue;
            }
            line(joined + piece);
            joined.clear();
        }
    }

    void line(const std::string& text) {
        if (text.starts_with('\t')) {
            if (!targets_.empty())
                targets_.back().recipe.push_back(trimmed(text));
            return;
        }
        const std::string plain = trimmed(text.substr(0, text.find('#')));
        const auto equals = plain.find('='), colon = plain.find(':');
        if (equals != std::string::npos && (colon == std::string::npos || colon + 1 >= equals || colon > equals))
            assign(plain, equals);
        else if (colon != std::string::npos)
            rule(plain.substr(0, colon), plain.substr(colon + 1));
    }

    void assign(const std::string& plain, std::size_t equals) {
        std::size_t end = equals;
        while (end > 0 && std::string_view("?:+!").find(plain[end - 1]) != std::string_view::npos)
            --end;
        Variable& variable = variables_[trimmed(plain.substr(0, end))];
        if (plain[end] == '+')
            variable.added_to = true;
        else
            variable.value = trimmed(plain.substr(equals + 1));
    }

    void rule(const std::string& names, const std::string& needs) {
        for (const std::string& name : words_of(expanded(names))) {
            const std::vector<std::string> all = words_of(expanded(needs));
            if (name == ".PHONY")
                phony_.insert(all.begin(), all.end());
            else
                targets_.push_back({name, all, {}});
        }
    }

    std::string expanded(const std::string& text) const {
        std::string result = text;
        for (int steps = 0; steps < 20; ++steps) {
            const auto open = std::min(result.find("$("), result.find("${"));
            if (open == std::string::npos)
                break;
            const auto close = result.find(result[open + 1] == '(' ? ')' : '}', open);
            const auto set = close == std::string::npos ? variables_.end()
                                                        : variables_.find(result.substr(open + 2, close - open - 2));
            if (set == variables_.end() || result.size() > 10'000)
                break;
            result.replace(open, close + 1 - open, set->second.value);
        }
        return result;
    }

    bool builds_program(const Target& target) const {
        static const std::set<std::string> usual = {"all",       "clean", "install",  "uninstall", "test",
                                                    "tests",     "check", "dist",     "help",      "bench",
                                                    "benchmark", "run",   "distclean"};
        const std::string& name = target.name;
        return !usual.contains(name) && !phony_.contains(name) && !name.starts_with('.') &&
               name.find_first_of("%$*{}") == std::string::npos && extension_of(name).empty() &&
               (!target.recipe.empty() || !target.needs.empty());
    }

    const Target* target(const std::string& name) const {
        const auto at =
            std::find_if(targets_.begin(), targets_.end(), [&](const Target& target) { return target.name == name; });
        return at == targets_.end() ? nullptr : &*at;
    }

    void programs() {
        std::vector<std::string> names;
        const auto add = [&](const std::string& name) {
            if (const Target* known = target(name); known != nullptr && builds_program(*known) &&
                                                    std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        };
        if (const Target* all = target("all"))
            for (const std::string& name : all->needs)
                add(name);
        for (const Target& each : targets_)
            add(each.name);
        for (const std::string& name : names) {
            Runnable program;
            program.name = name_of(name);
            program.argv = {"{build}/" + name};
            program.source = source_of(*target(name));
            const std::string lower = lower_case(program.name);
            program.benchmark = lower.find("bench") != std::string::npos;
            program.test = !program.benchmark && lower.find("test") != std::string::npos;
            found_.programs.push_back(std::move(program));
        }
        std::stable_partition(found_.programs.begin(), found_.programs.end(),
                              [](const Runnable& program) { return !program.test; });
        // Make writes beside its sources, and {source} is read-only.
        found_.build = {{"cp", "-a", "{source}/.", "{build}"}, {"make", "-C", "{build}", "-j2"}};
        found_.build_why = "Make writes beside its sources, and {source} is read-only: it works on a copy.";
    }

    std::string source_of(const Target& target) const {
        const std::string stem = stem_of(target.name);
        for (const std::string& need : target.needs)
            for (const char* extension : {".c", ".cc", ".cpp", ".cxx"}) {
                const std::string file =
                    (folder_of(need).empty() ? "" : folder_of(need) + "/") + stem_of(need) + extension;
                if (seen_.file(file) != nullptr && has_word(seen_.text(file), "main"))
                    return file;
            }
        for (const char* folder : {"", "src/"})
            for (const std::string& name : {stem, std::string("main")})
                for (const char* extension : {".c", ".cc", ".cpp"})
                    if (seen_.file(folder + name + extension) != nullptr)
                        return folder + name + extension;
        return "";
    }

    void commands() {
        for (const char* name : {"check", "test", "tests"})
            if (target(name) != nullptr && found_.test.empty()) {
                found_.test = {{"make", "-C", "{build}", name}};
                found_.test_why = "the Makefile's target " + std::string(name) + ".";
            }
        for (const char* name : {"bench", "benchmark", "run", "check", "test", "tests"})
            if (const Target* known = target(name))
                for (std::string recipe : known->recipe) {
                    while (recipe.starts_with('@') || recipe.starts_with('-'))
                        recipe.erase(0, 1);
                    if (auto words = split_words(expanded(recipe)))
                        found_.commands.push_back(std::move(*words));
                }
    }

    void judges() {
        found_.judges = {"**/Makefile", "**/makefile", "**/GNUmakefile", "**/*.mk", "**/*.test.*"};
        for (const char* name : {"check", "test", "tests", "bench", "benchmark"}) {
            const Target* known = target(name);
            if (known == nullptr)
                continue;
            Argv words = known->needs;
            for (const std::string& recipe : known->recipe)
                for (std::string& word : rough_words(expanded(recipe)))
                    words.push_back(std::move(word));
            for (std::string& path : judges_named(seen_, found_.programs, words))
                found_.judges.push_back(std::move(path));
        }
    }

    void knobs() {
        std::string sources;
        for (const Runnable& program : found_.programs)
            sources += seen_.text(program.source).substr(0, 20'000);
        for (const char* name : {"OPT", "OPTFLAGS", "OPTIMIZATION", "CFLAGS", "CXXFLAGS"}) {
            const auto set = variables_.find(name);
            if (set == variables_.end() || set->second.value.find("-O") == std::string::npos)
                continue;
            if (set->second.added_to) {
                found_.notes.push_back(std::string(name) +
                                       " is added to with += in the Makefile, so no knob for it was proposed: a value "
                                       "on make's command line would drop what is added.");
                continue;
            }
            found_.knobs.push_back(
                {categorical_knob("optimisation", optimisation_choices(set->second.value), set->second.value,
                                  Knob::Through::make, name),
                 "The compiler's flags as the Makefile sets them. -march=native is not portable: the program then runs "
                 "only on machines like this one."});
            break;
        }
        for (const auto& [name, variable] : variables_)
            sources += " " + variable.value;
        suggest_environment(sources, found_.knobs);
    }

    const Seen& seen_;
    Found found_;
    std::map<std::string, Variable> variables_;
    std::vector<Target> targets_;
    std::set<std::string> phony_;
};

} // namespace

std::optional<Found> find_make(const Seen& seen) {
    return Reading(seen).run();
}

} // namespace holdfast::app::init
