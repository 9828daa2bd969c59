// SPDX-License-Identifier: GPL-3.0-or-later
// Which runs are tuned on and which are held out.
#include "app/common/init/inputs.hpp"
#include "app/common/init/proposal.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace holdfast::app::init {

namespace {

constexpr std::size_t most_tuning = 3;
constexpr std::size_t largest_variant = 16U << 20; ///< bytes of a text that a variant is made of

/// The run with its input `from` replaced by `to`.
Run with_input(Run run, const std::string& from, const std::string& to) {
    for (std::string& word : run.argv)
        if (const auto at = word.find("{inputs}/" + name_of(from)); at != std::string::npos)
            word.replace(at, name_of(from).size() + 9, "{inputs}/" + name_of(to));
    std::replace(run.inputs.begin(), run.inputs.end(), from, to);
    return run;
}

/// A file named behind an output option is written to {out}, where it is compared.
void redirect_output(const Seen& seen, Workload& workload) {
    const auto place = [&](const std::string& path) {
        const std::string name = name_of(path);
        workload.check.standard_output.reset();
        workload.check.files = {{name, std::nullopt}};
        return "{out}/" + name;
    };
    const auto is_output = [&](const std::string& path) {
        return !path.empty() && path.find('{') == std::string::npos && !path.starts_with('-') &&
               seen.file(path) == nullptr && !name_of(path).empty();
    };
    for (std::size_t i = 0; i < workload.run.size(); ++i)
        for (const std::string option : {"-o", "--output", "--out", "--out-file"}) {
            std::string& word = workload.run[i];
            if (word == option && i + 1 < workload.run.size() && is_output(workload.run[i + 1]))
                workload.run[i + 1] = place(workload.run[i + 1]);
            else if (word.starts_with(option + "=") && is_output(word.substr(option.size() + 1)))
                word = option + "=" + place(word.substr(option.size() + 1));
        }
}

class Choice {
public:
    Choice(const Seen& seen, Proposal& proposal) : seen_(seen), proposal_(proposal) {}

    void add(const Run& run, Role role, const std::string& why) {
        Workload workload;
        workload.role = role;
        workload.inputs = run.inputs;
        workload.run = run.argv;
        workload.check.standard_output = Compared{};
        redirect_output(seen_, workload);
        workload.name = name_for(run);
        proposal_.why["workload " + workload.name] = why;
        proposal_.draft.workloads.push_back(std::move(workload));
    }

    /// Tuning and held-out runs that differ in the input `input` of `run`.
    void from_family(const Run& run, const std::string& input, const std::string& why) {
        std::vector<std::string> family;
        for (const std::string& file : family_of(seen_, input))
            if (std::none_of(run.inputs.begin(), run.inputs.end(),
                             [&](const std::string& used) { return used != input && name_of(used) == name_of(file); }))
                family.push_back(file);
        // The largest measures best, so another one is held out where there is one.
        if (family.size() > 1)
            std::rotate(family.begin(), family.begin() + 1, family.end());
        const auto held = std::find_if(family.begin(), family.end(),
                                       [&](const std::string& file) { return !needed_by_tests(seen_, file); });
        const bool others = family.size() > 1 && held != family.end();
        for (const std::string& file : family)
            if ((!others || file != *held) && count(Role::tuning) < most_tuning)
                add(with_input(run, input, file), Role::tuning, why);
        if (others) {
            add(with_input(run, input, *held), Role::holdout, "");
            proposal_.holdout_why = fmt::format(
                "{} is held out: it is of the same kind as the tuning inputs, and no tuner sees its results.", *held);
        } else {
            variant(run, input);
        }
    }

    void variant(const Run& run, const std::string& input) {
        const SeenFile* file = seen_.file(input);
        auto text = file != nullptr && file->size <= largest_variant
                        ? variant_of(seen_.text(input, largest_variant), extension_of(input))
                        : std::nullopt;
        if (!text) {
            proposal_.holdout_why = fmt::format("There is no second input like {}, and none could honestly be made of "
                                                "it: verdicts will read \"not held "
                                                "out\" until you write one to .holdfast/holdout.json.",
                                                input);
            return;
        }
        const std::string path = fmt::format(".holdfast/inputs/{}-shuffled{}", stem_of(input), extension_of(input));
        proposal_.files.push_back({path, std::move(*text)});
        add(with_input(run, input, path), Role::holdout, "");
        proposal_.holdout_why = fmt::format("No other input is free to be held out, so a variant is: the lines of {} "
                                            "shuffled, every fifth left out. Real "
                                            "data that no tuner has seen would be better.",
                                            input);
    }

    std::size_t count(Role role) const { return proposal_.draft.with_role(role).size(); }

private:
    std::string name_for(const Run& run) const {
        std::string name = run.inputs.empty() ? (run.program.empty() ? name_of(run.argv.back()) : run.program)
                                              : stem_of(run.inputs.back());
        name = plain_name(name);
        const auto taken = [&](const std::string& wanted) {
            return std::any_of(proposal_.draft.workloads.begin(), proposal_.draft.workloads.end(),
                               [&](const Workload& workload) { return workload.name == wanted; });
        };
        std::string unique = name;
        for (int i = 2; taken(unique); ++i)
            unique = fmt::format("{}-{}", name, i);
        return unique;
    }

    const Seen& seen_;
    Proposal& proposal_;
};

} // namespace

void propose_workloads(const Seen& seen, const std::vector<Run>& runs, const std::string& why, Proposal& proposal) {
    proposal.draft.workloads.clear();
    proposal.files.clear();
    proposal.holdout_why.clear();
    std::erase_if(proposal.why, [](const auto& item) { return item.first.starts_with("workload "); });
    Choice choice(seen, proposal);
    if (runs.size() == 1 && !runs[0].inputs.empty()) {
        // The last input is what differs from run to run: those before it are more often tables and settings.
        choice.from_family(runs[0], runs[0].inputs.back(), why);
        return;
    }
    const std::size_t held = runs.size() > 1 ? std::min(runs.size(), most_tuning + 1) - 1 : runs.size();
    for (std::size_t i = 0; i < std::min(runs.size(), most_tuning + 1); ++i)
        choice.add(runs[i], i == held ? Role::holdout : Role::tuning, i == held ? "" : why);
    proposal.holdout_why = runs.size() > 1
                               ? fmt::format("The last of {} runs is held out: no tuner sees its results.", runs.size())
                               : "There is only one way to run the program here: verdicts will read \"not held out\" "
                                 "until you write another "
                                 "to .holdfast/holdout.json.";
}

std::string plain_name(const std::string& text) {
    std::string name;
    for (const char c : text.substr(0, 60)) {
        const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
        name += kept ? c : '-';
    }
    return name.empty() ? "run" : name;
}

const Workload* Proposal::first(Role role) const {
    for (const Workload& workload : draft.workloads)
        if (workload.role == role)
            return &workload;
    return nullptr;
}

} // namespace holdfast::app::init
