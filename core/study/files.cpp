// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/files.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

/// Closes a descriptor at the end of its scope.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0)
            ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    void reset(int fd) {
        if (fd_ >= 0)
            ::close(fd_);
        fd_ = fd;
    }

private:
    int fd_;
};

std::string why(int error) {
    return std::error_code(error, std::generic_category()).message();
}

/// Opens `relative` below `folder` one component at a time, so that no link on the way is followed.
int open_below(const fs::path& folder, const std::string& relative) {
    Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (at.get() < 0)
        return -1;
    const fs::path path(relative);
    for (auto part = path.begin(); part != path.end(); ++part) {
        if (*part == ".." || part->is_absolute()) {
            errno = EPERM;
            return -1;
        }
        const bool last = std::next(part) == path.end();
        const int flags =
            last ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        const int next = ::openat(at.get(), part->c_str(), flags);
        if (next < 0)
            return -1;
        if (last)
            return next;
        at.reset(next);
    }
    errno = ENOENT;
    return -1;
}

bool starts_executable(const fs::path& file, fs::perms mode) {
    Descriptor fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 4> head{};
    const auto n = fd.get() < 0 ? 0 : ::read(fd.get(), head.data(), head.size());
    if (n >= 4 && std::memcmp(head.data(),
                              "\x7f"
                              "ELF",
                              4) == 0)
        return true;
    return n >= 2 && head[0] == '#' && head[1] == '!' && (mode & fs::perms::owner_exec) != fs::perms::none;
}

enum class Which { all, executables };

Result<std::map<std::string, std::string>> hashes_of(const fs::path& folder, Which which) {
    std::map<std::string, std::string> result;
    std::error_code code;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::none, code), end;
    for (; !code && entry != end; entry.increment(code)) {
        const fs::file_status status = entry->symlink_status(code);
        if (code)
            break;
        const std::string name = entry->path().lexically_relative(folder).string();
        if (status.type() == fs::file_type::directory)
            continue;
        if (status.type() != fs::file_type::regular) {
            if (which == Which::all)
                result[name] = status.type() == fs::file_type::symlink ? "symbolic link" : "special file";
            continue;
        }
        if (which == Which::executables && !starts_executable(entry->path(), status.permissions()))
            continue;
        auto hash = sha256_file(entry->path());
        if (!hash)
            return tl::unexpected(hash.error());
        result[name] = *hash;
    }
    if (code)
        return failed("read the folder " + folder.string(), code.message(),
                      "Check its permissions; it is disposable and may be removed");
    return result;
}

} // namespace

Result<std::optional<std::string>> read_output(const fs::path& folder, const std::string& relative, std::uint64_t cap) {
    const std::string attempted = "read the output file " + printable(relative);
    const Descriptor fd(open_below(folder, relative));
    if (fd.get() < 0) {
        if (errno == ENOENT)
            return std::optional<std::string>();
        if (errno == ELOOP || errno == ENOTDIR)
            return failed(attempted, "a symbolic link stands in its place", "Write a regular file");
        return failed(attempted, why(errno), "Write a regular, readable file");
    }
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0)
        return failed(attempted, why(errno), "Check the disk of the cache folder");
    if (!S_ISREG(status.st_mode))
        return failed(attempted, "it is not a regular file", "Write a regular file");
    if (static_cast<std::uint64_t>(status.st_size) > cap)
        return failed(attempted, std::to_string(status.st_size) + " bytes, more than the cap of " + std::to_string(cap),
                      "Write less, or raise the sandbox's disk limit");
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
        const auto n = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(attempted, why(errno), "Check the disk of the cache folder");
        if (n == 0)
            break;
        have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return std::optional<std::string>(std::move(bytes));
}

Result<std::map<std::string, std::string>> hash_folder(const fs::path& folder) {
    return hashes_of(folder, Which::all);
}

