// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmarks of Catch2's XML report (-r xml), versions 2 and 3. It has aggregates only, in nanoseconds.
#include "core/results/parts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <expat.h>
#include <fmt/format.h>
#include <memory>

namespace holdfast::results {

namespace {

constexpr std::size_t most_levels = 256; ///< nested sections
constexpr double nanoseconds = 1e9;

std::string attribute(const char** attributes, const char* name) {
    for (; *attributes != nullptr; attributes += 2)
        if (std::strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}

std::optional<double> seconds(const char** attributes) {
    const std::string text = attribute(attributes, "value");
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = fault == std::errc() && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value / nanoseconds) : std::nullopt;
}

class Reading {
public:
    explicit Reading(XML_Parser parser) : parser_(parser) {}

    void start(const std::string& element, const char** attributes) {
        if (++levels_ > most_levels)
            return stop("it is nested too deeply");
        if (levels_ == 1 && !element.starts_with("Catch"))
            return stop("its outermost element is none of Catch2's");
        if (element == "TestCase" || element == "Section")
            places_.push_back(attribute(attributes, "name"));
        else if (element == "BenchmarkResults")
            begin(attribute(attributes, "name"));
        else if (inside_ && element == "mean")
            quantity().mean = seconds(attributes);
        else if (inside_ && element == "standardDeviation")
            quantity().deviation = seconds(attributes);
        else if (inside_ && element == "failed") {
            const std::string message = attribute(attributes, "message");
            drafts_.back().benchmark.error = "it failed" + (message.empty() ? "" : ": " + message);
        }
    }

    void end(const std::string& element) {
        --levels_;
        if ((element == "TestCase" || element == "Section") && !places_.empty())
            places_.pop_back();
        else if (element == "BenchmarkResults")
            inside_ = false;
    }

    void stop(const char* fault) {
        if (fault_.empty())
            fault_ = fault;
        XML_StopParser(parser_, XML_FALSE);
    }

    const std::string& fault() const { return fault_; }
    std::vector<Draft> take() { return std::move(drafts_); }

private:
    void begin(std::string name) {
        inside_ = true;
        Draft draft;
        for (const std::string& place : places_)
            draft.longer += place + ": ";
        draft.longer += name;
        draft.benchmark.name = std::move(name);
        draft.benchmark.quantities = {time_quantity()};
        draft.benchmark.notes.emplace_back("aggregates only: the report has no samples");
        drafts_.push_back(std::move(draft));
    }

    Quantity& quantity() { return drafts_.back().benchmark.quantities.front(); }

    XML_Parser parser_;
    std::size_t levels_ = 0;
    bool inside_ = false; ///< a BenchmarkResults element
    std::vector<std::string> places_;
    std::vector<Draft> drafts_;
    std::string fault_;
};

void on_start(void* reading, const char* name, const char** attributes) {
    try { // an exception must not pass through the library, which is C
        static_cast<Reading*>(reading)->start(name, attributes);
    } catch (const std::exception&) {
        static_cast<Reading*>(reading)->stop("there is no memory left for it");
    }
}

void on_end(void* reading, const char* name) {
    static_cast<Reading*>(reading)->end(name);
}

/// Entities are how a small file becomes a large one; Catch2 declares none.
void on_doctype(void* reading, const char*, const char*, const char*, int) {
    static_cast<Reading*>(reading)->stop("it declares a document type, which Catch2 does not");
}

} // namespace

Result<std::vector<Draft>> read_catch2(std::string_view text, File& file) {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate("UTF-8"), &XML_ParserFree);
    if (!parser)
        return failed("read the catch2 file", "there is no memory left", "Close other programs.");
    Reading reading(parser.get());
    XML_SetUserData(parser.get(), &reading);
    XML_SetElementHandler(parser.get(), on_start, on_end);
    XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
    constexpr std::size_t piece = 1 << 20; // expat counts in int and keeps what it has not used
    do {
        const std::string_view next = text.substr(0, piece);
        text.remove_prefix(next.size());
        if (XML_Parse(parser.get(), next.data(), static_cast<int>(next.size()), text.empty()) == XML_STATUS_OK)
            continue;
        if (!reading.fault().empty())
            return unreadable(file.format, reading.fault());
        const XML_Error error = XML_GetErrorCode(parser.get());
        const bool cut = error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
                         error == XML_ERROR_PARTIAL_CHAR || (error == XML_ERROR_INVALID_TOKEN && text.empty());
        return unreadable(file.format, fmt::format("{}line {}: {}", cut ? "it is cut short: " : "it is not valid XML: ",
                                                   XML_GetCurrentLineNumber(parser.get()), XML_ErrorString(error)));
    } while (!text.empty());
    return reading.take();
}

} // namespace holdfast::results
