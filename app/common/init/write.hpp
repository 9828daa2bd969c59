// SPDX-License-Identifier: GPL-3.0-or-later
// The project file on disk: checked first, whole or not at all, never in the place of another unless that is asked for.
#pragma once

#include "app/common/init/proposal.hpp"

#include <filesystem>
#include <string>
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

/// Checks and writes the texts; what is below .holdfast/ is kept out of git. Refused when the folder has a project file
/// or held-out workloads and `force` is not given.
Result<Project> write_project(const std::filesystem::path& folder, const Texts& texts, bool force);

} // namespace holdfast::app::init
