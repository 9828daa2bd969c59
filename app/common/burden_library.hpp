// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace holdfast::app {

/// What slows a program down by a known share, beside this program; it may be missing.
std::filesystem::path burden_library();

} // namespace holdfast::app
