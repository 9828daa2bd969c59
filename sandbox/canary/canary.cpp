// SPDX-License-Identifier: GPL-3.0-or-later
// Tries to break out of a sandbox, with targets that the harness set up outside, and prints one line per attempt:
//   NAME <tab> held|broken <tab> DETAIL
//
// holdfast-canary try SECRET HOME-SECRET OUTSIDE-FOLDER TCP-PORT UDP-PORT ABSTRACT-NAME HARNESS-PID PROCESS-LIMIT
// holdfast-canary daemon MARKER      leaves a process that has MARKER in its command line
// holdfast-canary hide MILLISECONDS FILE   uses time where only a control group sees it, and leaves a file
// holdfast-canary grow MEGABYTES     needs memory
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
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
}

void write_outside(const char* folder) {
    char path[4096];
    std::snprintf(path, sizeof path, "%s/written", folder);
    const bool outside = can_open(path, O_WRONLY | O_CREAT);
    say("writes outside its folders", !outside, outside ? "made a file" : std::strerror(errno));

    const char* written = nullptr;
    for (const char* target :
         {"/read/file", "/read/new", "/canary", "/init", "/new", "/usr/new", "/etc/passwd", "/etc/new", "/dev/new"})
        if (can_open(target, O_WRONLY)) {
            written = target;
        } else if (can_open(target, O_WRONLY | O_CREAT | O_EXCL)) {
            written = target;
            unlink(target);
        }
    if (chmod("/read/file", 0777) == 0 || rename("/read/file", "/read/renamed") == 0 || unlink("/read/file") == 0 ||
        mount(nullptr, "/read", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0)
        written = "/read";
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

void use_network(const char* tcp, const char* udp, const char* abstract) {
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
}

void meet_processes(int harness) {
    // Inside, the number may be that of a process of the sandbox itself.
    const bool own = harness == 1 || harness == getpid();
    const bool signalled = !own && (kill(harness, 0) == 0 || errno == EPERM);
    say("signals a process of the host", !signalled, signalled ? "it is there" : "no such process");

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
    const bool mounts = mount("none", "/read", "tmpfs", 0, nullptr) == 0; // /read is there only inside
    if (mounts)
        umount2("/read", MNT_DETACH);
    say("has or gains privileges", capabilities == 0 && !gains && !mounts,
        mounts              ? "mounted a file system"
        : gains             ? "no_new_privs is off"
        : capabilities != 0 ? "has capabilities"
                            : "");
}

void nest() {
    const pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWUSER) == 0 ? 1 : 0);
    int status = 0;
    waitpid(child, &status, 0);
    const bool made = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
    say("makes a user namespace", !made, made ? "made one" : "refused");
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

void attack_init() {
    const char* opened = nullptr;
    for (const char* path : {"/proc/1/mem", "/proc/1/environ", "/proc/1/fd", "/proc/1/fd/16", "/proc/1/maps"})
        if (can_open(path, O_RDONLY))
            opened = path;
    char byte = 0;
    iovec here{&byte, 1}, there{reinterpret_cast<void*>(0x400000), 1};
    if (process_vm_readv(1, &here, 1, &there, 1, 0) == 1)
        opened = "process_vm_readv";
    if (ptrace(PTRACE_SEIZE, 1, nullptr, nullptr) == 0)
        opened = "ptrace";
    const int process = static_cast<int>(syscall(SYS_pidfd_open, 1, 0));
    for (int fd = 0; process >= 0 && fd < 64; ++fd)
        if (syscall(SYS_pidfd_getfd, process, fd, 0) >= 0)
            opened = "pidfd_getfd";
    say("opens what process 1 holds", opened == nullptr, opened == nullptr ? std::strerror(errno) : opened);
    // Last: whether they had an effect shows in whether this line and the end arrive. Never outside a sandbox.
    if (getppid() == 1 && getpid() < 16)
        for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGSEGV, SIGSTOP, SIGKILL})
            kill(1, number);
    say("ends process 1", true, "still here");
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
    if (argc == 4 && std::strcmp(argv[1], "hide") == 0)
        return hide(std::atol(argv[2]), argv[3]);
    if (argc == 3 && std::strcmp(argv[1], "grow") == 0)
        return grow(std::atol(argv[2]));
    if (argc != 10 || std::strcmp(argv[1], "try") != 0)
        return 2;
    read_secrets(argv[2], argv[3]);
    write_outside(argv[4]);
    use_network(argv[5], argv[6], argv[7]);
    meet_processes(std::atoi(argv[8]));
    change_kernel();
    nest();
    multiply(std::atoi(argv[9]));
    attack_init();
    return 0;
}
