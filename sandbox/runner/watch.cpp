// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/watch.hpp"

#include "sandbox/init/protocol.hpp"
#include "sandbox/small_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <map>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

namespace holdfast::sandbox {
namespace {

constexpr int deepest = 200; // each level holds a descriptor while it is walked

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

/// Takes over `fd`.
Folder open_folder(int fd) {
    DIR* folder = fd < 0 ? nullptr : fdopendir(fd);
    if (folder == nullptr && fd >= 0)
        ::close(fd);
    return Folder(folder);
}

bool is_dots(const char* name) {
    return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

bool is_number(const char* name) {
    return *name != '\0' && std::strspn(name, "0123456789") == std::strlen(name);
}

/// "Pss:    1234 kB" in bytes; nothing when the field is absent.
std::optional<std::uint64_t> field(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return std::nullopt;
    const char* first = text.data() + at + name.size();
    const char* last = text.data() + text.size();
    while (first < last && *first == ' ')
        ++first;
    std::uint64_t kib = 0;
    std::from_chars(first, last, kib);
    return kib * 1024;
}

std::uint64_t resident(int processes, const std::string& process) {
    const std::string text = read_small(processes, process + "/statm");
    const char* space = std::strchr(text.c_str(), ' ');
    return space == nullptr ? 0 : std::strtoull(space, nullptr, 10) * std::uint64_t(sysconf(_SC_PAGESIZE));
}

InMemory proportional(int processes, const std::string& process) {
    const std::string text = read_small(processes, process + "/smaps_rollup");
    if (const auto pss = field(text, "\nPss:"))
        return {*pss + field(text, "\nSwapPss:").value_or(0), field(text, "\nPss_Shmem:").value_or(0)};
    return {resident(processes, process), 0};
}

/// Of an open file.
bool is_in_memory(int folder, const char* name) {
    const Descriptor file(openat(folder, name, O_PATH | O_CLOEXEC));
    struct statfs system {};
    return file && fstatfs(file.get(), &system) == 0 && system.f_type == TMPFS_MAGIC;
}

} // namespace

void TreeSize::add(const std::string& path) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0)
        return;
    if (S_ISDIR(info.st_mode) && repair_ && (info.st_mode & S_IRWXU) != S_IRWXU)
        chmod(path.c_str(), (info.st_mode & 07777) | S_IRWXU);
    if (S_ISDIR(info.st_mode))
        add_folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
    else
        bytes_ += std::uint64_t(info.st_blocks) * 512;
}

void TreeSize::add_folder(int fd, int depth) {
    const Folder folder = open_folder(fd);
    if (folder == nullptr)
        return;
    while (bytes_ <= stop_at_ && !too_deep_) {
        const dirent* entry = readdir(folder.get());
        if (entry == nullptr)
            return;
        if (!is_dots(entry->d_name))
            add_entry(dirfd(folder.get()), entry->d_name, depth);
    }
}

void TreeSize::add_entry(int folder, const char* name, int depth) {
    struct stat info {};
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && info.st_nlink > 1 && !linked_.emplace(info.st_dev, info.st_ino).second)
        return;
    bytes_ += std::max<std::uint64_t>(std::uint64_t(info.st_blocks) * 512, 1024);
    if (!is_folder)
        return;
    if (depth + 1 >= deepest) {
        too_deep_ = true;
        return;
    }
    if (repair_ && (info.st_mode & S_IRWXU) != S_IRWXU)
        fchmodat(folder, name, (info.st_mode & 07777) | S_IRWXU, 0);
    add_folder(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1);
}

