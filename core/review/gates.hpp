// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/review/rules.hpp"

namespace holdfast::review {

/// The result of a gate that a study passed, for people: as it is stored, except that `coverage`, which stops nothing,
/// has "told" where it did not pass.
std::string result_word(const study::GateRecord& gate);

/// Why the answers themselves are wrong, as an error with what to leave out: a flag the trial does not have, an
/// override of a gate that holds (a script that has gone stale), may not be overridden or is named twice, a reason that
/// is none. `gates`: as they stand without any override.
Result<void> check_answers(const Dossier& dossier, const Answers& answers, const std::vector<Gate>& gates,
                           const std::string& attempted);

} // namespace holdfast::review
