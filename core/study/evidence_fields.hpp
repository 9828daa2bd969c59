// SPDX-License-Identifier: GPL-3.0-or-later
// The members of an evidence file, in one place for writing and reading. A visitor is called with each name and the
// record's field; `document` with a field that holds JSON text, "" for none; `part` with a record in a record;
// `unless_zero` with a number that older files do not have.
#pragma once

#include "core/study/store.hpp"

namespace holdfast::study {

template <class Study, class Visitor> void study_fields(Study& study, Visitor& visit) {
    visit("id", study.id);
    visit("number", study.number);
    visit("project", study.project);
    visit("baseline-commit", study.baseline_commit);
    visit("baseline-tree", study.baseline_tree);
    visit.document("frozen", study.frozen_json);
    visit.document("options", study.options_json);
    visit.document("machine", study.machine_json);
    visit("isolation", study.isolation_level);
    visit.document("opening", study.opening_json);
    visit("started", study.started);
    visit("ended", study.ended);
}

template <class Trial, class Visitor> void trial_fields(Trial& trial, Visitor& visit) {
    visit("id", trial.id);
    visit("number", trial.number);
    visit("kind", trial.kind);
    visit("tuner", trial.tuner);
    visit.document("configuration", trial.configuration_json);
    visit("patch", trial.patch);
    visit("result-tree", trial.result_tree);
    visit("confirmation", trial.confirmation);
    visit.document("search", trial.search_json);
    visit("created", trial.created);
    visit("ended", trial.ended);
}

template <class Gate, class Visitor> void gate_fields(Gate& gate, Visitor& visit) {
    visit("gate", gate.gate);
    visit("result", gate.result);
    visit("reason", gate.reason);
    visit("started", gate.started);
    visit("seconds", gate.seconds);
}

template <class Reading, class Visitor> void reading_fields(Reading& reading, Visitor& visit) {
    visit("steal-ticks", reading.steal_ticks);
    visit("total-ticks", reading.total_ticks);
    visit("swap-in-pages", reading.swap_in_pages);
    visit("swap-out-pages", reading.swap_out_pages);
    visit("psi-cpu-us", reading.psi_cpu_us);
    visit("psi-memory-us", reading.psi_memory_us);
    visit("psi-io-us", reading.psi_io_us);
    visit("mhz", reading.mhz);
    visit("celsius", reading.celsius);
}

template <class Sample, class Visitor> void sample_fields(Sample& sample, Visitor& visit) {
    visit("phase", sample.phase);
    visit("session", sample.session);
    visit("round", sample.round);
    visit("attempt", sample.attempt);
    visit("workload", sample.workload);
    visit("arm", sample.arm);
    visit("slot", sample.slot);
    visit("coin", sample.coin);
    visit("executable", sample.executable_hash);
    visit("ending", sample.ending);
    visit("output", sample.output_hash);
    visit.document("metrics", sample.metrics_json);
    visit("wall-ns", sample.usage.wall);
    visit("user-ns", sample.usage.user);
    visit("system-ns", sample.usage.system);
    visit("minor-faults", sample.usage.minor_faults);
    visit("major-faults", sample.usage.major_faults);
    visit("voluntary-switches", sample.usage.voluntary_switches);
    visit("involuntary-switches", sample.usage.involuntary_switches);
    visit("peak-memory-bytes", sample.usage.peak_memory_bytes);
    visit("memory-source", sample.usage.memory_source);
    visit("queue-wait-ns", sample.usage.queue_wait);
    visit.unless_zero("throttled", sample.usage.throttled);
    visit.part("before", sample.before);
    visit.part("after", sample.after);
    visit("started", sample.started);
}

template <class Verdict, class Visitor> void verdict_fields(Verdict& verdict, Visitor& visit) {
    visit("verdict", verdict.verdict);
    visit("qualifier", verdict.qualifier);
    visit("proposal", verdict.proposal);
    visit.document("reasons", verdict.reasons_json);
    visit.document("flags", verdict.flags_json);
    visit.document("effects", verdict.effects_json);
    visit("time", verdict.time);
}

} // namespace holdfast::study
