// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/bubblewrap.hpp"

#include "sandbox/init/protocol.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vector>

namespace holdfast::sandbox {
namespace {

// Descriptors of bubblewrap, between those that init knows (init/protocol.hpp).
constexpr int arguments_fd = 7, status_fd = 8;

constexpr const char* message_queues = "/dev/mqueue"; ///< POSIX's; new with each sandbox

/// What programs look up and the host's files would tell too much of.
struct OwnFile {
    int fd; ///< bubblewrap reads it there
    const char* place;
    const char* text;
    bool with_network; ///< else the host's is shown then
};
constexpr OwnFile own_files[] = {
    {9, "/etc/passwd",
     "root:x:0:0:root:/root:/usr/sbin/nologin\n"
     "user:x:1000:1000:user:/home/user:/bin/sh\n"
     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
     true},
    {10, "/etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n", true},
    {13, "/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n", false},
    {14, "/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n", false},
};

/// A sealed-off copy in memory, at a high number so that it is in nobody's way when descriptors are put in place.
Descriptor in_memory(const std::string& bytes) {
    Descriptor file(memfd_create("holdfast", MFD_CLOEXEC));
    std::size_t done = 0;
    while (file && done < bytes.size()) {
        const ssize_t written = ::write(file.get(), bytes.data() + done, bytes.size() - done);
        if (written <= 0)
            return {};
        done += std::size_t(written);
    }
    if (!file || lseek(file.get(), 0, SEEK_SET) != 0)
        return {};
    return Descriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, 32));
}

struct Pipe {
    Descriptor read, write;
    explicit operator bool() const { return read && write; }
};

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return {};
    const Descriptor low_read(ends[0]), low_write(ends[1]);
    Pipe pipe{Descriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, 32)), Descriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, 32))};
    if (pipe)
        fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK); // this process's end; that of the orders is init's, which polls
    return pipe;
}

class Arguments {
public:
    template <class... Words> void add(const Words&... words) { ((text_.append(words).push_back('\0')), ...); }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// /bin and its kin: links into /usr on most systems, folders on some.
void add_system(Arguments& arguments) {
    arguments.add("--ro-bind", "/usr", "/usr");
    for (const char* path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        struct stat info {};
        if (lstat(path, &info) != 0)
            continue;
        char target[256];
        if (S_ISLNK(info.st_mode)) {
            const ssize_t size = readlink(path, target, sizeof target);
            if (size > 0 && std::size_t(size) < sizeof target)
                arguments.add("--symlink", std::string(target, std::size_t(size)), path);
        } else if (S_ISDIR(info.st_mode)) {
            arguments.add("--ro-bind", path, path);
        }
    }
    arguments.add("--perms", "0755", "--dir", "/etc");
    // cc, c++, awk and others are links through /etc/alternatives.
    for (const char* path : {"/etc/alternatives", "/etc/ld.so.cache"})
        arguments.add("--ro-bind-try", path, path);
}

constexpr const char* network_files[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl"};

/// What finding and trusting hosts needs; with the host's network.
void add_network(Arguments& arguments) {
    arguments.add("--share-net");
    for (const char* path : network_files)
        arguments.add("--ro-bind-try", path, path);
}

std::string bubblewrap_arguments(const study::Execution& execution, const Programs& programs) {
    Arguments arguments;
    arguments.add("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
                  "--as-pid-1", "--uid", "1000", "--gid", "1000", "--hostname", "localhost", "--clearenv",
                  "--json-status-fd", std::to_string(status_fd));
    add_system(arguments);
    if (execution.network)
        add_network(arguments);
    for (const OwnFile& file : own_files)
        if (file.with_network || !execution.network)
            arguments.add("--perms", "0644", "--file", std::to_string(file.fd), file.place);
    arguments.add("--proc", "/proc", "--dev", "/dev", "--mqueue", message_queues);
    // One page more than the limit, so that a full one is over it and not at it.
    const std::string size = std::to_string(execution.limits.disk_bytes + (1U << 16));
    for (const init::Scratch& scratch : init::scratch)
        arguments.add("--perms", scratch.mode, "--size", size, "--tmpfs", scratch.folder);
    for (const std::string& path : execution.read)
        arguments.add("--ro-bind", path, path);
    for (const study::Mount& mount : execution.mounts)
        arguments.add(mount.writable ? "--bind" : "--ro-bind", mount.host.native(), mount.inside);
    arguments.add("--ro-bind", programs.init, "/init");
    // What is left writable after this: the scratch file systems and the writable mounts.
    arguments.add("--remount-ro", "/dev", "--remount-ro", "/");
    return arguments.text();
}

void append(std::string& bytes, const Argv& words) {
    for (const std::string& word : words)
        bytes.append(word).push_back('\0');
}

using Places = std::vector<std::pair<init::Right, std::string>>;

/// Landlock repeats what the mounts say: all of the sandbox may be read, and builds run what they have built.
Places places_inside(const study::Execution& execution) {
    // What threads set of themselves in /proc/self: settings of the kernel there are root's.
    Places places = {{init::Right::read, "/"}, {init::Right::set, "/dev"}, {init::Right::set, "/proc"}};
    places.emplace_back(init::Right::write, message_queues);
    for (const init::Scratch& place : init::scratch)
        places.emplace_back(init::Right::write, place.folder);
    for (const study::Mount& mount : execution.mounts)
        if (mount.writable)
            places.emplace_back(init::Right::write, mount.inside);
    return places;
}

/// Without mounts Landlock alone says what is there to be read.
Places places_of_host(const study::Execution& execution) {
    Places places = {{init::Right::set, "/proc"}};
    for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
        places.emplace_back(init::Right::set, device);
    for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives",
                             "/etc/ld.so.cache", "/etc/passwd", "/etc/group", "/etc/localtime"})
        places.emplace_back(init::Right::read, path);
    if (execution.network)
        for (const char* path : network_files)
            places.emplace_back(init::Right::read, path);
    for (const std::string& path : execution.read)
        places.emplace_back(init::Right::read, path);
    for (const study::Mount& mount : execution.mounts)
        places.emplace_back(mount.writable ? init::Right::write : init::Right::read, mount.inside);
    return places;
}

