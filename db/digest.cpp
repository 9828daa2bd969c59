// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/digest.hpp"

#include "core/project/hash.hpp"
#include "db/rows.hpp"

#include <chrono>
#include <cmath>
#include <concepts>
#include <fmt/format.h>

namespace holdfast::db {

using namespace holdfast::study;

namespace {

class Fields {
public:
    Fields& add(std::string_view name, std::string_view value) {
        text_ += fmt::format("{}={}:", name, value.size());
        text_.append(value); // not through the formatter: it may hold any bytes
        text_ += '\n';
        return *this;
    }
    Fields& add(std::string_view name, std::integral auto value) { return add(name, std::string_view(number(value))); }
    // SQLite keeps neither a NaN's bits nor the sign of zero.
    Fields& add(std::string_view name, double value) {
        if (std::isnan(value))
            return add(name, std::string_view("nan"));
        return add(name, std::string_view(fmt::format("{}", value == 0 ? 0.0 : value)));
    }
    Fields& add(std::string_view name, std::chrono::nanoseconds value) { return add(name, value.count()); }
    Fields& add(std::string_view name, const MachineReading& reading) {
        return add(name, reading.steal_ticks)
            .add("total_ticks", reading.total_ticks)
            .add("swap_in_pages", reading.swap_in_pages)
            .add("swap_out_pages", reading.swap_out_pages)
            .add("psi_cpu_us", reading.psi_cpu_us)
            .add("psi_memory_us", reading.psi_memory_us)
            .add("psi_io_us", reading.psi_io_us)
            .add("mhz", reading.mhz)
            .add("celsius", reading.celsius);
    }
    std::string digest() const { return sha256(text_); }

private:
    static std::string number(std::integral auto value) { return fmt::format("{:d}", value); }

