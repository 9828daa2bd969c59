// SPDX-License-Identifier: GPL-3.0-or-later
// Writing evidence for another machine.
#include "core/study/evidence_file.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/asked.hpp"
#include "core/study/evidence.hpp"
#include "core/study/evidence_fields.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::study {

namespace {

using nlohmann::json;

json parsed(const std::string& text) {
    return text.empty() ? json(nullptr) : json::parse(text, nullptr, false);
}

class Writer {
public:
    template <class Value> void operator()(const char* name, const Value& value) { out_[name] = value; }
    void operator()(const char* name, double value) { out_[name] = std::isfinite(value) ? json(value) : json(nullptr); }
    void operator()(const char* name, const std::chrono::nanoseconds& value) { out_[name] = value.count(); }
    void unless_zero(const char* name, std::uint64_t value) {
        if (value != 0)
            out_[name] = value;
    }
    void document(const char* name, const std::string& text) { out_[name] = parsed(text); }
    void part(const char* name, const MachineReading& reading) {
        Writer inner;
        reading_fields(reading, inner);
        out_[name] = inner.take();
    }
    json take() { return std::move(out_); }

private:
    json out_ = json::object();
};

template <class Record, class Fields> json written(const Record& record, const Fields& fields) {
    Writer writer;
    fields(record, writer);
    return writer.take();
}

/// Names of what is held out, of both files that a study froze.
std::set<std::string> held_out_names(const json& frozen) {
    std::set<std::string> names;
    const auto take = [&](const json& part, bool all) {
        for (const json& workload : part.value("workloads", json::array()))
            if (all || workload.value("role", "") == "holdout")
                names.insert(workload.value("name", ""));
    };
    if (frozen.at("holdout").is_object())
        take(frozen.at("holdout"), true);
    take(frozen.at("project"), false);
    return names;
}

void remove_names(json& list, const std::set<std::string>& names, const char* key) {
    json kept = json::array();
    for (json& item : list)
        if (const json& name = key == nullptr ? item : item.at(key);
            !name.is_string() || !names.contains(name.get<std::string>()))
            kept.push_back(std::move(item));
    list = std::move(kept);
}

/// The frozen project as if it had nothing held out.
std::string without_held_out(json frozen, const std::set<std::string>& names) {
    json& project = frozen.at("project");
    frozen["holdout"] = nullptr;
    project.erase("holdout-file");
    remove_names(project.at("workloads"), names, "name");
    if (project.contains("metrics"))
        for (json& metric : project.at("metrics"))
            if (metric.contains("workloads"))
                remove_names(metric.at("workloads"), names, nullptr);
    return canonical_json(frozen.dump());
}

/// Of the held-out side, what all workloads say together.
std::string without_held_out_effects(const std::string& effects_json, const std::set<std::string>& names) {
    json effects = json::parse(effects_json);
    const auto strip = [](json& of) {
        if (of.contains("holdout") && of.at("holdout").is_object())
            of["holdout"]["workloads"] = of["holdout"]["guards"] = json::array();
    };
    strip(effects);
    if (effects.contains("objectives"))
        for (json& objective : effects.at("objectives"))
            strip(objective);
    if (effects.contains("quality")) {
        remove_names(effects.at("quality"), names, "workload");
        if (effects.at("quality").empty())
            effects.erase("quality");
    }
    return effects.dump();
}

void strip(EvidenceFile& file) {
    const json frozen = json::parse(file.study.frozen_json), evidence = json::parse(file.verdict.evidence_json);
    const std::set<std::string> names = held_out_names(frozen);
    file.whole_digest = file.verdict.evidence_digest;
    file.complete = false;
    file.study.frozen_json = without_held_out(frozen, names);
    if (!file.study.opening_json.empty()) {
        json opening = json::parse(file.study.opening_json);
        for (const std::string& name : names)
            opening.erase(name);
        file.study.opening_json = opening.dump();
    }
    if (json options = parsed(file.study.options_json); options.is_object() && options.erase(asked_key) > 0)
        file.study.options_json = options.dump();
    std::erase_if(file.samples, [&](const SampleRecord& sample) {
        return sample.phase == "holdout" || names.contains(sample.workload);
    });
    file.verdict.effects_json = without_held_out_effects(file.verdict.effects_json, names);
    Executed executed;
    executed.inputs = evidence.at("inputs").get<std::map<std::string, std::string>>();
    std::erase_if(executed.inputs, [&](const auto& input) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return input.first == name || input.first.starts_with(name + " (seed ");
        });
    });
    const json& executables = evidence.at("executables");
    executed.baseline = executables.at("baseline").get<std::map<std::string, std::string>>();
    if (executables.contains("candidate"))
        executed.candidate = executables.at("candidate").get<std::map<std::string, std::string>>();
    seal_evidence(file.verdict, file.study, file.trial, file.gates, file.samples, executed);
}

} // namespace

Result<EvidenceFile> without_holdout(const EvidenceFile& whole) {
    EvidenceFile file = whole;
    try {
        strip(file);
    } catch (const json::exception&) {
        return failed(fmt::format("leave the held-out parts of trial {} out", whole.trial.number),
                      "its records are damaged", "Run `holdfast audit`.");
    }
    return file;
}

Result<std::string> write_evidence_file(const EvidenceFile& file) {
    const std::string attempted = fmt::format("export the evidence of trial {}", file.trial.number);
    json gates = json::array(), samples = json::array();
    for (const GateRecord& gate : file.gates)
        gates.push_back(written(gate, [](auto& record, auto& writer) { gate_fields(record, writer); }));
    for (const SampleRecord& sample : file.samples)
        samples.push_back(written(sample, [](auto& record, auto& writer) { sample_fields(record, writer); }));
    json study = written(file.study, [](auto& record, auto& writer) { study_fields(record, writer); });
    study["seed"] = std::to_string(file.study.seed); // text: readers of JSON may lose bits of a large number
    json document = {
        {"schema", "holdfast/evidence-file/1"},
        {"complete", file.complete},
        {"whole-evidence", file.whole_digest},
        {"study", std::move(study)},
        {"trial", written(file.trial, [](auto& record, auto& writer) { trial_fields(record, writer); })},
        {"gates", std::move(gates)},
        {"samples", std::move(samples)},
        {"verdict", written(file.verdict, [](auto& record, auto& writer) { verdict_fields(record, writer); })},
        {"evidence", parsed(file.verdict.evidence_json)},
        {"digest", file.verdict.evidence_digest}};
    // Also over members that no digest of the evidence covers. It shows changes, not who made the file.
    document["document"] = sha256(canonical_json(document.dump(-1, ' ', false, json::error_handler_t::replace)));
    std::string text = document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    if (auto back = read_evidence_file(text); !back)
        return refused(attempted, "what would be written is not what was measured: " + back.error().found,
                       "Run `holdfast audit`; a patch in another encoding than UTF-8 cannot be carried.");
    return text;
}

} // namespace holdfast::study
