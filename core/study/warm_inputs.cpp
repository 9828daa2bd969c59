// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/warm_inputs.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_warmed = 1ULL << 30; ///< bytes

/// Inputs are copies that the harness made, never a candidate's: no link is among them that leads elsewhere.
template <class Do> void each_file(const std::vector<fs::path>& folders, const Do& work) {
    std::error_code code;
    for (const fs::path& folder : folders)
        for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
            if (entry->symlink_status(code).type() == fs::file_type::regular)
                work(*entry);
}

void read_through(const fs::path& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    static thread_local std::array<char, 1 << 16> bytes;
    while (true) {
        const ssize_t got = ::read(fd, bytes.data(), bytes.size());
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
    }
    ::close(fd);
}

std::uint64_t bytes_below(const std::vector<fs::path>& folders) {
    std::uint64_t bytes = 0;
    each_file(folders, [&](const fs::directory_entry& file) {
        std::error_code code;
        const auto size = file.file_size(code);
        bytes += code ? 0 : size;
    });
    return bytes;
}

} // namespace

void warm(const std::vector<fs::path>& folders) {
    if (bytes_below(folders) <= most_warmed)
        each_file(folders, [](const fs::directory_entry& file) { read_through(file.path()); });
}

} // namespace holdfast::study
