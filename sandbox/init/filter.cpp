// SPDX-License-Identifier: GPL-3.0-or-later
// What programs may ask of the kernel, as a table that becomes a filter (seccomp(2), classic BPF). It is a list of what
// is denied: programs and their languages ask for hundreds of harmless things, and the rest of the sandbox holds
// without it. A denied call fails with an error that programs know, so that they say what failed or do without.
//
// A call whose answer rests on its number alone costs nothing later: the kernel remembers that it is allowed.
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t x32_bit = 0x40000000; ///< the same architecture's calls with short pointers
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#else
#error "The filter knows x86-64 and arm64 only"
#endif

// Calls that are newer than some headers; they have these numbers everywhere.
constexpr int newer_open_tree = 428, newer_move_mount = 429, newer_fsopen = 430, newer_fsconfig = 431,
              newer_fsmount = 432, newer_fspick = 433, newer_pidfd_getfd = 438, newer_mount_setattr = 442,
              newer_quotactl_fd = 443, newer_open_tree_attr = 467;

/// Other processes' memory and registers.
constexpr int tracing[] = {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev};

constexpr int denied[] = {
    // Other processes' descriptors.
    SYS_kcmp,
    newer_pidfd_getfd,
    // Mounts and name spaces.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    newer_open_tree,
    newer_move_mount,
    newer_fsopen,
    newer_fsconfig,
    newer_fsmount,
    newer_fspick,
    newer_mount_setattr,
    newer_open_tree_attr,
    // Keys of the user, whom programs share with the harness, are in no name space.
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // Ways deep into the kernel that measured programs have no use for.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    // The machine.
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_acct,
    SYS_quotactl,
    newer_quotactl_fd,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
#endif
};

/// Programs do without these where the kernel is older. clone3 hides its flags from filters: libraries take clone then.
constexpr int unknown[] = {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

constexpr std::uint32_t new_namespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t new_time = 0x80; ///< CLONE_NEWTIME; of unshare alone, in clone it is a signal's number

constexpr std::uint32_t fail_with(int error) {
    return SECCOMP_RET_ERRNO | std::uint32_t(error);
}

class Filter {
public:
    void add(std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
        if (size_ < std::size(rows_))
            rows_[size_++] = {code, if_true, if_false, value};
        else
            overflow_ = true;
    }
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, std::uint32_t(offset)); }
    void answer(std::uint32_t value) { add(BPF_RET | BPF_K, value); }
    /// Continues behind the next row unless the loaded value is this one.
    void when(std::uint32_t value) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1); }
    void when_any_bit(std::uint32_t bits) { add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1); }

    void fail(const int* calls, std::size_t count, int error) {
        for (std::size_t i = 0; i < count; ++i) {
            when(std::uint32_t(calls[i]));
            answer(fail_with(error));
        }
    }

    /// `rows` between this and end_call() look at arguments of `call`; what they do not answer is allowed.
    void begin_call(int call) {
        begin_ = size_;
        add(BPF_JMP | BPF_JEQ | BPF_K, std::uint32_t(call));
    }
    /// The lower half of an argument, little endian: the kernel itself looks at no more of those that are asked here.
    void argument(int number) { load(offsetof(seccomp_data, args) + std::size_t(number) * sizeof(std::uint64_t)); }
    void end_call() {
        answer(SECCOMP_RET_ALLOW);
        rows_[begin_].jf = std::uint8_t(size_ - begin_ - 1);
    }

    bool install() const {
        sock_fprog program{static_cast<unsigned short>(size_), const_cast<sock_filter*>(rows_)};
        // Older kernels slow down what is filtered, against attacks of a process on itself, unless told not to.
        return !overflow_ &&
               (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
                (errno == EINVAL && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0));
    }

private:
    sock_filter rows_[256] = {};
    std::size_t size_ = 0, begin_ = 0;
    bool overflow_ = false;
};

template <std::size_t count> void fail(Filter& filter, const int (&calls)[count], int error) {
    filter.fail(calls, count, error);
}

