// SPDX-License-Identifier: GPL-3.0-or-later
// What the calibrations of a project tell the doctor.
#pragma once

#include "app/common/doctor.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::app {

/// The noise that the last calibration found, or that there is none to rely on; nothing where no project is.
std::optional<Finding> noise_finding(const std::filesystem::path& folder, const std::string& machine_json);

} // namespace holdfast::app
