// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of an observed run that are counted, by what a person would call them. Why each is here:
//
// Durability: what brings written data to the disk. A program that leaves it out is faster until the power fails.
// Security: what keeps others out (rights of files, users, limits, locks, filters, random numbers that nobody
// guesses), and what opens a door (memory that can be written and executed).
// io_uring: what is asked through it passes by every counter, so nothing counted beside it is whole.
#pragma once

#include <cstddef>

namespace holdfast::init {

enum class Call : unsigned {
    fsync,
    fdatasync,
    sync_file_range,
    syncfs,
    sync,
    msync,
    open_sync,
    open_dsync,
    write_sync,
    fsync_folder, ///< only ever as one that brought something; as a call it is fsync or fdatasync
    io_uring,
    chmod,
    chown,
    umask,
    set_user,
    set_group,
    capset,
    set_limit,
    no_new_privileges,
    seccomp,
    landlock,
    namespaces,
    dumpable,
    memory_lock,
    file_lock,
    random,
    writable_code,
    count
};

constexpr std::size_t calls = std::size_t(Call::count);

/// The first ones of Call, which bring data to the disk.
constexpr std::size_t syncs = std::size_t(Call::io_uring);

/// By Call; also the names in study::Observed::calls.
constexpr const char* call_names[calls] = {"fsync",
                                           "fdatasync",
                                           "sync_file_range",
                                           "syncfs",
                                           "sync",
                                           "msync",
                                           "open O_SYNC",
                                           "open O_DSYNC",
                                           "write RWF_SYNC",
                                           "fsync of a folder",
                                           "io_uring",
                                           "chmod",
                                           "chown",
                                           "umask",
                                           "setuid",
                                           "setgid",
                                           "capset",
                                           "setrlimit",
                                           "no_new_privs",
                                           "seccomp",
                                           "landlock",
                                           "namespaces",
                                           "dumpable",
                                           "mlock",
                                           "file lock",
                                           "getrandom",
                                           "memory writable and executable"};

} // namespace holdfast::init
