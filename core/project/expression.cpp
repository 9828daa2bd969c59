// SPDX-License-Identifier: GPL-3.0-or-later
// A Pratt parser that type-checks while it emits a postfix program for a small stack machine. Evaluation therefore does
// not recurse, and a constraint can be tried thousands of times a second by a knob search.
//
// Two integers stay integers under + - * % and are promoted to real as soon as one operand is. `/` always gives a real:
// 7 / 2 is 3.5, since a silently truncated quotient is the likelier mistake in a constraint.
#include "core/project/expression.hpp"

#include "core/project/expression_code.hpp"
#include "core/project/text.hpp"
#include "core/project/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace holdfast {

namespace {

using expression::Code;
using expression::Instruction;
using expression::Op;

constexpr std::size_t longest_source = 4096;
constexpr int deepest_nesting = 200;

struct Fault {
    std::size_t offset = 0;
    std::string found;
    std::string remedy;
};

using Typed = tl::expected<ValueType, Fault>;

tl::unexpected<Fault> fault(std::size_t offset, std::string found, std::string remedy) {
    return tl::unexpected<Fault>(Fault{offset, std::move(found), std::move(remedy)});
}

struct Token {
    enum class Kind { end, integer, real, text, name, symbol, bad };
    Kind kind = Kind::end;
    std::size_t offset = 0;
    std::string_view spelling;
    Value value;
    Fault fault; // bad
    bool is(std::string_view symbol) const { return kind == Kind::symbol && spelling == symbol; }
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}

    Token next() {
        while (at_ < source_.size() && std::string_view(" \t\r\n").find(source_[at_]) != std::string_view::npos)
            ++at_;
        if (at_ == source_.size())
            return {Token::Kind::end, at_, {}, {}, {}};
        const char c = source_[at_];
        if (is_digit(c))
            return number();
        if (c == '"' || c == '\'')
            return text();
        if (is_name(c)) {
            const std::size_t start = at_;
            skip(is_name);
            return {Token::Kind::name, start, spelled(start), {}, {}};
        }
        return symbol();
    }

private:
    void skip(bool (*accept)(char)) {
        while (at_ < source_.size() && accept(source_[at_]))
            ++at_;
    }
    bool ahead(std::string_view characters) const {
        return at_ < source_.size() && characters.find(source_[at_]) != std::string_view::npos;
    }
    std::string_view spelled(std::size_t start) const { return source_.substr(start, at_ - start); }

    static Token bad(std::size_t offset, std::string found, std::string remedy) {
        return {Token::Kind::bad, offset, {}, {}, Fault{offset, std::move(found), std::move(remedy)}};
    }

    Token number() {
        const std::size_t start = at_;
        bool real = false, complete = true;
        skip(is_digit);
        if (ahead(".")) {
            ++at_;
            real = true;
            complete = ahead("0123456789");
            skip(is_digit);
        }
        if (complete && ahead("eE")) {
            ++at_;
            real = true;
            if (ahead("+-"))
                ++at_;
            complete = ahead("0123456789");
            skip(is_digit);
        }
        if (!complete || (at_ < source_.size() && (is_name(source_[at_]) || source_[at_] == '.'))) {
            skip([](char c) { return is_name(c) || c == '.'; });
            return bad(start, fmt::format("\"{}\", which is not a number", spelled(start)),
                       "Write a number such as 64, 0.5 or 1e6.");
        }
        return real ? converted<double>(start, Token::Kind::real)
                    : converted<std::int64_t>(start, Token::Kind::integer);
    }

    template <class Number> Token converted(std::size_t start, Token::Kind kind) const {
        Number number{};
        const auto result = std::from_chars(source_.data() + start, source_.data() + at_, number);
        if (result.ec != std::errc())
            return bad(start, fmt::format("the number {}, which does not fit 64 bits", spelled(start)),
                       "Write a smaller number.");
        return {kind, start, spelled(start), Value(number), {}};
    }

