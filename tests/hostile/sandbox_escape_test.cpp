// SPDX-License-Identifier: GPL-3.0-or-later
// What programs cannot reach, and what happens when the harness or the runner dies.
#include "sandbox_fixture.hpp"

#include "sandbox/folders.hpp"
#include "tests/catch.h"

#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

const std::string harness_program = std::string(HOLDFAST_BIN_DIR) + "/sandbox_harness";

/// A line of /proc/PID/status.
std::string status_of(pid_t process, const std::string& key) {
    std::istringstream lines(text_of("/proc/" + std::to_string(process) + "/status"));
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, key.size() + 1, key + ":") == 0)
            return line.substr(key.size() + 1);
    return "";
}

pid_t runner_of(pid_t harness) {
    for (const pid_t process : processes_with("holdfast-runner"))
        if (std::atoi(status_of(process, "PPid").c_str()) == harness)
            return process;
    return -1;
}

/// The program in the sandbox. The marker alone would not do: the harness has it, and so has for a moment the process
/// that is about to become its runner.
pid_t payload_of(const std::string& marker) {
    for (const pid_t process : processes_with(marker))
        if (text_of("/proc/" + std::to_string(process) + "/cmdline").rfind(std::string("sh\0-c", 5), 0) == 0)
            return process;
    return -1;
}

struct Running {
    Child harness;
    pid_t runner = -1, payload = -1;
};

Running start_sleeping_harness(const std::string& marker) {
    // The shell stays, so that its command line keeps the marker.
    Running running;
    running.harness = start({harness_program, HOLDFAST_BIN_DIR, "0", "sh", "-c", "sleep 600; exit", marker});
    REQUIRE(eventually([&] { return (running.payload = payload_of(marker)) > 1; }));
    running.runner = runner_of(running.harness.pid);
    REQUIRE(running.runner > 1);
    return running;
}

} // namespace

TEST_CASE("every canary is stopped: level 3, and level 4 with control groups and a user of its own") {
    const auto isolation = runner().isolation();
    REQUIRE(isolation);
    bool beyond = true;
    for (const study::Canary& canary : isolation->canaries) {
        INFO(canary.name << ": " << canary.detail);
        if (canary.leaves == 3)
            beyond = beyond && canary.held;
        else
            CHECK(canary.held);
    }
    CHECK(isolation->canaries.size() == 33);
    CHECK(isolation->level == (beyond ? 4 : 3));
    if (isolation->groups.rfind("none", 0) == 0)
        WARN("no control groups here: " << isolation->groups);
    CHECK(beyond == (isolation->groups.rfind("none", 0) != 0 && ::geteuid() == 0));
    CHECK(isolation->missing.empty());
    CHECK(processes_with("holdfast-canary-").empty());
    for (const auto& entry : fs::directory_iterator(runner().cache()))
        CHECK(entry.path().filename().string().rfind("canary-", 0) != 0);
}

TEST_CASE("the canaries notice when there is no sandbox") {
    const Tree outside("secret", "secret");
    std::vector<std::string> argv;
    fs::path program = HOLDFAST_BIN_DIR "/holdfast-canary";
    if (::geteuid() == 0) {
        // As the user that programs have; root's rights would make this test an attack on the machine.
        const std::string user = std::to_string(sandbox::dropped_user);
        argv = {"setpriv", "--reuid", user, "--regid", user, "--clear-groups"};
        program = "";
        for (const auto& entry : fs::directory_iterator(runner().cache()))
            if (entry.path().filename().string().rfind("bin-", 0) == 0)
                program = entry.path() / "holdfast-canary";
    }
    for (const std::string& word :
         {program.native(), std::string("try"), (outside.path / "secret").native(), (outside.path / "secret").native(),
          outside.path.native(), std::string("1"), std::string("1"), std::string("none"), std::to_string(::getpid()),
          std::string("4"), std::string("1048576"), outside.path.native(), std::string("/none")})
        argv.push_back(word);
    Child canary = start(argv);
    std::istringstream lines(read_all_and_wait(canary));
    std::map<std::string, std::string> outcome;
    for (std::string line; std::getline(lines, line);)
        outcome[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1, 4);
    for (const char* attempt :
         {"reads a secret of the host", "reads the user's home", "writes outside its folders",
          "sees processes of the host", "has or gains privileges", "exceeds the number of processes",
          "makes a name space", "traces other processes", "uses keys of the user", "reaches deep into the kernel",
          "opens sockets of other kinds", "exceeds the size of a file"}) {
        INFO(attempt);
        CHECK(outcome[attempt] == "brok");
    }
}

