// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets and dossiers as a decided trial would give them, and as a hostile one might.
#pragma once

#include "core/review/sheet.hpp"

#include <memory>
#include <string>

namespace holdfast::test {

struct Shown {
    std::shared_ptr<review::Dossier> dossier;
    std::shared_ptr<review::Sheet> sheet;
};

/// A proposal that lacks nothing but the person: three tuning and three held-out workloads, no flag.
Shown good();
/// `good` with the flags "over-stated" and "shape changed".
Shown flagged();
/// Better on tuning workloads, worse on held-out ones; not a proposal.
Shown overfit();
/// `good` whose base moved (and merges) and that was never held out.
Shown moved();
/// `workloads` rows of `rounds` dots each.
Shown many(std::size_t workloads, std::size_t rounds);
/// Unknown, one round, all rounds equal, infinite ends, dots far away.
Shown odd_numbers();
/// Control, bidirectional and markup characters wherever a candidate can put text.
Shown hostile();

/// A file whose every third line of `lines` changes, in one hunk for every 30.
git::DiffFile changed_file(const std::string& path, std::size_t lines);

} // namespace holdfast::test
