// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/store.hpp"

#include <array>

namespace holdfast::study {

namespace {
constexpr std::array all_states{State::queued, State::running, State::done, State::interrupted};
}

std::string_view to_text(State state) {
    switch (state) {
    case State::queued:
        return "queued";
    case State::running:
        return "running";
    case State::done:
        return "done";
    case State::interrupted:
        return "interrupted";
    }
    return "";
}

std::optional<State> state_from_text(std::string_view text) {
    for (State state : all_states)
        if (to_text(state) == text)
            return state;
    return std::nullopt;
}

} // namespace holdfast::study