    Token text() {
        const std::size_t start = at_;
        const char quote = source_[at_++];
        std::string value;
        for (; at_ < source_.size() && source_[at_] != quote; ++at_) {
            if (source_[at_] == '\\') {
                ++at_;
                if (!ahead("\\\"'"))
                    return bad(at_ - 1, "a backslash that escapes nothing", "Write \\\\, \\\" or \\' inside a text.");
            }
            value += source_[at_];
        }
        if (at_ == source_.size())
            return bad(start, "a text that does not end", "Close it with the quote it starts with.");
        ++at_;
        return {Token::Kind::text, start, spelled(start), Value(std::move(value)), {}};
    }

    Token symbol() {
        const std::size_t start = at_;
        for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"}) {
            if (source_.substr(at_, 2) == two) {
                at_ += 2;
                return {Token::Kind::symbol, start, two, {}, {}};
            }
        }
        if (ahead("+-*/%<>!(),")) {
            ++at_;
            return {Token::Kind::symbol, start, spelled(start), {}, {}};
        }
        const char c = source_[at_];
        if (c == '=' || c == '&' || c == '|')
            return bad(start, fmt::format("a single {}", c), fmt::format("Write {}{}.", c, c));
        const std::size_t size = std::max<std::size_t>(decode_utf8(source_, at_).size, 1);
        return bad(start, fmt::format("the character \"{}\"", printable(source_.substr(at_, size))),
                   "Use names, numbers, texts in quotes, parentheses and + - * / % == != < <= > >= && || !.");
    }

    std::string_view source_;
    std::size_t at_ = 0;
};

std::string_view word(ValueType type) {
    switch (type) {
    case ValueType::boolean:
        return "a boolean";
    case ValueType::integer:
        return "an integer";
    case ValueType::real:
        return "a real number";
    case ValueType::text:
        break;
    }
    return "a text";
}

bool numeric(ValueType type) {
    return type == ValueType::integer || type == ValueType::real;
}

struct Infix {
    std::string_view spelling;
    Op op;
    int power;
};

constexpr std::array<Infix, 13> infixes{{{"||", Op::keep_if_true, 1},
                                         {"&&", Op::keep_if_false, 2},
                                         {"==", Op::equal, 3},
                                         {"!=", Op::unequal, 3},
                                         {"<", Op::less, 4},
                                         {"<=", Op::less_equal, 4},
                                         {">", Op::greater, 4},
                                         {">=", Op::greater_equal, 4},
                                         {"+", Op::add, 5},
                                         {"-", Op::subtract, 5},
                                         {"*", Op::multiply, 6},
                                         {"/", Op::divide, 6},
                                         {"%", Op::remainder, 6}}};
constexpr int unary_power = 7;

struct Function {
    std::string_view name;
    Op op;
    int least, most;
    std::string_view usage;
};

constexpr std::array<Function, 5> functions{{{"min", Op::minimum, 2, 16, "min(a, b, ...)"},
                                             {"max", Op::maximum, 2, 16, "max(a, b, ...)"},
                                             {"log", Op::logarithm, 1, 1, "log(a)"},
                                             {"sqrt", Op::root, 1, 1, "sqrt(a)"},
                                             {"pow", Op::power, 2, 2, "pow(a, b)"}}};

class Parser {
public:
    Parser(std::string_view source, const std::map<std::string, ValueType>& names)
        : source_(source), lexer_(source), names_(names), token_(lexer_.next()) {}

    tl::expected<Code, Fault> run() {
        const Typed type = parse(0);
        if (!type)
            return tl::unexpected(type.error());
        if (token_.kind != Token::Kind::end)
            return tl::unexpected(unexpected_token("an operator or the end"));
        code_.type = *type;
        return std::move(code_);
    }

private:
    void advance() { token_ = lexer_.next(); }

    void emit(Op op, std::size_t argument, std::size_t offset) {
        code_.instructions.push_back({op, static_cast<int>(argument), column_of(source_, offset)});
    }

    Fault unexpected_token(std::string_view wanted) const {
        if (token_.kind == Token::Kind::bad)
            return token_.fault;
        const std::string found = token_.kind == Token::Kind::end ? "the end of the expression"
                                                                  : fmt::format("\"{}\"", printable(token_.spelling));
        return {token_.offset, found, fmt::format("Write {} here.", wanted)};
    }

