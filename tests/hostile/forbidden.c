/* SPDX-License-Identifier: GPL-3.0-or-later
 * Tries calls that programs of a sandbox may not make, compiled and run by the tests. Without arguments: one line per
 * call, its name, a blank and "done" or the error's number. forbidden MODE tries one thing that may end it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void say(const char* name, long result) {
    if (result >= 0)
        printf("%s done\n", name);
    else
        printf("%s %d\n", name, errno);
    fflush(stdout);
}

#define TRY(call, ...) say(#call, syscall(SYS_##call, ##__VA_ARGS__))

static void privileged(void) {
    static char zeros[512];
    struct iovec piece = {zeros, 1};
    pid_t self = getpid();
    TRY(ptrace, PTRACE_TRACEME, 0, 0, 0);
    TRY(process_vm_readv, self, &piece, 1, &piece, 1, 0);
    TRY(process_vm_writev, self, &piece, 1, &piece, 1, 0);
    TRY(kcmp, self, self, 0, 0, 0);
    TRY(mount, "none", "/tmp", "tmpfs", 0, 0);
    TRY(umount2, "/tmp", MNT_DETACH);
    TRY(pivot_root, "/", "/tmp");
    TRY(chroot, "/tmp");
    TRY(setns, 0, 0);
    TRY(keyctl, 0, -3, 0);
    TRY(add_key, "user", "x", "x", 1, -2);
    TRY(request_key, "user", "x", 0, -2);
    TRY(bpf, 0, zeros, sizeof zeros);
    TRY(perf_event_open, zeros, 0, -1, -1, 0);
    TRY(userfaultfd, 0);
    TRY(open_by_handle_at, AT_FDCWD, zeros, 0);
    TRY(kexec_load, 0, 0, 0, 0);
    TRY(init_module, zeros, 0, "");
    TRY(finit_module, 0, "", 0);
    TRY(delete_module, "x", 0);
    TRY(reboot, 0, 0, 0, 0);
    TRY(swapon, "/tmp/x", 0);
    TRY(swapoff, "/tmp/x");
    TRY(settimeofday, 0, 0);
    TRY(clock_settime, CLOCK_REALTIME, zeros);
    TRY(adjtimex, zeros);
    TRY(clock_adjtime, CLOCK_REALTIME, zeros);
    TRY(acct, 0);
    TRY(quotactl, 0, 0, 0, 0);
    TRY(sethostname, "x", 1);
    TRY(syslog, 10, 0, 0);
    TRY(io_uring_setup, 1, zeros);
    TRY(clone3, zeros, 64);
}

static void by_argument(void) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    int families[] = {AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_TIPC, AF_KEY};
    int kinds[] = {CLONE_NEWNS,  CLONE_NEWNET,  CLONE_NEWPID,    CLONE_NEWIPC,
                   CLONE_NEWUTS, CLONE_NEWUSER, CLONE_NEWCGROUP, 0x80};
    char name[32];
    for (unsigned i = 0; i < sizeof families / sizeof *families; ++i) {
        sprintf(name, "socket-%d", families[i]);
        say(name, socket(families[i], families[i] == AF_ALG ? SOCK_SEQPACKET : SOCK_RAW, 0));
    }
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        sprintf(name, "unshare-%x", kinds[i]);
        say(name, unshare(kinds[i]));
    }
    say("clone-user", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    say("ioctl-terminal", terminal);
    say("ioctl-TIOCSTI", ioctl(terminal, TIOCSTI, "x"));
    /* The kernel looks at the lower half of the number only, and so must the filter. */
    say("ioctl-TIOCSTI-64", syscall(SYS_ioctl, (long)terminal, TIOCSTI | 0x100000000L, "x"));
    say("socket-unix", socket(AF_UNIX, SOCK_STREAM, 0));
    say("socket-inet", socket(AF_INET, SOCK_STREAM, 0));
    say("socket-inet6", socket(AF_INET6, SOCK_DGRAM, 0));
    say("unshare-files", unshare(CLONE_FILES | CLONE_FS));
    say("personality-read", personality(0xffffffff));
    say("personality-fixed", personality(ADDR_NO_RANDOMIZE));
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    if (!*mode) {
        privileged();
        by_argument();
    } else if (!strcmp(mode, "traced")) { /* a child of its own, as LeakSanitizer does it */
        pid_t child = fork();
        int status = 0;
        if (child == 0)
            for (;;)
                pause();
        say("seize", ptrace(PTRACE_SEIZE, child, 0, 0));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    } else if (!strcmp(mode, "foreign")) {
#if defined(__x86_64__)
        long number = 20; /* getpid of i386 */
        __asm__ volatile("int $0x80" : "+a"(number));
        printf("%ld\n", number);
#endif
    } else if (!strcmp(mode, "x32")) {
#if defined(__x86_64__)
        say("getpid", syscall(0x40000000 | SYS_getpid));
#endif
    } else if (!strcmp(mode, "leak")) {
        char* volatile lost = malloc(100);
        lost = 0;
        printf("ran\n");
    }
    return 0;
}
