// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/trash.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace holdfast::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int deepest = 200; // of what is measured: a descriptor each

/// The names in a folder, which stays open; nothing when it cannot be read.
std::optional<std::vector<std::string>> names_in(int folder) {
    Descriptor again(::openat(folder, ".", folder_flags));
    if (!again)
        return std::nullopt;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(again.get()), ::closedir);
    if (entries == nullptr)
        return std::nullopt;
    again.release();
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(entries.get()))
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
            names.emplace_back(entry->d_name);
    return names;
}

struct Walk {
    TreeSize size;
    std::set<std::pair<dev_t, ino_t>> counted; // files with several names

    /// A time that somebody set into the future is not believed: the change of the inode is the kernel's own.
    void add(const struct stat& info) {
        size.changed = std::max<std::int64_t>(size.changed, std::min(info.st_mtim.tv_sec, info.st_ctim.tv_sec));
        if (info.st_nlink < 2 || S_ISDIR(info.st_mode) || counted.insert({info.st_dev, info.st_ino}).second)
            size.bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
    }

    void below(int folder, dev_t device, int depth) {
        const auto names = depth > deepest ? std::nullopt : names_in(folder);
        if (!names) {
            size.whole = false;
            return;
        }
        for (const std::string& name : *names) {
            struct stat info {};
            if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_dev != device) {
                size.whole = false;
                continue;
            }
            add(info);
            if (!S_ISDIR(info.st_mode))
                continue;
            if (const Descriptor next = open_folder(folder, name))
                below(next.get(), device, depth + 1);
            else
                size.whole = false;
        }
    }
};

/// A folder whose own mode forbids it could neither be read nor moved elsewhere. By its descriptor, so that nothing
/// that takes its place meanwhile is changed.
void make_passable(int parent, const std::string& name) {
    const Descriptor folder(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (folder && ::fstat(folder.get(), &info) == 0 && (info.st_mode & 0700) != 0700)
        ::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), 0700);
}

tl::unexpected<Error> cannot(const std::string& what, const std::string& name, int error) {
    return failed(fmt::format("{} {}", what, printable(name)), std::strerror(error),
                  "Remove it by hand; it is disposable");
}

} // namespace

Descriptor open_folder(const fs::path& folder) {
    return Descriptor(::open(folder.c_str(), folder_flags));
}

Descriptor open_folder(int parent, const std::string& name) {
    return Descriptor(::openat(parent, name.c_str(), folder_flags));
}

Result<TreeSize> measure_tree(int parent, const std::string& name) {
    struct stat info {};
    if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
        return cannot("look at", name, errno);
    Walk walk;
    walk.add(info);
    walk.size.folder = S_ISDIR(info.st_mode);
    if (!walk.size.folder)
        return walk.size;
    if (const Descriptor folder = open_folder(parent, name))
        walk.below(folder.get(), info.st_dev, 0);
    else
        walk.size.whole = false;
    return walk.size;
}

Result<Trash> Trash::open(const fs::path& cache) {
    const fs::path place = cache / name;
    if (::mkdir(place.c_str(), 0700) != 0 && errno != EEXIST)
        return failed("make " + place.string(), std::strerror(errno), "Make the cache folder writable");
    Descriptor folder = open_folder(place);
    struct stat info {};
    if (!folder || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid())
        return refused("use " + place.string(), "it is a symbolic link, no folder, or somebody else's", "Remove it");
    return Trash(std::move(folder));
}

/// Names are numbers; one that an earlier process left is passed over.
std::string Trash::unused_name() {
    struct stat info {};
    std::string name;
    do
        name = std::to_string(next_++);
    while (::fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0);
    return name;
}

Result<void> Trash::take(int parent, const std::string& name) {
    if (::renameat(parent, name.c_str(), folder_.get(), unused_name().c_str()) == 0)
        return {};
    if (errno == EACCES || errno == EPERM) {
        make_passable(parent, name);
        if (::renameat(parent, name.c_str(), folder_.get(), unused_name().c_str()) == 0)
            return {};
    }
    return cannot("move into the trash", name, errno);
}

/// Folders inside are moved up into the trash first, so that a tree of any depth takes one descriptor.
Result<void> Trash::take_apart(const std::string& entry) {
    if (::unlinkat(folder_.get(), entry.c_str(), 0) == 0)
        return {};
    make_passable(folder_.get(), entry);
    const Descriptor folder = open_folder(folder_.get(), entry);
    const auto names = folder ? names_in(folder.get()) : std::nullopt;
    if (!names)
        return cannot("remove", entry, errno);
    for (const std::string& name : *names)
        if (::unlinkat(folder.get(), name.c_str(), 0) != 0)
            if (auto moved = take(folder.get(), name); !moved)
                return moved;
    if (::unlinkat(folder_.get(), entry.c_str(), AT_REMOVEDIR) != 0)
        return cannot("remove", entry, errno);
    return {};
}

Result<void> Trash::empty() {
    while (true) {
        const auto names = names_in(folder_.get());
        if (!names)
            return failed("read the trash of the cache folder", std::strerror(errno), "Remove it by hand");
        if (names->empty())
            return {};
        for (const std::string& entry : *names)
            if (auto removed = take_apart(entry); !removed)
                return removed;
    }
}

} // namespace holdfast::sandbox
