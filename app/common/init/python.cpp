// SPDX-License-Identifier: GPL-3.0-or-later
// Python: scripts with a main, entry points of pyproject.toml, tests; the interpreter is the system's or a venv's.
#include "app/common/init/found.hpp"
#include "app/common/init/toml_lines.hpp"
#include "app/common/init/words.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace holdfast::app::init {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_scripts = 200; ///< whose text is looked at

class Reading {
public:
    explicit Reading(const Seen& seen) : seen_(seen) {}

    std::optional<Found> run() {
        for (const char* file : {"pyproject.toml", "setup.py", "setup.cfg"})
            if (seen_.file(file) != nullptr && found_.file.empty())
                found_.file = file;
        pyproject_ = toml_lines(seen_.text("pyproject.toml"));
        found_.kind = "Python";
        found_.name = toml_value(pyproject_, "project", "name");
        interpreter();
        entry_points();
        scripts();
        if (found_.programs.empty())
            found_.notes.emplace_back("No Python file runs by itself: none has a __main__, reads sys.argv or does "
                                      "anything but define and import, and pyproject.toml names no project.scripts.");
        if (found_.file.empty() && found_.programs.empty())
            return std::nullopt;
        if (found_.file.empty())
            found_.file = found_.programs.front().source;
        found_.build_why = "Nothing is built: the interpreter reads {source}.";
        tests();
        // The last ones are found before the library's own, by tests as well.
        found_.judges = {
            "**/conftest.py",      "pytest.ini",          "tox.ini",        "setup.cfg",      "setup.py",
            "pyproject.toml",      "noxfile.py",          "**/test.py",     "**/tests.py",    "**/bench*.py",
            "**/sitecustomize.py", "**/usercustomize.py", "**/unittest.py", "**/unittest/**", "**/pytest.py",
            "**/pytest/**"};
        return std::move(found_);
    }

private:
    void interpreter() {
        root_ = seen_.has_folder("src") && seen_.file("src/__init__.py") == nullptr ? "{source}/src" : "{source}";
        python_ = "python3";
        std::error_code code;
        for (const char* name : {".venv", "venv"})
            if (fs::exists(seen_.folder / name / "pyvenv.cfg", code) && needs_packages()) {
                const std::string place = (seen_.folder / name).string();
                found_.read = {place};
                python_ = place + "/bin/python3";
                return;
            }
        if (needs_packages())
            found_.notes.emplace_back(
                "The program names packages. Install them from the distribution, or in a venv: name "
                "its folder in sandbox.read and its bin/python3 in run.");
        if (!fs::exists("/usr/bin/python3", code) && !fs::exists("/usr/local/bin/python3", code))
            found_.notes.emplace_back(
                "The sandbox sees no python3: it is not in /usr/bin. Name your interpreter's folder "
                "in sandbox.read and its program in run.");
    }

    bool needs_packages() const {
        const std::string listed = toml_value(pyproject_, "project", "dependencies");
        return listed.find('"') != std::string::npos || listed.find('\'') != std::string::npos ||
               seen_.text("requirements.txt").find_first_not_of(" \t\r\n") != std::string::npos;
    }

