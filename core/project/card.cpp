// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/card.hpp"

#include <utility>

namespace holdfast {

std::string card_text(const WorkloadCard& card) {
    std::string text = card.about;
    const std::pair<const char*, const std::string*> rest[] = {
        {"use", &card.use}, {"size", &card.size}, {"sensitivity", &card.sensitivity}};
    for (const auto& [name, words] : rest)
        if (!words->empty())
            text += std::string(text.empty() ? "" : "; ") + name + ": " + *words;
    return text;
}

} // namespace holdfast
