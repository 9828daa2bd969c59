// SPDX-License-Identifier: GPL-3.0-or-later
// The seccomp filter of an observed program: it stops at the calls of the table below and at no other, so that the rest
// runs as fast as ever. Every row says when it applies, from the numbers of the call alone: memory could change between
// a look and the call.
#include "sandbox/init/calls.hpp"
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64, other_numbers = 0x40000000; // x32
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64, other_numbers = 0xffffffff;
#else
#error "say which calls this architecture makes"
#endif

enum class When { always, any_of, all_of, none_of, equals };

struct Row {
    std::uint32_t number;
    std::uint16_t told; ///< Call + 1, or one of the others of parts.hpp
    When when = When::always;
    unsigned argument = 0;
    std::uint32_t value = 0;
};

constexpr std::uint32_t writing = O_WRONLY | O_RDWR, write_and_execute = PROT_WRITE | PROT_EXEC;
constexpr std::uint32_t synchronous_write = RWF_SYNC | RWF_DSYNC;

constexpr std::uint16_t call(Call counted) {
    return std::uint16_t(unsigned(counted) + 1);
}

/// The first row of a call that applies is the one that counts.
constexpr Row rows[] = {
    {SYS_fsync, call(Call::fsync)},
    {SYS_fdatasync, call(Call::fdatasync)},
    {SYS_sync_file_range, call(Call::sync_file_range)},
    {SYS_syncfs, call(Call::syncfs)},
    {SYS_sync, call(Call::sync)},
    {SYS_msync, call(Call::msync), When::any_of, 2, MS_SYNC},
    {SYS_openat, call(Call::open_sync), When::all_of, 2, O_SYNC},
    {SYS_openat, call(Call::open_dsync), When::any_of, 2, O_DSYNC},
    {SYS_openat, open_to_write, When::any_of, 2, writing},
#ifdef SYS_open
    {SYS_open, call(Call::open_sync), When::all_of, 1, O_SYNC},
    {SYS_open, call(Call::open_dsync), When::any_of, 1, O_DSYNC},
    {SYS_open, open_to_write, When::any_of, 1, writing},
#endif
#ifdef SYS_creat
    {SYS_creat, open_to_write},
#endif
    // Where a descriptor leads is seen when it is there, so that no link and no folder hides it.
    {SYS_openat, open_to_read},
#ifdef SYS_open
    {SYS_open, open_to_read},
#endif
    {SYS_pwritev2, call(Call::write_sync), When::any_of, 5, synchronous_write},
    {SYS_io_uring_setup, call(Call::io_uring)},
#ifdef SYS_chmod
    {SYS_chmod, call(Call::chmod)},
    {SYS_chown, call(Call::chown)},
    {SYS_lchown, call(Call::chown)},
#endif
    {SYS_fchmod, call(Call::chmod)},
    {SYS_fchmodat, call(Call::chmod)},
    {452, call(Call::chmod)}, // fchmodat2, since Linux 6.6
    {SYS_fchown, call(Call::chown)},
    {SYS_fchownat, call(Call::chown)},
    {SYS_umask, call(Call::umask)},
    {SYS_setuid, call(Call::set_user)},
    {SYS_setreuid, call(Call::set_user)},
    {SYS_setresuid, call(Call::set_user)},
    {SYS_setfsuid, call(Call::set_user)},
    {SYS_setgid, call(Call::set_group)},
    {SYS_setregid, call(Call::set_group)},
    {SYS_setresgid, call(Call::set_group)},
    {SYS_setfsgid, call(Call::set_group)},
    {SYS_setgroups, call(Call::set_group)},
    {SYS_capset, call(Call::capset)},
    {SYS_setrlimit, call(Call::set_limit)},
    {SYS_prlimit64, call(Call::set_limit), When::any_of, 2, 0xffffffff}, // with a new limit
    {SYS_prctl, call(Call::no_new_privileges), When::equals, 0, PR_SET_NO_NEW_PRIVS},
    {SYS_prctl, call(Call::seccomp), When::equals, 0, PR_SET_SECCOMP},
    {SYS_prctl, call(Call::dumpable), When::equals, 0, PR_SET_DUMPABLE},
    {SYS_seccomp, call(Call::seccomp)},
    {446, call(Call::landlock)}, // landlock_restrict_self
    {SYS_unshare, call(Call::namespaces)},
    {SYS_setns, call(Call::namespaces)},
    {SYS_mlock, call(Call::memory_lock)},
    {SYS_mlock2, call(Call::memory_lock)},
    {SYS_mlockall, call(Call::memory_lock)},
    {SYS_flock, call(Call::file_lock)},
    {SYS_fcntl, call(Call::file_lock), When::equals, 1, F_SETLK},
    {SYS_fcntl, call(Call::file_lock), When::equals, 1, F_SETLKW},
    {SYS_fcntl, call(Call::file_lock), When::equals, 1, 37}, // F_OFD_SETLK
    {SYS_fcntl, call(Call::file_lock), When::equals, 1, 38}, // F_OFD_SETLKW
    // With GRND_NONBLOCK it is the C library that shuffles its own tables, once a process.
    {SYS_getrandom, call(Call::random), When::none_of, 2, GRND_NONBLOCK},
    {SYS_utimensat, set_times},
#ifdef SYS_utime
    {SYS_utime, set_times},
    {SYS_utimes, set_times},
    {SYS_futimesat, set_times},
#endif
    {SYS_prctl, look_for_watcher, When::equals, 0, PR_GET_SECCOMP},
    {SYS_ptrace, look_for_watcher, When::equals, 0, PTRACE_TRACEME},
    {SYS_mmap, call(Call::writable_code), When::all_of, 2, write_and_execute},
    {SYS_mprotect, call(Call::writable_code), When::all_of, 2, write_and_execute},
    {SYS_pkey_mprotect, call(Call::writable_code), When::all_of, 2, write_and_execute},
};