    /// The words before the program's own: strings hash the same in every run, so sets have one order.
    Argv python(std::initializer_list<std::string> words) const {
        Argv argv = {"env", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=" + root_, python_};
        argv.insert(argv.end(), words);
        return argv;
    }

    void entry_points() {
        for (const TomlLine& line : pyproject_) {
            const std::string target = toml_text(line.value);
            const auto colon = target.find(':');
            if (line.table != "project.scripts" || line.key.empty() || colon == std::string::npos ||
                target.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:") !=
                    std::string::npos)
                continue;
            std::string path = target.substr(0, colon);
            std::replace(path.begin(), path.end(), '.', '/');
            const std::string source = (root_ == "{source}" ? "" : "src/") + path + ".py";
            found_.programs.push_back({line.key,
                                       python({"-c", "from " + target.substr(0, colon) + " import " +
                                                         target.substr(colon + 1) + " as main; main()"}),
                                       seen_.file(source) == nullptr ? "" : source});
        }
    }

    /// Whether running the file does more than define things: a call, a loop or the like at the start of a line.
    static bool does_something(const std::string& text) {
        if (text.find("sys.argv") != std::string::npos)
            return true;
        std::string quotes; // of the text over several lines that a line is in
        std::size_t begin = 0;
        while (begin < text.size()) {
            const auto end = std::min(text.find('\n', begin), text.size());
            const std::string line = text.substr(begin, end - begin);
            begin = end + 1;
            const bool outside = quotes.empty();
            for (std::size_t at = 0; at + 3 <= line.size(); ++at)
                if (const std::string three = line.substr(at, 3);
                    (three == "\"\"\"" || three == "'''") && (quotes.empty() || quotes == three)) {
                    quotes = quotes.empty() ? three : "";
                    at += 2;
                }
            if (outside && acts(line))
                return true;
        }
        return false;
    }

    static bool acts(const std::string& line) {
        for (const char* word : {"for ", "while ", "with ", "assert "})
            if (line.starts_with(word))
                return true;
        const auto name = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        return name != std::string::npos && name > 0 && line[name] == '(';
    }

    /// Whether another file takes it as a module.
    bool imported(const std::string& name) const {
        std::size_t looked = 0;
        return std::any_of(seen_.files.begin(), seen_.files.end(), [&](const SeenFile& file) {
            if (extension_of(file.path) != ".py" || stem_of(file.path) == name || ++looked > most_scripts)
                return false;
            const std::string text = seen_.text(file.path);
            return text.find("import " + name + "\n") != std::string::npos ||
                   text.find("from " + name + " import") != std::string::npos ||
                   text.find("from ." + name + " import") != std::string::npos;
        });
    }

    void scripts() {
        std::vector<Runnable> found;
        std::size_t looked = 0;
        for (const SeenFile& file : seen_.files) {
            if (extension_of(file.path) != ".py" || file.path == "setup.py" || name_of(file.path) == "conftest.py" ||
                ++looked > most_scripts)
                continue;
            const std::string text = seen_.text(file.path), name = stem_of(file.path);
            const bool meant = text.find("__name__") != std::string::npos || name == "__main__";
            if (!meant && (!does_something(text) || imported(name)))
                continue;
            Runnable program;
            program.name = name == "__main__" ? name_of(folder_of(file.path)) : name_of(file.path);
            program.argv = python({"{source}/" + file.path});
            if (name == "__main__" && !folder_of(file.path).empty()) {
                std::string module = folder_of(file.path);
                if (root_ != "{source}" && module.starts_with("src/"))
                    module.erase(0, 4);
                std::replace(module.begin(), module.end(), '/', '.');
                program.argv = python({"-m", module});
            }
            program.source = file.path;
            const std::string lower = lower_case(file.path);
            program.benchmark = lower.find("bench") != std::string::npos;
            program.test = !program.benchmark && lower.find("test") != std::string::npos;
            found.push_back(std::move(program));
        }
        const auto rank = [](const Runnable& program) {
            const bool usual =
                program.name == "main.py" || program.name == "cli.py" || program.source.ends_with("__main__.py");
            const auto depth = std::count(program.source.begin(), program.source.end(), '/');
            return (program.test ? 1000 : program.benchmark ? 100 : 0) + 2 * depth - (usual ? 1 : 0);
        };
        std::stable_sort(found.begin(), found.end(),
                         [&](const Runnable& a, const Runnable& b) { return rank(a) < rank(b); });
        found_.programs.insert(found_.programs.end(), found.begin(), found.end());
    }

    void tests() {
        bool pytest = toml_value(pyproject_, "tool.pytest.ini_options", "testpaths") != "";
        std::string folder;
        bool any = false;
        std::vector<Argv> plain;
        for (const SeenFile& file : seen_.files) {
            const std::string name = name_of(file.path);
            const bool is_test = (name.starts_with("test_") || name.ends_with("_test.py")) && name.ends_with(".py");
            pytest = pytest || name == "conftest.py" || name == "pytest.ini";
            if (!is_test)
                continue;
            const std::string text = seen_.text(file.path);
            if (text.find("def test") == std::string::npos && !has_word(text, "unittest") && does_something(text)) {
                plain.push_back(python({"{source}/" + file.path})); // a framework would find no test in it
                continue;
            }
            if (!any)
                folder = folder_of(file.path);
            any = true;
            pytest = pytest || has_word(text, "pytest") || !has_word(text, "unittest");
        }
        if (!any && !plain.empty()) {
            found_.test = std::move(plain);
            found_.test_why = "test scripts, each run by itself.";
        }
        if (!any)
            return;
        const std::string place = "{source}" + (folder.empty() ? "" : "/" + folder);
        if (pytest) {
            found_.test = {python({"-m", "pytest", "-q", "-p", "no:cacheprovider", place})};
            found_.test_why = "the tests in " + (folder.empty() ? "the folder" : folder) + ", with pytest.";
            std::error_code code;
            if (found_.read.empty() && !fs::exists("/usr/lib/python3/dist-packages/pytest", code)) {
                found_.test.clear();
                found_.notes.emplace_back(
                    "The tests use pytest, which the sandbox's python3 does not have: no test command "
                    "was proposed. Install python3-pytest, or use a venv.");
            }
        } else {
            found_.test = {python({"-m", "unittest", "discover", "-s", place, "-p", "*test*.py"})};
            found_.test_why = "the tests in " + (folder.empty() ? "the folder" : folder) + ", with unittest.";
        }
    }

    const Seen& seen_;
    Found found_;
    std::vector<TomlLine> pyproject_;
    std::string root_, python_;
};

} // namespace

std::optional<Found> find_python(const Seen& seen) {
    return Reading(seen).run();
}

} // namespace holdfast::app::init
