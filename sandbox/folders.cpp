// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/folders.hpp"

#include "core/project/text.hpp"
#include "sandbox/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* check_cache = "Check the cache folder's permissions and free space, or set HOLDFAST_CACHE";

bool is_root() {
    return geteuid() == 0;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The dropped user must be able to pass through every folder above.
Result<void> check_passable(const fs::path& cache) {
    for (fs::path folder = cache; folder != folder.root_path(); folder = folder.parent_path()) {
        struct stat info {};
        if (stat(folder.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0)
            return failed(fmt::format("use {} for temporary trees", cache.native()),
                          fmt::format("as root, programs run as user {}, which cannot pass through {}", dropped_user,
                                      folder.native()),
                          "Set HOLDFAST_CACHE to a folder below /var/tmp");
    }
    return {};
}

Result<void> give_entry(int parent, const char* name, int depth) {
    struct stat info {};
    auto trouble = [&](const char* what) {
        return failed(fmt::format("{} {}", what, name), std::strerror(errno), check_cache);
    };
    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return trouble("look at");
    if (fchownat(parent, name, dropped_user, dropped_user, AT_SYMLINK_NOFOLLOW) != 0)
        return trouble("hand over");
    if (!S_ISDIR(info.st_mode))
        return {};
    if (depth > 200)
        return failed(fmt::format("hand over {}", name), "folders are nested more than 200 deep",
                      "Build into fewer folders within each other");
    Descriptor fd(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd)
        return trouble("open");
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(fd.get()), closedir);
    if (folder == nullptr)
        return trouble("read");
    fd.release();
    while (const dirent* entry = readdir(folder.get())) {
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0)
            continue;
        if (auto given = give_entry(dirfd(folder.get()), entry->d_name, depth + 1); !given)
            return given;
    }
    return {};
}

Result<std::string> read_whole(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in)
        return failed(fmt::format("read {}", file.native()), std::strerror(errno),
                      "Install holdfast's helper programs beside it");
    return bytes;
}

Result<void> write_program(const fs::path& file, const std::string& bytes) {
    const fs::path temporary = file.native() + fmt::format(".{}", getpid());
    const Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0755));
    std::size_t done = 0;
    while (out && done < bytes.size()) {
        const ssize_t size = ::write(out.get(), bytes.data() + done, bytes.size() - done);
        if (size <= 0)
            break;
        done += std::size_t(size);
    }
    if (done < bytes.size() || fchmod(out.get(), 0755) != 0 || ::rename(temporary.c_str(), file.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return failed(fmt::format("write {}", file.native()), std::strerror(error), check_cache);
    }
    return {};
}

/// FNV-1a; it only names a folder whose contents are compared.
std::uint64_t name_of(const std::string& bytes, std::uint64_t hash) {
    for (const char c : bytes)
        hash = (hash ^ std::uint8_t(c)) * 0x100000001b3ULL;
    return hash;
}

} // namespace

Result<fs::path> path_from(const char* name, const std::string& attempted) {
    const char* const value = std::getenv(name);
    if (value == nullptr)
        return fs::path();
    if (value[0] != '/')
        return invalid(attempted, fmt::format("{} is \"{}\", which is no absolute path", name, printable(value)),
                       fmt::format("Set {} to a path that begins with /, or unset it", name));
    return fs::path(value).lexically_normal();
}

Result<fs::path> cache_path() {
    auto chosen = path_from("HOLDFAST_CACHE", "choose a folder for temporary trees");
    if (!chosen || !chosen->empty())
        return chosen;
    if (is_root())
        return fs::path("/var/tmp/holdfast-0");
    for (const char* name : {"XDG_CACHE_HOME", "HOME"}) {
        const std::string text = variable(name);
        if (text.empty() || text.front() != '/')
            continue; // the XDG specification: relative paths are ignored
        return fs::path(text) / (std::strcmp(name, "HOME") == 0 ? ".cache/holdfast" : "holdfast");
    }
    return failed("choose a folder for temporary trees", "neither XDG_CACHE_HOME nor HOME is an absolute path",
                  "Set HOME");
}

