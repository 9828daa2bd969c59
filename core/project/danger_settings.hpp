// SPDX-License-Identifier: GPL-3.0-or-later
// The table behind danger.hpp.
#pragma once

#include "core/project/project.hpp"

#include <span>
#include <string_view>

namespace holdfast {

enum class SettingOwner { any, postgresql, redis, sqlite, mysql, many };

struct KnownSetting {
    std::string_view name; ///< lower case, '_' for '-'
    /// `any`: the name is distinct enough to mean this setting everywhere; `many`: it counts with a weak value only.
    SettingOwner owner;
    Knob::Danger danger;
    std::string_view weak; ///< values that promise less than the usual default, between spaces; may be empty
    std::string_view cost;
};

std::span<const KnownSetting> known_settings();

} // namespace holdfast
