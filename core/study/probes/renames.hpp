// SPDX-License-Identifier: GPL-3.0-or-later
// Which names a patch takes away and which it brings, so that an old fault in a renamed function is not taken for a new
// one. Pure.
#pragma once

#include "core/git/patch.hpp"

#include <set>
#include <string>
#include <vector>

namespace holdfast::study::probes {

class Renames {
public:
    Renames() = default; ///< none
    explicit Renames(const git::PlacedPatch& patch);

    /// Whether the functions of two stacks are the same, one by one, but for those that were renamed: the patch takes
    /// away the one's name and brings the other's. Of a C++ function the last part of its name counts, without its
    /// parameters.
    bool same_functions(const std::vector<std::string>& before, const std::vector<std::string>& after) const;

private:
    bool same_function(const std::string& before, const std::string& after) const;
    std::set<std::string> gone_, come_;
};

} // namespace holdfast::study::probes