bool Watch::open(pid_t init) {
    init_ = init;
    const std::string root = alone_ ? "/" : "/proc/" + std::to_string(init) + "/root";
    root_.reset(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    processes_.reset(root_ ? openat(root_.get(), "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    return is_open();
}

std::vector<std::string> Watch::list() const {
    std::vector<std::string> names;
    const Folder folder = open_folder(openat(processes_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder.get()))
        if (is_number(entry->d_name) && std::strcmp(entry->d_name, "1") != 0)
            names.emplace_back(entry->d_name);
    return alone_ ? below_init(names) : names;
}

std::vector<std::string> Watch::below_init(const std::vector<std::string>& all) const {
    std::map<std::string, std::string> parents;
    for (const std::string& process : all) {
        const std::string stat = read_small(processes_.get(), process + "/stat");
        // "ID (NAME) STATE PARENT ...", where a process chooses its own name.
        const std::size_t name_end = stat.rfind(')');
        if (name_end == std::string::npos || name_end + 4 >= stat.size())
            continue;
        parents[process] = stat.substr(name_end + 4, stat.find(' ', name_end + 4) - name_end - 4);
    }
    std::vector<std::string> found;
    const std::string init = std::to_string(init_);
    for (const auto& [process, parent] : parents) {
        std::string at = parent;
        for (std::size_t steps = 0; at != init && steps < parents.size(); ++steps) {
            const auto above = parents.find(at);
            if (above == parents.end())
                break;
            at = above->second;
        }
        if (at == init)
            found.push_back(process);
    }
    return found;
}

std::uint64_t Watch::memory() {
    const std::vector<std::string> names = list();
    // Of a file that is mapped the mapped part is among what the processes share already.
    const auto with_files = [this] {
        const std::uint64_t files = scratch().bytes + unnamed_in_memory_;
        return last_.bytes + (files > last_.shared ? files - last_.shared : 0);
    };
    if (names.size() == 1) {
        const std::uint64_t now = resident(processes_.get(), names.front());
        if (last_resident_ != 0 && now <= last_resident_ + last_resident_ / 200)
            return with_files();
        last_resident_ = now;
    } else {
        last_resident_ = 0;
    }
    last_ = {};
    for (const std::string& name : names) {
        const InMemory process = proportional(processes_.get(), name);
        last_.bytes += process.bytes;
        last_.shared += process.shared;
    }
    return with_files();
}

Watch::Scratch Watch::scratch() const {
    Scratch scratch;
    for (const init::Scratch& place : init::scratch) {
        if (alone_) // the scratch folders are among the mounts then
            break;
        const Descriptor folder(openat(root_.get(), place.folder + 1, O_PATH | O_DIRECTORY | O_CLOEXEC));
        struct statvfs space {};
        struct stat info {};
        if (!folder || fstatvfs(folder.get(), &space) != 0 || fstat(folder.get(), &info) != 0)
            continue;
        scratch.bytes += std::uint64_t(space.f_blocks - space.f_bfree) * space.f_frsize;
        scratch.devices.insert(info.st_dev);
    }
    return scratch;
}

std::uint64_t Watch::unnamed_and_scratch_bytes() {
    const Scratch scratch = this->scratch();
    std::uint64_t bytes = scratch.bytes;
    unnamed_in_memory_ = 0;
    std::set<std::pair<dev_t, ino_t>> seen;
    for (const std::string& name : list()) {
        const Folder open_files =
            open_folder(openat(processes_.get(), (name + "/fd").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        while (const dirent* entry = open_files == nullptr ? nullptr : readdir(open_files.get())) {
            struct stat info {};
            if (is_number(entry->d_name) && fstatat(dirfd(open_files.get()), entry->d_name, &info, 0) == 0 &&
                S_ISREG(info.st_mode) && info.st_nlink == 0 && !scratch.devices.contains(info.st_dev) &&
                seen.emplace(info.st_dev, info.st_ino).second) {
                bytes += std::uint64_t(info.st_blocks) * 512;
                if (is_in_memory(dirfd(open_files.get()), entry->d_name))
                    unnamed_in_memory_ += std::uint64_t(info.st_blocks) * 512;
            }
        }
    }
    return bytes;
}

} // namespace holdfast::sandbox
