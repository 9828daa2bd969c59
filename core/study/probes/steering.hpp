// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a patch steers the sanitizers that are to judge it. Pure; by names, which can be hidden: what it finds is
// certain, what it does not find is no proof.
#pragma once

#include "core/git/patch.hpp"

#include <string>

namespace holdfast::study::probes {

/// "src/scan.c brings no_sanitize": the first file in which a name that switches a sanitizer off for a part, asks
/// whether one is there, sets it or stands in for its runtime comes up more often than before, or in which what is
/// compiled only with or only without one is another. "" when there is none; printable.
std::string steers_sanitizers(const git::PlacedPatch& patch);

} // namespace holdfast::study::probes
