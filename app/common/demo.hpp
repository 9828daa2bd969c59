// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled examples: each becomes a git repository and project of its own.
#pragma once

#include "app/common/candidate.hpp"
#include "core/project/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

struct DemoInfo {
    std::string name;
    std::string about;                             ///< one or two sentences
    std::vector<std::vector<std::string>> propose; ///< arguments of `holdfast propose`, one list a candidate; patches
                                                   ///< are named relative to the project
};

/// The examples below `resources`/examples, by name.
Result<std::vector<DemoInfo>> list_demos(const std::filesystem::path& resources);

/// Makes the example `name` in `folder`, which must not exist or be empty: its files and generated data committed on
/// branch main, its held-out workloads in .holdfast (mode 0700, not committed, excluded). Either everything is written
/// or nothing stays. Returns the folder's absolute path.
Result<std::filesystem::path> make_demo(const std::string& name, const std::filesystem::path& folder,
                                        const std::filesystem::path& resources);

/// make_demo, with the example's candidates queued for its first study.
struct PreparedDemo {
    std::filesystem::path folder;
    std::vector<Queued> queued;
};
Result<PreparedDemo> prepare_demo(const std::string& name, const std::filesystem::path& folder,
                                  const std::filesystem::path& resources);

} // namespace holdfast::app