    std::string text_;
};

} // namespace

std::string digest_of(const StudyRecord& study) {
    return Fields()
        .add("id", study.id)
        .add("number", study.number)
        .add("project", study.project)
        .add("baseline_commit", study.baseline_commit)
        .add("baseline_tree", study.baseline_tree)
        .add("seed", study.seed)
        .add("frozen", study.frozen_json)
        .add("options", study.options_json)
        .add("machine", study.machine_json)
        .add("isolation_level", study.isolation_level)
        .add("started", study.started)
        .digest();
}

std::string digest_of(const TrialRecord& trial) {
    return Fields()
        .add("id", trial.id)
        .add("number", trial.number)
        .add("kind", trial.kind)
        .add("tuner", trial.tuner)
        .add("configuration", trial.configuration_json)
        .add("patch", trial.patch)
        .add("created", trial.created)
        .digest();
}

std::string digest_of(const GateRecord& gate) {
    return Fields()
        .add("trial", gate.trial)
        .add("gate", gate.gate)
        .add("result", gate.result)
        .add("reason", gate.reason)
        .add("log", gate.log)
        .add("detail", gate.detail_json)
        .add("started", gate.started)
        .add("seconds", gate.seconds)
        .digest();
}

std::string digest_of(const SampleRecord& sample) {
    const Usage& usage = sample.usage;
    Fields fields;
    fields.add("id", sample.id)
        .add("study", sample.study)
        .add("trial", sample.trial)
        .add("phase", sample.phase)
        .add("session", sample.session)
        .add("round", sample.round)
        .add("attempt", sample.attempt)
        .add("workload", sample.workload)
        .add("arm", sample.arm)
        .add("slot", sample.slot)
        .add("coin", sample.coin)
        .add("executable_hash", sample.executable_hash)
        .add("ending", sample.ending)
        .add("output_hash", sample.output_hash)
        .add("metrics", sample.metrics_json)
        .add("wall_ns", usage.wall)
        .add("user_ns", usage.user)
        .add("system_ns", usage.system)
        .add("minor_faults", usage.minor_faults)
        .add("major_faults", usage.major_faults)
        .add("voluntary_switches", usage.voluntary_switches)
        .add("involuntary_switches", usage.involuntary_switches)
        .add("peak_memory_bytes", usage.peak_memory_bytes)
        .add("memory_source", usage.memory_source)
        .add("queue_wait_ns", usage.queue_wait)
        .add("before", sample.before)
        .add("after", sample.after)
        .add("started", sample.started);
    if (usage.throttled > 0) // rows of older histories have the digest they were announced with
        fields.add("throttled", usage.throttled);
    return fields.digest();
}

std::string digest_of(const VerdictRecord& verdict) {
    return Fields()
        .add("trial", verdict.trial)
        .add("verdict", verdict.verdict)
        .add("qualifier", verdict.qualifier)
        .add("proposal", verdict.proposal)
        .add("reasons", verdict.reasons_json)
        .add("flags", verdict.flags_json)
        .add("effects", verdict.effects_json)
        .add("evidence", verdict.evidence_json)
        .add("evidence_digest", verdict.evidence_digest)
        .add("time", verdict.time)
        .digest();
}

std::string digest_of(const QuestionRecord& question) {
    Fields fields;
    fields.add("id", question.id)
        .add("study", question.study)
        .add("trial", question.trial)
        .add("rounds", question.rounds)
        .add("asked", question.asked);
    if (!question.seeds_json.empty()) // rows of older histories have the digest they were announced with
        fields.add("seeds", question.seeds_json);
    return fields.digest();
}

std::string digest_of(const ReviewRecord& review) {
    return Fields()
        .add("id", review.id)
        .add("trial", review.trial)
        .add("decision", review.decision)
        .add("reviewer_name", review.reviewer_name)
        .add("reviewer_email", review.reviewer_email)
        .add("comment", review.comment)
        .add("shared", review.shared)
        .add("statement", review.statement_json)
        .add("signature", review.signature)
        .add("time", review.time)
        .digest();
}

std::string digest_of(const ApplicationRecord& application) {
    return Fields()
        .add("id", application.id)
        .add("trial", application.trial)
        .add("action", application.action)
        .add("review", application.review)
        .add("commit", application.commit)
        .add("parent", application.parent)
        .add("branch", application.branch)
        .add("evidence", application.evidence)
        .add("who", application.who)
        .add("time", application.time)
        .digest();
}

std::string digest_of(const ImportRecord& import) {
    return Fields()
        .add("id", import.id)
        .add("digest", import.digest)
        .add("whole_digest", import.whole_digest)
        .add("baseline_commit", import.baseline_commit)
        .add("result_tree", import.result_tree)
        .add("configuration", import.configuration_json)
        .add("machine", import.machine_json)
        .add("isolation_level", import.isolation_level)
        .add("verdict", import.verdict)
        .add("qualifier", import.qualifier)
        .add("effects", import.effects_json)
        .add("complete", static_cast<int>(import.complete))
        .add("recomputed", static_cast<int>(import.recomputed))
        .add("document", import.document)
        .add("time", import.time)
        .digest();
}

std::string digest_of(const ResultsFileRecord& file) {
    return Fields()
        .add("id", file.id)
        .add("digest", file.digest)
        .add("format", file.format)
        .add("name", file.name)
        .add("benchmarks", file.benchmarks_json)
        .add("commit", file.commit)
        .add("machine", file.machine_json)
        .add("time", file.time)
        .digest();
}

std::string digest_of_changing(const StudyRecord& study) {
    return Fields().add("id", study.id).add("ended", study.ended).digest();
}

std::string digest_of_changing(const TrialRecord& trial) {
    return Fields()
        .add("id", trial.id)
        .add("study", trial.study)
        .add("result_tree", trial.result_tree)
        .add("confirmation", trial.confirmation)
        .add("search", trial.search_json)
        .add("ended", trial.ended)
        .digest();
}

SamplesDigest SampleList::finish() const {
    SamplesDigest result = result_;
    result.digest = sha256(hashes_);
    return result;
}

SamplesDigest digest_of_trial_samples(SQLite::Database& database, const std::string& trial) {
    SampleList rows;
    each_sample_of_trial(database, trial, [&](const SampleRecord& sample) { rows.add(sample.id, digest_of(sample)); });
    return rows.finish();
}

SamplesDigest digest_of_opening_samples(SQLite::Database& database, const std::string& study, std::int64_t last) {
    SampleList rows;
    each_opening_sample(database, study, last,
                        [&](const SampleRecord& sample) { rows.add(sample.id, digest_of(sample)); });
    return rows.finish();
}

} // namespace holdfast::db
