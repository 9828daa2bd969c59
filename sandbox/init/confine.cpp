// SPDX-License-Identifier: GPL-3.0-or-later
// What a program may do to files and with rights, set in the child itself: it holds for it and all that it starts, and
// nothing takes it back. Landlock repeats for files what the mounts say already, so that a way around the mounts is
// none around both. What it may ask of the kernel: filter.cpp.
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

// Numbers of landlock(7), here because the headers of older systems know only some of them.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr std::uint32_t version_flag = 1, quiet_flag = 1, beneath_path = 1;

constexpr std::uint64_t bit(int number) {
    return std::uint64_t{1} << number;
}
constexpr std::uint64_t execute = bit(0), write_file = bit(1), read_file = bit(2), read_folder = bit(3),
                        move_between = bit(13), truncate_file = bit(14), device_ioctl = bit(15);
/// Rights that make sense for a file; a rule for one that is no folder may name no others.
constexpr std::uint64_t of_files = execute | write_file | read_file | truncate_file | device_ioctl;
constexpr std::uint64_t scope_abstract_sockets = bit(0), scope_signals = bit(1);
constexpr std::uint64_t tcp_bind = bit(0), tcp_connect = bit(1);

struct Rules {
    std::uint64_t files = 0, network = 0, scoped = 0;
};

struct [[gnu::packed]] Beneath {
    std::uint64_t allowed;
    std::int32_t folder;
};

/// 0 where the kernel has no Landlock, or it is off.
int landlock_version() {
    static const long version = syscall(create_ruleset, nullptr, 0, version_flag);
    return version > 0 ? int(version) : 0;
}

/// Every right to files that the kernel knows.
std::uint64_t all_file_rights() {
    const int version = landlock_version();
    return version >= 5 ? bit(16) - 1 : version >= 3 ? bit(15) - 1 : bit(14) - 1;
}

std::uint64_t rights_of(Right right) {
    constexpr std::uint64_t reading = read_file | read_folder;
    switch (right) {
    case Right::read:
        return reading | execute;
    case Right::set:
        return reading | write_file | truncate_file | device_ioctl;
    case Right::write:
        return all_file_rights();
    }
    return 0;
}

/// A path that is not there needs no rule.
bool allow(int rules, const char* path, std::uint64_t rights) {
    const int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return errno == ENOENT;
    struct stat info {};
    bool done = fstat(place, &info) == 0;
    Beneath rule{rights & all_file_rights(), place};
    if (!S_ISDIR(info.st_mode))
        rule.allowed &= of_files;
    done = done && syscall(add_rule, rules, beneath_path, &rule, 0) == 0;
    close(place);
    return done;
}

bool restrict_to(int rules) {
    // What a hostile program is denied shall not fill the machine's log (version 7 and later).
    const bool done = syscall(restrict_self, rules, landlock_version() >= 7 ? quiet_flag : 0) == 0;
    close(rules);
    return done;
}

bool confine_files(const Program& program) {
    // Before version 2 nothing could be renamed from one folder into another, which compilers do.
    if (landlock_version() < 2)
        return true;
    Rules handled{all_file_rights()};
    if (alone && landlock_version() >= 4 && program.head.network == 0)
        handled.network = tcp_bind | tcp_connect;
    // A circle of their own, so that programs cannot end process 1, which has no name space around it either.
    if (alone && landlock_version() >= 6)
        handled.scoped = scope_abstract_sockets | scope_signals;
    const auto rules = int(syscall(create_ruleset, &handled, sizeof handled, 0));
    if (rules < 0)
        return false;
    bool done = true;
    for (char** place = program.places; *place != nullptr; ++place)
        done = done && allow(rules, *place + 1, rights_of(Right(**place)));
    if (!done) {
        close(rules);
        return false;
    }
    return restrict_to(rules);
}

/// The bounding set can only be emptied by who may change it; without new privileges nothing comes from it.
bool drop_capabilities() {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}

} // namespace

/// A sandbox with the host's network has the host's abstract sockets, of its desktop for instance.
bool close_off() {
    if (landlock_version() < 6)
        return true;
    // Any set of rules denies moving files between folders where none of its rules allows it.
    const Rules handled{move_between, 0, scope_abstract_sockets | scope_signals};
    const auto rules = int(syscall(create_ruleset, &handled, sizeof handled, 0));
    return rules >= 0 && allow(rules, "/", move_between) && restrict_to(rules);
}

bool confine(const Program& program) {
    return confine_files(program) && drop_capabilities() && filter_calls(program.head);
}

} // namespace holdfast::init
