// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/null_programs.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/judge.hpp"
#include "core/study/number_text.hpp"
#include "core/study/quality.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t largest_output = 1ULL << 30;
constexpr std::size_t copied_inputs = 8; ///< of each workload and seed

enum class Trick { nothing, empty, zeros, input, last };

struct Words {
    const char* does;   ///< "a program that ..."
    const char* remedy; ///< what to change
};

Words words_of(Trick trick) {
    switch (trick) {
    case Trick::nothing:
        return {"does nothing at all", "Let the check compare an output that the program has to write"};
    case Trick::empty:
        return {"writes empty files", "Let the check look at what is in the output, not only at whether it is there"};
    case Trick::zeros:
        return {"writes 0 for every number",
                "Choose inputs whose answer is not zero, or add a \"command\" that knows a right answer"};
    case Trick::input:
        return {"copies its input", "Check an output that differs from the input as well, such as the compressed file"};
    case Trick::last:
        break;
    }
    return {"gives the answer of the run before, whatever it is asked",
            "Choose seeds or inputs with different answers, or let \"run\" use {seed}"};
}

/// What a program would have left behind.
struct Outputs {
    std::vector<std::pair<std::string, std::string>> files; ///< path below {out}, bytes
    std::string standard_output;

    bool operator==(const Outputs&) const = default;
};

bool is_text(std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos;
}

class Trial {
public:
    Trial(const Project& project, const Workspace& workspace, Sampler& sampler, const Workload& workload,
          const Workload* before)
        : project_(&project), workspace_(&workspace), sampler_(&sampler), workload_(&workload), before_(before) {}

    /// The first trick that passes with every seed, and the variant through whose `restore` it does.
    struct Passing {
        Trick trick;
        const Variant* variant = nullptr;
    };
    Result<std::optional<Passing>> passing() {
        for (const Trick trick : {Trick::nothing, Trick::empty, Trick::zeros}) {
            auto passed = passes(trick, 0, nullptr);
            if (!passed || *passed)
                return passed ? Result<std::optional<Passing>>(Passing{trick}) : tl::unexpected(passed.error());
        }
        for (std::size_t input = 0; input < copied_inputs; ++input) {
            auto passed = passes(Trick::input, input, nullptr);
            if (!passed || *passed)
                return passed ? Result<std::optional<Passing>>(Passing{Trick::input}) : tl::unexpected(passed.error());
        }
        for (const Variant& variant : workload_->variants) {
            if (variant.restore.empty())
                continue; // the check itself looks at its answers
            for (const Trick trick : {Trick::nothing, Trick::empty, Trick::zeros, Trick::last}) {
                auto passed = passes(trick, 0, &variant);
                if (!passed || *passed)
                    return passed ? Result<std::optional<Passing>>(Passing{trick, &variant})
                                  : tl::unexpected(passed.error());
            }
        }
        return std::optional<Passing>();
    }

    /// What the check says of old answers.
    enum class Repeated {
        unasked, ///< there are none, or the check cannot tell
        caught,
        right,   ///< they are rightly the same
        accepted ///< though they are others
    };
    struct Repeat {
        Repeated says = Repeated::unasked;
        const Workload* whose = nullptr; ///< of which the old answer is
    };

    /// To the seed before, then to the workload before.
    Result<Repeat> repeated() {
        Repeat repeat;
        for (const Workload* whose : {workload_->seeds.size() > 1 ? workload_ : nullptr, before_}) {
            if (whose == nullptr || told_only())
                continue;
            bool other = false;
            auto passed = passes(
                [&](std::size_t index) -> Made {
                    auto outputs = whose == workload_ ? before(index) : kept(*whose, whose->seeds.back());
                    auto own = kept(*workload_, workload_->seeds[index]);
                    if (!outputs || !own)
                        return tl::unexpected(outputs ? own.error() : outputs.error());
                    other = other || *outputs != *own;
                    return Made(std::move(*outputs));
                },
                nullptr);
            if (!passed)
                return tl::unexpected(passed.error());
            if (!*passed)
                return Repeat{Repeated::caught, whose};
            // What is compared with the baseline's answer is the same answer; a judge may have looked at nothing.
            const bool judged = !workload_->check.command.empty() || workload_->check.quality;
            if (other && judged)
                return Repeat{Repeated::accepted, whose};
            repeat = {Repeated::right, whose};
        }
        return repeat;
    }

private:
    using Made = Result<std::optional<Outputs>>; ///< nothing: the trick cannot be played here

    Result<bool> passes(Trick trick, std::size_t input, const Variant* variant) {
        return passes([&](std::size_t index) { return make(trick, index, input, variant); }, variant);
    }

