// SPDX-License-Identifier: GPL-3.0-or-later
// What an approval needs, gate by gate, in words.
#include "core/review/gates.hpp"

#include "core/project/text.hpp"
#include "core/review/reason.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace holdfast::review {

namespace {

constexpr const char* base_moved = "base moved";
constexpr const char* not_held_out = "not held out";

Gate held(std::string name, std::string found) {
    return {std::move(name), true, std::move(found), "", "", ""};
}

Gate missing(std::string name, std::string found, std::string remedy, std::string override_name = "") {
    return {std::move(name), false, std::move(found), std::move(remedy), std::move(override_name), ""};
}

const study::GateRecord* row_of(const Dossier& dossier, const char* gate) {
    const auto found = std::find_if(dossier.gates.begin(), dossier.gates.end(),
                                    [&](const study::GateRecord& row) { return row.gate == gate; });
    return found == dossier.gates.end() ? nullptr : &*found;
}

Gate proposed(const Dossier& dossier) {
    const std::string found = "the verdict is " + printable(dossier.verdict.verdict);
    return dossier.verdict.proposal
               ? held("proposed", found)
               : missing("proposed", found + ": not proposed for review", "Only a proposal can be approved.");
}

Gate evidence(const Dossier& dossier) {
    return dossier.evidence_fault.empty()
               ? held("evidence", fmt::format("{} samples and every gate are what the evidence was made from",
                                              dossier.samples.size()))
               : missing("evidence", printable(dossier.evidence_fault), "Run `holdfast audit`, then a new study.");
}

Gate checks(const Dossier& dossier) {
    for (const study::GateRecord& row : dossier.gates)
        if (row.result == "fail")
            return missing("checks", fmt::format("{}: {}", printable(row.gate), printable(row.reason)),
                           "A change that fails a check cannot be approved.");
    const study::GateRecord* row = row_of(dossier, "correct");
    return row != nullptr && row->result == "pass" ? held("checks", printable(row->reason))
                                                   : missing("checks", "the checks were not run", "Run a new study.");
}

Gate held_out(const Dossier& dossier) {
    const study::GateRecord* row = row_of(dossier, "holdout");
    if (row != nullptr && row->result == "pass")
        return held("held out", "confirmed on held-out workloads");
    const auto flags = flags_of(dossier);
    const bool not_asked =
        std::any_of(flags.begin(), flags.end(), [](const Flag& flag) { return flag.name == not_held_out; });
    return not_asked
               ? missing("held out", "never measured on held-out workloads",
                         "Bring held-out workloads and run a new study, or override `not held out` with a reason.",
                         not_held_out)
               : missing("held out", "not confirmed on held-out workloads",
                         "A gain that does not hold on unseen workloads cannot be approved.");
}

Gate base(const Dossier& dossier) {
    const std::string& measured = dossier.study.baseline_commit;
    if (!dossier.base.commit)
        return missing("base",
                       fmt::format("the repository does not have the commit {} that was measured", printable(measured)),
                       "In a shallow clone run `git fetch --unshallow`; else run a new study.");
    if (dossier.base.current)
        return held("base", "HEAD is what was measured");
    const std::string moved =
        fmt::format("HEAD is {:.12}, {:.12} was measured", dossier.head.commit.id, printable(measured));
    if (!dossier.change)
        return missing("base", moved, "Run a new study.");
    if (!dossier.base.conflict.empty())
        return missing("base", moved + ", and the change does not merge: " + dossier.base.conflict,
                       "Run a new study on HEAD.");
    return missing("base", moved + "; the change merges without conflict",
                   "Run a new study on HEAD, or override `base moved` with a reason.", base_moved);
}

Gate change(const Dossier& dossier) {
    if (!dossier.change)
        return missing("change", printable(dossier.change_error), "Run a new study.");
    if (dossier.change->changes.empty())
        return missing("change", "it changes no file", "There is nothing to approve.");
    return held("change",
                fmt::format("{} file(s), the tree {:.12}", dossier.change->files.size(), dossier.change->tree));
}

Gate flags(const Dossier& dossier, const Answers& answers) {
    std::string open;
    const auto all = flags_of(dossier);
    for (const Flag& flag : all) {
        const auto is_this = [&](const std::string& name) { return name == flag.name; };
        const bool settled = std::any_of(answers.acknowledged.begin(), answers.acknowledged.end(), is_this) ||
                             std::any_of(answers.overrides.begin(), answers.overrides.end(),
                                         [&](const Override& each) { return is_this(each.gate); });
        if (!settled)
            open += (open.empty() ? "" : ", ") + printable(flag.name);
    }
    if (!open.empty())
        return missing("flags", "not acknowledged: " + open, "Read each flag and acknowledge it.");
    return held("flags", all.empty() ? "none" : fmt::format("{} acknowledged", all.size()));
}

Gate signature(const Dossier& dossier, bool can_sign) {
    const SignatureDemand& demand = dossier.signature;
    if (!demand.fault.empty() && (demand.required || can_sign))
        return missing("signature", demand.fault,
                       "Commit the file that \"review\": {\"allowed-signers\"} names, then run a new study.");
    if (can_sign)
        return held("signature", demand.required ? "will be signed: " + demand.because : "will be signed");
    if (!demand.required)
        return held("signature", "none: it will read `unsigned`");
    return missing("signature", demand.because + ", and no SSH key is at hand",
                   "Run `git config gpg.format ssh` and `git config user.signingkey FILE`.");
}

Gate not_applied(const Dossier& dossier) {
    if (dossier.standing != Standing::applied)
        return held("not applied", dossier.standing == Standing::reverted ? "taken back" : "not applied yet");
    const auto* applied = dossier.application();
    return missing("not applied", fmt::format("applied already as {:.12}", printable(applied->commit)),
                   fmt::format("Take it back first: holdfast revert {}", dossier.trial.number));
}

/// A gate that does not hold, passed on a person's word when it may be.
void pass_on_word(Gate& gate, const std::vector<Override>& overrides) {
    if (gate.held || gate.override_name.empty())
        return;
    for (const Override& each : overrides) {
        if (each.gate != gate.override_name)
            continue;
        if (const std::string fault = override_reason_fault(each.reason, each.gate); !fault.empty()) {
            gate.found += "; " + fault;
            return;
        }
        gate.held = true;
        gate.override_reason = trimmed(each.reason);
        gate.remedy.clear();
    }
}

} // namespace

