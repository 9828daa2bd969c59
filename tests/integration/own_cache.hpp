// SPDX-License-Identifier: GPL-3.0-or-later
// A cache folder of the test program's own, which sandboxes can get to: for tests that clean it up or fill it.
#pragma once

#include "tests/scratch.hpp"

#include <cstdlib>
#include <filesystem>

namespace holdfast::test {

inline const std::filesystem::path& own_cache() {
    static const ScratchFolder folder;
    static const std::filesystem::path place = [] {
        std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
        const std::filesystem::path inside = folder.path() / "cache";
        ::setenv("HOLDFAST_CACHE", inside.c_str(), 1);
        return inside;
    }();
    return place;
}
inline const bool cache_is_own = !own_cache().empty(); // before any test runs the program

} // namespace holdfast::test
