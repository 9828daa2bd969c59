// SPDX-License-Identifier: GPL-3.0-or-later
// One writer per store: an flock on a file beside it, which says who holds it. The kernel drops the lock with the
// process, so a killed writer leaves nothing to clean up; the file stays, because removing it would let two writers
// hold locks on two files of one name.
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <utility>

namespace holdfast::db {

class WriterLock {
public:
    /// `store` x/history.sqlite is guarded by x/history.lock. Held by another: kind `refused`, naming the holder.
    static Result<WriterLock> take(const std::filesystem::path& store);

    WriterLock(WriterLock&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), held_(std::exchange(other.held_, false)) {}
    WriterLock& operator=(WriterLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(held_, other.held_);
        return *this;
    }
    ~WriterLock();

private:
    explicit WriterLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
    bool held_ = false; ///< only the holder touches what the file says
};

} // namespace holdfast::db
