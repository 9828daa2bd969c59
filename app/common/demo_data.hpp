// SPDX-License-Identifier: GPL-3.0-or-later
// The tables and queries of the bundled examples, made from seeds: the same bytes on every machine, for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::app {

/// A table file as the example's program reads it (resources/examples/zorder-program/src/table.hpp): `rows` rows of
/// four columns of 12-bit values, independent and uniform.
std::string demo_table(std::uint64_t seed, std::uint32_t rows);

/// `count` queries, one a line: each restricts one or two of the four columns, every choice as likely as any other, to
/// ranges that are 2 to 20 % of the values wide and lie anywhere.
std::string demo_queries(std::uint64_t seed, std::size_t count);

} // namespace holdfast::app