Result<std::map<std::string, std::string>> hash_executables(const fs::path& folder) {
    return hashes_of(folder, Which::executables);
}

Result<void> copy_one_file(const fs::path& from, const fs::path& to) {
    constexpr std::size_t most = 1 << 30;
    const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (source.get() < 0 || ::fstat(source.get(), &info) != 0)
        return failed("read the file " + from.string(), why(errno), "Check its permissions");
    const mode_t rights = info.st_mode & 0777;
    const Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights));
    ssize_t sent = target.get() < 0 ? -1 : 1;
    while (sent > 0)
        sent = ::sendfile(target.get(), source.get(), nullptr, most);
    if (sent < 0 || ::fchmod(target.get(), rights) != 0) // whatever the umask
        return failed("copy the file " + from.string() + " to " + to.string(), why(errno),
                      "Check the free space and permissions of its folder");
    return {};
}

Result<void> copy_tree(const fs::path& from, const fs::path& to) {
    const std::string attempted = "copy the folder " + from.string();
    std::error_code code;
    fs::create_directories(to, code);
    fs::recursive_directory_iterator entry(from, fs::directory_options::none, code), end;
    for (; !code && entry != end; entry.increment(code)) {
        const fs::path target = to / entry->path().lexically_relative(from);
        const fs::file_status status = entry->symlink_status(code);
        if (code)
            break;
        if (status.type() == fs::file_type::directory) {
            fs::create_directory(target, code);
            if (!code) // a database refuses a folder that others may read
                fs::permissions(target, status.permissions() | fs::perms::owner_all, code);
        } else if (status.type() == fs::file_type::symlink)
            fs::copy_symlink(entry->path(), target, code);
        else if (status.type() == fs::file_type::regular) {
            if (auto copied = copy_one_file(entry->path(), target); !copied)
                return copied;
            // Build tools compare times: a copy that looks newer than its products would be built again.
            fs::last_write_time(target, fs::last_write_time(entry->path(), code), code);
        }
        if (code)
            break;
    }
    if (code)
        return failed(attempted, code.message(), "Check the free space and permissions of the cache folder");
    return {};
}

Result<void> make_folder(const fs::path& folder, fs::perms mode) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (!code)
        fs::permissions(folder, mode, code);
    if (code)
        return failed("make the folder " + folder.string(), code.message(),
                      "Check its parent's permissions and free space");
    return {};
}

Result<void> write_file(const fs::path& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out)
        return failed("write the file " + file.string(), why(errno),
                      "Check the free space and permissions of its folder");
    return {};
}

Result<void> remove_tree(const fs::path& folder) {
    std::error_code code;
    fs::remove_all(folder, code);
    if (!code)
        return {};
    // A candidate may have taken its own folders' permissions away; links are not followed here.
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
    std::vector<fs::path> open{folder};
    while (!open.empty()) {
        const fs::path at = open.back();
        open.pop_back();
        for (fs::directory_iterator entry(at, ignored), end; !ignored && entry != end; entry.increment(ignored))
            if (entry->symlink_status(ignored).type() == fs::file_type::directory) {
                fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
                open.push_back(entry->path());
            }
    }
    fs::remove_all(folder, code);
    if (code)
        return failed("remove the folder " + folder.string(), code.message(), "Remove it by hand; it is disposable");
    return {};
}

Result<void> empty_folder(const fs::path& folder) {
    std::error_code code;
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        entries.push_back(entry->path());
    if (code)
        return failed("empty the folder " + folder.string(), code.message(), "Remove it by hand; it is disposable");
    for (const fs::path& entry : entries)
        if (auto removed = remove_tree(entry); !removed)
            return removed;
    return {};
}

std::string combined_hash(const std::map<std::string, std::string>& hashes) {
    std::string all;
    for (const auto& [name, hash] : hashes)
        all.append(name).append(1, '\0').append(hash).append(1, '\n');
    return sha256(all);
}

} // namespace holdfast::study