TEST_CASE("helpers that would harm the machine outside a sandbox refuse to run there") {
    for (const char* helper : {"/holdfast-init", "/holdfast-canary"}) {
        INFO(helper);
        Child child = start({std::string(HOLDFAST_BIN_DIR) + helper});
        int status = 0;
        REQUIRE(::waitpid(child.pid, &status, 0) == child.pid);
        ::close(child.output);
        REQUIRE(WIFEXITED(status));
        const int expected = std::string(helper) == "/holdfast-init" ? 1 : ::geteuid() == 0 ? 3 : 2;
        CHECK(WEXITSTATUS(status) == expected);
    }
}

TEST_CASE("nothing of the host's files is there but what programs need") {
    const auto result = run(shell("ls -A / /etc /home /home/user; ls /root /opt /var /run /srv /mnt 2>/dev/null"));
    for (const char* name : {"root", "var", "run", "opt", "shadow", "hostname", "ssl", "srv", "mnt", "sys"}) {
        INFO(name);
        CHECK(("\n" + result.standard_output).find("\n" + std::string(name) + "\n") == std::string::npos);
    }
    CHECK(run(shell("cat " + (runner().cache() / "x").native())).code != 0);
    CHECK(run(shell("hostname || cat /proc/sys/kernel/hostname")).standard_output == "localhost\n");
    CHECK(run(shell("id -un; id -u; id -G")).standard_output == "user\n1000\n1000\n");
    CHECK(run(shell("cat /etc/hosts")).standard_output == "127.0.0.1 localhost\n::1 localhost\n");
    CHECK(run(shell("getent ahostsv4 localhost")).standard_output.starts_with("127.0.0.1 "));
}

TEST_CASE("only writable mounts can be written, and what is written arrives") {
    const Tree source("file", "old"), out;
    study::Execution execution =
        shell("echo new > /out/file; for f in /source/file /source/x /x /usr/x /etc/passwd "
              "/init /dev/x; do (echo new > $f) 2>/dev/null && echo $f; done; cat /source/file");
    execution.mounts = {{source.path, "/source", false}, {out.path, "/out", true}};
    CHECK(run(execution).standard_output == "old");
    CHECK(out.read("file") == "new\n");
}

TEST_CASE("scratch files do not outlive a run") {
    CHECK(run(shell("touch /tmp/x /home/user/x /dev/shm/x")).ok());
    CHECK(run(shell("ls -A /tmp /home/user /dev/shm | grep x")).code == 1);
}

TEST_CASE("mounts from outside the cache, through links, or over the system are refused") {
    const Tree tree("file", "");
    fs::create_directory_symlink("/usr", tree.path / "link");
    struct Row {
        fs::path host;
        const char* inside;
    };
    for (const Row& row :
         {Row{"/etc", "/inputs"}, Row{tree.path / "link", "/inputs"}, Row{tree.path / "none", "/inputs"},
          Row{runner().cache(), "/inputs"}, Row{tree.path / "..", "/inputs"}, Row{tree.path, "/"},
          Row{tree.path, "/usr/x"}, Row{tree.path, "/etc"}, Row{tree.path, "/proc/x"}, Row{tree.path, "/a/../etc"},
          Row{tree.path, "relative"}, Row{tree.path, "/init"}}) {
        INFO(row.host << " at " << row.inside);
        study::Execution execution = shell("true");
        execution.mounts = {{row.host, row.inside, true}};
        CHECK_FALSE(runner().execute(execution, {}));
    }
}

