// SPDX-License-Identifier: GPL-3.0-or-later
// What is let in: paths of the host to read, and the network for what is fetched.
#include "sandbox_fixture.hpp"

#include "sandbox/folders.hpp"
#include "tests/catch.h"

#include <cstddef>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

/// A folder outside the cache that everybody may read.
struct Outside {
    Outside() : path("/var/tmp/holdfast-read-" + unique_marker()) {
        fs::create_directories(path / "data");
        std::ofstream(path / "data/file") << "of the host\n";
        fs::permissions(path, fs::perms(0755));
        fs::permissions(path / "data", fs::perms(0755));
        fs::permissions(path / "data/file", fs::perms(0644));
    }
    ~Outside() {
        std::error_code error;
        fs::remove_all(path, error);
    }
    fs::path path;
};

/// Answers each connection to the host's loopback with the letter it sends.
class Listener {
public:
    Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(socket_, 8) == 0);
        REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port = std::to_string(ntohs(address.sin_port));
        thread_ = std::jthread([this] {
            for (int client; (client = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(client)) {
                char letter = 0;
                if (::read(client, &letter, 1) == 1 && ::write(client, &letter, 1) != 1)
                    break;
            }
        });
    }
    ~Listener() {
        ::shutdown(socket_, SHUT_RDWR);
        thread_.join();
        ::close(socket_);
    }
    std::string port;

private:
    int socket_;
    std::jthread thread_;
};

Result<study::ExecutionResult> read_with(const std::string& path, const std::string& script) {
    study::Execution execution = shell(script);
    execution.read = {path};
    return runner().execute(execution, {});
}

} // namespace

TEST_CASE("a path of the host is seen read-only at the same place") {
    const Outside outside;
    const std::string file = outside.path / "data/file";
    const auto result =
        read_with(outside.path / "data", "cat " + file + "; (echo x > " + file + ") 2>/dev/null; touch " + file +
                                             "-new 2>/dev/null; cat " + file);
    REQUIRE(result);
    CHECK(result->standard_output == "of the host\nof the host\n");
    CHECK_FALSE(fs::exists(file + "-new"));
    CHECK(read_with(file, "cat " + file)->standard_output == "of the host\n");
    CHECK(read_with(outside.path / "data/", "cat " + file)->standard_output == "of the host\n");
    // Beside a server too, and nothing of it without being named.
    CHECK(run(shell("cat " + file)).code != 0);
}

TEST_CASE("a link of the host leads where it leads there, at its own place") {
    const Outside outside;
    fs::create_directory_symlink(outside.path / "data", outside.path / "link");
    const auto result = read_with(outside.path / "link", "cat " + (outside.path / "link/file").native());
    REQUIRE(result);
    CHECK(result->standard_output == "of the host\n");
}

TEST_CASE("paths that are there anyway are accepted") {
    CHECK(read_with("/usr/include", "test -d /usr/include")->ok());
    CHECK(read_with("/usr", "true")->ok());
    CHECK(read_with("/bin/sh", "true")->ok());
}

TEST_CASE("paths that must not be seen are refused, each with its reason") {
    const Outside outside;
    const Tree tree("file", "x");
    fs::create_directory_symlink("/proc/self", outside.path / "kernel");
    fs::create_directory_symlink("/etc", outside.path / "settings");
    fs::create_directory_symlink(tree.path, outside.path / "tree");
    struct Row {
        std::string path, found;
    };
    for (const Row& row :
         {Row{"relative/path", "not an absolute path"}, Row{"", "not an absolute path"},
          Row{"/var/tmp/no such path", "No such file"}, Row{"/", "the whole machine"}, Row{"/etc", "a top folder"},
          Row{"/etc/", "a top folder"}, Row{"/home", "a top folder"}, Row{"/usr/../etc", "a top folder"},
          Row{"/proc", "top folder"}, Row{"/proc/self", "the kernel"}, Row{"/sys/kernel", "the kernel"},
          Row{"/dev/null", "the kernel"}, Row{"/dev/shm", "the kernel"}, Row{outside.path / "kernel", "the kernel"},
          Row{outside.path / "settings", "a top folder"}, Row{tree.path, "temporary trees"},
          Row{runner().cache(), "temporary trees"}, Row{runner().cache().parent_path(), "temporary trees"},
          Row{outside.path / "tree", "temporary trees"}}) {
        INFO(row.path);
        const auto result = read_with(row.path, "true");
        REQUIRE_FALSE(result);
        CHECK_THAT(result.error().found, ContainsSubstring(row.found));
        CHECK_FALSE(result.error().remedy.empty());
    }
}

