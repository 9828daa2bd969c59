// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/expression.hpp"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <rapidcheck.h>

using namespace holdfast;
using namespace std::string_literals;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

const std::map<std::string, ValueType> names{{"rows", ValueType::integer}, {"big", ValueType::integer},
                                             {"low", ValueType::integer},  {"zero", ValueType::integer},
                                             {"share", ValueType::real},   {"opt", ValueType::text},
                                             {"fast", ValueType::boolean}, {"min", ValueType::integer}};
const Configuration configuration{{"rows", std::int64_t{512}},
                                  {"big", largest},
                                  {"low", smallest},
                                  {"zero", std::int64_t{0}},
                                  {"share", 0.25},
                                  {"opt", "-O2"s},
                                  {"fast", true},
                                  {"min", std::int64_t{3}}};

Value run(const std::string& source) {
    INFO(source);
    const auto expression = Expression::compile(source, names);
    if (!expression)
        FAIL(expression.error().message());
    const auto value = expression->evaluate(configuration);
    if (!value)
        FAIL(value.error().message());
    return *value;
}

} // namespace

TEST_CASE("expressions give the values of arithmetic, comparison and logic") {
    struct Row {
        std::string source;
        Value value;
    };
    const auto integer = [](std::int64_t value) { return Value(value); };
    const Row rows[] = {
        {"1 + 2 * 3", integer(7)},
        {"(1 + 2) * 3", integer(9)},
        {"10 - 4 - 3", integer(3)},
        {"7 % 4 * 2", integer(6)},
        {"-7 % 4", integer(-3)},
        {"7 / 2", 3.5},
        {"8 / 2", 4.0},
        {"1 + 0.5", 1.5},
        {"rows * share", 128.0},
        {"rows % 64 == 0", true},
        {"2 * -3", integer(-6)},
        {"--3", integer(3)},
        {"!fast", false},
        {"!!fast", true},
        {"!fast == false", true},
        {"1 == 1.0", true},
        {"1 < 1.5 && 2.5 > 2", true},
        {"1 != 2 || zero / zero == 1", true},
        {"zero != 0 && rows / zero > 1", false},
        {"false && true || true", true},
        {"true || true && false", true},
        {"opt == \"-O2\"", true},
        {"opt == '-O3'", false},
        {"opt < \"-O3\"", true},
        {"\"a\\\"b\" != 'a\"b'", false},
        {"'\\\\' == \"\\\\\"", true},
        {"fast == true", true},
        {"1 < 2 == true", true},
        {"min(3, 1, 2)", integer(1)},
        {"max(3, 1.5)", 3.0},
        {"min(9007199254740993, 9007199254740992)", integer(9007199254740992)},
        {"max(big, big - 1)", integer(largest)},
        {"min + 1", integer(4)}, // a knob may be called as a function is
        {"sqrt(16)", 4.0},
        {"pow(2, 10) == 1024", true},
        {"log(1)", 0.0},
        {"1e3", 1000.0},
        {"1.5e-1", 0.15},
        {"9223372036854775807", integer(largest)},
        {"low % -1", integer(0)},
        {"big > big - 1", true},
        {"\t1 +\n2 ", integer(3)},
        {"'caf\xc3\xa9' == 'caf\xc3\xa9'", true},
    };
    for (const Row& row : rows) {
        INFO(row.source);
        const Value value = run(row.source);
        CHECK(value.index() == row.value.index());
        CHECK(value == row.value);
    }
}