std::string instructions(const study::Execution& execution, bool alone, bool kept) {
    static_assert(init::build_phase == std::uint32_t(study::Phase::build));
    init::Instructions head;
    head.arguments = std::uint32_t(execution.argv.size());
    head.variables = std::uint32_t(execution.environment.size());
    if (execution.server) {
        head.start = std::uint32_t(execution.server->start.size());
        head.ready = std::uint32_t(execution.server->ready.size());
        head.stop = std::uint32_t(execution.server->stop.size());
        head.limit_ms = std::uint32_t(execution.server->limit.count());
        head.kept = kept ? 1 : 0;
    }
    head.network = execution.network ? 1 : 0;
    head.count = execution.count_instructions ? 1 : 0;
    head.phase = std::uint32_t(execution.phase);
    head.sanitizer = execution.sanitizer ? 1 : 0;
    head.observe = execution.observe ? 1 : 0;
    head.processors = execution.processors;
    const Places places = alone ? places_of_host(execution) : places_inside(execution);
    head.places = std::uint32_t(places.size());
    head.alone = alone ? 1 : 0;
    head.processes = execution.limits.processes;
    head.file_bytes = execution.limits.file_bytes;
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    bytes.append(execution.folder).push_back('\0');
    append(bytes, execution.argv);
    if (execution.server)
        for (const Argv* argv : {&execution.server->start, &execution.server->ready, &execution.server->stop})
            append(bytes, *argv);
    for (const auto& [name, value] : execution.environment)
        bytes.append(name).append("=").append(value).push_back('\0');
    for (const auto& [right, path] : places)
        bytes.append(1, char(right)).append(path).push_back('\0');
    return bytes;
}

using Numbers = std::vector<std::pair<int, int>>; ///< a descriptor here, its number there

