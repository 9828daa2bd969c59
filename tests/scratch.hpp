// SPDX-License-Identifier: GPL-3.0-or-later
// Folders and repositories that live as long as a test. Repositories are made by the real `git`, with a home of their
// own, so nobody's configuration takes part.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace holdfast::test {

/// A new, empty folder that goes with its object.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("cannot make " + pattern);
        path_ = std::filesystem::canonical(pattern);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored; // a test that locked its folder has other troubles
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::filesystem::path& file, std::string_view text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << text;
    if (!stream.flush())
        throw std::runtime_error("cannot write " + file.string());
}

/// `text` with its first `from` replaced; throws when there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        throw std::runtime_error("not there: " + from);
    return text.replace(at, from.size(), to);
}

struct Finished {
    int status = 0; ///< exit status, or 128 plus a signal
    std::string output, errors;
};

/// Runs a program to its end. Its streams are files, so no amount of output can block it.
inline Finished run_program(const std::vector<std::string>& command, const std::filesystem::path& folder,
                            std::string_view input = "") {
    const ScratchFolder streams;
    const auto in = streams.path() / "in", out = streams.path() / "out", err = streams.path() / "err";
    write_text(in, input);
    std::vector<char*> arguments;
    for (const auto& word : command)
        arguments.push_back(const_cast<char*>(word.c_str())); // posix_spawnp does not write to them
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    pid_t child = 0;
    const int fault = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (fault != 0 || ::waitpid(child, &status, 0) != child)
        throw std::runtime_error("cannot run " + command.front());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(out), read_text(err)};
}

/// Before main(), because libgit2 reads HOME once, when it starts.
inline const ScratchFolder& scratch_home() {
    static const ScratchFolder home;
    return home;
}
inline const bool home_is_scratch = [] {
    ::setenv("HOME", scratch_home().path().c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (scratch_home().path() / ".config").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    for (const char* name :
         {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_GLOBAL", "GIT_CEILING_DIRECTORIES"})
        ::unsetenv(name); // set when the tests run from a git hook
    return true;
}();

/// A repository on branch `main` with nothing in it.
class ScratchRepository {
public:
    explicit ScratchRepository(const std::vector<std::string>& init_options = {}) {
        std::vector<std::string> init{"init", "-q", "-b", "main"};
        init.insert(init.end(), init_options.begin(), init_options.end());
        git(init);
    }

    const std::filesystem::path& path() const { return folder_.path(); }

    /// A file of the working tree; folders are made.
    void write(const std::string& path, std::string_view text) const { write_text(folder_.path() / path, text); }
    void remove(const std::string& path) const { std::filesystem::remove_all(folder_.path() / path); }

    /// Commits everything in the working tree; returns the commit's id.
    std::string commit(const std::string& message) const {
        git({"add", "-A"});
        git({"commit", "-q", "--allow-empty", "-m", message});
        return first_line(git({"rev-parse", "HEAD"}));
    }

    Finished try_git(std::vector<std::string> arguments, std::string_view input = "") const {
        std::vector<std::string> command{"git",
                                         "-c",
                                         "user.name=Scratch Author",
                                         "-c",
                                         "user.email=scratch@example.org",
                                         "-c",
                                         "commit.gpgsign=false",
                                         "-c",
                                         "protocol.file.allow=always"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return run_program(command, folder_.path(), input);
    }

    /// Standard output of a git command that must succeed.
    std::string git(const std::vector<std::string>& arguments, std::string_view input = "") const {
        auto done = try_git(arguments, input);
        if (done.status != 0)
            throw std::runtime_error("git " + arguments.front() + ": " + done.errors);
        return std::move(done.output);
    }

    static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

private:
    ScratchFolder folder_;
};

} // namespace holdfast::test
