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

// Written beside `file`, then moved there. Without `force` the move is a link, which fails when something is there
// already, however late it came.
Result<void> write_whole(const fs::path& file, const std::string& text, bool force) {
    const std::string attempted = "write " + printable(file.string());
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
    bool there = false;
    if (written && (force ? ::rename(beside.c_str(), file.c_str()) : ::link(beside.c_str(), file.c_str())) != 0) {
        written = false;
        there = errno == EEXIST;
        found = last_error();
    }
    if (!written || !force)
        ::unlink(beside.c_str());
    std::error_code ignored;
    if (there)
        return invalid(attempted,
                       fs::is_directory(file, ignored) ? "it is a folder" : "there is a file of that name already",
                       fs::is_directory(file, ignored) ? "Name a file in it" : "Choose another name, or give --force");
    if (!written)
        return failed(attempted, found, "Free space or choose another folder");
    return {};
}

} // namespace holdfast::cli
