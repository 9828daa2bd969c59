// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/results.hpp"

#include "core/project/reader.hpp"
#include "core/project/text.hpp"
#include "core/project/utf8.hpp"
#include "core/results/json_records.hpp"
#include "core/results/parts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace holdfast::results {

namespace {

constexpr std::array<std::pair<Format, std::string_view>, 7> names = {{
    {Format::google_benchmark, "google-benchmark"},
    {Format::hyperfine, "hyperfine"},
    {Format::pytest_benchmark, "pytest-benchmark"},
    {Format::jmh, "jmh"},
    {Format::nanobench, "nanobench"},
    {Format::criterion, "criterion"},
    {Format::catch2, "catch2"},
}};

constexpr std::size_t longest_name = 4096; ///< bytes; longer ones are no names but an attempt

const std::string attempted = "read a file of benchmark results";

/// The same bytes as UTF-8 without a byte order mark.
Result<std::string_view> as_utf8(std::string_view bytes) {
    const auto begins = [&](std::string_view mark) { return bytes.starts_with(mark); };
    if (begins("\xef\xbb\xbf"))
        bytes.remove_prefix(3);
    const bool wide =
        begins("\xff\xfe") || begins("\xfe\xff") || (bytes.size() > 3 && ((bytes[0] == '\0') != (bytes[1] == '\0')));
    if (wide)
        return invalid(attempted, "it is written in UTF-16", "Convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW");
    if (const auto bad = first_invalid_utf8(bytes))
        return invalid(attempted, fmt::format("byte {} is not UTF-8", *bad + 1),
                       "Convert it when it is in another encoding: iconv -f LATIN1 -t UTF-8 FILE > NEW");
    return bytes;
}

/// `fault`: what stands in the way of reading it at all.
std::optional<Format> recognised(std::string_view text, std::string& fault) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos)
        return std::nullopt;
    if (text[start] == '<')
        return text.find("<Catch") != std::string_view::npos ? std::optional(Format::catch2) : std::nullopt;
    if (looks_like_criterion_csv(text) || looks_like_criterion_messages(text))
        return Format::criterion;
    if (text[start] != '{' && text[start] != '[')
        return std::nullopt;
    const FirstRecord first = first_record(text);
    fault = first.fault;
    const nlohmann::json record = nlohmann::json::parse(first.record, nullptr, false);
    const auto has = [&](const char* key) { return member(record, key) != nullptr; };
    if (first.key.empty() && has("primaryMetric"))
        return Format::jmh;
    if (first.key == "benchmarks" && has("stats"))
        return Format::pytest_benchmark;
    if (first.key == "benchmarks" && (has("run_name") || has("real_time") || has("cpu_time") || has("time_unit")))
        return Format::google_benchmark;
    if (first.key == "results" && has("command"))
        return Format::hyperfine;
    if (first.key == "results" && has("median(elapsed)"))
        return Format::nanobench;
    return std::nullopt;
}

Result<std::vector<Draft>> drafts_of(std::string_view text, File& file) {
    switch (file.format) {
    case Format::google_benchmark:
        return read_google_benchmark(text, file);
    case Format::hyperfine:
        return read_hyperfine(text, file);
    case Format::pytest_benchmark:
        return read_pytest_benchmark(text, file);
    case Format::jmh:
        return read_jmh(text, file);
    case Format::nanobench:
        return read_nanobench(text, file);
    case Format::criterion:
        return read_criterion(text, file);
    case Format::catch2:
        break;
    }
    return read_catch2(text, file);
}

/// Those that share a name get their longer one.
void tell_apart(std::vector<Draft>& drafts) {
    std::map<std::string, int> count;
    for (const Draft& draft : drafts)
        ++count[draft.benchmark.name];
    for (Draft& draft : drafts)
        if (count.at(draft.benchmark.name) > 1 && !draft.longer.empty())
            draft.benchmark.name = draft.longer;
}

/// Which of several is meant nobody can say, so none of them has a number.
std::vector<Benchmark> each_name_once(std::vector<Draft> drafts) {
    std::vector<Benchmark> benchmarks;
    std::map<std::string, std::size_t> places;
    std::map<std::string, int> count;
    for (Draft& draft : drafts) {
        const std::string name = draft.benchmark.name;
        if (++count[name] == 1) {
            places[name] = benchmarks.size();
            benchmarks.push_back(std::move(draft.benchmark));
            continue;
        }
        Benchmark& first = benchmarks[places.at(name)];
        first.quantities.clear();
        first.notes.clear();
        first.error = fmt::format("the file has {} benchmarks of this name", count.at(name));
    }
    return benchmarks;
}

