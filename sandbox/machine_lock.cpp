// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/machine_lock.hpp"

#include "sandbox/folders.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* attempted = "take the lock that keeps measurements apart";

/// Opened before it is created: fs.protected_regular forbids O_CREAT on somebody else's file in a sticky folder.
Descriptor open_or_create(const fs::path& file) {
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    for (int attempt = 0; attempt < 3; ++attempt) {
        if (const int fd = ::open(file.c_str(), flags); fd >= 0 || errno != ENOENT)
            return Descriptor(fd);
        if (const int fd = ::open(file.c_str(), flags | O_CREAT | O_EXCL, 0644); fd >= 0) {
            ::fchmod(fd, 0644); // others must be able to open it whatever the umask
            return Descriptor(fd);
        }
        if (errno != EEXIST)
            return {};
    }
    return {};
}

/// Only what stands in the way is to be removed; a folder that is missing or closed is to be made or opened.
tl::unexpected<Error> cannot_open(const fs::path& file, int error) {
    const std::string folder = fs::absolute(file).parent_path().native();
    const std::string remedy =
        error == ENOENT || error == ENOTDIR
            ? fmt::format("Make the folder {}, or set HOLDFAST_LOCK to a file in one that exists", folder)
        : error == EACCES || error == EPERM || error == EROFS
            ? fmt::format("Make {} writable for you, or set HOLDFAST_LOCK to a file elsewhere", folder)
            : fmt::format("Remove {}", file.native());
    return failed(attempted, fmt::format("{}: {}", file.native(), std::strerror(error)), remedy);
}

} // namespace

Result<MachineLock> MachineLock::open(const fs::path& chosen) {
    fs::path file = chosen;
    if (file.empty()) {
        auto named = path_from("HOLDFAST_LOCK", attempted);
        if (!named)
            return tl::unexpected(named.error());
        file = std::move(*named);
    }
    const bool fixed = !file.empty();
    if (!fixed)
        file = "/run/lock/holdfast";
    Descriptor lock = open_or_create(file);
    if (!lock && !fixed && errno != ELOOP) {
        const Result<fs::path> cache = make_cache();
        if (!cache)
            return tl::unexpected(cache.error());
        file = *cache / "lock";
        lock = open_or_create(file);
    }
    struct stat info {};
    if (!lock || ::fstat(lock.get(), &info) != 0)
        return cannot_open(file, errno);
    if (!S_ISREG(info.st_mode))
        return failed(attempted, fmt::format("{} is not a regular file", file.native()),
                      fmt::format("Remove {}", file.native()));
    if (info.st_size != 0) // a lock has nothing in it
        return refused(attempted, fmt::format("{} is somebody else's file: it is not empty", file.native()),
                       "Set HOLDFAST_LOCK to a file that is not there yet, or unset it");
    return MachineLock(std::move(lock), std::move(file));
}

bool MachineLock::take() {
    return ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
}

/// From /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF".
std::string MachineLock::holder() const {
    struct stat info {};
    std::ifstream locks("/proc/locks");
    const std::string suffix = ::fstat(lock_.get(), &info) == 0 ? fmt::format(":{}", info.st_ino) : "?";
    for (std::string line; std::getline(locks, line);) {
        std::istringstream fields(line);
        std::string number, kind, advisory, mode, place;
        long process = 0;
        fields >> number >> kind >> advisory >> mode >> process >> place;
        if (kind != "FLOCK" || process <= 0 || place.size() <= suffix.size() ||
            place.compare(place.size() - suffix.size(), suffix.size(), suffix) != 0)
            continue;
        std::ifstream comm(fmt::format("/proc/{}/comm", process));
        std::string name;
        std::getline(comm, name);
        return name.empty() ? fmt::format("process {}", process) : fmt::format("process {} ({})", process, name);
    }
    return "another process";
}

Result<MachineLock> MachineLock::try_acquire(const fs::path& file) {
    Result<MachineLock> lock = open(file);
    if (lock && !lock->take())
        return refused(attempted, fmt::format("{} is measuring", lock->holder()), "Wait until it has finished");
    return lock;
}

Result<MachineLock> MachineLock::acquire(const fs::path& file, const Waiting& waiting, const std::stop_token& stop) {
    Result<MachineLock> lock = open(file);
    if (!lock || lock->take())
        return lock;
    if (waiting)
        waiting(lock->holder());
    // A blocking flock could not be interrupted.
    std::mutex mutex;
    std::condition_variable_any turn;
    std::unique_lock guard(mutex);
    while (!lock->take()) {
        turn.wait_for(guard, stop, std::chrono::milliseconds(100), [] { return false; });
        if (stop.stop_requested())
            return tl::unexpected(
                Error{Error::Kind::interrupted, attempted, "stopped while waiting for " + lock->holder(), ""});
    }
    return lock;
}

} // namespace holdfast::sandbox
