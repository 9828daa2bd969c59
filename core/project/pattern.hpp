// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace holdfast {

/// The number of groups in an ECMAScript regular expression, or what is wrong with it.
tl::expected<unsigned, std::string> count_groups(const std::string& pattern);

} // namespace holdfast
