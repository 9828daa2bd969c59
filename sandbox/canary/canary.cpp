// SPDX-License-Identifier: GPL-3.0-or-later
// Tries to break out of a sandbox, with targets that the harness set up outside, and prints one line per attempt:
//   NAME <tab> held|broken <tab> DETAIL
//
// holdfast-canary try SECRET HOME-SECRET OUTSIDE-FOLDER TCP-PORT UDP-PORT ABSTRACT-NAME HARNESS-PID PROCESS-LIMIT
//     FILE-LIMIT READ-ONLY-FOLDER SOCKET-PATH
// holdfast-canary daemon MARKER      leaves a process that has MARKER in its command line
// holdfast-canary exceed LIMIT BYTES uses more of it than that: memory, disk or output; time: for ever
// holdfast-canary hide MILLISECONDS FILE   uses time where only a control group sees it, and leaves a file
// holdfast-canary grow MEGABYTES     needs memory
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <initializer_list>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void say(const char* name, bool held, const char* detail) {
    std::printf("%s\t%s\t%s\n", name, held ? "held" : "broken", detail);
    std::fflush(stdout); // a later attempt may end this process
}

bool can_open(const char* path, int flags) {
    const int fd = open(path, flags | O_CLOEXEC, 0644);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

const char* scratch_file(const char* name) {
    static char path[4096];
    const char* folder = std::getenv("TMPDIR");
    std::snprintf(path, sizeof path, "%s/%s", folder == nullptr ? "/tmp" : folder, name);
    return path;
}

void read_secrets(const char* secret, const char* home) {
    char detour[4096];
    bool read = can_open(secret, O_RDONLY);
    for (const char* root : {"/proc/1/root", "/proc/1/cwd", "/proc/self/root", "/../.."}) {
        std::snprintf(detour, sizeof detour, "%s%s", root, secret);
        read = read || can_open(detour, O_RDONLY);
    }
    say("reads a secret of the host", !read, read ? "opened it" : std::strerror(errno));
    read = *home != '\0' && can_open(home, O_RDONLY);
    say("reads the user's home", !read, read ? "opened a file there" : "nothing there");
    struct stat info {};
    const bool seen = stat(secret, &info) == 0;
    say("looks at files of the host", !seen, seen ? "saw its size and owner" : std::strerror(errno));
    const bool changed = chmod(secret, 0600) == 0 || (*home != '\0' && chmod(home, 0600) == 0);
    say("changes the mode of a file of the host", !changed, changed ? "changed it" : std::strerror(errno));
}

void write_outside(const char* folder, const char* read_only) {
    char path[4096];
    std::snprintf(path, sizeof path, "%s/written", folder);
    const bool outside = can_open(path, O_WRONLY | O_CREAT);
    say("writes outside its folders", !outside, outside ? "made a file" : std::strerror(errno));

    char inside[2][4096];
    std::snprintf(inside[0], sizeof inside[0], "%s/file", read_only);
    std::snprintf(inside[1], sizeof inside[1], "%s/new", read_only);
    const char* written = nullptr;
    for (const char* target : {static_cast<const char*>(inside[0]), static_cast<const char*>(inside[1]), "/canary",
                               "/init", "/new", "/usr/new", "/etc/passwd", "/etc/new", "/dev/new"})
        if (can_open(target, O_WRONLY)) {
            written = target;
        } else if (can_open(target, O_WRONLY | O_CREAT | O_EXCL)) {
            written = target;
            unlink(target);
        }
    if (rename(inside[0], inside[1]) == 0 || unlink(inside[0]) == 0 ||
        mount(nullptr, read_only, nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0)
        written = read_only;
    say("writes to what is read-only", written == nullptr, written == nullptr ? std::strerror(errno) : written);
}

bool reaches(int family, int type, const void* address, socklen_t size) {
    const int fd = socket(family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool reached = connect(fd, static_cast<const sockaddr*>(address), size) == 0;
    if (reached && type == SOCK_DGRAM) {
        // A connected UDP socket says nothing about the other side: the harness sees whether this arrives.
        [[maybe_unused]] const auto sent = send(fd, "canary", 6, 0);
        reached = false;
    }
    close(fd);
    return reached;
}

void use_network(const char* tcp, const char* udp, const char* abstract, const char* path) {
    sockaddr_in internet{};
    internet.sin_family = AF_INET;
    internet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    internet.sin_port = htons(static_cast<unsigned short>(std::atoi(tcp)));
    bool reached = reaches(AF_INET, SOCK_STREAM, &internet, sizeof internet);
    say("reaches the host over TCP", !reached, reached ? "connected" : std::strerror(errno));

    internet.sin_port = htons(static_cast<unsigned short>(std::atoi(udp)));
    reaches(AF_INET, SOCK_DGRAM, &internet, sizeof internet);
    say("reaches the host over UDP", true, "sent a packet");

    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "%s", abstract);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(abstract));
    reached = reaches(AF_UNIX, SOCK_STREAM, &local, size);
    say("reaches a socket of the host", !reached, reached ? "connected" : std::strerror(errno));

    sockaddr_un named{};
    named.sun_family = AF_UNIX;
    std::snprintf(named.sun_path, sizeof named.sun_path, "%s", path);
    reached = reaches(AF_UNIX, SOCK_STREAM, &named, sizeof named);
    say("reaches a socket of the host by its path", !reached, reached ? "connected" : std::strerror(errno));
}

/// The call that lets another process's memory or files be read; null when none does.
const char* way_into(int process) {
    char byte = 0;
    iovec here{&byte, 1}, there{reinterpret_cast<void*>(0x400000), 1};
    // A page that is not there is an answer too: the right to read was given.
    if (syscall(SYS_process_vm_readv, process, &here, 1, &there, 1, 0) == 1 || errno == EFAULT)
        return "process_vm_readv";
    if (ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0)
        return "ptrace";
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    for (int fd = 0; handle >= 0 && fd < 64; ++fd)
        if (syscall(SYS_pidfd_getfd, handle, fd, 0) >= 0)
            return "pidfd_getfd";
    if (handle >= 0)
        close(handle);
    errno = EPERM;
    return nullptr;
}

void meet_processes(int harness) {
    // Inside, the number may be that of a process of the sandbox itself.
    const bool own = harness == 1 || harness == getpid();
    // That it is there, but not to be signalled, is for "sees processes of the host".
    const bool signalled = !own && kill(harness, 0) == 0;
    say("signals a process of the host", !signalled, signalled ? "it could be ended" : own ? "" : std::strerror(errno));

    char memory[64];
    std::snprintf(memory, sizeof memory, "/proc/%d/mem", harness);
    const char* way = own ? nullptr : way_into(harness);
    if (!own && can_open(memory, O_RDONLY))
        way = "/proc/PID/mem";
    say("reads the memory of the harness", way == nullptr, way == nullptr ? std::strerror(errno) : way);

    int others = 0;
    DIR* processes = opendir("/proc");
    while (const dirent* entry = processes == nullptr ? nullptr : readdir(processes)) {
        const int number = std::atoi(entry->d_name);
        if (number > 1 && number != getpid())
            ++others;
    }
    if (processes != nullptr)
        closedir(processes);
    char detail[64];
    std::snprintf(detail, sizeof detail, "%d besides its own", others);
    say("sees processes of the host", others == 0, detail);
}

void change_kernel() {
    const char* opened = nullptr;
    for (const char* path : {"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
                             "/sys/kernel/mm/transparent_hugepage/enabled"})
        if (can_open(path, O_WRONLY))
            opened = path;
    say("changes settings of the kernel", opened == nullptr, opened == nullptr ? std::strerror(errno) : opened);

    unsigned long long capabilities = ~0ULL;
    char line[256];
    FILE* status = std::fopen("/proc/self/status", "re");
    while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
        std::sscanf(line, "CapPrm: %llx", &capabilities);
    if (status != nullptr)
        std::fclose(status);
    const bool gains = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
    say("has or gains privileges", capabilities == 0 && !gains,
        gains               ? "no_new_privs is off"
        : capabilities != 0 ? "has capabilities"
                            : "");
}

/// What a child finds out, which may be stuck in a name space or stopped then. 0: nothing.
template <class Attempt> int in_child(Attempt attempt) {
    const pid_t child = fork();
    if (child == 0)
        _exit(attempt());
    int status = 0;
    waitpid(child, &status, 0);
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

void nest() {
    struct Kind {
        int flag;
        const char* name;
    };
    constexpr int of_time = 0x80; // CLONE_NEWTIME, which older headers do not have
    constexpr Kind kinds[] = {{CLONE_NEWUSER, "of users"},      {CLONE_NEWNS, "of mounts"},
                              {CLONE_NEWNET, "of the network"}, {CLONE_NEWPID, "of processes"},
                              {CLONE_NEWIPC, "of IPC"},         {CLONE_NEWUTS, "of names"},
                              {CLONE_NEWCGROUP, "of cgroups"},  {of_time, "of time"}};
    const char* made = nullptr;
    for (const Kind& kind : kinds)
        if (in_child([&] { return unshare(kind.flag) == 0 ? 1 : 0; }) != 0)
            made = kind.name;
    // With flags that filters cannot see: as clone3 takes them from memory.
    if (in_child([] {
            std::uint64_t arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
            const long child = syscall(SYS_clone3, arguments, sizeof arguments);
            if (child == 0)
                _exit(0);
            return child > 0 ? 1 : 0;
        }) != 0)
        made = "with clone3";
    say("makes a name space", made == nullptr, made == nullptr ? "refused" : made);
}

void mount_something() {
    const char* made = nullptr;
    if (mount("none", "/tmp", "tmpfs", 0, nullptr) == 0)
        made = "mount";
    if (syscall(SYS_fsopen, "tmpfs", 0) >= 0)
        made = "fsopen";
    if (syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* a copy */) >= 0)
        made = "open_tree";
    say("mounts a file system", made == nullptr, made == nullptr ? std::strerror(errno) : made);
}

void use_keys() {
    const char* got = nullptr;
    if (syscall(SYS_keyctl, 0 /* number of a ring */, -3 /* the session's */, 1) >= 0)
        got = "has a ring of keys";
    if (syscall(SYS_add_key, "user", "canary", "x", 1, -2 /* the process's */) >= 0)
        got = "added a key";
    if (syscall(SYS_request_key, "user", "canary", nullptr, -2) >= 0)
        got = "found a key";
    say("uses keys of the user", got == nullptr, got == nullptr ? std::strerror(errno) : got);
}

/// Deep ways into the kernel. An argument that it finds wrong means that the call itself was let through.
void enter_kernel() {
    char zeros[256] = {};
    const auto let_through = [](long result) {
        return result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES);
    };
    const char* reached = nullptr;
    if (let_through(syscall(SYS_bpf, 0, zeros, sizeof zeros)))
        reached = "bpf";
    if (let_through(syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0)))
        reached = "perf_event_open";
    if (let_through(syscall(SYS_io_uring_setup, 1, zeros)))
        reached = "io_uring_setup";
    if (let_through(syscall(SYS_userfaultfd, 0)))
        reached = "userfaultfd";
    if (let_through(syscall(SYS_open_by_handle_at, AT_FDCWD, zeros, 0)))
        reached = "open_by_handle_at";
    say("reaches deep into the kernel", reached == nullptr, reached == nullptr ? std::strerror(errno) : reached);
}

