// SPDX-License-Identifier: GPL-3.0-or-later
// What a person is asked about a proposal: five questions at most, each with a default.
#pragma once

#include "app/common/init/proposal.hpp"

#include <string>
#include <vector>

namespace holdfast::app::init {

struct Question {
    enum class About { run, output, holdout, knobs, test };
    About about = About::run;
    std::string text;   ///< one line, printable
    std::string answer; ///< the default, printable; "" when there is none
};

/// The next question that makes sense after those `asked`; nothing when there is none.
std::optional<Question> next_question(const Proposal& proposal, const std::vector<Question::About>& asked);

/// Changes the proposal as answered; an empty answer keeps it. An error says what an answer looks like.
Result<void> answer(const Seen& seen, Question::About about, const std::string& text, Proposal& proposal);

} // namespace holdfast::app::init
