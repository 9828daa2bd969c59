// SPDX-License-Identifier: GPL-3.0-or-later
// Every error that the sources can make says what was attempted, what was found and what to do.
#include "tests/catch.h"
#include "tests/error_texts.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

using namespace holdfast::test;

namespace {

/// A place that may break a rule.
struct Allowed {
    const char* file;
    const char* found; ///< a part of the expression
    const char* reason;
};

const std::vector<Allowed> allowed = {
    {"app/cli/main.cpp", "something unexpected happened",
     "an exception that nobody foresaw: its words are all there is"},
    {"db/connection.cpp", "printable(exception.what())",
     "SQLite's words for a failing disk are sentences, and there are many"},
};

bool is_allowed(const ErrorSite& site, const Allowed& entry) {
    return site.file == entry.file && site.found.find(entry.found) != std::string::npos;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return text == word || text.rfind(word + " ", 0) == 0; });
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

bool is_empty(const std::string& expression) {
    return expression.empty() || expression == "\"\"" || expression == "{}" || expression == "std::string()";
}

/// It completes "Cannot ...".
std::string fault_of_attempted(const std::string& attempted) {
    if (is_empty(attempted))
        return "nothing was attempted";
    for (const std::string& text : beginnings(attempted)) {
        if (text.empty() || text.front() == '{')
            continue; // begins with something computed
        if (std::islower(static_cast<unsigned char>(text.front())) == 0)
            return "what was attempted begins with no small letter: " + text;
        if (starts_with_any(
                text, {"a", "an", "the", "no", "not", "cannot", "could", "failed", "error", "unable", "to", "it"}))
            return "what was attempted is no verb phrase: " + text;
        const std::string verb = text.substr(0, text.find_first_of(" {"));
        if (verb.size() > 5 && (verb.substr(verb.size() - 3) == "ing" || verb.substr(verb.size() - 2) == "ed"))
            return "what was attempted is no infinitive: " + text;
    }
    for (const std::string& text : endings(attempted))
        if (!text.empty() && std::string(".:;,!? ").find(text.back()) != std::string::npos)
            return "what was attempted ends with a mark: " + text;
    return "";
}

std::string fault_of_found(const std::string& found) {
    if (is_empty(found))
        return "nothing was found";
    for (const std::string& text : literals(found))
        for (const char* empty : {"error", "an error", "invalid", "invalid input", "failed", "failure", "unknown error",
                                  "it failed", "bad input", "unexpected"})
            if (lower(text) == empty && literals(found).size() == 1 && beginnings(found).size() == 1)
                return "what was found says nothing: " + text;
    for (const std::string& text : beginnings(found))
        if (starts_with_any(lower(text), {"cannot", "could not", "error:", "failed to", "unable to"}))
            return "what was found repeats that it failed: " + text;
    return "";
}

/// An imperative sentence.
std::string fault_of_remedy(const ErrorSite& site) {
    if (is_empty(site.remedy))
        return site.kind == "interrupted" ? "" : "there is no remedy"; // who stopped it knows
    for (const std::string& text : beginnings(site.remedy)) {
        if (text.empty())
            return "there is no remedy in one of the cases";
        if (text.front() == '{')
            continue;
        if (std::isupper(static_cast<unsigned char>(text.front())) == 0 && text.front() != ' ' && text.front() != '.')
            return "the remedy is no sentence: " + text;
        if (starts_with_any(lower(text), {"please", "sorry", "you"}))
            return "the remedy is no plain imperative: " + text;
    }
    return "";
}

/// Words of the program's inside, which tell its users nothing.
std::string jargon_in(const std::string& expression) {
    for (const std::string& text : literals(expression))
        for (const char* word : {"nullptr", "null pointer", "errno",    "std::",  "tl::",  "exception", "assertion",
                                 "SQLITE_", "libgit2",      "nlohmann", "CLI11",  "mutex", "iterator",  "std::string",
                                 "struct ", "posix_",       "EINVAL",   "ENOENT", "EPERM", "backtrace", "callback"})
            if (text.find(word) != std::string::npos)
                return std::string("'") + word + "' in: " + text;
    return expression.find(".what()") == std::string::npos ? "" : "a library's own words, which are for programmers";
}

} // namespace

