// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/read_paths.hpp"

#include "core/project/text.hpp"
#include "sandbox/folders.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::array there_anyway = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
constexpr std::array never = {"/proc", "/sys", "/dev", "/run"};

/// The same counts as below.
bool is_below(const fs::path& path, const fs::path& folder) {
    const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return rest == folder.end();
}

bool overlap(const fs::path& one, const fs::path& other) {
    return is_below(one, other) || is_below(other, one);
}

/// Also where a hard link or another mount gives the same thing another path.
bool overlap_on_disk(const fs::path& one, const fs::path& other) {
    std::error_code code;
    for (const auto& [inner, outer] : {std::pair(one, other), std::pair(other, one)})
        for (fs::path part = inner; part.has_relative_path(); part = part.parent_path())
            if (fs::equivalent(part, outer, code))
                return true;
    return overlap(one, other);
}

/// Below somebody's home, where it is for them to say who may read what.
bool is_own(const fs::path& path) {
    const char* const home = std::getenv("HOME");
    const fs::path own = home == nullptr ? fs::path() : fs::path(home).lexically_normal();
    if (own.has_relative_path() && is_below(path, own) && path != own)
        return true;
    return is_below(path, "/home") && std::distance(path.begin(), path.end()) > 3; // "/", "home", NAME
}

/// What to do about a path that programs cannot read: rights are never widened on what belongs to the system.
std::string remedy_for_unreachable(const fs::path& path) {
    const std::string remedy =
        is_own(path) ? fmt::format("Run: chmod -R o+rX {}", printable(path.native()))
                     : "Copy what programs need of it to a folder that they can read, and name that in sandbox.read";
    return remedy + (::geteuid() == 0 ? ", or run Holdfast as an ordinary user" : "");
}

/// Why programs, which are another user when Holdfast is root, cannot read it; empty when they can.
std::string unreachable(const fs::path& path) {
    if (::geteuid() != 0)
        return ::access(path.c_str(), R_OK) == 0 ? "" : std::strerror(errno);
    for (fs::path part = path; part.has_relative_path(); part = part.parent_path()) {
        struct stat info {};
        if (::stat(part.c_str(), &info) != 0)
            return std::strerror(errno);
        const mode_t need = (S_ISDIR(info.st_mode) ? S_IXOTH : 0U) | (part == path ? S_IROTH : 0U);
        if ((info.st_mode & need) != need)
            return fmt::format("as root, programs run as user {}, which cannot {} {}", dropped_user,
                               part == path ? "read" : "pass through", printable(part.native()));
    }
    return "";
}

/// Why it must not be seen inside; empty when it may. Asked for the path as named and for where it leads.
std::string forbidden(const fs::path& path, const study::Execution& execution, const fs::path& cache) {
    if (path == path.root_path())
        return "it is the whole machine";
    if (path.parent_path() == path.root_path())
        return "it is a top folder";
    if (std::any_of(never.begin(), never.end(), [&](const char* folder) { return is_below(path, folder); }))
        return "it belongs to the kernel or to running services";
    if (overlap(path, cache))
        return fmt::format("it contains, or lies in, the folder for temporary trees {}", cache.native());
    for (const fs::path& hidden : execution.hidden)
        if (overlap_on_disk(path, hidden))
            return fmt::format("it is, holds or lies in {}, and programs must see neither held-out workloads nor the "
                               "history",
                               printable(hidden.native()));
    for (const study::Mount& mount : execution.mounts)
        if (overlap(path, mount.inside))
            return fmt::format("{} is taken inside the sandbox", printable(mount.inside));
    return "";
}

} // namespace

Result<std::vector<std::string>> readable_paths(const study::Execution& execution, const fs::path& cache) {
    std::vector<std::string> paths;
    for (const std::string& given : execution.read) {
        const std::string attempted = fmt::format("let programs read {}", printable(given));
        const char* const name_another = "Name a folder or file below it in \"sandbox.read\"";
        if (given.empty() || given.front() != '/' || given.find('\0') != std::string::npos)
            return invalid(attempted, "it is not an absolute path", "Write the whole path, from / on");
        fs::path path = fs::path(given).lexically_normal();
        if (!path.has_filename())
            path = path.parent_path(); // "/a/b/"
        std::error_code error;
        // As far as it exists: what must not be seen is refused also before it is there.
        fs::path real = fs::weakly_canonical(path, error);
        if (error)
            real = path;
        if (std::any_of(there_anyway.begin(), there_anyway.end(),
                        [&](const char* folder) { return is_below(path, folder); }))
            continue;
        for (const fs::path& place : {path, real})
            if (const std::string why = forbidden(place, execution, cache); !why.empty())
                return refused(attempted, why, name_another);
        if (real = fs::canonical(path, error); error)
            return failed(attempted, error.message(), "Check \"sandbox.read\" in the project's configuration");
        if (!fs::is_directory(real, error) && !fs::is_regular_file(real, error))
            return refused(attempted, "it is neither a folder nor a file", name_another);
        if (const std::string why = unreachable(real); !why.empty())
            return failed(attempted, why, remedy_for_unreachable(real));
        paths.push_back(path);
    }
    return paths;
}

} // namespace holdfast::sandbox
