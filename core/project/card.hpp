// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.hpp"

#include <string>

namespace holdfast {

/// The card as one line, "last week's orders; use: nine of ten queries; size: a tenth of a day"; "" when it is empty.
std::string card_text(const WorkloadCard& card);

} // namespace holdfast
