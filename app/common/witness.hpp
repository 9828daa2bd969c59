// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a project's history, noted outside of it: in .git/holdfast, a file of one line for each project folder.
// An older history that is put back, or one that was shortened with its chain, lacks that event. Where there is no
// repository, or none was written yet, nothing is known.
#pragma once

#include "core/project/error.hpp"
#include "db/audit.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

class Witness {
public:
    /// Of the project in `folder`, whatever there is of it.
    static Witness of(const std::filesystem::path& folder);

    /// The event that the history must have, an impossible one where what was noted cannot be read; none where nothing
    /// was noted.
    std::vector<db::KnownEvent> known() const;

    /// Replaces what was noted, whole or not at all. Nothing to do where there is no repository.
    Result<void> note(const std::string& head) const;

private:
    std::filesystem::path file_; ///< empty: no repository
};

/// A finding when the history in `folder` is a file that the repository's HEAD has: whoever commits writes decisions
/// into it then. Nothing when it is not, or there is no repository.
std::optional<std::string> tracked_history(const std::filesystem::path& folder);

} // namespace holdfast::app
