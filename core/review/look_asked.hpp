// SPDX-License-Identifier: GPL-3.0-or-later
// What a change asks anew, wherever and whichever way round: what was taken away elsewhere may be among it.
#pragma once

#include "core/review/look_condition.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace holdfast::review::look {

/// Names that added lines give to what stands behind them: `length` of `const auto length = key.size();`, a constant.
class Definitions {
public:
    explicit Definitions(const std::vector<File>& files);

    /// With each name replaced by what it stands for; empty where there is none.
    std::vector<std::string> spelled_out(const std::vector<std::string>& tokens) const;

private:
    std::map<std::string, std::vector<std::string>> known_; ///< of a name that is given twice nothing
};

class AskedTerms {
public:
    /// Of added conditions, assertions, returned and stored answers, and cases of a `switch`.
    explicit AskedTerms(const std::vector<File>& files);

    bool all_of(const AllOf& terms) const;
    /// Of every alternative; false for none.
    bool all_of(const AnyOf& alternatives) const;
    /// The same of terms that are returned, under other names, of which one compares with a number or there are
    /// several: a check that a function has now, whose parameters are called otherwise.
    bool all_of_that_shape(const AnyOf& alternatives) const;

private:
    void take(const std::vector<std::string>& tokens, bool answers = false);
    void take_side(const std::vector<Line>& side);

    std::set<std::string> terms_, shapes_; ///< either_way(), and that of the shapes of returned ones
    Definitions definitions_;
};

} // namespace holdfast::review::look