std::string result_word(const study::GateRecord& gate) {
    return (gate.gate == "coverage" || gate.gate == "probe") && gate.result == "stop" ? "told" : gate.result;
}

std::vector<Gate> approval_gates(const Dossier& dossier, const Answers& answers, bool can_sign) {
    std::vector<Gate> gates{
        proposed(dossier),   evidence(dossier), checks(dossier),         held_out(dossier),
        base(dossier),       change(dossier),   flags(dossier, answers), signature(dossier, can_sign),
        not_applied(dossier)};
    for (Gate& gate : gates)
        pass_on_word(gate, answers.overrides);
    return gates;
}

Result<void> check_answers(const Dossier& dossier, const Answers& answers, const std::vector<Gate>& gates,
                           const std::string& attempted) {
    std::vector<std::string> names;
    for (const Flag& flag : flags_of(dossier))
        names.push_back(flag.name);
    for (const std::string& name : answers.acknowledged)
        if (std::find(names.begin(), names.end(), name) == names.end())
            return refused(attempted, fmt::format("the trial has no flag `{}`", printable(name)),
                           "Acknowledge only the flags it has.");
    std::set<std::string> seen;
    for (const Override& each : answers.overrides) {
        const std::string name = printable(each.gate);
        if (each.gate != base_moved && each.gate != not_held_out)
            return refused(attempted, fmt::format("`{}` cannot be overridden", name),
                           "Only `base moved` and `not held out` can be.");
        if (!seen.insert(each.gate).second)
            return refused(attempted, fmt::format("`{}` is overridden twice", name), "Give one reason.");
        const auto gate = std::find_if(gates.begin(), gates.end(),
                                       [&](const Gate& candidate) { return candidate.override_name == each.gate; });
        if (gate == gates.end())
            return refused(attempted, fmt::format("there is no `{}` to override here", name),
                           "Leave the override out.");
        if (const std::string fault = override_reason_fault(each.reason, each.gate); !fault.empty())
            return refused(attempted, fmt::format("`{}` is overridden, and {}", name, fault),
                           "Say in a sentence why it may pass.");
    }
    return {};
}

} // namespace holdfast::review