TEST_CASE("the reader of errors finds each way to make one, and reads its parts") {
    const auto sites = error_sites("x.cpp", R"cpp(
// failed("a comment", "b", "C")
auto quoted = "failed(\"in a text\", \"b\", \"C\")";
tl::unexpected<Error> failed(std::string attempted, std::string found, std::string remedy);
void f() {
    const std::string attempted = "read " + printable(name), remedy = "Write it, then (again).";
    return failed(attempted, it ? "it is empty" : fmt::format("{}, then", x(1, 2)), remedy); // "," and ")"
    return invalid("open the \"file\"", /* why */ "no "
                                                  "such file");
    return tl::unexpected(Error{Error::Kind::interrupted, "wait", "stopped", ""});
    return report({Error::Kind::failed, "finish", what, ""}, common);
    return Error{kind, stage(), said, {}};
    emit failed(error.error());
    controller.failed("x", "y");
    if (trial.kind == Error::Kind::failed) return R"(refused("raw", "text"))";
    const char c = '"', d = 1'000;
    return refused(impl_->attempted("store"), std::string("there (is) none: ") + name + '.');
})cpp");
    REQUIRE(sites.size() == 6);
    CHECK(sites[0].line == 7);
    CHECK(sites[0].kind == "failed");
    CHECK(sites[0].attempted == "\"read \" + printable(name)");
    CHECK(beginnings(sites[0].found) == std::vector<std::string>{"it is empty", "{}, then"});
    CHECK(sites[0].remedy == "\"Write it, then (again).\"");
    CHECK(sites[1].kind == "invalid");
    CHECK(literals(sites[1].attempted) == std::vector<std::string>{"open the \"file\""});
    CHECK(literals(sites[1].found) == std::vector<std::string>{"no such file"});
    CHECK(sites[1].remedy.empty());
    CHECK(sites[2].kind == "interrupted");
    CHECK(sites[3].attempted == "\"finish\"");
    CHECK(sites[4].kind.empty());
    CHECK(sites[4].remedy == "{}");
    CHECK(sites[5].kind == "refused");
    CHECK(beginnings(sites[5].attempted).empty());
    CHECK(beginnings(sites[5].found) == std::vector<std::string>{"there (is) none: "});
    CHECK(endings(sites[1].found) == std::vector<std::string>{"no such file"});
}

TEST_CASE("the rules refuse what tells nothing") {
    for (const char* attempted :
         {"\"\"", "\"Read the file\"", "\"the file\"", "\"reading the file\"", "\"read the file.\"", "\"cannot read\""})
        CHECK(fault_of_attempted(attempted) != "");
    for (const char* found : {"\"\"", "\"Error\"", "\"invalid input\"", "\"could not read\""})
        CHECK(fault_of_found(found) != "");
    for (const char* remedy : {"\"\"", "ok ? \"\" : \"Do it\"", "\"check it\"", "\"Please check\""})
        CHECK(fault_of_remedy({"x.cpp", 1, "failed", "\"a\"", "\"b\"", remedy}) != "");
    CHECK(jargon_in("\"a std::bad_alloc exception\"") != "");
    CHECK(fault_of_attempted("fmt::format(\"read {}\", file)") + fault_of_found("std::strerror(errno)") +
              fault_of_remedy({"x.cpp", 1, "failed", "\"a\"", "\"b\"", "\"Run: holdfast audit\""}) +
              jargon_in("std::strerror(errno)") ==
          "");
}

TEST_CASE("every error in the sources says what was attempted, what was found and what to do") {
    const auto sites = error_sites(HOLDFAST_SOURCE_DIR, {"core", "db", "sandbox", "tuners", "app"});
    CHECK(sites.size() > 300);
    std::string faults;
    for (const ErrorSite& site : sites) {
        if (std::any_of(allowed.begin(), allowed.end(), [&](const Allowed& entry) { return is_allowed(site, entry); }))
            continue;
        for (const std::string& fault :
             {fault_of_attempted(site.attempted), fault_of_found(site.found), fault_of_remedy(site),
              jargon_in(site.attempted + " , " + site.found + " , " + site.remedy)})
            if (!fault.empty())
                faults += site.file + ":" + std::to_string(site.line) + ": " + fault + "\n    " + site.attempted +
                          " | " + site.found + "\n";
    }
    INFO(faults);
    CHECK(faults.empty());
    for (const Allowed& entry : allowed) {
        INFO(entry.file << ": " << entry.found << " (" << entry.reason << ")");
        CHECK(std::any_of(sites.begin(), sites.end(), [&](const ErrorSite& site) { return is_allowed(site, entry); }));
    }
}