    template <class Make> Result<bool> passes(const Make& outputs_of, const Variant* variant) {
        const auto& quality = workload_->check.quality;
        decision::QualitySeen seen;
        for (std::size_t i = 0; i < workload_->seeds.size(); ++i) {
            auto outputs = outputs_of(i);
            if (!outputs)
                return tl::unexpected(outputs.error());
            if (!*outputs)
                return false;
            auto taken = judged(**outputs, workload_->seeds[i], variant);
            if (!taken)
                return tl::unexpected(taken.error());
            if (taken->outcome != Taken::Outcome::ok)
                return false;
            if (quality) {
                const std::string key = quality_key(*quality);
                if (!taken->metrics.contains(key))
                    return false; // of a variant's answer the program's own number is not read
                const Taken* pinned = sampler_->pinned(*workload_, workload_->seeds[i]);
                seen.seeds.push_back({workload_->seeds[i], pinned->metrics.at(key), taken->metrics.at(key)});
            }
        }
        if (!quality)
            return true;
        seen.demand = {quality->better, quality->margin, quality->relative};
        decision::judge_quality(seen);
        return seen.kept;
    }

    Made make(Trick trick, std::size_t index, std::size_t input, const Variant* variant) const {
        const std::int64_t seed = workload_->seeds[index];
        switch (trick) {
        case Trick::nothing:
            return Made(Outputs());
        case Trick::empty:
            return as_baseline(seed, variant, [](const std::string&) { return std::optional<std::string>(""); });
        case Trick::zeros:
            return as_baseline(seed, variant, [](const std::string& bytes) { return zeros_like(bytes); });
        case Trick::input:
            return copy(seed, input);
        case Trick::last:
            break;
        }
        return other_answer(index);
    }

    /// The baseline's outputs for a seed of a workload.
    Result<Outputs> kept(const Workload& workload, std::int64_t seed) const {
        const fs::path expected = workspace_->expected(workload, seed);
        Outputs outputs;
        auto hashes = hash_folder(expected);
        if (!hashes)
            return tl::unexpected(hashes.error());
        for (const auto& [name, hash] : *hashes) {
            auto bytes = read_output(expected, name, largest_output);
            if (bytes && *bytes) // neither links nor special files: a check never reads those
                outputs.files.emplace_back(name, std::move(**bytes));
        }
        auto printed = expected_standard_output(expected);
        if (!printed)
            return tl::unexpected(printed.error());
        outputs.standard_output = std::move(*printed);
        return outputs;
    }

    /// Whether the check looks at an output; "": standard output. Its commands may look at any.
    bool looks_at(const std::string& file) const {
        const Check& check = workload_->check;
        if (!check.command.empty() || check.quality)
            return true;
        return file.empty() ? check.standard_output.has_value()
                            : std::any_of(check.files.begin(), check.files.end(),
                                          [&](const Compared& compared) { return compared.file == file; });
    }

    /// The baseline's outputs, each changed; those that `change` gives nothing for stay. Nothing when none that the
    /// check looks at is changed.
    template <class Change> Made as_baseline(std::int64_t seed, const Variant* variant, const Change& change) const {
        auto outputs = kept(*workload_, seed);
        if (!outputs)
            return tl::unexpected(outputs.error());
        bool any = false;
        const auto apply = [&](const std::string& file, std::string& bytes) {
            if (auto changed = change(bytes)) {
                bytes = std::move(*changed);
                any = any || variant != nullptr || looks_at(file); // a `restore` may look at any
            }
        };
        for (auto& [name, bytes] : outputs->files)
            apply(name, bytes);
        apply("", outputs->standard_output);
        return any ? Made(std::move(*outputs)) : Made(std::nullopt);
    }

    Made copy(std::int64_t seed, std::size_t index) const {
        const std::vector<fs::path> folders = sampler_->input_folders(*workload_, seed);
        std::vector<std::pair<fs::path, std::string>> inputs;
        for (const fs::path& folder : folders) {
            auto hashes = hash_folder(folder);
            if (!hashes)
                return tl::unexpected(hashes.error());
            for (const auto& [name, hash] : *hashes)
                inputs.emplace_back(folder, name);
        }
        if (index >= inputs.size())
            return Made(std::nullopt);
        auto bytes = read_output(inputs[index].first, inputs[index].second, largest_output);
        if (!bytes || !*bytes || (*bytes)->empty())
            return Made(std::nullopt);
        return as_baseline(seed, nullptr, [&](const std::string&) { return std::optional(**bytes); });
    }

    /// Whether the program's own number is the whole check: it does not say which answer it belongs to.
    bool told_only() const {
        const Check& check = workload_->check;
        return check.quality && !check.quality->metric.empty() && !check.standard_output && check.files.empty() &&
               check.command.empty();
    }

    Result<Outputs> before(std::size_t index) const {
        const std::size_t seeds = workload_->seeds.size();
        return kept(*workload_, workload_->seeds[(index + seeds - 1) % seeds]);
    }

    /// What the seed before, else the workload before, is answered with, where that is another answer.
    Made other_answer(std::size_t index) const {
        const bool seeds = workload_->seeds.size() > 1;
        if (told_only() || (!seeds && before_ == nullptr))
            return Made(std::nullopt);
        auto outputs = seeds ? before(index) : kept(*before_, before_->seeds.back());
        auto own = kept(*workload_, workload_->seeds[index]);
        if (!outputs || !own)
            return tl::unexpected(outputs ? own.error() : outputs.error());
        return *outputs == *own ? Made(std::nullopt) : Made(std::move(*outputs));
    }

