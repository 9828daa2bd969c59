// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/expression_code.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holdfast::expression {

namespace {

// Texts stay where they are, in the configuration or among the constants: nothing is copied while evaluating.
struct Slot {
    ValueType type = ValueType::boolean;
    bool boolean = false;
    std::int64_t integer = 0;
    double real = 0;
    const std::string* text = nullptr;

    double number() const { return type == ValueType::integer ? static_cast<double>(integer) : real; }
};

Slot slot(bool value) {
    return {ValueType::boolean, value, 0, 0, nullptr};
}
Slot slot(std::int64_t value) {
    return {ValueType::integer, false, value, 0, nullptr};
}
Slot slot(double value) {
    return {ValueType::real, false, 0, value, nullptr};
}
Slot slot(const std::string& value) {
    return {ValueType::text, false, 0, 0, &value};
}
Slot slot(const Value& value) {
    return std::visit([](const auto& each) { return slot(each); }, value);
}

using Outcome = tl::expected<Slot, const char*>; // what went wrong, without the column

tl::unexpected<const char*> wrong(const char* what) {
    return tl::unexpected<const char*>(what);
}

Outcome finite(double value) {
    if (!std::isfinite(value))
        return wrong("the result is not a finite number");
    return slot(value);
}

Outcome integer_arithmetic(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
    case Op::add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case Op::subtract:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case Op::multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    default: // remainder
        if (b == 0)
            return wrong("division by zero");
        result = b == -1 ? 0 : a % b; // INT64_MIN % -1 traps
    }
    if (overflow)
        return wrong("the integer result does not fit 64 bits");
    return slot(result);
}

Outcome real_arithmetic(Op op, double a, double b) {
    switch (op) {
    case Op::add:
        return finite(a + b);
    case Op::subtract:
        return finite(a - b);
    case Op::multiply:
        return finite(a * b);
    case Op::divide:
        if (b == 0)
            return wrong("division by zero");
        return finite(a / b);
    default: // power
        return finite(std::pow(a, b));
    }
}

template <class T> Slot compare(Op op, const T& a, const T& b) {
    switch (op) {
    case Op::equal:
        return slot(a == b);
    case Op::unequal:
        return slot(a != b);
    case Op::less:
        return slot(a < b);
    case Op::less_equal:
        return slot(a <= b);
    case Op::greater:
        return slot(a > b);
    default:
        return slot(a >= b);
    }
}

Outcome binary(Op op, const Slot& a, const Slot& b) {
    const bool integers = a.type == ValueType::integer && b.type == ValueType::integer;
    switch (op) {
    case Op::equal:
    case Op::unequal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
        if (a.type == ValueType::boolean)
            return compare(op, a.boolean, b.boolean);
        if (a.type == ValueType::text)
            return compare(op, *a.text, *b.text);
        return integers ? compare(op, a.integer, b.integer) : compare(op, a.number(), b.number());
    case Op::minimum:
    case Op::maximum: {
        const bool first = op == Op::minimum ? a.number() <= b.number() : a.number() >= b.number();
        if (integers)
            return slot(op == Op::minimum ? std::min(a.integer, b.integer) : std::max(a.integer, b.integer));
        return slot(first ? a.number() : b.number());
    }
    default:
        if (integers && op != Op::divide && op != Op::power)
            return integer_arithmetic(op, a.integer, b.integer);
        return real_arithmetic(op, a.number(), b.number());
    }
}

Outcome unary(Op op, const Slot& a) {
    switch (op) {
    case Op::invert:
        return slot(!a.boolean);
    case Op::negate:
        if (a.type == ValueType::real)
            return slot(-a.real);
        return integer_arithmetic(Op::subtract, 0, a.integer);
    case Op::logarithm:
        if (a.number() <= 0)
            return wrong("the logarithm of a number that is not positive");
        return finite(std::log(a.number()));
    default: // root
        if (a.number() < 0)
            return wrong("the square root of a negative number");
        return finite(std::sqrt(a.number()));
    }
}

Outcome load(const Code& code, std::size_t index, const Configuration& configuration) {
    const auto value = configuration.find(code.names[index]);
    if (value == configuration.end())
        return wrong("the configuration has no value for this name");
    const Slot loaded = slot(value->second);
    const ValueType declared = code.name_types[index];
    if (loaded.type == declared)
        return loaded.type == ValueType::real ? finite(loaded.real) : loaded;
    if (declared == ValueType::real && loaded.type == ValueType::integer)
        return slot(loaded.number());
    return wrong("the configuration's value for this name has another type");
}

class Machine {
public:
    Machine(const Code& code, const Configuration& configuration) : code_(code), configuration_(configuration) {
        stack_.reserve(16);
    }

    Outcome run(std::size_t& at) {
        for (; at < code_.instructions.size(); ++at) {
            const Instruction& instruction = code_.instructions[at];
            if (instruction.op == Op::keep_if_false || instruction.op == Op::keep_if_true) {
                if (stack_.back().boolean == (instruction.op == Op::keep_if_true))
                    at = static_cast<std::size_t>(instruction.argument) - 1;
                else
                    stack_.pop_back();
                continue;
            }
            const Outcome outcome = step(instruction);
            if (!outcome)
                return outcome;
            stack_.push_back(*outcome);
        }
        return stack_.back();
    }

private:
    Slot pop() {
        const Slot top = stack_.back();
        stack_.pop_back();
        return top;
    }

    Outcome step(const Instruction& instruction) {
        const auto argument = static_cast<std::size_t>(instruction.argument);
        switch (instruction.op) {
        case Op::constant:
            return slot(code_.constants[argument]);
        case Op::load:
            return load(code_, argument, configuration_);
        case Op::negate:
        case Op::invert:
        case Op::logarithm:
        case Op::root:
            return unary(instruction.op, pop());
        case Op::minimum:
        case Op::maximum: {
            Outcome result = pop();
            for (std::size_t i = 1; i < argument; ++i)
                result = binary(instruction.op, *result, pop());
            return result;
        }
        default: {
            const Slot right = pop();
            const Slot left = pop();
            return binary(instruction.op, left, right);
        }
        }
    }

    const Code& code_;
    const Configuration& configuration_;
    std::vector<Slot> stack_;
};

Value value_of(const Slot& slot) {
    switch (slot.type) {
    case ValueType::boolean:
        return slot.boolean;
    case ValueType::integer:
        return slot.integer;
    case ValueType::real:
        return slot.real;
    case ValueType::text:
        break;
    }
    return *slot.text;
}

} // namespace

Result<Value> evaluate(const Code& code, const Configuration& configuration) {
    std::size_t at = 0;
    const Outcome outcome = Machine(code, configuration).run(at);
    if (!outcome)
        return invalid("evaluate an expression",
                       fmt::format("column {}: {}", code.instructions[at].column, outcome.error()),
                       "Guard it with && or change the values.");
    return value_of(*outcome);
}

} // namespace holdfast::expression