void trace() {
    const char* way = nullptr;
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    way = child > 0 ? way_into(child) : nullptr;
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    say("traces other processes", way == nullptr, way == nullptr ? std::strerror(errno) : way);
}

void open_sockets() {
    struct Kind {
        int family, type;
        const char* name;
    };
    constexpr Kind kinds[] = {{AF_INET, SOCK_RAW, "raw"},        {AF_PACKET, SOCK_RAW, "packet"},
                              {AF_NETLINK, SOCK_RAW, "netlink"}, {AF_ALG, SOCK_SEQPACKET, "alg"},
                              {AF_VSOCK, SOCK_STREAM, "vsock"},  {AF_BLUETOOTH, SOCK_RAW, "bluetooth"},
                              {AF_TIPC, SOCK_STREAM, "tipc"},    {AF_KEY, SOCK_RAW, "key"}};
    const char* opened = nullptr;
    for (const Kind& kind : kinds)
        if (const int fd = socket(kind.family, kind.type | SOCK_CLOEXEC, kind.family == AF_INET ? IPPROTO_ICMP : 0);
            fd >= 0) {
            opened = kind.name;
            close(fd);
        }
    say("opens sockets of other kinds", opened == nullptr, opened == nullptr ? std::strerror(errno) : opened);
}

/// `limit`: bytes of one file.
void grow_file(long limit) {
    signal(SIGXFSZ, SIG_IGN);
    const char* const file = scratch_file("grown");
    const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    const bool grown = fd >= 0 && pwrite(fd, "x", 1, limit) == 1;
    say("exceeds the size of a file", fd >= 0 && !grown, grown ? "grew one past it" : std::strerror(errno));
    close(fd);
    unlink(file);
}

