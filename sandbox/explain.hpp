// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/error.hpp"
#include "sandbox/surroundings.hpp"

#include <string>

namespace holdfast::sandbox {

/// What bubblewrap or the runner said as an error with a remedy: `refused` when isolation itself is missing on this
/// machine, `failed` otherwise. `stage` completes "Cannot ...". Where one message has several causes, `here` decides.
Error explain(const std::string& stage, const std::string& said, const Surroundings& here = read_surroundings());

} // namespace holdfast::sandbox
