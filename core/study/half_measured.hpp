// SPDX-License-Identifier: GPL-3.0-or-later
// Trials that an interruption left half measured on a machine that has changed since.
#pragma once

#include "core/project/project.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"

#include <string>

namespace holdfast::study {

/// Gives those of every interrupted study that did not begin on `machine_json` the verdict not-comparable: what they
/// have can never be pooled with what is measured now, and they can be proposed again. Called when a new study begins,
/// not by a refused resumption, which may be tried again once the machine is as it was.
Result<void> end_half_measured(const Project& project, Store& store, const Watch& watch,
                               const std::string& machine_json);

} // namespace holdfast::study
