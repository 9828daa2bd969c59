// SPDX-License-Identifier: GPL-3.0-or-later
// The project file on disk: checked first, whole or not at all, never in the place of another unless that is asked for.
#pragma once

#include "app/common/init/proposal.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app::init {

struct Texts {
    std::string project;        ///< holdfast.json
    std::string holdout;        ///< .holdfast/holdout.json; "" writes none
    std::vector<NewFile> files; ///< below .holdfast/
};

/// render_project(), render_holdout() and the private files of a proposal.
Texts texts_of(const Proposal& proposal);

/// What load_project() makes of the texts, which are not written yet; `folder` is where they would be.
tl::expected<Project, std::vector<Problem>> check_texts(const std::filesystem::path& folder, const Texts& texts);

/// What becomes of files that are there already.
enum class Existing {
    refused,  ///< nothing is written
    copied,   ///< replaced; of what the new text differs from, a copy is kept below .holdfast/
    replaced, ///< without a copy: they were written a moment ago
};

struct Written {
    Project project;
    std::vector<std::pair<std::string, std::string>> copies; ///< file and copy, relative to the folder
    std::string old_holdout; ///< the held-out file that was there and stays, since the texts have none; "" without one
};

/// Checks and writes the texts; what is below .holdfast/ is kept out of git. Refused when one of its files is there and
/// may not be replaced.
Result<Written> write_project(const std::filesystem::path& folder, const Texts& texts, Existing existing);

} // namespace holdfast::app::init