void multiply(int limit) {
    int made = 0;
    pid_t children[1024];
    while (made < limit * 2 + 8 && made < 1024) {
        const pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        if (child < 0)
            break;
        children[made++] = child;
    }
    for (int i = 0; i < made; ++i) {
        kill(children[i], SIGKILL);
        waitpid(children[i], nullptr, 0);
    }
    char detail[64];
    std::snprintf(detail, sizeof detail, "%d processes, allowed %d", made + 1, limit);
    say("exceeds the number of processes", made + 1 <= limit, detail);
}

/// Process 1 of the sandbox, which is the parent: without a name space it has another number.
void attack_init() {
    const pid_t init = getppid();
    const char* opened = way_into(init);
    char path[64];
    for (const char* file : {"mem", "environ", "fd", "fd/16", "maps"}) {
        std::snprintf(path, sizeof path, "/proc/%d/%s", init, file);
        if (can_open(path, O_RDONLY))
            opened = file;
    }
    say("opens what process 1 holds", opened == nullptr, opened == nullptr ? std::strerror(errno) : opened);
    // Last: whether they had an effect shows in whether this line and the end arrive. Never outside a sandbox.
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && prctl(PR_GET_SECCOMP) == 2)
        for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGSEGV, SIGSTOP, SIGKILL})
            kill(init, number);
    say("ends process 1", true, "still here");
}

