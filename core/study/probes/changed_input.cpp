// SPDX-License-Identifier: GPL-3.0-or-later
// An input that the baseline answers is valid, and another answer to it is wrong. On one that it refuses the candidate
// must refuse too: taking it is a check that was dropped, dying of it a hole; other words are shown to a person. An
// input on which two runs of the baseline differ says nothing.
#include "core/study/probes/changed_input.hpp"

#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/judge.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace holdfast::study::probes {

namespace fs = std::filesystem;

namespace {

/// What a side did with one input.
struct Answer {
    bool prepared = true;
    ExecutionResult result;
    Taken::Outcome outcome = Taken::Outcome::ok; ///< wrong: by the workload's check
    std::string reason;

    bool answered() const { return prepared && result.ok(); }
    bool refused() const { return prepared && result.ending == Ending::exited && result.code != 0; }
    bool crashed() const { return prepared && result.ending == Ending::signalled; }
    bool same_end(const Answer& other) const {
        return prepared == other.prepared && result.ending == other.result.ending && result.code == other.result.code;
    }
    bool same_words(const Answer& other) const {
        return result.standard_output == other.result.standard_output &&
               result.standard_error == other.result.standard_error;
    }
};

/// Both sides on one changed input.
class Both {
public:
    Both(Probing& probing, const Workload& workload, const ChangedInput& input, fs::path expected)
        : probing_(&probing), workload_(&workload), inputs_(input.folder.path()), expected_(std::move(expected)),
          what_(input.what) {}

    /// False: the baseline's answer settles nothing.
    Result<bool> try_both();

private:
    enum class Outputs { kept, judged, ignored };
    Result<Answer> ask(const Arm& arm, Outputs outputs, int patience = 1);
    void compare(const Answer& baseline, const Answer& candidate);
    void decide(Taken::Outcome outcome, const std::string& how, const Answer& candidate);

    Probing* probing_;
    const Workload* workload_;
    fs::path inputs_, expected_;
    std::string what_;
};

/// `kept`: as what the others are judged against.
Result<Answer> Both::ask(const Arm& arm, Outputs outputs, int patience) {
    const std::int64_t seed = workload_->seeds.front();
    Answer answer;
    const Sampler::Adjust show = shows(*workload_, inputs_);
    const Sampler::Adjust adjust = [&](Execution& execution) {
        execution.limits.time = patience * std::min(execution.limits.time, longest_run);
        show(execution);
    };
    const auto judge = [&](const fs::path& out, const std::string& standard_output, Taken& taken) -> Result<void> {
        if (outputs == Outputs::ignored)
            return {};
        if (outputs == Outputs::kept) {
            auto fault = keep_expected(workload_->check, out, standard_output, expected_);
            if (!fault)
                return tl::unexpected(fault.error());
            return probing_->bench->runner->give(expected_);
        }
        auto judged = probing_->sampler().judge_aside(*workload_, seed, expected_, show, out, standard_output);
        if (!judged)
            return tl::unexpected(judged.error());
        taken.outcome = judged->outcome;
        taken.reason = judged->reason;
        return {};
    };
    auto taken = probing_->sampler().run_aside(arm, *workload_, seed, adjust, judge, &answer.result);
    if (!taken)
        return tl::unexpected(taken.error());
    answer.prepared = taken->outcome != Taken::Outcome::failed || !answer.result.ok();
    answer.outcome = taken->outcome;
    answer.reason = taken->reason;
    return answer;
}

void Both::decide(Taken::Outcome outcome, const std::string& how, const Answer& candidate) {
    probing_->found.decided = Stopped{
        outcome, fmt::format("workload {} with a changed input ({}): {}", printable(workload_->name), what_, how),
        candidate.result.standard_output + candidate.result.standard_error};
}

void Both::compare(const Answer& baseline, const Answer& candidate) {
    using Outcome = Taken::Outcome;
    if (baseline.answered()) {
        if (!candidate.answered())
            decide(Outcome::wrong, "the baseline answers, the candidate: " + candidate.reason, candidate);
        else if (candidate.outcome == Outcome::wrong)
            decide(Outcome::wrong, candidate.reason, candidate);
        return;
    }
    if (!baseline.refused()) // it dies of this input itself
        return;
    const std::string refusal = fmt::format("the baseline refuses it ({})", printable(baseline.result.reason));
    if (candidate.answered())
        decide(Outcome::unsafe, refusal + ", the candidate takes it", candidate);
    else if (!candidate.refused())
        decide(Outcome::unsafe, refusal + ", the candidate: " + candidate.reason, candidate);
    else if ((!candidate.same_end(baseline) || !candidate.same_words(baseline)) &&
             !probing_->found.has("other refusals"))
        probing_->found.caution(
            "other refusals", // the first shows the kind; the rest would only repeat it
            fmt::format("{} with an input ({}) that both refuse: {}", printable(workload_->name), what_,
                        candidate.same_end(baseline) ? "in other words" : printable(candidate.result.reason)));
}

Result<bool> Both::try_both() {
    auto first = ask(probing_->bench->baseline, Outputs::kept);
    if (!first)
        return tl::unexpected(first.error());
    if (!first->answered() && !first->refused() && !first->crashed())
        return false;
    const Outputs outputs = first->answered() ? Outputs::judged : Outputs::ignored;
    auto second = ask(probing_->bench->baseline, outputs);
    if (!second)
        return tl::unexpected(second.error());
    if (!second->same_end(*first) || second->outcome == Taken::Outcome::wrong ||
        (first->refused() && !second->same_words(*first)))
        return false;
    // Twice the time: a baseline that just made it must not fail one that is as fast.
    auto candidate = ask(*probing_->candidate, outputs, 2);
    if (!candidate)
        return tl::unexpected(candidate.error());
    compare(*first, *candidate);
    return true;
}

} // namespace

Sampler::Adjust shows(const Workload& workload, const fs::path& inputs) {
    const std::string place = workload.generate.empty() ? "/inputs" : "/generated";
    return [place, inputs](Execution& execution) {
        for (Mount& mount : execution.mounts)
            if (mount.inside == place)
                mount.host = inputs;
    };
}

Result<ChangedInput> make_input(const Probing& probing, const InputChange& change) {
    std::mt19937_64 random(change.seed);
    const InputSource& source = change.source;
    const auto& files = about_texts(change.turn) && !source.texts.empty() ? source.texts : source.files;
    const std::string& name = files[below(files.size(), random)];
    auto bytes = read_output(source.folder, name, largest_input);
    if (!bytes)
        return tl::unexpected(bytes.error());
    Mutation mutation = mutate(bytes->value_or(""), change.turn, random);
    auto place = ScratchFolder::make(*probing.bench->workspace);
    if (!place)
        return tl::unexpected(place.error());
    auto done = copy_tree(source.folder, place->path());
    if (std::error_code ignored; done)
        fs::remove(place->path() / name, ignored); // it may be read-only
    if (done)
        done = write_file(place->path() / name, mutation.bytes);
    if (done)
        done = probing.bench->runner->give(place->path());
    if (!done)
        return tl::unexpected(done.error());
    return ChangedInput{std::move(*place), fmt::format("{}: {}", printable(name), mutation.what)};
}

Result<bool> try_input(Probing& probing, const Workload& workload, const ChangedInput& input) {
    auto kept = ScratchFolder::make(*probing.bench->workspace);
    if (!kept)
        return tl::unexpected(kept.error());
    return Both(probing, workload, input, kept->path() / "expected").try_both();
}

} // namespace holdfast::study::probes