TEST_CASE("what is hidden is not seen by any path that leads to it") {
    const Outside outside;
    fs::create_directories(outside.path / "data/state/deep");
    std::ofstream(outside.path / "data/state/history") << "secret";
    fs::create_directory_symlink("data/state", outside.path / "link");
    fs::create_symlink("data/state/history", outside.path / "history");
    fs::create_hard_link(outside.path / "data/state/history", outside.path / "other-name");
    study::Execution execution = shell("true");
    execution.hidden = {outside.path / "data/state", outside.path / "data/state/history", outside.path / "missing"};
    for (const char* path : {"data", "data/state", "data/state/deep", "data/state/history", "link", "history",
                             "other-name", "link/deep", "."}) {
        INFO(path);
        execution.read = {(outside.path / path).lexically_normal()};
        const auto result = runner().execute(execution, {});
        REQUIRE_FALSE(result);
        CHECK(result.error().kind == Error::Kind::refused);
        CHECK_THAT(result.error().found, ContainsSubstring("held-out workloads"));
    }
    execution.read = {outside.path / "data/file"};
    CHECK(runner().execute(execution, {}));
}

TEST_CASE("a path that a mount has taken inside is refused") {
    const Outside outside;
    const Tree tree;
    study::Execution execution = shell("true");
    execution.mounts = {{tree.path, outside.path.native(), false}};
    execution.read = {outside.path / "data"};
    const auto result = runner().execute(execution, {});
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().found, ContainsSubstring("is taken"));
}

TEST_CASE("what programs could not read is an error that names the folder and the remedy") {
    const Outside outside;
    if (::geteuid() == 0) {
        fs::permissions(outside.path, fs::perms(0700));
        const auto result = read_with(outside.path / "data", "true");
        REQUIRE_FALSE(result);
        CHECK_THAT(result.error().found, ContainsSubstring(std::to_string(sandbox::dropped_user)));
        CHECK_THAT(result.error().found, ContainsSubstring("cannot pass through " + outside.path.native()));
        CHECK_THAT(result.error().remedy, ContainsSubstring("ordinary user"));
        fs::permissions(outside.path, fs::perms(0755));
    }
    fs::permissions(outside.path / "data/file", fs::perms(0));
    const std::string file = outside.path / "data/file";
    const auto remedy = [&] { return read_with(file, "true").error().remedy; };
    CHECK_THAT(remedy(), ContainsSubstring("Copy what programs need of it") && !ContainsSubstring("chmod"));
    const Variable home("HOME", outside.path);
    CHECK_THAT(remedy(), ContainsSubstring("chmod -R o+rX " + file));
    const Variable itself("HOME", file);
    CHECK_THAT(remedy(), !ContainsSubstring("chmod"));
}

TEST_CASE("the host's network is there when it is asked for, and only then") {
    const Listener listener;
    study::Execution execution = victim("ask-port", listener.port);
    CHECK(run(execution).code == 5);
    execution.network = true;
    const auto early = runner().execute(execution, {});
    REQUIRE_FALSE(early);
    CHECK(early.error().kind == Error::Kind::refused);
    execution.phase = study::Phase::build;
    CHECK(run(execution).ok());
    execution.network = false;
    CHECK(run(execution).code == 5);
}

TEST_CASE("with the network, sockets of the host's programs stay out of reach") {
    constexpr int versions = 1; // LANDLOCK_CREATE_RULESET_VERSION
    if (::syscall(444, nullptr, 0, versions) < 6)
        return; // before Linux 6.12
    const std::string name = unique_marker();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path + 1, name.size());
    const auto size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const sandbox::Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    study::Execution execution = victim("abstract", name);
    execution.phase = study::Phase::build;
    CHECK(run(execution).standard_output == "Connection refused\n");
    execution.network = true;
    CHECK(run(execution).standard_output == "Operation not permitted\n");
}

TEST_CASE("with the network the rest stays as confined") {
    study::Execution execution =
        shell("ls -A /root /var /run /home 2>/dev/null; ls -A /etc; id -u; cat "
              "/proc/sys/kernel/hostname; (echo x > /etc/resolv.conf) 2>/dev/null && echo wrote");
    execution.phase = study::Phase::build;
    execution.network = true;
    const std::string said = "\n" + run(execution).standard_output;
    for (const char* name : {"shadow", "hostname", "ssh", "sudoers", "wrote"}) {
        INFO(name);
        CHECK(said.find("\n" + std::string(name) + "\n") == std::string::npos);
    }
    CHECK_THAT(said, ContainsSubstring("\nuser\nalternatives\n"));
    CHECK_THAT(said, ContainsSubstring("\n1000\nlocalhost\n"));
    if (fs::exists("/etc/resolv.conf"))
        CHECK_THAT(said, ContainsSubstring("\nresolv.conf\n"));
}
