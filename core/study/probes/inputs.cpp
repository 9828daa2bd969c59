// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides on inputs that no tuner has seen: fresh seeds of workloads that take one, and the pinned inputs changed
// without knowing what they hold. A fault in what nobody runs shows as another answer or another end.
//
// An input that the baseline answers is valid, and another answer to it is wrong. On one that it refuses the candidate
// must refuse too: taking it is a check that was dropped, dying of it a hole; other words are shown to a person. An
// input on which two runs of the baseline differ says nothing.
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/judge.hpp"
#include "core/study/probes/mutate.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace holdfast::study::probes {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_input = 16ULL << 20; ///< each is copied for each change
constexpr std::chrono::milliseconds longest_run = std::chrono::seconds(10);

bool takes_seed(const Workload& workload) {
    return !workload.generate.empty() ||
           std::any_of(workload.run.begin(), workload.run.end(),
                       [](const std::string& word) { return word.find("{seed}") != std::string::npos; });
}

const char* place_of(const Workload& workload) {
    return workload.generate.empty() ? "/inputs" : "/generated";
}

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

/// One changed input, on disk.
class Changed {
public:
    Changed(Probing& probing, const Workload& workload, fs::path inputs, fs::path expected, std::string what)
        : probing_(&probing), workload_(&workload), inputs_(std::move(inputs)), expected_(std::move(expected)),
          what_(std::move(what)) {}

    /// False: the baseline's answer settles nothing.
    Result<bool> try_both();

private:
    enum class Outputs { kept, judged, ignored };
    Result<Answer> ask(const Arm& arm, Outputs outputs);
    void compare(const Answer& baseline, const Answer& candidate);
    void decide(Taken::Outcome outcome, const std::string& how, const Answer& candidate);

    Probing* probing_;
    const Workload* workload_;
    fs::path inputs_, expected_;
    std::string what_;
};