TEST_CASE("as root, programs run as the unprivileged user") {
    if (::geteuid() != 0)
        return;
    const std::string marker = unique_marker();
    Running running = start_sleeping_harness(marker);
    const std::string user = "\t" + std::to_string(sandbox::dropped_user), four = user + user + user + user;
    CHECK(status_of(running.payload, "Uid") == four);
    CHECK(status_of(running.payload, "Gid") == four);
    CHECK(status_of(running.runner, "Uid") == four);
    CHECK(status_of(running.runner, "Groups").find_first_of("0123456789") == std::string::npos);
    end_process(running.harness.pid);
    read_all_and_wait(running.harness);
    CHECK(eventually([&] { return processes_with(marker).empty(); }));
}

TEST_CASE("a harness that is killed leaves neither programs nor a runner") {
    const std::string marker = unique_marker();
    Running running = start_sleeping_harness(marker);
    // The terminal's Ctrl-C goes to a process group; theirs are others.
    CHECK(::getpgid(running.runner) != ::getpgid(running.harness.pid));
    CHECK(::getpgid(running.payload) != ::getpgid(running.harness.pid));
    CHECK(::getsid(running.runner) != ::getsid(running.harness.pid));
    end_process(running.harness.pid);
    read_all_and_wait(running.harness);
    CHECK(eventually([&] { return processes_with(marker).empty(); }));
    CHECK(eventually([&] {
        const std::string state = status_of(running.runner, "State");
        return state.empty() || state.find('Z') != std::string::npos;
    }));
}

TEST_CASE("a runner that is killed takes its program along and is an error") {
    const std::string marker = unique_marker();
    Running running = start_sleeping_harness(marker);
    end_process(running.runner);
    CHECK_THAT(read_all_and_wait(running.harness), ContainsSubstring("ended unexpectedly"));
    CHECK(eventually([&] { return processes_with(marker).empty(); }));
}

TEST_CASE("a harness of 600 MB does not show in its programs' memory") {
    Child child = start({harness_program, HOLDFAST_BIN_DIR, "600", "true"});
    const std::string said = read_all_and_wait(child);
    const std::size_t at = said.find("peak ");
    INFO(said);
    REQUIRE(at != std::string::npos);
    CHECK(std::stoull(said.substr(at + 5)) < (16U << 20));
}

TEST_CASE("an ordinary user's sandbox works as root's does") {
    if (::geteuid() != 0)
        return; // the whole program runs as an ordinary user then
    const fs::path home = "/var/tmp/holdfast-home-" + unique_marker();
    fs::create_directories(home);
    constexpr uid_t user = 54321;
    REQUIRE(::chown(home.c_str(), user, user) == 0);
    const std::string id = std::to_string(user);
    std::vector<std::string> argv = {"setpriv",
                                     "--reuid",
                                     id,
                                     "--regid",
                                     id,
                                     "--clear-groups",
                                     "env",
                                     "-u",
                                     "HOLDFAST_CACHE",
                                     "-u",
                                     "XDG_CACHE_HOME",
                                     "HOME=" + home.native()};
    Child reach = start({"setpriv", "--reuid", id, "--regid", id, "--clear-groups", "test", "-x", harness_program});
    int status = 0;
    ::waitpid(reach.pid, &status, 0);
    ::close(reach.output);
    if (status != 0) {
        WARN("the build folder cannot be reached by other users");
    } else {
        for (const char* word : {harness_program.c_str(), HOLDFAST_BIN_DIR, "0", "id", "-u"})
            argv.emplace_back(word);
        Child child = start(argv);
        CHECK_THAT(read_all_and_wait(child), ContainsSubstring("reason ''\n1000\n"));
        struct stat info {};
        CHECK(::stat((home / ".cache/holdfast").c_str(), &info) == 0);
        CHECK(info.st_uid == user);
        CHECK((info.st_mode & 0777) == 0700);
    }
    fs::remove_all(home);
}
