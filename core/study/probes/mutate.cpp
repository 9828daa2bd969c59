// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/mutate.hpp"

#include "core/study/probes/mutate_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace holdfast::study::probes {

namespace {

/// In the order of what they tell: what a text may not hold, what is larger than what was ever run, and then the rest.
enum class Kind {
    word,
    grow,
    extra_field,
    negative,
    largest,
    flip,
    cut,
    repeat_line,
    missing,
    number,
    grow_rest,
    malformed,
    empty,
    swap,
    repeat,
    flip_many
};
static_assert(static_cast<std::size_t>(Kind::flip_many) + 1 == mutation_kinds);

Kind kind_of(const Turn& turn) {
    return static_cast<Kind>(turn.number % mutation_kinds);
}

/// A place in the turn's third of `size` bytes, of which there are some.
std::size_t place_in(std::size_t size, const Turn& turn, std::mt19937_64& random) {
    const std::size_t third = turn.third % 3, begin = size * third / 3, end = size * (third + 1) / 3;
    return std::min(begin + below(end - begin, random), size - 1);
}

Mutation flip(std::string_view bytes, std::size_t count, std::size_t at, std::mt19937_64& random) {
    std::string changed(bytes);
    for (std::size_t i = 0; i < count; ++i) {
        char& byte = changed[i == 0 ? at : below(changed.size(), random)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8, random)));
    }
    return {count == 1 ? fmt::format("a bit flipped at byte {}", at) : fmt::format("{} bits flipped", count),
            std::move(changed)};
}

/// What a count or a length may be in a file that is no text.
Mutation extreme(std::string_view bytes, std::size_t at, std::mt19937_64& random) {
    constexpr std::array<std::string_view, 3> values{std::string_view("\xff\xff\xff\x7f", 4),
                                                     std::string_view("\xff\xff\xff\xff", 4),
                                                     std::string_view("\0\0\0\0", 4)};
    const std::string_view value = values[below(values.size(), random)];
    at -= at % 4;
    std::string changed(bytes);
    const std::size_t size = std::min(value.size(), changed.size() - at);
    changed.replace(at, size, value.substr(0, size));
    return {fmt::format("{} bytes at {} made {}", size, at, value[0] == '\0' ? "zeros" : "the largest there are"),
            std::move(changed)};
}

Mutation repeat(std::string_view bytes, std::size_t at, std::mt19937_64& random) {
    constexpr std::size_t longest = 1 << 16;
    const std::size_t size = 1 + below(std::min(bytes.size() - at, longest), random);
    std::string changed(bytes);
    changed.insert(at + size, bytes.substr(at, size));
    return {fmt::format("{} bytes at {} repeated", size, at), std::move(changed)};
}

/// The first time a larger file is as large as it may be; what refuses that is asked with less later.
std::size_t copies(const Turn& turn) {
    return std::min<std::size_t>(turn.most_copies, turn.number / mutation_kinds % 2 == 0 ? 16 : 2);
}

/// Changed as a text; nothing when the kind is not about texts or there is nothing to change.
std::optional<Mutation> as_text(std::string_view text, Kind kind, const Turn& turn, std::size_t at,
                                std::mt19937_64& random) {
    switch (kind) {
    case Kind::word:
        return number_to_word(text, at);
    case Kind::negative:
        return turn_sign(text, at);
    case Kind::number:
        return change_number(text, at, random);
    case Kind::largest:
        return enlarge_largest(text, below(2, random) == 0 ? 10 : 2);
    case Kind::extra_field:
        return add_field(text, at);
    case Kind::missing:
        return drop_field(text, at);
    case Kind::repeat_line:
        return repeat_line(text, at, turn.most_copies, largest_input);
    case Kind::grow_rest:
        return repeat_below_first(text, std::min<std::size_t>(turn.most_copies, 4), largest_input);
    case Kind::swap:
        return swap_lines(text, at, below(text.size(), random));
    case Kind::malformed: {
        std::string changed(text);
        changed.insert(at, "\xc3\x28\xff");
        return Mutation{fmt::format("malformed UTF-8 put in at byte {}", at), std::move(changed)};
    }
    default:
        return std::nullopt;
    }
}

/// Changed as any file can be.
std::optional<Mutation> as_bytes(std::string_view bytes, Kind kind, const Turn& turn, std::size_t at,
                                 std::mt19937_64& random) {
    switch (kind) {
    case Kind::grow:
        return repeat_whole(bytes, copies(turn), largest_input);
    case Kind::cut:
        return Mutation{fmt::format("cut off after {} bytes", at), std::string(bytes.substr(0, at))};
    case Kind::empty:
        return Mutation{"emptied", ""};
    case Kind::repeat:
        return repeat(bytes, at, random);
    case Kind::flip:
        return flip(bytes, 1, at, random);
    case Kind::flip_many:
        return flip(bytes, 16, at, random);
    default: // about texts
        return extreme(bytes, at, random);
    }
}

} // namespace

std::size_t below(std::size_t end, std::mt19937_64& random) {
    return end == 0 ? 0 : static_cast<std::size_t>(random() % end);
}

bool about_texts(const Turn& turn) {
    if (turn.field)
        return true;
    switch (kind_of(turn)) {
    case Kind::grow:
    case Kind::flip:
    case Kind::cut:
    case Kind::empty:
    case Kind::repeat:
    case Kind::flip_many:
        return false;
    default:
        return true;
    }
}

Mutation mutate(std::string_view bytes, const Turn& turn, std::mt19937_64& random) {
    if (bytes.empty())
        return {"a byte put into the empty file", "x"};
    const Kind kind = kind_of(turn);
    const std::size_t at = place_in(bytes.size(), turn, random);
    std::optional<Mutation> made;
    if (is_text(bytes))
        made = turn.field ? change_field(bytes, at, *turn.field, turn.number) : as_text(bytes, kind, turn, at, random);
    if (!made)
        made = as_bytes(bytes, kind, turn, at, random);
    if (!made || made->bytes == bytes || made->bytes.size() > largest_input)
        return flip(bytes, 1, at, random);
    return std::move(*made);
}

} // namespace holdfast::study::probes