Result<File> read_text(std::string_view text, Format format) {
    File file;
    file.format = format;
    auto drafts = drafts_of(text, file);
    if (!drafts)
        return tl::unexpected(drafts.error());
    for (Draft& draft : *drafts)
        settle(draft.benchmark);
    tell_apart(*drafts);
    for (const Draft& draft : *drafts)
        if (draft.benchmark.name.empty() || draft.benchmark.name.size() > longest_name)
            return unreadable(format, fmt::format("a benchmark's name has {} bytes; 1 to {} are read",
                                                  draft.benchmark.name.size(), longest_name));
    file.benchmarks = each_name_once(std::move(*drafts));
    if (file.benchmarks.empty())
        return unreadable(format, "it holds no benchmark");
    return file;
}

std::string shown(const std::string& text) {
    return "\"" + printable(text.substr(0, 100)) + "\"";
}

/// What is there, and which of it is meant by a near miss.
std::string choices(const std::string& wanted, const std::vector<std::string>& there) {
    const std::string near = nearest(wanted.substr(0, 200), there);
    return printable(one_of(there)) + (near.empty() ? "" : " (nearest: " + shown(near) + ")");
}

} // namespace

std::string_view format_name(Format format) {
    for (const auto& [known, name] : names)
        if (known == format)
            return name;
    return ""; // not reached: every format has its name above
}

std::optional<Format> format_from_name(std::string_view name) {
    for (const auto& [format, known] : names)
        if (known == name)
            return format;
    return std::nullopt;
}

const std::vector<Format>& formats() {
    static const std::vector<Format> all = [] {
        std::vector<Format> list;
        for (const auto& [format, name] : names)
            list.push_back(format);
        return list;
    }();
    return all;
}

std::optional<double> Quantity::number() const {
    if (values.empty())
        return median ? median : mean;
    std::vector<double> sorted = values;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (sorted.size() % 2 == 1)
        return *middle;
    const double below = *std::max_element(sorted.begin(), middle);
    return below + (*middle - below) / 2;
}

Result<File> read(std::string_view bytes) {
    auto text = as_utf8(bytes);
    if (!text)
        return tl::unexpected(text.error());
    std::string fault;
    const auto format = recognised(*text, fault);
    if (!fault.empty())
        return invalid(attempted, fault, "Let the program write it again, whole and unchanged.");
    if (!format) {
        std::string known;
        for (const auto& [each, name] : names)
            known += (known.empty() ? "" : ", ") + std::string(name);
        return invalid(attempted, "it is in no format that is known, or holds no benchmark",
                       fmt::format("Name a file that one of these wrote: {}.", known));
    }
    return read_text(*text, *format);
}

Result<File> read(std::string_view bytes, Format format) {
    auto text = as_utf8(bytes);
    if (!text)
        return tl::unexpected(text.error());
    return read_text(*text, format);
}

Result<const Quantity*> quantity_of(const File& file, const std::string& benchmark, const std::string& quantity) {
    const std::string what = benchmark.empty() ? "find the benchmark" : "find the benchmark " + shown(benchmark);
    std::vector<std::string> there;
    const Benchmark* found = nullptr;
    for (const Benchmark& each : file.benchmarks) {
        there.push_back(each.name);
        if (benchmark.empty() ? file.benchmarks.size() == 1 : each.name == benchmark)
            found = &each;
    }
    if (found == nullptr)
        return failed(
            what,
            benchmark.empty()
                ? fmt::format("the file holds {} benchmarks: {}", there.size(), choices("", there))
                : fmt::format("the file has none of the name {}, but {}", shown(benchmark), choices(benchmark, there)),
            "Name one of them in \"benchmark\".");
    if (!found->error.empty())
        return failed(what, fmt::format("{} has no number: {}", shown(found->name), printable(found->error)),
                      "Look at what the program said when it ran it.");
    there.clear();
    for (const Quantity& each : found->quantities) {
        there.push_back(each.name);
        if (quantity.empty() || each.name == quantity)
            return &each;
    }
    return failed(what, fmt::format("it has no {}, but {}", shown(quantity), choices(quantity, there)),
                  "Name one of them in \"value\".");
}

Result<double> number_of(const File& file, const std::string& benchmark, const std::string& quantity) {
    const auto found = quantity_of(file, benchmark, quantity);
    if (!found)
        return tl::unexpected(found.error());
    return (*found)->number().value(); // settled: every quantity that is kept has one
}

} // namespace holdfast::results