TEST_CASE("a wrong expression is refused with its column, what was found and what to write") {
    struct Row {
        std::string source, found, remedy;
    };
    const Row rows[] = {
        {"", "column 1: the end of the expression", "a name, a number"},
        {"   ", "column 4: the end", ""},
        {"rows +", "column 7: the end of the expression", ""},
        {"rows 64", "column 6: \"64\"", "an operator"},
        {"rowz == 1", "column 1: the unknown name \"rowz\"", "\"rows\""},
        {"1 + rowz", "column 5: the unknown name", "\"rows\""},
        {"quite_else", "column 1: the unknown name", "a knob"},
        {"sqrt == 1", "column 1: the unknown name \"sqrt\"", "function"},
        {"rows = 1", "column 6: a single =", "=="},
        {"fast & fast", "column 6: a single &", "&&"},
        {"fast | fast", "column 6: a single |", "||"},
        {"(rows", "column 6: the end", ")"},
        {"rows)", "column 5: \")\"", "an operator or the end"},
        {"()", "column 2: \")\"", ""},
        {"rows % 0.5", "column 6: % between an integer and a real number", "two integers"},
        {"opt + 1", "column 5: + between a text and an integer", "two numbers"},
        {"opt == 1", "column 5: == between a text and an integer", "one kind"},
        {"fast < fast", "column 6: < between a boolean and a boolean", "two numbers or two texts"},
        {"1 < 2 < 3", "column 7: < between a boolean and an integer", ""},
        {"rows && fast", "column 6: && between an integer and a boolean", "two booleans"},
        {"fast || 1", "column 6: || between", ""},
        {"!rows", "column 1: ! before an integer", "a boolean"},
        {"-opt", "column 1: - before a text", "a number"},
        {"12abc", "column 1: \"12abc\"", "a number such as"},
        {"1.", "column 1: \"1.\"", ""},
        {"1.2.3", "column 1: \"1.2.3\"", ""},
        {"1e", "column 1: \"1e\"", ""},
        {"0x10", "column 1: \"0x10\"", ""},
        {".5", "column 1: the character \".\"", ""},
        {"99999999999999999999 > 1", "column 1: the number 99999999999999999999", "smaller"},
        {"9223372036854775808", "column 1: the number", "smaller"},
        {"1e999", "column 1: the number 1e999", ""},
        {"'abc", "column 1: a text that does not end", ""},
        {"'a\\nb'", "column 3: a backslash", ""},
        {"'a\\", "column 3: a backslash", ""},
        {"'\xc3\xa9' = 1", "column 5: a single =", ""}, // columns count characters, not bytes
        {"rows \xe2\x89\xa4 1", "column 6: the character \"\xe2\x89\xa4\"", ""},
        {"rows \xe2\x80\xae 1", "column 6: the character \"\\u202e\"", ""},
        {"rows \x1b 1", "column 6: the character \"\\x1b\"", ""},
        {"rows \xff 1", "column 6: the character \"\\xff\"", ""},
        {"rows\0 1"s, "column 5: the character \"\\x00\"", ""},
        {"abs(1)", "column 1: the unknown function \"abs\"", "min, max"},
        {"min(1)", "column 1: min with 1 argument", "min(a, b, ...)"},
        {"sqrt(1, 2)", "column 1: sqrt with 2 arguments", "sqrt(a)"},
        {"pow()", "column 5: \")\"", ""},
        {"sqrt(opt)", "column 6: a text given to sqrt", "numbers"},
        {"max(1, 2", "column 9: the end", "comma or )"},
        {"1 ? 2", "column 3: the character \"?\"", ""},
        {"rows % pow(2, 3) == 0", "column 6: % between an integer and a real", ""},
    };
    for (const Row& row : rows) {
        INFO(row.source);
        const auto expression = Expression::compile(row.source, names);
        REQUIRE_FALSE(expression);
        CHECK(expression.error().kind == Error::Kind::invalid);
        CHECK_THAT(expression.error().found, ContainsSubstring(row.found));
        CHECK_THAT(expression.error().remedy, ContainsSubstring(row.remedy));
    }
}

TEST_CASE("what has no finite value is an error with its column") {
    struct Row {
        std::string source, found;
    };
    const Row rows[] = {
        {"rows / zero", "column 6: division by zero"},
        {"share / 0.0", "column 7: division by zero"},
        {"rows % zero", "column 6: division by zero"},
        {"big + 1", "column 5: the integer result does not fit"},
        {"low - 1", "column 5: the integer"},
        {"big * 2", "column 5: the integer"},
        {"-low", "column 1: the integer"},
        {"1e308 * 10", "column 7: the result is not a finite number"},
        {"log(zero)", "column 1: the logarithm"},
        {"log(-1)", "column 1: the logarithm"},
        {"sqrt(-1)", "column 1: the square root"},
        {"pow(-8, 0.5)", "column 1: the result is not"},
        {"pow(10, 400)", "column 1: the result is not"},
        {"fast && rows / zero > 1", "column 14: division"},
        {"zero == 1 || big + big > 0", "column 18: the integer"},
    };
    for (const Row& row : rows) {
        INFO(row.source);
        const auto value = Expression::compile(row.source, names).value().evaluate(configuration);
        REQUIRE_FALSE(value);
        CHECK_THAT(value.error().found, ContainsSubstring(row.found));
    }
}

TEST_CASE("a configuration that lacks a name or gives it another type is an error") {
    const auto expression = Expression::compile("rows > 1 && share < 1", names).value();
    CHECK_THAT(expression.evaluate({{"share", 0.5}}).error().found,
               ContainsSubstring("column 1: the configuration has no value"));
    CHECK_THAT(expression.evaluate({{"rows", 2.5}, {"share", 0.5}}).error().found, ContainsSubstring("another type"));
    CHECK(expression.evaluate({{"rows", std::int64_t{2}}, {"share", std::int64_t{0}}}).value() == Value(true));
    CHECK(expression.evaluate({{"rows", std::int64_t{0}}}).value() == Value(false)); // the right side is not needed
    CHECK_FALSE(expression.evaluate({{"rows", std::int64_t{2}}, {"share", std::nan("")}}));
}

