// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/lock.hpp"

#include "core/project/text.hpp"
#include "core/study/clock.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace holdfast::db {

using nlohmann::json;

namespace {

constexpr std::size_t command_limit = 200; // bytes shown of a command line

std::string words(int error) {
    return std::generic_category().message(error);
}

/// "holdfast run --trials 20", of this process.
std::string own_command() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    while (!text.empty() && text.back() == '\0')
        text.pop_back();
    const std::size_t program_end = std::min(text.find('\0'), text.size());
    const std::size_t slash = text.substr(0, program_end).rfind('/');
    if (slash != std::string::npos)
        text.erase(0, slash + 1);
    for (char& c : text)
        if (c == '\0')
            c = ' ';
    if (text.size() > command_limit)
        text = text.substr(0, command_limit) + "...";
    return printable(text);
}

std::string read_start(int descriptor) {
    std::array<char, 4096> buffer{};
    const ssize_t size = pread(descriptor, buffer.data(), buffer.size(), 0);
    return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

/// What the holder wrote, in words. It writes right after taking the lock, so an empty file is worth a few looks.
std::string holder(int descriptor) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    while (true) {
        const json found = json::parse(read_start(descriptor), nullptr, false);
        if (found.is_object() && found.contains("pid") && found["pid"].is_number_integer() &&
            found.value("command", json()).is_string() && found.value("started", json()).is_string())
            return fmt::format("process {} has been writing since {}: {}", found["pid"].get<std::int64_t>(),
                               printable(found["started"].get<std::string>()),
                               printable(found["command"].get<std::string>()));
        if (std::chrono::steady_clock::now() > deadline)
            return "another process, which did not say who it is, writes to it";
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

Result<void> write_owner(int descriptor, const std::string& attempted) {
    const std::string text = json({{"pid", getpid()}, {"command", own_command()}, {"started", study::utc_now()}})
                                 .dump(-1, ' ', false, json::error_handler_t::replace) +
                             "\n";
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text.data(), text.size(), 0) != ssize_t(text.size()))
        return failed(attempted, words(errno), "Free some space on its file system.");
    return {};
}

} // namespace

Result<WriterLock> WriterLock::take(const std::filesystem::path& store) {
    std::filesystem::path file = store;
    file.replace_extension(".lock");
    const std::string attempted = fmt::format("write to the history {}", store.string());
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (descriptor < 0) {
        const int error = errno;
        return failed(attempted, fmt::format("its lock file {} cannot be opened: {}", file.string(), words(error)),
                      error == ELOOP ? "Remove the symbolic link." : "Make the folder and the file writable for you.");
    }
    WriterLock lock(descriptor);
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return failed(attempted, fmt::format("its lock file {} is not a regular file", file.string()), "Remove it.");
    int result = 0;
    do
        result = flock(descriptor, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
        if (errno != EWOULDBLOCK)
            return failed(attempted, fmt::format("its lock file {} cannot be locked: {}", file.string(), words(errno)),
                          "Keep the history on a file system that has file locks.");
        return refused(attempted, holder(descriptor),
                       "Wait for its end or stop it; commands that only read work meanwhile.");
    }
    lock.held_ = true;
    if (auto written = write_owner(descriptor, attempted); !written)
        return tl::unexpected(written.error());
    return lock;
}

WriterLock::~WriterLock() {
    if (descriptor_ < 0)
        return;
    if (held_) {
        // An owner left in the file would be named to whoever meets the next writer in its first moment.
        [[maybe_unused]] const int emptied = ftruncate(descriptor_, 0);
    }
    ::close(descriptor_);
}

} // namespace holdfast::db