Result<fs::path> make_cache() {
    Result<fs::path> chosen = cache_path();
    if (!chosen)
        return chosen;
    const fs::path& cache = *chosen;
    const std::string attempted = fmt::format("use {} for temporary trees", cache.native());
    std::error_code error;
    if (!fs::exists(cache.parent_path(), error))
        fs::create_directories(cache.parent_path(), error);
    if (::mkdir(cache.c_str(), 0700) != 0 && errno != EEXIST)
        return failed(attempted, std::strerror(errno), "Set HOLDFAST_CACHE to a folder that you can write");

    const Descriptor folder(::open(cache.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!folder || fstat(folder.get(), &info) != 0)
        return refused(attempted,
                       errno == ENOTDIR || errno == ELOOP ? "it is a symbolic link or no folder" : std::strerror(errno),
                       "Remove it");
    if (info.st_uid != geteuid())
        return refused(attempted, fmt::format("it belongs to user {}", info.st_uid), "Remove it");
    const mode_t mode = is_root() ? 0711 : 0700;
    if ((info.st_mode & 0777) != mode && fchmod(folder.get(), mode) != 0)
        return failed(attempted, std::strerror(errno), check_cache);
    fs::path resolved = fs::canonical(cache, error);
    if (error)
        return failed(attempted, error.message(), check_cache);
    if (is_root())
        if (auto passable = check_passable(resolved); !passable)
            return tl::unexpected(passable.error());
    return resolved;
}

Result<fs::path> below_cache(const fs::path& cache, const fs::path& path) {
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    const std::string attempted = fmt::format("give {} to a sandbox", path.native());
    if (error)
        return failed(attempted, error.message(), check_cache);
    const auto [rest, unused] = std::mismatch(cache.begin(), cache.end(), resolved.begin(), resolved.end());
    if (rest != cache.end() || resolved == cache)
        return refused(attempted, fmt::format("it is not below {}", cache.native()),
                       "Copy it into the folder for temporary trees first");
    return resolved;
}

Result<void> give_tree(const fs::path& cache, const fs::path& tree) {
    // The last component may be a link: the link itself is handed over, so only its parent is resolved.
    const fs::path clean = tree.has_filename() ? tree : tree.parent_path();
    const std::string attempted = fmt::format("give {} to a sandbox", tree.native());
    std::error_code error;
    const fs::path parent = fs::canonical(clean.parent_path(), error);
    if (error)
        return failed(attempted, error.message(), check_cache);
    if (clean.filename() == ".." || clean.filename() == ".")
        return refused(attempted, "its path ends in a dot", "Name the folder itself");
    if (parent != cache)
        if (auto inside = below_cache(cache, parent); !inside)
            return tl::unexpected(inside.error());
    struct stat info {};
    if (lstat((parent / clean.filename()).c_str(), &info) != 0)
        return failed(attempted, std::strerror(errno), check_cache);
    if (!is_root())
        return {};
    // The dropped user has to pass through what lies between, which a umask of 077 would forbid.
    for (fs::path between = parent; between != cache; between = between.parent_path()) {
        struct stat folder {};
        if (stat(between.c_str(), &folder) != 0 ||
            ((folder.st_mode & S_IXOTH) == 0 && chmod(between.c_str(), (folder.st_mode & 07777) | S_IXOTH) != 0))
            return failed(attempted, std::strerror(errno), check_cache);
    }
    const Descriptor holder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!holder)
        return failed(attempted, std::strerror(errno), check_cache);
    return give_entry(holder.get(), clean.filename().c_str(), 0);
}

Result<fs::path> reachable_helpers(const fs::path& helpers, const fs::path& cache) {
    constexpr const char* names[] = {"holdfast-init", "holdfast-runner", "holdfast-canary"};
    std::string programs[std::size(names)];
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < std::size(names); ++i) {
        Result<std::string> bytes = read_whole(helpers / names[i]);
        if (!bytes)
            return tl::unexpected(bytes.error());
        programs[i] = std::move(*bytes);
        hash = name_of(programs[i], hash);
    }
    if (!is_root())
        return helpers;
    const fs::path folder = cache / fmt::format("bin-{:016x}", hash);
    if ((::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) || ::chmod(folder.c_str(), 0755) != 0)
        return failed(fmt::format("make {}", folder.native()), std::strerror(errno), check_cache);
    ::utimensat(AT_FDCWD, folder.c_str(), nullptr, AT_SYMLINK_NOFOLLOW); // when it was last used, for cleaning up
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (const Result<std::string> there = read_whole(folder / names[i]); there && *there == programs[i])
            continue;
        if (auto written = write_program(folder / names[i], programs[i]); !written)
            return tl::unexpected(written.error());
    }
    return folder;
}

} // namespace holdfast::sandbox
