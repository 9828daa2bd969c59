// SPDX-License-Identifier: GPL-3.0-or-later
// Constraint expressions over knobs: + - * / % == != < <= > >= && || !, parentheses, strings, min, max, log, sqrt, pow.
// Integers stay integers under + - * % min max and become real beside a real; / log sqrt pow always give a real, so
// 7 / 2 is 3.5. % has the sign of its left side. Strings are written "..." or '...' and compare bytewise.
#pragma once

#include "core/project/error.hpp"
#include "core/project/value.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

enum class ValueType { boolean, integer, real, text };

class Expression {
public:
    /// Parses and type-checks. `names` gives the type of every name that may appear. The error's `found` gives the
    /// column (1-based) and the nearest known name for an unknown one.
    static Result<Expression> compile(std::string_view source, const std::map<std::string, ValueType>& names);

    /// The value under `configuration`, which must hold every name used. Division by zero, integer overflow and a
    /// result that is not finite are errors. && and || evaluate their right side only when needed.
    Result<Value> evaluate(const Configuration& configuration) const;

    ValueType type() const;
    const std::string& source() const;
    const std::vector<std::string>& names_used() const;

private:
    struct Program;
    explicit Expression(std::shared_ptr<const Program> program);
    std::shared_ptr<const Program> program_;
};

} // namespace holdfast