    Typed parse(int least_power) {
        if (++depth_ > deepest_nesting)
            return fault(token_.offset, fmt::format("nesting deeper than {} levels", deepest_nesting),
                         "Split the constraint into several.");
        Typed left = prefix();
        while (left && token_.kind == Token::Kind::symbol) {
            const auto infix = std::find_if(infixes.begin(), infixes.end(),
                                            [this](const Infix& each) { return each.spelling == token_.spelling; });
            if (infix == infixes.end() || infix->power < least_power)
                break;
            const std::size_t offset = token_.offset;
            advance();
            left = infix->op == Op::keep_if_true || infix->op == Op::keep_if_false ? logical(*infix, *left, offset)
                                                                                   : binary(*infix, *left, offset);
        }
        --depth_;
        return left;
    }

    Typed logical(const Infix& infix, ValueType left, std::size_t offset) {
        const std::size_t jump = code_.instructions.size();
        emit(infix.op, 0, offset);
        const Typed right = parse(infix.power + 1);
        if (!right)
            return right;
        if (left != ValueType::boolean || *right != ValueType::boolean)
            return mismatch(infix, left, *right, offset, "two booleans");
        code_.instructions[jump].argument = static_cast<int>(code_.instructions.size());
        return ValueType::boolean;
    }

    Typed binary(const Infix& infix, ValueType left, std::size_t offset) {
        const Typed parsed = parse(infix.power + 1);
        if (!parsed)
            return parsed;
        const ValueType right = *parsed;
        emit(infix.op, 0, offset);
        const bool numbers = numeric(left) && numeric(right);
        const bool integers = left == ValueType::integer && right == ValueType::integer;
        switch (infix.op) {
        case Op::equal:
        case Op::unequal:
            if (!numbers && left != right)
                return mismatch(infix, left, right, offset, "two values of one kind");
            return ValueType::boolean;
        case Op::less:
        case Op::less_equal:
        case Op::greater:
        case Op::greater_equal:
            if (!numbers && !(left == ValueType::text && right == ValueType::text))
                return mismatch(infix, left, right, offset, "two numbers or two texts");
            return ValueType::boolean;
        case Op::remainder:
            if (!integers)
                return mismatch(infix, left, right, offset, "two integers");
            return ValueType::integer;
        default:
            if (!numbers)
                return mismatch(infix, left, right, offset, "two numbers");
            return integers && infix.op != Op::divide ? ValueType::integer : ValueType::real;
        }
    }

    static tl::unexpected<Fault> mismatch(const Infix& infix, ValueType left, ValueType right, std::size_t offset,
                                          std::string_view wanted) {
        return fault(offset, fmt::format("{} between {} and {}", infix.spelling, word(left), word(right)),
                     fmt::format("Give {} {}.", infix.spelling, wanted));
    }

    Typed prefix() {
        const Token token = token_;
        switch (token.kind) {
        case Token::Kind::integer:
            return constant(token, ValueType::integer);
        case Token::Kind::real:
            return constant(token, ValueType::real);
        case Token::Kind::text:
            return constant(token, ValueType::text);
        case Token::Kind::name:
            advance();
            return token_.is("(") ? call(token) : name(token);
        default:
            break;
        }
        if (token.is("-") || token.is("!"))
            return unary(token);
        if (!token.is("("))
            return tl::unexpected(unexpected_token("a name, a number, a text or a parenthesis"));
        advance();
        const Typed inner = parse(0);
        if (inner && !token_.is(")"))
            return tl::unexpected(unexpected_token("an operator or )"));
        if (inner)
            advance();
        return inner;
    }

    Typed unary(const Token& token) {
        advance();
        const Typed operand = parse(unary_power);
        if (!operand)
            return operand;
        const bool minus = token.is("-");
        if (minus ? !numeric(*operand) : *operand != ValueType::boolean)
            return fault(token.offset, fmt::format("{} before {}", token.spelling, word(*operand)),
                         fmt::format("Give {} {}.", token.spelling, minus ? "a number" : "a boolean"));
        emit(minus ? Op::negate : Op::invert, 0, token.offset);
        return operand;
    }

    Typed constant(const Token& token, ValueType type) {
        emit(Op::constant, code_.constants.size(), token.offset);
        code_.constants.push_back(token.value);
        advance();
        return type;
    }

