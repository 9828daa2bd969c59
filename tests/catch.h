// SPDX-License-Identifier: GPL-3.0-or-later
// One spelling for Catch2 2.13 (Debian 12) and 3 (elsewhere).
#pragma once
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
#else
#include <catch2/catch.hpp>
using Catch::EndsWith;
using Catch::StartsWith;
inline auto ContainsSubstring(const std::string& text) {
    return Catch::Contains(text);
}
#endif