/// Ends by itself only where nothing ends it, and then not as one that was stopped.
int exceed(const char* limit, long bytes) {
    for (int number = 1; number < NSIG; ++number)
        signal(number, SIG_IGN);
    static char chunk[1 << 16];
    std::memset(chunk, 1, sizeof chunk);
    const bool disk = std::strcmp(limit, "disk") == 0, output = std::strcmp(limit, "output") == 0;
    const int into = disk ? open(scratch_file("filled"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : STDOUT_FILENO;
    for (long done = 0; (disk || output) && done < bytes; done += long(sizeof chunk))
        if (write(into, chunk, sizeof chunk) < 0)
            break;
    if (std::strcmp(limit, "memory") == 0) {
        void* memory = mmap(nullptr, std::size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED)
            std::memset(memory, 1, std::size_t(bytes));
    }
    if (!disk && !output)
        sleep(5);
    return 0;
}

/// Twice forked, in a session of its own, its streams closed: what a daemon does.
int leave_daemon(char* self, char* marker) {
    if (fork() != 0)
        return 0;
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int fd = 0; fd < 3; ++fd)
        close(fd);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    char mode[] = "stay";
    char* argv[] = {self, mode, marker, nullptr};
    execv("/proc/self/exe", argv);
    _exit(1);
}

void burn(long milliseconds) {
    timespec used{};
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < milliseconds);
}

/// A child that nobody waits for and that is not told of either, while this process uses nothing. Leaves a file, whose
/// owner tells outside who ran it.
int hide(long milliseconds, const char* file) {
    const int made = open(file, O_WRONLY | O_CREAT | O_EXCL, 0644);
    signal(SIGCHLD, SIG_IGN);
    const pid_t child = fork();
    if (child == 0) {
        burn(milliseconds);
        _exit(0);
    }
    while (wait(nullptr) >= 0) {
    }
    return made >= 0 && child > 0 ? 0 : 1;
}

/// As fast as it can: between two looks of the runner.
int grow(long megabytes) {
    constexpr std::size_t step = 1 << 20;
    for (long i = 0; i < megabytes; ++i) {
        void* more = mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return 1;
        std::memset(more, 1, step);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    // With root's rights outside a sandbox these attempts would succeed and harm the machine.
    if (geteuid() == 0) {
        std::fputs("holdfast-canary does not run as root\n", stderr);
        return 3;
    }
    if (argc == 3 && std::strcmp(argv[1], "daemon") == 0)
        return leave_daemon(argv[0], argv[2]);
    if (argc == 3 && std::strcmp(argv[1], "stay") == 0) {
        alarm(600); // never for ever, even where it survives
        pause();
        return 0;
    }
    if (argc == 4 && std::strcmp(argv[1], "exceed") == 0)
        return exceed(argv[2], std::atol(argv[3]));
    if (argc == 4 && std::strcmp(argv[1], "hide") == 0)
        return hide(std::atol(argv[2]), argv[3]);
    if (argc == 3 && std::strcmp(argv[1], "grow") == 0)
        return grow(std::atol(argv[2]));
    if (argc != 13 || std::strcmp(argv[1], "try") != 0)
        return 2;
    read_secrets(argv[2], argv[3]);
    write_outside(argv[4], argv[11]);
    use_network(argv[5], argv[6], argv[7], argv[12]);
    meet_processes(std::atoi(argv[8]));
    change_kernel();
    nest();
    mount_something();
    use_keys();
    enter_kernel();
    trace();
    open_sockets();
    multiply(std::atoi(argv[9]));
    grow_file(std::atol(argv[10]));
    attack_init();
    return 0;
}