    Typed name(const Token& token) {
        if (token.spelling == "true" || token.spelling == "false") {
            emit(Op::constant, code_.constants.size(), token.offset);
            code_.constants.emplace_back(token.spelling == "true");
            return ValueType::boolean;
        }
        const auto known = names_.find(std::string(token.spelling));
        if (known == names_.end())
            return unknown(token);
        auto& used = code_.names;
        const auto place = std::find(used.begin(), used.end(), known->first);
        const auto index = static_cast<std::size_t>(place - used.begin());
        if (place == used.end()) {
            used.push_back(known->first);
            code_.name_types.push_back(known->second);
        }
        emit(Op::load, index, token.offset);
        return known->second;
    }

    tl::unexpected<Fault> unknown(const Token& token) const {
        std::vector<std::string> known;
        for (const auto& each : names_)
            known.push_back(each.first);
        const std::string near = nearest(token.spelling, known);
        std::string remedy = "Use the name of a knob.";
        if (!near.empty())
            remedy = fmt::format("The nearest name is \"{}\".", near);
        else if (std::any_of(functions.begin(), functions.end(),
                             [&](const Function& each) { return each.name == token.spelling; }))
            remedy = fmt::format("{} is a function: give it its arguments in parentheses.", token.spelling);
        return fault(token.offset, fmt::format("the unknown name \"{}\"", token.spelling), remedy);
    }

    Typed call(const Token& token) {
        const auto function = std::find_if(functions.begin(), functions.end(),
                                           [&](const Function& each) { return each.name == token.spelling; });
        if (function == functions.end())
            return fault(token.offset, fmt::format("the unknown function \"{}\"", token.spelling),
                         "The functions are min, max, log, sqrt and pow.");
        int count = 0;
        bool integers = true;
        do {
            advance(); // the parenthesis or a comma
            const std::size_t offset = token_.offset;
            const Typed argument = parse(0);
            if (!argument)
                return argument;
            if (!numeric(*argument))
                return fault(offset, fmt::format("{} given to {}", word(*argument), function->name),
                             "Give it numbers.");
            integers = integers && *argument == ValueType::integer;
            ++count;
        } while (token_.is(","));
        if (!token_.is(")"))
            return tl::unexpected(unexpected_token("a comma or )"));
        advance();
        if (count < function->least || count > function->most)
            return fault(token.offset,
                         fmt::format("{} with {} argument{}", function->name, count, count == 1 ? "" : "s"),
                         fmt::format("Write {}.", function->usage));
        emit(function->op, static_cast<std::size_t>(count), token.offset);
        const bool chooses = function->op == Op::minimum || function->op == Op::maximum;
        return chooses && integers ? ValueType::integer : ValueType::real;
    }

    std::string_view source_;
    Lexer lexer_;
    const std::map<std::string, ValueType>& names_;
    Token token_;
    Code code_;
    int depth_ = 0;
};

} // namespace

struct Expression::Program {
    std::string source;
    Code code;
};

Expression::Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

Result<Expression> Expression::compile(std::string_view source, const std::map<std::string, ValueType>& names) {
    const std::string attempted = fmt::format("read the expression \"{}\"", printable(source.substr(0, 200)));
    if (source.size() > longest_source)
        return invalid(attempted, fmt::format("it is {} bytes long", source.size()),
                       fmt::format("Keep it under {} bytes.", longest_source));
    auto code = Parser(source, names).run();
    if (!code)
        return invalid(attempted,
                       fmt::format("column {}: {}", column_of(source, code.error().offset), code.error().found),
                       code.error().remedy);
    return Expression(std::make_shared<const Program>(Program{std::string(source), std::move(*code)}));
}

Result<Value> Expression::evaluate(const Configuration& configuration) const {
    auto value = expression::evaluate(program_->code, configuration);
    if (!value)
        return invalid(fmt::format("evaluate the expression \"{}\"", printable(program_->source)), value.error().found,
                       value.error().remedy);
    return std::move(*value);
}

ValueType Expression::type() const {
    return program_->code.type;
}
const std::string& Expression::source() const {
    return program_->source;
}
const std::vector<std::string>& Expression::names_used() const {
    return program_->code.names;
}

} // namespace holdfast