/// Grows to its end; the table is fixed, and so is the room.
struct Filter {
    sock_filter code[512];
    unsigned short size = 0;

    void add(std::uint16_t operation, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
        if (size < std::size(code))
            code[size++] = {operation, if_true, if_false, value};
    }
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, std::uint32_t(offset)); }
    void load_argument(unsigned argument) { load(offsetof(seccomp_data, args) + 8 * argument); } // its low half
    void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
    void unless_equal_skip(std::uint32_t value, std::uint8_t skipped) {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
    }
    void row(const Row& row);
};

void Filter::row(const Row& row) {
    const unsigned short tested = row.when == When::always ? 0 : row.when == When::all_of ? 3 : 2;
    load(offsetof(seccomp_data, nr));
    unless_equal_skip(row.number, std::uint8_t(tested + 1));
    if (tested != 0)
        load_argument(row.argument);
    switch (row.when) {
    case When::always:
        break;
    case When::any_of:
        add(BPF_JMP | BPF_JSET | BPF_K, row.value, 0, 1);
        break;
    case When::none_of:
        add(BPF_JMP | BPF_JSET | BPF_K, row.value, 1, 0);
        break;
    case When::all_of:
        add(BPF_ALU | BPF_AND | BPF_K, row.value);
        unless_equal_skip(row.value, 1);
        break;
    case When::equals:
        unless_equal_skip(row.value, 1);
        break;
    }
    answer(SECCOMP_RET_TRACE | row.told);
}

} // namespace

bool stop_at_calls() {
    Filter filter;
    filter.load(offsetof(seccomp_data, arch));
    filter.add(BPF_JMP | BPF_JEQ | BPF_K, own_architecture, 1, 0);
    filter.answer(SECCOMP_RET_TRACE | unknown_call);
    filter.load(offsetof(seccomp_data, nr));
    filter.add(BPF_JMP | BPF_JGE | BPF_K, other_numbers, 0, 1);
    filter.answer(SECCOMP_RET_TRACE | unknown_call);
    // A process can be started so that nobody follows it. Whoever asks for that in memory is told that there is no such
    // call, as by old kernels, and asks by number.
    filter.unless_equal_skip(SYS_clone3, 1);
    filter.answer(SECCOMP_RET_ERRNO | ENOSYS);
    filter.unless_equal_skip(SYS_clone, 3);
    filter.load_argument(0);
    filter.add(BPF_JMP | BPF_JSET | BPF_K, CLONE_UNTRACED, 0, 1);
    filter.answer(SECCOMP_RET_ERRNO | EPERM);
    filter.load(offsetof(seccomp_data, nr));
    filter.unless_equal_skip(SYS_openat2, 1); // its flags are in memory: every one of them stops
    filter.answer(SECCOMP_RET_TRACE | open_in_memory);
    for (const Row& row : rows)
        filter.row(row);
    filter.answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{filter.size, filter.code};
    return filter.size < std::size(filter.code) && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

} // namespace holdfast::init
