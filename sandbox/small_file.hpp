// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's small files, read and written by one call each as it wants them.
#pragma once

#include "sandbox/descriptor.hpp"

#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace holdfast::sandbox {

/// The whole text of a file below `folder`; what cannot be read is empty.
inline std::string read_small(int folder, const std::string& path) {
    const Descriptor file(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    char chunk[4096];
    for (ssize_t size; file && (size = ::read(file.get(), chunk, sizeof chunk)) > 0;)
        text.append(chunk, std::size_t(size));
    return text;
}

/// False with errno set when the file is not there or the kernel refuses.
inline bool write_small(int folder, const std::string& path, std::string_view text) {
    const Descriptor file(::openat(folder, path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == ssize_t(text.size());
}

} // namespace holdfast::sandbox
