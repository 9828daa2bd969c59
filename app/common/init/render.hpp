// SPDX-License-Identifier: GPL-3.0-or-later
// A proposal as the text of a project file: JSON with a comment on each choice.
#pragma once

#include "app/common/init/proposal.hpp"

#include <string>

namespace holdfast::app::init {

/// holdfast.json.
std::string render_project(const Proposal& proposal);

/// .holdfast/holdout.json; "" when nothing is held out.
std::string render_holdout(const Proposal& proposal);

} // namespace holdfast::app::init