/// A program of another architecture has other numbers: none of it runs, and says so by SIGSYS.
void only_own_architecture(Filter& filter) {
    filter.load(offsetof(seccomp_data, arch));
    filter.add(BPF_JMP | BPF_JEQ | BPF_K, own_architecture, 1, 0);
    filter.answer(SECCOMP_RET_KILL_PROCESS);
    filter.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    filter.add(BPF_JMP | BPF_JGE | BPF_K, x32_bit, 0, 1);
    filter.answer(fail_with(ENOSYS));
#endif
}

/// Unix sockets, and the internet's, which end at the loopback of an empty network; without that there are none. What
/// is fetched before a study has the host's network, and finding hosts asks the kernel for its addresses.
void only_own_sockets(Filter& filter, bool network) {
    const bool internet = network || !alone;
    for (const int call : {SYS_socket, SYS_socketpair}) {
        filter.begin_call(call);
        filter.argument(0);
        for (const int family :
             {AF_UNIX, internet ? AF_INET : AF_UNIX, internet ? AF_INET6 : AF_UNIX, network ? AF_NETLINK : AF_UNIX}) {
            filter.when(std::uint32_t(family));
            filter.answer(SECCOMP_RET_ALLOW);
        }
        filter.answer(fail_with(EAFNOSUPPORT));
        filter.end_call();
    }
}

void no_new_namespaces(Filter& filter) {
    for (const int call : {SYS_clone, SYS_unshare}) {
        filter.begin_call(call);
        filter.argument(0);
        filter.when_any_bit(call == SYS_unshare ? new_namespaces | new_time : new_namespaces);
        filter.answer(fail_with(EPERM));
        filter.end_call();
    }
}

/// The kernel itself denies to be traced to whom is followed already, with the same error, after the stop that counts
/// it.
void leave_asking_to_be_traced(Filter& filter) {
    filter.begin_call(SYS_ptrace);
    filter.argument(0);
    filter.when(PTRACE_TRACEME);
    filter.answer(SECCOMP_RET_ALLOW);
    filter.answer(fail_with(EPERM));
    filter.end_call();
}

/// Terminals of the harness, and keys typed into them.
void no_typing(Filter& filter) {
    constexpr std::uint32_t console = 0x541C; // TIOCLINUX
    filter.begin_call(SYS_ioctl);
    filter.argument(1);
    for (const std::uint32_t request : {std::uint32_t(TIOCSTI), console}) {
        filter.when(request);
        filter.answer(fail_with(EPERM));
    }
    filter.end_call();
}

/// Reading it, and the usual one. A measured program does not switch off the randomising of its addresses: measured at
/// one layout only, it would look more certain than it is. Tools of builds and ThreadSanitizer may.
void own_personality(Filter& filter, bool without_randomising) {
    filter.begin_call(SYS_personality);
    filter.argument(0);
    for (const std::uint32_t allowed :
         {std::uint32_t(0xffffffff), std::uint32_t(PER_LINUX),
          without_randomising ? std::uint32_t(ADDR_NO_RANDOMIZE) : std::uint32_t(PER_LINUX)}) {
        filter.when(allowed);
        filter.answer(SECCOMP_RET_ALLOW);
    }
    filter.answer(fail_with(EPERM));
    filter.end_call();
}

} // namespace

bool filter_calls(const Instructions& head) {
    const bool sanitizer = head.sanitizer != 0;
    Filter filter;
    only_own_architecture(filter);
    only_own_sockets(filter, head.network != 0);
    no_new_namespaces(filter);
    no_typing(filter);
    own_personality(filter, sanitizer || head.phase == build_phase);
    fail(filter, denied, EPERM);
    fail(filter, unknown, ENOSYS);
    if (head.observe != 0 && head.start == 0 && !sanitizer)
        leave_asking_to_be_traced(filter);
    if (!sanitizer) // LeakSanitizer stops its own threads and reads their registers
        fail(filter, tracing, EPERM);
    filter.answer(SECCOMP_RET_ALLOW);
    return filter.install();
}

} // namespace holdfast::init
