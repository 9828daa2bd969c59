// SPDX-License-Identifier: GPL-3.0-or-later
// How danger.hpp reads one line of text.
#pragma once

#include "core/project/danger.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

std::string lower_case(std::string_view text);
/// Without white space around it.
std::string_view trimmed(std::string_view text);

constexpr std::size_t longest_setting_value = 60; ///< bytes; more is cut off

/// The settings of the table that a line sets. `statements_only`: in a text that is no configuration.
std::vector<DangerousSetting> scan_line(std::string_view line, const SettingScope& scope, bool statements_only);

} // namespace holdfast
