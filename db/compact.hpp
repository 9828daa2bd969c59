// SPDX-License-Identifier: GPL-3.0-or-later
// Giving back the space inside a history file that nothing uses. No row is lost.
#pragma once

#include "core/project/error.hpp"

#include <cstdint>
#include <filesystem>

namespace holdfast::db {

struct Compaction {
    std::uint64_t before = 0, after = 0; ///< bytes of the file and its log; when only asked, `after` is expected
};

/// What compact() would do. Reads only.
Result<Compaction> compaction(const std::filesystem::path& file);

/// Rewrites the file as its only writer: refused while another one is at work. The whole history is checked before,
/// and an error (kind failed) names what is wrong with it; it is checked again afterwards. A kill leaves the file as it
/// was or as it should be.
Result<Compaction> compact(const std::filesystem::path& file);

} // namespace holdfast::db
