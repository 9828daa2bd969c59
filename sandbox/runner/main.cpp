// SPDX-License-Identifier: GPL-3.0-or-later
// holdfast-runner: a small process that starts sandboxes for a large one. Forking the large one would show its resident
// size as every program's peak, and, when it is root's, would start bubblewrap as root, which lets the inside write
// /proc/sys. It is started with its end of a socket pair as descriptor 3 and ends with it.
//
// holdfast-runner BUBBLEWRAP INIT UID HARNESS-PID      (UID 0: keep the user)
#include "sandbox/message.hpp"
#include "sandbox/runner/run.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int control = 3;

[[noreturn]] void give_up(const char* what) {
    std::fprintf(stderr, "holdfast-runner: %s: %s\n", what, std::strerror(errno));
    _exit(1);
}

void drop_privileges(unsigned long user) {
    const auto id = uid_t(user);
    if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0)
        give_up("drop privileges");
    if (setuid(0) == 0 || getuid() != id || geteuid() != id || getegid() != id) {
        errno = EPERM;
        give_up("drop privileges");
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5)
        return 2;
    syscall(SYS_close_range, unsigned(control) + 1, ~0U, 0);
    if (const unsigned long user = std::strtoul(argv[3], nullptr, 10); user != 0)
        drop_privileges(user);
    if (geteuid() == 0) {
        errno = EPERM;
        give_up("refusing to start sandboxes as root");
    }
    // After the change of user, which clears it. The harness may have died before this line.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != pid_t(std::strtol(argv[4], nullptr, 10)))
        return 1;
    // What bubblewrap leaves behind when it is killed is reaped here, also where process 1 of a container reaps
    // nothing.
    prctl(PR_SET_CHILD_SUBREAPER, 1);

    const holdfast::sandbox::Programs programs{argv[1], argv[2]};
    for (bool harness_gone = false; !harness_gone;) {
        const auto message = holdfast::sandbox::receive_message(control);
        if (!message)
            break;
        if (message->kind != holdfast::sandbox::MessageKind::execute)
            continue; // a kill that came after the end
        holdfast::sandbox::Reply reply;
        if (const auto execution = holdfast::sandbox::decode_execution(message->payload))
            reply = run(*execution, programs, control, harness_gone);
        else
            reply.failure = "the request cannot be read";
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        if (!send_message(control, holdfast::sandbox::MessageKind::result, encode(reply)))
            break;
    }
    // No destructors and no leak check: the latter traces its own process, which is forbidden after a change of user.
    _exit(0);
}
