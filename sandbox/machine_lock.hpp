// SPDX-License-Identifier: GPL-3.0-or-later
// One measurement at a time per machine.
#pragma once

#include "core/project/error.hpp"
#include "sandbox/descriptor.hpp"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace holdfast::sandbox {

class MachineLock {
public:
    /// Called once when somebody else has the lock; the text says who: "process 1234 (holdfast)".
    using Waiting = std::function<void(const std::string& holder)>;

    /// Waits for the lock until `stop` (then an error of kind `interrupted`). `file` empty: $HOLDFAST_LOCK, else
    /// /run/lock/holdfast, else CACHE/lock where /run/lock cannot be written. The file is opened for reading only, so
    /// every user shares it.
    static Result<MachineLock> acquire(const std::filesystem::path& file = {}, const Waiting& waiting = {},
                                       const std::stop_token& stop = {});

    /// As acquire, but an error of kind `refused` that names the holder instead of waiting.
    static Result<MachineLock> try_acquire(const std::filesystem::path& file = {});

    const std::filesystem::path& file() const { return file_; }

private:
    MachineLock(Descriptor lock, std::filesystem::path file) : lock_(std::move(lock)), file_(std::move(file)) {}
    static Result<MachineLock> open(const std::filesystem::path& file);
    bool take();
    std::string holder() const;

    Descriptor lock_; ///< closing it releases the lock
    std::filesystem::path file_;
};

} // namespace holdfast::sandbox