TEST_CASE("an expression tells its type, source and names") {
    const auto expression = Expression::compile("rows + min * rows", names).value();
    CHECK(expression.type() == ValueType::integer);
    CHECK(expression.source() == "rows + min * rows");
    CHECK(expression.names_used() == std::vector<std::string>{"rows", "min"});
    CHECK(Expression::compile("opt", names).value().type() == ValueType::text);
    CHECK(Expression::compile("rows / 1", names).value().type() == ValueType::real);
}

TEST_CASE("deep or long expressions end with an error, not with the stack") {
    for (const std::string& piece : {"("s, "-"s, "!"s, "min(1,"s, "1+("s}) {
        std::string source;
        while (source.size() < 4000)
            source += piece;
        CHECK_FALSE(Expression::compile(source, names));
    }
    CHECK_THAT(Expression::compile(std::string(5000, ' '), names).error().found, ContainsSubstring("5000 bytes"));
    std::string chain = "1";
    while (chain.size() < 4000)
        chain += "+1";
    CHECK(Expression::compile(chain, names).value().evaluate({}).value() == Value(std::int64_t{2001}));
    const std::string nested = std::string(150, '(') + "1" + std::string(150, ')');
    CHECK(Expression::compile(nested, names).value().evaluate({}).value() == Value(std::int64_t{1}));
}

namespace {

/// A tree with its own evaluation, to hold the parser against.
struct Tree {
    char op = 0; // 0: a number
    std::int64_t number = 0;
    std::shared_ptr<Tree> left, right;

    int power() const { return op == 0 ? 9 : op == '+' || op == '-' ? 1 : 2; }

    /// Written with as few parentheses as the precedences allow.
    std::string text() const {
        if (op == 0)
            return std::to_string(number);
        const auto wrapped = [](const Tree& tree, bool wrap) { return wrap ? "(" + tree.text() + ")" : tree.text(); };
        return wrapped(*left, left->power() < power()) + " " + op + " " + wrapped(*right, right->power() <= power());
    }

    std::optional<std::int64_t> value() const {
        if (op == 0)
            return number;
        const auto a = left->value(), b = right->value();
        std::int64_t result = 0;
        if (!a || !b || (op == '%' && *b == 0))
            return std::nullopt;
        if (op == '%')
            return *a % *b;
        const bool overflow = op == '+'   ? __builtin_add_overflow(*a, *b, &result)
                              : op == '-' ? __builtin_sub_overflow(*a, *b, &result)
                                          : __builtin_mul_overflow(*a, *b, &result);
        return overflow ? std::nullopt : std::optional(result);
    }
};

std::shared_ptr<Tree> random_tree(int depth) {
    auto tree = std::make_shared<Tree>();
    if (depth == 0 || *rc::gen::inRange(0, 4) == 0) {
        tree->number = *rc::gen::inRange<std::int64_t>(0, 3'000'000'000);
        return tree;
    }
    tree->op = *rc::gen::element('+', '-', '*', '%');
    tree->left = random_tree(depth - 1);
    tree->right = random_tree(depth - 1);
    return tree;
}

} // namespace

TEST_CASE("precedence and association agree with a tree evaluated by itself") {
    CHECK(rc::check([] {
        const auto tree = random_tree(5);
        const auto expression = Expression::compile(tree->text().substr(0, 4096), {});
        RC_PRE(tree->text().size() <= 4096);
        RC_ASSERT(expression);
        const auto value = expression->evaluate({});
        RC_ASSERT(bool(value) == bool(tree->value()));
        if (value)
            RC_ASSERT(*value == Value(*tree->value()));
    }));
}

TEST_CASE("no text, however strange, does worse than give an error") {
    CHECK(rc::check([](const std::string& text) { (void)Expression::compile(text, names); }));
    CHECK(rc::check([] {
        const auto pieces = *rc::gen::container<std::vector<std::string>>(
            rc::gen::element("rows"s, "share"s, "opt"s, "fast"s, "1"s, "2.5"s, "'x'"s, "+"s, "-"s, "*"s, "/"s, "%"s,
                             "=="s, "<"s, "&&"s, "||"s, "!"s, "("s, ")"s, ","s, "min("s, "log("s, "\""s, "\\"s, "e"s));
        std::string source;
        for (const auto& piece : pieces)
            source += piece + " ";
        const auto expression = Expression::compile(source, names);
        if (expression)
            (void)expression->evaluate(configuration);
        else
            RC_ASSERT(expression.error().found.starts_with("column "));
    }));
}
