// SPDX-License-Identifier: GPL-3.0-or-later
// Reading evidence that another machine wrote, or someone who pretends to be one. The first thing that is not as it
// must be ends it.
#include "core/study/evidence_file.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/evidence.hpp"
#include "core/study/evidence_fields.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::study {

namespace {

using nlohmann::json;

const char* const format = "holdfast/evidence-file/1";
const char* const attempted = "read the evidence file";
const std::string remedy = "Export it again with: holdfast export ID --format evidence.";
const char* const distrust = "Do not trust it; get it again from whoever measured.";
constexpr std::size_t max_depth = 48;
constexpr std::size_t max_name = 80;             ///< of a member that is told; no real one is longer
constexpr std::size_t max_text = 1 << 20;        ///< of one member; a patch is not longer either
constexpr std::int64_t max_confirmations = 1000; ///< a study has tens

/// Parses, and refuses what JSON leaves open: the same key twice, and depths that only an attacker writes.
Result<json> parse(std::string_view text) {
    std::vector<std::set<std::string>> open;
    std::string twice;
    std::size_t depth = 0, deepest = 0;
    const auto watch = [&](int, json::parse_event_t event, json& value) {
        using Event = json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start)
            deepest = std::max(deepest, ++depth);
        if (event == Event::object_start)
            open.emplace_back();
        else if (event == Event::key && !open.back().insert(value.get<std::string>()).second)
            twice = value.get<std::string>();
        else if (event == Event::object_end)
            open.pop_back();
        if (event == Event::object_end || event == Event::array_end)
            --depth;
        return depth <= max_depth;
    };
    try {
        json document = json::parse(text, watch);
        if (deepest > max_depth)
            return invalid(attempted, fmt::format("it is nested more than {} levels deep", max_depth), remedy);
        if (!twice.empty())
            return invalid(attempted, "it has the key " + printable(twice) + " twice in one object", remedy);
        return document;
    } catch (const json::parse_error& error) {
        return invalid(
            attempted,
            error.byte > text.size()
                ? fmt::format("it is not whole JSON: it is cut short, and after its {} bytes more of {} must follow",
                              text.size(), format)
                : fmt::format("it is not whole JSON of the format {}: byte {} cannot be there", format, error.byte),
            remedy);
    } catch (const json::exception&) {
        return invalid(attempted, "it is not whole JSON", remedy);
    }
}

/// Takes the members of one object into a record. The first fault is kept, and everything after it is a default.
class Reader {
public:
    Reader(const json& object, std::string place, std::string& fault)
        : object_(&object), place_(std::move(place)), fault_(&fault) {
        if (!object.is_object())
            stop("", "is not an object");
    }

