// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of one text, and larger files out of one. `at` is a byte of the text, which is not empty; what is changed is
// the first thing of its kind there, else the first of all. Nothing where there is nothing to change. Pure.
#pragma once

#include "core/study/probes/mutate.hpp"

#include <optional>

namespace holdfast::study::probes {

std::optional<Mutation> number_to_word(std::string_view text, std::size_t at);
std::optional<Mutation> turn_sign(std::string_view text, std::size_t at);
std::optional<Mutation> change_number(std::string_view text, std::size_t at, std::mt19937_64& random);
/// The largest number of the text times `factor`, 2 or 10.
std::optional<Mutation> enlarge_largest(std::string_view text, unsigned factor);

/// A line's last field, or a line of one field: once more, or taken away.
std::optional<Mutation> add_field(std::string_view text, std::size_t at);
std::optional<Mutation> drop_field(std::string_view text, std::size_t at);

/// How many fields the line at `at` has, at least 1; a field is what stands between the separators that the line has:
/// tabs, else commas, semicolons, bars, spaces.
std::size_t fields_at(std::string_view text, std::size_t at);
/// A number: made negative, huge, or a word. Anything else: emptied, a hundred times as long, or made a number.
/// `field` counts from 0, modulo those of the line; `change` is below field_changes.
std::optional<Mutation> change_field(std::string_view text, std::size_t at, std::size_t field, std::size_t change);

std::optional<Mutation> swap_lines(std::string_view text, std::size_t at, std::size_t other);
/// A thousand more copies of a line, as far as `most` bytes allow and no more than make the text `copies` times as
/// long; a hundred may always be.
std::optional<Mutation> repeat_line(std::string_view text, std::size_t at, std::size_t copies, std::size_t most);
/// All that stands below the first line, which may be a heading.
std::optional<Mutation> repeat_below_first(std::string_view text, std::size_t copies, std::size_t most);

/// `copies` times any bytes, fewer where `most` bytes are reached; a text's lines stay whole.
std::optional<Mutation> repeat_whole(std::string_view bytes, std::size_t copies, std::size_t most);

} // namespace holdfast::study::probes
