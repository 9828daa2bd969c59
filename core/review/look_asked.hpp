// SPDX-License-Identifier: GPL-3.0-or-later
// What a change asks anew, wherever and whichever way round: what was taken away elsewhere may be among it.
#pragma once

#include "core/review/look_condition.hpp"

#include <set>
#include <string>
#include <vector>

namespace holdfast::review::look {

class AskedTerms {
public:
    /// Of added conditions, assertions, returned and stored answers, and cases of a `switch`.
    explicit AskedTerms(const std::vector<File>& files);

    bool all_of(const AllOf& terms) const;
    /// Of every alternative; false for none.
    bool all_of(const AnyOf& alternatives) const;

private:
    void take(const std::vector<std::string>& tokens);
    void take_side(const std::vector<Line>& side);

    std::set<std::string> terms_; ///< either_way()
};

} // namespace holdfast::review::look
