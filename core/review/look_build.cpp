// SPDX-License-Identifier: GPL-3.0-or-later
// How a change alters what is built: scripts, flags, dependencies, and what source text tells the compiler.
#include "core/review/look_marks.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <filesystem>

namespace holdfast::review::look {

namespace {

enum class Role { source, script, dependencies, automation, git };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_folder(std::string_view path, std::string_view folder) {
    return path.starts_with(std::string(folder) + '/') ||
           path.find('/' + std::string(folder) + '/') != std::string_view::npos;
}

Role role_of(const std::string& path) {
    const std::filesystem::path file(path);
    const std::string name = lower_case(file.filename().string()), ending = lower_case(file.extension().string());
    if (is_one_of(name, {".gitattributes", ".gitmodules", ".gitignore", ".gitconfig", ".mailmap", ".lfsconfig",
                         ".pre-commit-config.yaml"}) ||
        has_folder(path, ".githooks") || has_folder(path, ".husky"))
        return Role::git;
    if (has_folder(path, ".github") || has_folder(path, ".ci") || has_folder(path, ".circleci") ||
        has_folder(path, ".buildkite") ||
        is_one_of(name, {".gitlab-ci.yml", "jenkinsfile", ".travis.yml", "azure-pipelines.yml", "appveyor.yml",
                         ".cirrus.yml"}))
        return Role::automation;
    if (is_one_of(name, {"cargo.lock",   "package-lock.json", "yarn.lock",       "pnpm-lock.yaml", "go.mod",
                         "go.sum",       "requirements.txt",  "constraints.txt", "poetry.lock",    "pipfile",
                         "pipfile.lock", "vcpkg.json",        "conanfile.txt",   "conanfile.py",   "gemfile",
                         "gemfile.lock", "cargo.toml",        "package.json",    "pom.xml",        "pyproject.toml",
                         "setup.cfg",    "environment.yml",   "uv.lock"}) ||
        ending == ".gradle" || name.ends_with(".gradle.kts") || ending == ".wrap")
        return Role::dependencies;
    if (is_one_of(name, {"cmakelists.txt",
                         "makefile",
                         "gnumakefile",
                         "meson.build",
                         "meson_options.txt",
                         "build.rs",
                         "setup.py",
                         "configure",
                         "configure.ac",
                         "configure.in",
                         "makefile.am",
                         "makefile.in",
                         "sconstruct",
                         "sconscript",
                         "build.zig",
                         "build.xml",
                         "build",
                         "build.bazel",
                         "workspace",
                         ".bazelrc",
                         "dockerfile",
                         "justfile",
                         "wscript",
                         "binding.gyp",
                         "cmakepresets.json",
                         "webpack.config.js",
                         "rollup.config.js",
                         "vite.config.ts",
                         "build.sh",
                         "autogen.sh"}) ||
        is_one_of(ending, {".cmake", ".mk", ".ninja", ".ld", ".lds", ".ver", ".map", ".m4", ".pc", ".pro", ".bzl",
                           ".specs", ".sln", ".vcxproj", ".csproj"}) ||
        has_folder(path, ".cargo"))
        return Role::script;
    return Role::source;
}

/// `-Ofast`, `-march=native`, `-Wl,--wrap`, `-DNDEBUG`: a word of a command line of a compiler or linker.
bool is_flag(std::string_view word) {
    for (const char* start :
         {"-O", "-f",     "-m",      "-Wl,",     "-Wa,",  "-include", "-D",    "-U",      "-L", "-B",   "-specs",
          "-x", "-nostd", "-static", "-pthread", "-flto", "-Xlinker", "-std=", "--param", "-C", "--cfg"})
        if (word.starts_with(start) && word.size() > 2)
            return true;
    return is_one_of(word, {"-g", "-s", "-pg", "-O"});
}

std::string_view next_word(std::string_view& text) {
    constexpr std::string_view breaks = " \t\"'=,;()[]";
    const std::size_t begin = std::min(text.find_first_not_of(breaks), text.size());
    std::size_t end = begin;
    while (end < text.size() && std::string_view(" \t\"';()[]").find(text[end]) == std::string_view::npos)
        ++end;
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

bool sets_flags(const File& file, const Line& line) {
    const Role role = role_of(file.path);
    if (role != Role::script && role != Role::dependencies)
        return false;
    const std::string small = lower_case(line.code);
    for (const char* name : {"cflags",          "cxxflags",        "ldflags",          "cppflags",
                             "ldlibs",          "rustflags",       "compile_options",  "compile_definitions",
                             "link_options",    "add_definitions", "cmake_build_type", "opt-level",
                             "interprocedural", "lto =",           "panic =",          "debug-assertions",
                             "overflow-checks", "codegen-units",   "fast-math",        "c_args",
                             "cpp_args",        "link_args"})
        if (small.find(name) != std::string::npos)
            return true;
    for (std::string_view rest = line.code; !rest.empty();)
        if (is_flag(next_word(rest)))
            return true;
    return false;
}

bool names_dependency(const File& file, const Line& line) {
    if (sets_flags(file, line))
        return false;
    const Role role = role_of(file.path);
    if (role == Role::dependencies)
        return true;
    if (role != Role::script)
        return false;
    const std::string small = lower_case(line.code);
    for (const char* name :
         {"find_package", "fetchcontent", "externalproject", "pkg_check_modules", "target_link_libraries"})
        if (small.find(name) != std::string::npos)
            return true;
    return false;
}

bool is_script_line(const File& file, const Line& line) {
    return role_of(file.path) == Role::script && !sets_flags(file, line) && !names_dependency(file, line);
}

/// Source text that tells the compiler how to translate it.
bool steers_compiler(const File& file, const Line& line) {
    if (file.language == Language::none || role_of(file.path) != Role::source)
        return false;
    const auto& tokens = line.tokens;
    if (has(tokens, {"pragma", "_Pragma"}))
        return !has(tokens, {"once", "diagnostic", "omp", "FENV_ACCESS", "FP_CONTRACT", "float_control", "mark",
                             "region", "endregion", "warning", "message"});
    return (has(tokens, {"__attribute__", "__attribute", "gnu", "__declspec", "clang"}) &&
            has(tokens, {"optimize", "__optimize__", "target", "__target__", "target_clones", "optnone",
                         "no_instrument_function", "flatten", "fast_math"})) ||
           has(tokens, {"target_feature", "__FAST_MATH__", "__OPTIMIZE__", "NDEBUG"}) ||
           (has(tokens, {"__has_feature"}) && !has_part(tokens, {"sanitizer"}));
}

constexpr std::size_t most_marks = 300; ///< of one kind and side

/// Both sides: what goes changes what is built as well.
std::vector<Mark> changed(const std::vector<File>& files, const Finder& finds) {
    std::vector<Mark> marks;
    for (const File& file : files) {
        for (const Line& line : file.added)
            if (marks.size() < most_marks && finds(file, line))
                marks.push_back({file.path, line, false});
        for (const Line& line : file.removed)
            if (marks.size() < 2 * most_marks && finds(file, line))
                marks.push_back({file.path, line, true});
    }
    // What only moved is on both sides.
    std::vector<Mark> left;
    for (const Mark& mark : marks)
        if (std::none_of(marks.begin(), marks.end(), [&](const Mark& other) {
                return other.removed != mark.removed && other.path == mark.path &&
                       other.line.tokens == mark.line.tokens;
            }))
            left.push_back(mark);
    return left;
}

Category of(const char* name, const char* why, Finder finds) {
    return {name, why, [finds = std::move(finds)](const std::vector<File>& files) { return changed(files, finds); }};
}

Finder in(Role role) {
    return [role](const File& file, const Line&) { return role_of(file.path) == role; };
}

} // namespace

std::vector<Category> build_categories() {
    return {
        of("build: flags", "Flags change what the same source means: precision, checks, the machine it runs on.",
           sets_flags),
        of("build: source steers the compiler", "This part is translated in another way than the rest.",
           steers_compiler),
        of("build: script", "What a build script does is done before anything is measured.", is_script_line),
        of("build: dependencies", "Somebody else's code becomes, or was, part of the program.", names_dependency),
        of("build: automation", "It runs where others trust the result.", in(Role::automation)),
        of("build: git settings", "They change what a checkout holds or what git runs.", in(Role::git)),
    };
}

} // namespace holdfast::review::look