    void operator()(const char* name, std::string& value) {
        if (const json* found = take(name, &json::is_string, "is not a text")) {
            value = found->get<std::string>();
            if (value.size() > max_text)
                stop(name, "is longer than 1 MiB");
        }
    }
    void operator()(const char* name, bool& value) {
        if (const json* found = take(name, &json::is_boolean, "is neither true nor false"))
            value = found->get<bool>();
    }
    void operator()(const char* name, std::int64_t& value) { value = whole(name); }
    void operator()(const char* name, int& value) {
        const std::int64_t found = whole(name);
        if (found > std::numeric_limits<int>::max())
            stop(name, "is too large");
        else
            value = static_cast<int>(found);
    }
    void operator()(const char* name, std::uint64_t& value) { value = natural(name); }
    void operator()(const char* name, std::chrono::nanoseconds& value) {
        value = std::chrono::nanoseconds(whole(name));
    }
    void operator()(const char* name, double& value) {
        const json* found = take(name, nullptr, "");
        if (found == nullptr)
            return;
        if (!found->is_null() && !found->is_number())
            stop(name, "is not a number");
        else
            value = found->is_null() ? std::numeric_limits<double>::quiet_NaN() : found->get<double>();
    }
    void document(const char* name, std::string& text) {
        if (const json* found = take(name, nullptr, ""))
            text = found->is_null() ? "" : found->dump();
    }
    void unless_zero(const char* name, std::uint64_t& value) {
        if (!fault_->empty() || !object_->contains(name))
            return;
        value = natural(name);
        if (value == 0 || value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            stop(name, "is no number of events");
    }
    void part(const char* name, MachineReading& reading) {
        if (const json* found = take(name, nullptr, "")) {
            Reader inner(*found, place_ + "/" + name, *fault_);
            reading_fields(reading, inner);
            inner.end();
        }
    }
    /// A member that is a record of its own.
    const json* take(const char* name, bool (json::*is)() const noexcept, const char* otherwise) {
        if (!fault_->empty())
            return nullptr;
        const auto found = object_->find(name);
        if (found == object_->end()) {
            stop(name, "is missing");
            return nullptr;
        }
        taken_.insert(name);
        if (is != nullptr && !((*found).*is)()) {
            stop(name, otherwise);
            return nullptr;
        }
        return &*found;
    }
    void stop(const std::string& name, const std::string& what) {
        if (fault_->empty())
            *fault_ = fmt::format("{}{}{} {}", place_, name.empty() ? "" : "/", name, what);
    }
    /// Nothing else may be there: what is not read would be kept and shown as if it were checked.
    void end() {
        if (!fault_->empty() || object_->size() == taken_.size())
            return;
        for (const auto& [name, value] : object_->items())
            if (!taken_.contains(name))
                return stop(name.substr(0, max_name), "does not belong there");
    }

private:
    std::uint64_t natural(const char* name) {
        const json* found = take(name, &json::is_number_integer, "is not a whole number");
        if (found == nullptr)
            return 0;
        if (!found->is_number_unsigned()) { // what the parser makes of a negative one
            stop(name, "is negative");
            return 0;
        }
        return found->get<std::uint64_t>();
    }
    std::int64_t whole(const char* name) {
        const std::uint64_t found = natural(name);
        if (found > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            stop(name, "is too large");
            return 0;
        }
        return static_cast<std::int64_t>(found);
    }

    const json* object_;
    std::string place_;
    std::string* fault_;
    std::set<std::string> taken_;
};

bool is_hex(const std::string& text, std::size_t length) {
    return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_object(const std::string& text) {
    return json::parse(text, nullptr, false).is_object();
}

bool is_texts(const std::string& text) {
    const json list = json::parse(text, nullptr, false);
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const json& item) { return item.is_string(); });
}

bool is_numbers(const std::string& text) {
    const json object = json::parse(text, nullptr, false);
    return object.is_object() && std::all_of(object.begin(), object.end(), [](const json& item) {
               return item.is_number() && std::isfinite(item.get<double>());
           });
}

void read_study(const json& from, StudyRecord& study, std::string& fault) {
    Reader reader(from, "/study", fault);
    study_fields(study, reader);
    std::string seed;
    reader("seed", seed);
    reader.end();
    const auto [end, wrong] = std::from_chars(seed.data(), seed.data() + seed.size(), study.seed);
    if (wrong != std::errc() || end != seed.data() + seed.size() || std::to_string(study.seed) != seed)
        reader.stop("seed", "is no seed");
    study.frozen_json = fault.empty() ? canonical_json(study.frozen_json) : "";
    study.state = State::done;
}

/// What a type does not say.
std::string implausible(const EvidenceFile& file) {
    const StudyRecord& study = file.study;
    const TrialRecord& trial = file.trial;
    const VerdictRecord& verdict = file.verdict;
    if (!is_hex(study.baseline_commit, 40) || !is_hex(study.baseline_tree, 40))
        return "/study/baseline-commit or /study/baseline-tree is no id of git";
    if (!trial.result_tree.empty() && !is_hex(trial.result_tree, 40))
        return "/trial/result-tree is no id of git";
    if (!is_object(study.frozen_json) || !is_object(study.machine_json) || !is_object(trial.configuration_json) ||
        !is_object(verdict.effects_json))
        return "/study/frozen, /study/machine, /trial/configuration or /verdict/effects is not an object";
    if (!is_texts(verdict.reasons_json) || !is_texts(verdict.flags_json))
        return "/verdict/reasons or /verdict/flags is not a list of texts";
    if (study.isolation_level > 4 || trial.confirmation > max_confirmations)
        return "/study/isolation or /trial/confirmation is too large";
    if (!decision::verdict_from_text(verdict.verdict))
        return "/verdict/verdict is no verdict";
    for (const SampleRecord& sample : file.samples)
        if ((sample.arm != "baseline" && sample.arm != "candidate") || sample.slot > 1 || sample.phase.empty() ||
            (!sample.metrics_json.empty() && !is_numbers(sample.metrics_json)))
            return fmt::format("/samples/{} is no sample", &sample - file.samples.data());
    return "";
}

