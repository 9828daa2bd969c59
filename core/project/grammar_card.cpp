// SPDX-License-Identifier: GPL-3.0-or-later
// A workload's card: what a person should know of it before trusting its numbers.
#include "core/project/grammar.hpp"
#include "core/project/text.hpp"

#include <utility>

namespace holdfast {

WorkloadCard read_card(Reader& reader, const Spot& at) {
    WorkloadCard card;
    const std::string allowed =
        "an object with \"about\", \"use\", \"size\" or \"sensitivity\", each a line of at most 500 bytes";
    if (at.node->kind != JsonNode::Kind::object || at.node->children.empty()) {
        reader.wrong(at, allowed);
        return card;
    }
    if (!reader.object(at, {"about", "use", "size", "sensitivity"}))
        return card;
    constexpr std::size_t longest = 500;
    const std::pair<const char*, std::string*> members[] = {
        {"about", &card.about}, {"use", &card.use}, {"size", &card.size}, {"sensitivity", &card.sensitivity}};
    for (const auto& [key, target] : members)
        if (const Spot spot = Reader::find(at, key)) {
            const auto text = reader.text(spot, "a text");
            if (text && (text->empty() || text->size() > longest || printable(*text) != *text))
                reader.wrong(spot, "a line of printable text, 1 to 500 bytes");
            else if (text)
                *target = *text;
        }
    return card;
}

} // namespace holdfast