    Result<Taken> judged(const Outputs& outputs, std::int64_t seed, const Variant* variant) const {
        auto folder = workspace_->scratch();
        if (!folder)
            return tl::unexpected(folder.error());
        Result<void> done;
        for (const auto& [name, bytes] : outputs.files) {
            if (done)
                done = make_folder((*folder / name).parent_path(), fs::perms::owner_all);
            if (done)
                done = write_file(*folder / name, bytes);
        }
        Result<Taken> taken = tl::unexpected(Error());
        if (!done)
            taken = tl::unexpected(done.error());
        else if (variant != nullptr)
            taken = sampler_->judge_restored(*workload_, seed, *variant, *folder, outputs.standard_output);
        else
            taken = sampler_->judge_outputs(*workload_, seed, *folder, outputs.standard_output);
        if (auto removed = remove_tree(*folder); !removed && taken)
            return tl::unexpected(removed.error());
        return taken;
    }

    const Project* project_;
    const Workspace* workspace_;
    Sampler* sampler_;
    const Workload* workload_;
    const Workload* before_; ///< null: there is no other
};

/// All that the answer depends on.
std::string key_of(const Project& project, const Workspace& workspace, const Arm& baseline,
                   const std::vector<const Workload*>& workloads) {
    std::string text = "null programs 2\n" + project.canonical + baseline.hash + baseline.artifact.tree;
    for (const Workload* workload : workloads)
        text += '\n' + workload->name;
    return sha256(text + combined_hash(workspace.input_hashes()));
}

Error too_weak(const Workload& workload, Trick trick, const Variant* variant) {
    const Words words = words_of(trick);
    if (variant != nullptr)
        return invalid("rely on the checks",
                       fmt::format("variant {} of workload {} agrees with a program that {}", printable(variant->name),
                                   printable(workload.name), words.does),
                       "Let \"restore\" make the original's answer from {out} or {stdout}, and fail where it cannot")
            .value();
    return invalid("rely on the checks",
                   fmt::format("the check of workload {} passes for a program that {}", printable(workload.name),
                               words.does),
                   words.remedy)
        .value();
}

/// `workload` passes with an answer of `whose`; `also` and `copies` go on with the sentence.
Error repeats(const Workload& workload, const Workload& whose, const std::string& also, const std::string& copies) {
    const Words words = words_of(Trick::last);
    const std::string answer =
        &whose == &workload ? "that to another seed" : "that of workload " + printable(whose.name);
    return invalid("rely on the checks",
                   fmt::format("the check of workload {} passes for a program that {}: {}{}{}",
                               printable(workload.name), words.does, answer, also, copies.empty() ? "" : "; " + copies),
                   words.remedy)
        .value();
}

} // namespace

std::optional<std::string> zeros_like(std::string_view output) {
    if (!is_text(output))
        return std::string(output.size(), '\0');
    std::string zeros;
    bool any = false;
    for (std::size_t i = 0; i < output.size();) {
        const auto number = number_at(output, i);
        zeros += number ? '0' : output[i];
        i += number ? number->size : 1;
        any = any || number;
    }
    return any ? std::optional(zeros) : std::nullopt;
}

Result<void> refuse_null_programs(const Project& project, const Workspace& workspace, Sampler& sampler,
                                  const Watch& watch, const Arm& baseline,
                                  const std::vector<const Workload*>& workloads,
                                  const std::function<std::string()>& copies) {
    const fs::path asked = workspace.checked() / key_of(project, workspace, baseline, workloads);
    if (fs::exists(asked))
        return {};
    const Workload* repeating = nullptr; // the first whose old answers are rightly the same
    const Workload* whose = nullptr;
    bool caught = false;
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        watch.progress({"checks", 0, i, workloads.size(), {}});
        const Workload* before =
            workloads.size() > 1 ? workloads[(i + workloads.size() - 1) % workloads.size()] : nullptr;
        Trial trial(project, workspace, sampler, *workloads[i], before);
        auto passing = trial.passing();
        if (!passing)
            return tl::unexpected(passing.error());
        if (*passing)
            return tl::unexpected(too_weak(*workloads[i], (*passing)->trick, (*passing)->variant));
        auto repeat = trial.repeated();
        if (!repeat)
            return tl::unexpected(repeat.error());
        if (repeat->says == Trial::Repeated::accepted)
            return tl::unexpected(repeats(*workloads[i], *repeat->whose, "", ""));
        caught = caught || repeat->says == Trial::Repeated::caught;
        if (repeat->says == Trial::Repeated::right && repeating == nullptr) {
            repeating = workloads[i];
            whose = repeat->whose;
        }
    }
    // One answer for all is caught by any that has another; what is not asked here may have.
    if (repeating != nullptr && !caught && workloads.size() == project.workloads.size())
        return tl::unexpected(repeats(*repeating, *whose, ", and no workload or seed has another answer", copies()));
    auto done = make_folder(workspace.checked(), fs::perms::owner_all);
    return done ? write_file(asked, "") : done;
}

} // namespace holdfast::study