/// posix_spawn, so that nothing of this process is copied.
int spawn(const char* program, char** argv, char** environment, const Numbers& places, pid_t& pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (const auto& [from, to] : places)
        posix_spawn_file_actions_adddup2(&actions, from, to);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawn(&pid, program, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// The same for a program that begins in a group; posix_spawn cannot do that. This process has one thread and is small.
int spawn_into(const ControlGroup& group, const char* program, char** argv, char** environment, const Numbers& places,
               pid_t& pid) {
    const std::vector<int> files = group.files_to_enter();
    pid = fork_into(group);
    if (pid < 0)
        return errno;
    if (pid > 0)
        return 0;
    for (const auto& [from, to] : places)
        if (dup2(from, to) < 0)
            _exit(127);
    const auto give_up = [](const char* what) { // standard error is what the runner reads as bubblewrap's
        const int error = errno;
        dprintf(STDERR_FILENO, "%s: %s\n", what, std::strerror(error));
        _exit(127);
    };
    for (const int file : files)
        if (write(file, "0", 1) != 1)
            give_up("cannot enter a control group");
    for (int number = 1; number < NSIG; ++number)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(program, argv, environment);
    give_up(program);
    return 0;
}

int spawn(const Programs& programs, const ControlGroup* group, const Numbers& places, pid_t& pid) {
    std::vector<std::string> words = bubblewrap_words(programs);
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    char* environment[] = {nullptr};
    const char* const program = words.front().c_str();
    return group == nullptr ? spawn(program, argv.data(), environment, places, pid)
                            : spawn_into(*group, program, argv.data(), environment, places, pid);
}

} // namespace

std::vector<std::string> bubblewrap_words(const Programs& programs) {
    if (programs.alone())
        return {programs.init};
    // The arguments go through a descriptor: a command line is there for everybody to read.
    return {programs.bubblewrap, "--args", std::to_string(arguments_fd), "--", "/init"};
}

Started start_sandbox(const study::Execution& execution, const Programs& programs, bool kept,
                      const ControlGroup* group) {
    Started started;
    Pipe output = make_pipe(), error = make_pipe(), report = make_pipe(), status = make_pipe(), diagnosis = make_pipe();
    const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
    const Descriptor told = in_memory(instructions(execution, programs.alone(), kept)),
                     arguments = in_memory(bubblewrap_arguments(execution, programs));
    std::vector<Descriptor> files;
    for (const OwnFile& file : own_files)
        files.push_back(in_memory(file.text));
    const bool beside = execution.server.has_value();
    Pipe server, orders;
    if (beside) {
        server = make_pipe();
        orders = make_pipe();
    }
    if (!output || !error || !report || !status || !diagnosis || !null || !told || !arguments ||
        !std::all_of(files.begin(), files.end(), [](const Descriptor& file) { return bool(file); }) ||
        (beside && (!server || !orders))) {
        started.failure = std::string("cannot make pipes: ") + std::strerror(errno);
        return started;
    }
    // A program that prints much should not wait for this process to read; a refusal changes nothing.
    fcntl(output.read.get(), F_SETPIPE_SZ, 1 << 20);
    Numbers places = {{null.get(), 0},
                      {null.get(), 1},
                      {diagnosis.write.get(), 2},
                      {told.get(), init::instructions_fd},
                      {report.write.get(), init::report_fd},
                      {output.write.get(), init::output_fd},
                      {error.write.get(), init::error_fd},
                      {arguments.get(), arguments_fd},
                      {status.write.get(), status_fd}};
    for (std::size_t i = 0; i < files.size(); ++i)
        places.emplace_back(files[i].get(), own_files[i].fd);
    if (beside) {
        places.emplace_back(server.write.get(), init::server_fd);
        places.emplace_back(orders.read.get(), init::orders_fd);
    }
    const int failed = spawn(programs, group, places, started.bubblewrap);
    if (failed != 0) {
        started.failure = "cannot start " + bubblewrap_words(programs).front() + ": " + std::strerror(failed);
        return started;
    }
    started.output = std::move(output.read);
    started.error = std::move(error.read);
    started.server = std::move(server.read);
    started.orders = std::move(orders.write);
    started.report = std::move(report.read);
    started.status = std::move(status.read);
    started.diagnosis = std::move(diagnosis.read);
    return started;
}

} // namespace holdfast::sandbox
