// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/whole_file.hpp"

#include "core/project/text.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace fs = std::filesystem;

namespace {

std::string last_error() {
    return std::error_code(errno, std::generic_category()).message();
}

bool write_all(int descriptor, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += static_cast<std::size_t>(count);
    }
    return ::fsync(descriptor) == 0;
}

} // namespace

Result<void> check_target(const fs::path& file, bool force) {
    const std::string attempted = "write " + printable(file.string());
    const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code code;
    if (!fs::is_directory(folder, code))
        return invalid(attempted,
                       fs::exists(folder, code) ? printable(folder.string()) + " is no folder"
                                                : "there is no folder " + printable(folder.string()),
                       "Make the folder, or name another file");
    const fs::file_status there = fs::symlink_status(file, code);
    if (!file.has_filename() || fs::is_directory(file, code))
        return invalid(attempted, "it is a folder", "Name a file in it");
    if (there.type() == fs::file_type::not_found)
        return {};
    // A device or a link would be replaced by a file, which is hardly what was meant.
    if (there.type() != fs::file_type::regular)
        return invalid(attempted,
                       there.type() == fs::file_type::symlink ? "it is a symbolic link" : "it is not a regular file",
                       "Name the file itself, or leave -o out and send the output there");
    if (!force)
        return invalid(attempted, "there is a file of that name already", "Choose another name, or give --force");
    return {};
}

// Written beside `file`, then moved there. Without `force` the move is a link, which fails when something is there
// already, however late it came.
Result<void> write_whole(const fs::path& file, const std::string& text, bool force) {
    const std::string attempted = "write " + printable(file.string());
    if (auto target = check_target(file, force); !target)
        return target;
    std::string beside = file.string() + ".XXXXXX";
    const int descriptor = ::mkstemp(beside.data());
    if (descriptor < 0)
        return failed(attempted, last_error(), "Check the folder and its permissions");
    const mode_t mask = ::umask(0);
    ::umask(mask);
    bool written = ::fchmod(descriptor, 0666 & ~mask) == 0 && write_all(descriptor, text);
    std::string found = written ? "" : last_error();
    if (::close(descriptor) != 0 && written) {
        written = false;
        found = last_error();
    }
    // What has come there meanwhile is told as if it had been there before.
    Result<void> target;
    if (written && (target = check_target(file, force)) &&
        (force ? ::rename(beside.c_str(), file.c_str()) : ::link(beside.c_str(), file.c_str())) != 0) {
        written = false;
        found = last_error();
        if (errno == EEXIST)
            target = check_target(file, force);
    }
    if (!written || !target || !force)
        ::unlink(beside.c_str());
    if (!target)
        return target;
    if (!written)
        return failed(attempted, found, "Free space or choose another folder");
    return {};
}

} // namespace holdfast::cli
