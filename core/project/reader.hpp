// SPDX-License-Identifier: GPL-3.0-or-later
// Typed access to one file's JSON tree. Every getter reports what it cannot accept and goes on, so that one pass tells
// every problem.
#pragma once

#include "core/project/json_source.hpp"
#include "core/project/project.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

/// A value and where it is.
struct Spot {
    const JsonNode* node = nullptr;
    std::string pointer;
    explicit operator bool() const { return node != nullptr; }
};

class Reader {
public:
    explicit Reader(std::filesystem::path file) : file_(std::move(file)) {}

    void problem(const Spot& at, std::string found, std::string allowed);
    void problem_at_key(const Spot& at, std::string found, std::string allowed);
    void problem(const JsonFault& fault);
    void wrong(const Spot& at, std::string allowed) { problem(at, at.node->description(), std::move(allowed)); }
    std::vector<Problem> take_problems() { return std::move(problems_); }
    std::size_t problem_count() const { return problems_.size(); }

    /// Whether `at` is an object; its unknown keys are reported.
    bool object(const Spot& at, const std::vector<std::string>& keys);
    /// A member; empty when there is none.
    static Spot find(const Spot& at, std::string_view key);
    /// A member that must be there; reported and empty when it is not. `allowed` says what to write.
    Spot need(const Spot& at, std::string_view key, const std::string& allowed);
    /// The items of an array; reported and empty when it is none.
    std::vector<Spot> items(const Spot& at, const std::string& allowed);
    static std::vector<Spot> members(const Spot& at);

    /// A text without NUL. `allowed` completes "allowed: ".
    std::optional<std::string> text(const Spot& at, const std::string& allowed);
    /// One line of printable text, 1 to 100 bytes, that does not start or end with a space.
    std::optional<std::string> name(const Spot& at);
    std::optional<std::string> word_of(const Spot& at, const std::vector<std::string>& words);
    std::optional<double> number(const Spot& at, const std::string& allowed);
    std::optional<std::int64_t> integer(const Spot& at, std::int64_t least, std::int64_t most);
    /// "10%" or 0.1; `allowed` says in which range, which the caller checks.
    std::optional<double> fraction(const Spot& at, const std::string& allowed);
    std::vector<std::string> texts(const Spot& at, const std::string& allowed);

    /// A command: an array of texts whose first is not empty; placeholders must be among `placeholders`.
    Argv command(const Spot& at, const std::vector<std::string>& placeholders);
    std::vector<Argv> commands(const Spot& at, const std::vector<std::string>& placeholders);
    void check_placeholders(const Spot& at, const std::string& word, const std::vector<std::string>& placeholders);

    /// A text that path_below() accepts. `allowed` describes it.
    std::optional<std::string> relative_path(const Spot& at, const std::string& allowed);

private:
    std::filesystem::path file_;
    std::vector<Problem> problems_;
};

/// `path` in its simplest spelling when it is relative, names something and stays below where it starts.
std::optional<std::string> path_below(const std::string& path);

/// `"a", "b" or "c"`, shortened when there are many.
std::string one_of(const std::vector<std::string>& words);

} // namespace holdfast
