// SPDX-License-Identifier: GPL-3.0-or-later
// Writing below a folder without ever leaving it: every step opens one name relative to an open folder and follows no
// symbolic link, so a tree that changes underneath cannot lead a write elsewhere.
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace holdfast::git {

/// An open file descriptor, closed at the end of its scope.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();
    int number() const { return number_; }
    /// Closes now; false when the system reports that data were lost.
    bool close();

private:
    int number_ = -1;
};

/// `folder` itself may be a symbolic link: the caller chose it.
Result<Descriptor> open_root(const std::filesystem::path& folder, const std::string& attempted);

/// The folder `path` below `root` ("" is `root`); with `create`, made with mode 0755 where it is missing.
Result<Descriptor> open_below(int root, std::string_view path, bool create, const std::string& attempted);

/// A new folder `name` in `folder`, mode 0755 whatever the umask: a tree is built by another uid than its writer's.
Result<Descriptor> make_folder(int folder, const std::string& name, const std::string& attempted);

/// A new file; an error when `name` exists. Mode 0755 or 0644 whatever the umask.
Result<void> create_file(int folder, const std::string& name, std::string_view content, bool executable,
                         const std::string& attempted);

/// As create_file, with the content of the file `source`, which need not fit in memory.
Result<void> create_copy(int folder, const std::string& name, const std::filesystem::path& source, bool executable,
                         const std::string& attempted);

/// The content of a regular file.
Result<std::string> read_file(int folder, const std::string& name, const std::string& attempted);

/// Creates the file when it is missing.
Result<void> append_to_file(const std::filesystem::path& file, std::string_view text, const std::string& attempted);

/// `errno` in words, as the reason why `attempted` failed.
tl::unexpected<Error> system_failed(const std::string& attempted, std::string_view subject, int code,
                                    std::string remedy = "");

} // namespace holdfast::git