/// `kept`: as what the others are judged against.
Result<Answer> Changed::ask(const Arm& arm, Outputs outputs) {
    const std::int64_t seed = workload_->seeds.front();
    Answer answer;
    const Sampler::Adjust show = [&](Execution& execution) {
        for (Mount& mount : execution.mounts)
            if (mount.inside == place_of(*workload_))
                mount.host = inputs_;
    };
    const Sampler::Adjust adjust = [&](Execution& execution) {
        execution.limits.time = std::min(execution.limits.time, longest_run);
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

void Changed::decide(Taken::Outcome outcome, const std::string& how, const Answer& candidate) {
    probing_->found.decided = Stopped{
        outcome, fmt::format("workload {} with a changed input ({}): {}", printable(workload_->name), what_, how),
        candidate.result.standard_output + candidate.result.standard_error};
}

void Changed::compare(const Answer& baseline, const Answer& candidate) {
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

Result<bool> Changed::try_both() {
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
    auto candidate = ask(*probing_->candidate, outputs);
    if (!candidate)
        return tl::unexpected(candidate.error());
    compare(*first, *candidate);
    return true;
}

/// A workload whose inputs can be changed.
struct Source {
    const Workload* workload;
    fs::path folder;
    std::vector<std::string> files; ///< below it, not too large
};

Result<std::vector<Source>> sources(Probing& probing) {
    std::vector<Source> found;
    for (const Workload* workload : probing.workloads) {
        const std::string what = "changed inputs of " + printable(workload->name);
        if (workload->check.quality) {
            probing.gap(what, "its answers are judged by their quality");
            continue;
        }
        Source source{workload,
                      workload->generate.empty() ? probing.sampler().inputs_of(*workload)
                                                 : probing.sampler().generated_of(*workload, workload->seeds.front()),
                      {}};
        auto hashes = hash_folder(source.folder);
        if (!hashes)
            return tl::unexpected(hashes.error());
        for (const auto& [name, hash] : *hashes) {
            std::error_code code;
            const fs::path file = source.folder / name;
            if (fs::symlink_status(file, code).type() == fs::file_type::regular &&
                fs::file_size(file, code) <= largest_input)
                source.files.push_back(name);
        }
        if (source.files.empty())
            probing.gap(what, hashes->empty() ? "it reads no files" : "its files are larger than 16 MiB");
        else
            found.push_back(std::move(source));
    }
    return found;
}

/// False: left out.
Result<bool> try_change(Probing& probing, const Source& source, std::size_t kind) {
    const std::string& name = source.files[probing.random() % source.files.size()];
    auto bytes = read_output(source.folder, name, largest_input);
    if (!bytes)
        return tl::unexpected(bytes.error());
    const Mutation mutation = mutate(bytes->value_or(""), kind, probing.random);
    if (mutation.bytes == bytes->value_or(""))
        return false;
    Bench& bench = *probing.bench;
    auto place = ScratchFolder::make(*bench.workspace), kept = ScratchFolder::make(*bench.workspace);
    if (!place || !kept)
        return tl::unexpected(place ? kept.error() : place.error());
    auto done = copy_tree(source.folder, place->path());
    if (std::error_code ignored; done)
        fs::remove(place->path() / name, ignored); // it may be read-only
    if (done)
        done = write_file(place->path() / name, mutation.bytes);
    if (done)
        done = bench.runner->give(place->path());
    if (!done)
        return tl::unexpected(done.error());
    return Changed(probing, *source.workload, place->path(), kept->path() / "expected",
                   fmt::format("{}: {}", printable(name), mutation.what))
        .try_both();
}

void tell(Probing& probing, const char* what, std::size_t tried, std::size_t left_out) {
    if (tried > 0)
        probing.found.passed.push_back(fmt::format("{} {}: the same answers{}", tried, what,
                                                   left_out == 0 ? "" : fmt::format(" ({} left out)", left_out)));
    else if (left_out > 0)
        probing.gap(what,
                    fmt::format("{} were tried, and the baseline did not answer any in the same way twice", left_out));
}

/// Nothing: the baseline has no right answer to that seed.
Result<std::optional<Taken>> try_seed(Probing& probing, const Workload& workload, std::int64_t seed) {
    using Answer = std::optional<Taken>;
    auto pinned = probing.sampler().pin_seeds(workload, {seed});
    if (!pinned)
        return tl::unexpected(pinned.error());
    if (*pinned)
        return Answer();
    auto again = probing.sampler().take(probing.bench->baseline, workload, seed);
    if (!again)
        return tl::unexpected(again.error());
    if (again->outcome != Taken::Outcome::ok)
        return Answer();
    auto taken = probing.sampler().take(*probing.candidate, workload, seed);
    if (!taken)
        return tl::unexpected(taken.error());
    return Answer(std::move(*taken));
}

} // namespace

Result<void> draw_seeds(Probing& probing) {
    std::vector<const Workload*> takers;
    for (const Workload* workload : probing.workloads)
        if (takes_seed(*workload) && !workload->check.quality)
            takers.push_back(workload);
    const auto wanted = takers.empty() ? 0 : (static_cast<std::size_t>(probing.project().probe.inputs) + 3) / 4;
    std::size_t tried = 0, left_out = 0;
    for (std::size_t i = 0; i < wanted; ++i) {
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (!probing.time_left()) {
            probing.gap(fmt::format("{} of {} fresh seeds", wanted - i, wanted), probing.out_of_time());
            break;
        }
        const Workload& workload = *takers[i % takers.size()];
        constexpr std::uint64_t most = 0x7fffffff;
        const auto seed = static_cast<std::int64_t>(1 + probing.random() % most);
        if (std::find(workload.seeds.begin(), workload.seeds.end(), seed) != workload.seeds.end())
            continue;
        auto taken = try_seed(probing, workload, seed);
        probing.sampler().stop_servers();
        if (auto forgotten = probing.sampler().forget_seeds(workload, {seed}); !forgotten)
            return forgotten;
        if (!taken)
            return tl::unexpected(taken.error());
        if (!*taken) {
            ++left_out;
            continue;
        }
        ++tried;
        if ((*taken)->outcome != Taken::Outcome::ok) {
            probing.found.decided =
                Stopped{Taken::Outcome::wrong, fmt::format("with the fresh seed {}: {}", seed, (*taken)->reason),
                        (*taken)->log};
            return {};
        }
    }
    tell(probing, "fresh seeds", tried, left_out);
    return {};
}

Result<void> change_inputs(Probing& probing) {
    const auto wanted = static_cast<std::size_t>(probing.project().probe.inputs);
    if (wanted == 0) {
        probing.gap("changed and fresh inputs", "switched off in holdfast.json");
        return {};
    }
    auto found = sources(probing);
    if (!found)
        return tl::unexpected(found.error());
    std::size_t tried = 0, left_out = 0;
    for (std::size_t i = 0; i < wanted && !found->empty(); ++i) {
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (!probing.time_left()) {
            probing.gap(fmt::format("{} of {} changed inputs", wanted - i, wanted), probing.out_of_time());
            break;
        }
        // Each workload meets each kind of change before any comes again.
        auto settled = try_change(probing, (*found)[i % found->size()], i / found->size());
        if (!settled)
            return tl::unexpected(settled.error());
        ++(*settled ? tried : left_out);
        if (probing.found.decided)
            return {};
    }
    tell(probing, "changed inputs", tried, left_out);
    return {};
}

} // namespace holdfast::study::probes
