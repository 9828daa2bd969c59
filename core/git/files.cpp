// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/files.hpp"

#include "core/git/paths.hpp"
#include "core/project/text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::git {

namespace {

constexpr std::size_t copied_at_once = 1 << 20;

Result<void> write_all(int file, std::string_view text, std::string_view name, const std::string& attempted) {
    while (!text.empty()) {
        const auto count = ::write(file, text.data(), text.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failed(attempted, name, errno);
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

Result<Descriptor> new_file(int folder, const std::string& name, const std::string& attempted) {
    Descriptor file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.number() < 0)
        return system_failed(attempted, name, errno);
    return file;
}

Result<void> finish(Descriptor& file, const std::string& name, bool executable, const std::string& attempted) {
    if (::fchmod(file.number(), executable ? 0755 : 0644) != 0 || !file.close())
        return system_failed(attempted, name, errno);
    return {};
}

} // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

Descriptor::~Descriptor() {
    close();
}

bool Descriptor::close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
}

tl::unexpected<Error> system_failed(const std::string& attempted, std::string_view subject, int code,
                                    std::string remedy) {
    if (remedy.empty() && (code == ENOSPC || code == EDQUOT))
        remedy = "Free some space on that file system.";
    if (remedy.empty() && (code == EACCES || code == EPERM))
        remedy = "Check the permissions of the folder.";
    if (remedy.empty() && (code == ELOOP || code == ENOTDIR))
        remedy = "Remove the symbolic link or file that stands where a folder belongs.";
    return failed(attempted, printable(subject) + ": " + std::generic_category().message(code), std::move(remedy));
}

Result<Descriptor> open_root(const std::filesystem::path& folder, const std::string& attempted) {
    Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (root.number() < 0)
        return system_failed(attempted, folder.string(), errno);
    return root;
}

Result<Descriptor> make_folder(int folder, const std::string& name, const std::string& attempted) {
    if (::mkdirat(folder, name.c_str(), 0755) != 0)
        return system_failed(attempted, name, errno);
    Descriptor made(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made.number() < 0 || ::fchmod(made.number(), 0755) != 0)
        return system_failed(attempted, name, errno);
    return made;
}

Result<Descriptor> open_below(int root, std::string_view path, bool create, const std::string& attempted) {
    Descriptor folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
    if (folder.number() < 0)
        return system_failed(attempted, path, errno);
    if (path.empty())
        return folder;
    for (const auto part : components(path)) {
        const std::string name(part);
        if (name.empty() || name == "." || name == "..")
            return failed(attempted, printable(path) + " is not a path below the folder",
                          "Name a path without \"..\".");
        Descriptor next(::openat(folder.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (next.number() < 0 && errno == ENOENT && create) {
            auto made = make_folder(folder.number(), name, attempted);
            if (!made)
                return made;
            next = std::move(*made);
        }
        if (next.number() < 0)
            return system_failed(attempted, path, errno);
        folder = std::move(next);
    }
    return folder;
}

Result<void> create_file(int folder, const std::string& name, std::string_view content, bool executable,
                         const std::string& attempted) {
    auto file = new_file(folder, name, attempted);
    if (!file)
        return tl::unexpected(file.error());
    if (auto written = write_all(file->number(), content, name, attempted); !written)
        return written;
    return finish(*file, name, executable, attempted);
}

Result<void> create_copy(int folder, const std::string& name, const std::filesystem::path& source, bool executable,
                         const std::string& attempted) {
    const Descriptor from(::open(source.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (from.number() < 0)
        return system_failed(attempted, source.string(), errno);
    auto file = new_file(folder, name, attempted);
    if (!file)
        return tl::unexpected(file.error());
    std::string piece(copied_at_once, '\0');
    for (;;) {
        const auto count = ::read(from.number(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failed(attempted, source.string(), errno);
        if (count == 0)
            return finish(*file, name, executable, attempted);
        const auto part = std::string_view(piece).substr(0, static_cast<std::size_t>(count));
        if (auto written = write_all(file->number(), part, name, attempted); !written)
            return written;
    }
}

Result<std::string> read_file(int folder, const std::string& name, const std::string& attempted) {
    // O_NONBLOCK: a fifo under that name must not stop the program before fstat tells what it is.
    Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0)
        return system_failed(attempted, name, errno);
    if (!S_ISREG(status.st_mode))
        return failed(attempted, printable(name) + " is not a regular file", "Put a regular file there.");
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const auto count = ::read(file.number(), text.data() + filled, text.size() - filled);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failed(attempted, name, errno);
        if (count == 0)
            break;
        filled += static_cast<std::size_t>(count);
    }
    text.resize(filled);
    return text;
}

Result<void> append_to_file(const std::filesystem::path& file, std::string_view text, const std::string& attempted) {
    Descriptor opened(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (opened.number() < 0)
        return system_failed(attempted, file.string(), errno);
    if (auto written = write_all(opened.number(), text, file.string(), attempted); !written)
        return written;
    if (!opened.close())
        return system_failed(attempted, file.string(), errno);
    return {};
}

} // namespace holdfast::git
