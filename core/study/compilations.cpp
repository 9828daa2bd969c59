// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/compilations.hpp"

#include "core/study/files.hpp"

#include <unistd.h>

namespace holdfast::study {

namespace {

constexpr const char* program = "/usr/bin/ccache"; // /usr is what a sandbox sees
constexpr const char* kept_size = "400Mi";
constexpr std::uint64_t room = 512ULL << 20; // ccache cleans up now and then only

} // namespace

Result<void> share_compilations(Execution& execution, const Workspace& workspace, Runner& runner, Builder builder) {
    if (::access(program, X_OK) != 0)
        return {};
    const std::filesystem::path folder = workspace.compilations();
    if (!std::filesystem::exists(folder)) {
        auto done = make_folder(folder, std::filesystem::perms::owner_all);
        if (done)
            done = runner.give(folder);
        if (!done)
            return done;
    }
    const bool fills = builder == Builder::baseline;
    execution.mounts.push_back({folder, "/ccache", fills});
    if (fills)
        execution.limits.disk_bytes += room; // all of a writable mount counts, also what was there before
    for (const char* launcher : {"CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"})
        execution.environment.emplace_back(launcher, program);
    execution.environment.emplace_back("CCACHE_DIR", "/ccache");
    execution.environment.emplace_back("CCACHE_MAXSIZE", kept_size);
    execution.environment.emplace_back("CCACHE_TEMPDIR", "/tmp");
    if (!fills)
        execution.environment.emplace_back("CCACHE_READONLY", "1"); // else ccache tries, and fails, to write
    return {};
}

} // namespace holdfast::study
