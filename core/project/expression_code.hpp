// SPDX-License-Identifier: GPL-3.0-or-later
// The postfix program that an expression is compiled to. Only expression.cpp and expression_code.cpp need it.
#pragma once

#include "core/project/error.hpp"
#include "core/project/expression.hpp"

#include <cstdint>

namespace holdfast::expression {

enum class Op : std::uint8_t {
    constant,      ///< push constants[argument]
    load,          ///< push the value of names[argument]
    keep_if_false, ///< &&: when the top is false go to `argument`, else pop it
    keep_if_true,  ///< ||
    negate,
    invert,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    minimum, ///< of the `argument` topmost values
    maximum,
    logarithm,
    root,
    power,
};

struct Instruction {
    Op op;
    int argument;
    int column; ///< 1-based, of the operator or name in the source
};

struct Code {
    std::vector<Instruction> instructions;
    std::vector<Value> constants;
    std::vector<std::string> names;
    std::vector<ValueType> name_types;
    ValueType type = ValueType::boolean;
};

/// Runs a program that the parser has type-checked. Of the error only `found` and `remedy` are set.
Result<Value> evaluate(const Code& code, const Configuration& configuration);

} // namespace holdfast::expression
