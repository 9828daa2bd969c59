// SPDX-License-Identifier: GPL-3.0-or-later
// holdfast-runner: a small process that starts sandboxes for a large one. Forking the large one would show its resident
// size as every program's peak, and, when it is root's, would start bubblewrap as root, which lets the inside write
// /proc/sys. It is started with its end of a socket pair as descriptor 3 and ends with it, or with the process that
// started it, after it has ended what it started itself.
//
// holdfast-runner BUBBLEWRAP INIT UID HARNESS-PID GROUPS      (BUBBLEWRAP "": without it; UID 0: keep the user; GROUPS
// 1: use control groups)
#include "sandbox/message.hpp"
#include "sandbox/runner/leftovers.hpp"
#include "sandbox/runner/run.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
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

/// Readable from the death of the harness on: SIGTERM, which does not end this process, so that it can end the sandbox.
int watch_for_death() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &signals, nullptr) != 0)
        return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Waits for a message. False when the harness has died.
bool wait_for_message(int death) {
    pollfd sources[] = {{control, POLLIN, 0}, {death, POLLIN, 0}};
    while (poll(sources, 2, -1) < 0)
        if (errno != EINTR)
            return false;
    return sources[1].revents == 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 6)
        return 2;
    syscall(SYS_close_range, unsigned(control) + 1, ~0U, 0);
    const auto user = std::strtoul(argv[3], nullptr, 10);
    holdfast::sandbox::ControlGroups groups;
    if (std::strcmp(argv[5], "1") == 0)
        groups.prepare(user != 0 ? uid_t(user) : geteuid());
    if (user != 0)
        drop_privileges(user);
    if (geteuid() == 0) {
        errno = EPERM;
        give_up("refusing to start sandboxes as root");
    }
    signal(SIGPIPE, SIG_IGN); // an order may come when the sandbox has just ended
    const int death = watch_for_death();
    if (death < 0)
        give_up("signalfd");
    // After the change of user, which clears it. The harness may have died before this line.
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != pid_t(std::strtol(argv[4], nullptr, 10)))
        return 1;
    // What bubblewrap leaves behind when it is killed is reaped here, also where process 1 of a container reaps
    // nothing.
    prctl(PR_SET_CHILD_SUBREAPER, 1);

    groups.try_out();

    const holdfast::sandbox::Programs programs{argv[1], argv[2]};
    const holdfast::sandbox::Means means{programs, groups};
    holdfast::sandbox::end_orphans(bubblewrap_words(programs));
    for (bool harness_gone = false; !harness_gone && wait_for_message(death);) {
        const auto message = holdfast::sandbox::receive_message(control);
        if (!message)
            break;
        const bool kept = message->kind == holdfast::sandbox::MessageKind::keep;
        if (!kept && message->kind != holdfast::sandbox::MessageKind::execute)
            continue; // a kill that came after the end
        holdfast::sandbox::Reply reply;
        const auto execution = holdfast::sandbox::decode_execution(message->payload);
        if (execution && kept) {
            keep(*execution, means, {control, death});
            break;
        }
        if (execution)
            reply = run(*execution, means, {control, death}, harness_gone);
        else
            reply.failure = "the request cannot be read";
        reply.groups = groups.usable() ? groups.found() : "";
        reply.groupless = groups.usable() ? "" : groups.found();
        if (!send_message(control, holdfast::sandbox::MessageKind::result, encode(reply)))
            break;
    }
    // No destructors and no leak check: the latter traces its own process, which is forbidden after a change of user.
    _exit(0);
}
