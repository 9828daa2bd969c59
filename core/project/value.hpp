// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace holdfast {

/// A knob's value.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// One value per knob, by knob name.
using Configuration = std::map<std::string, Value>;

/// As a program is given it: `true`/`false`, decimal integers, the shortest text that reads back as the same double.
std::string to_text(const Value& value);

/// "block_rows=512 opt=-O2", in name order.
std::string to_text(const Configuration& configuration);

} // namespace holdfast