template <class Record, class Fields>
void read_list(Reader& reader, const char* name, std::vector<Record>& records, std::string& fault,
               const Fields& fields) {
    const json* list = reader.take(name, &json::is_array, "is not a list");
    if (list == nullptr)
        return;
    for (std::size_t i = 0; i < list->size() && fault.empty(); ++i) {
        Reader item((*list)[i], fmt::format("/{}/{}", name, i), fault);
        fields(records.emplace_back(), item);
        item.end();
    }
}

std::string read_members(const json& document, EvidenceFile& file) {
    std::string fault, schema;
    Reader reader(document, "", fault);
    reader("schema", schema);
    reader("complete", file.complete);
    reader("whole-evidence", file.whole_digest);
    if (const json* study = reader.take("study", &json::is_object, "is not an object"))
        read_study(*study, file.study, fault);
    if (const json* trial = reader.take("trial", &json::is_object, "is not an object")) {
        Reader members(*trial, "/trial", fault);
        trial_fields(file.trial, members);
        members.end();
    }
    read_list(reader, "gates", file.gates, fault, [](auto& record, auto& item) { gate_fields(record, item); });
    read_list(reader, "samples", file.samples, fault, [](auto& record, auto& item) { sample_fields(record, item); });
    if (const json* verdict = reader.take("verdict", &json::is_object, "is not an object")) {
        Reader members(*verdict, "/verdict", fault);
        verdict_fields(file.verdict, members);
        members.end();
    }
    if (const json* evidence = reader.take("evidence", &json::is_object, "is not an object"))
        file.verdict.evidence_json = canonical_json(evidence->dump());
    reader("digest", file.verdict.evidence_digest);
    reader("document", file.checksum);
    reader.end();
    if (fault.empty())
        fault = implausible(file);
    if (fault.empty() && file.complete && file.whole_digest != file.verdict.evidence_digest)
        fault = "/whole-evidence is not the digest, and the evidence is said to be complete";
    if (fault.empty() && !is_hex(file.whole_digest, 64))
        fault = "/whole-evidence is no digest";
    return fault;
}

} // namespace

bool begins_evidence_file(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    std::string begin; // without white space, which differs from writer to writer
    for (const char c : text) {
        if (begin.size() == 30)
            break;
        if (std::string_view(" \t\r\n").find(c) == std::string_view::npos)
            begin += c;
    }
    const auto agrees = [&](std::string_view whole) { // at least the first key
        return begin.starts_with(whole.substr(0, std::min(whole.size(), begin.size()))) && begin.size() > 11;
    };
    return agrees(R"({"complete":true,"digest":")") || agrees(R"({"complete":false,"digest":")");
}

Result<EvidenceFile> read_evidence_file(std::string_view text) {
    if (text.size() > max_evidence_file)
        return invalid(attempted, fmt::format("it is larger than {} MiB", max_evidence_file >> 20), remedy);
    auto document = parse(text);
    if (!document)
        return tl::unexpected(document.error());
    const json schema = document->is_object() ? document->value("schema", json()) : json();
    if (schema != format) {
        const bool newer = schema.is_string() && schema.get<std::string>().starts_with("holdfast/evidence-file/");
        return invalid(attempted,
                       newer ? "it is of another version, " + printable(schema.get<std::string>())
                             : "it is no evidence file of Holdfast",
                       newer ? "Update Holdfast." : remedy);
    }
    EvidenceFile file;
    if (const std::string fault = read_members(*document, file); !fault.empty())
        return invalid(attempted, printable(fault), remedy);
    file.trial.study = file.study.id;
    file.trial.state = State::done;
    file.verdict.trial = file.trial.id;
    for (GateRecord& gate : file.gates)
        gate.trial = file.trial.id;
    if (const std::string fault =
            evidence_fault(file.verdict, file.study, file.trial, file.gates, file.samples, "the rows of the file");
        !fault.empty())
        return refused(attempted, fault, distrust);
    document->erase("document");
    if (sha256(canonical_json(document->dump())) != file.checksum)
        return refused(attempted, "the checksum \"document\" is not that of the other members: one was altered",
                       distrust);
    return file;
}

} // namespace holdfast::study
