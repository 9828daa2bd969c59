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
        const Held held = hold_out(run, input, family);
        for (const std::string& file : family)
            if (file != held.input && count(Role::tuning) < most_tuning)
                add(with_input(run, input, file), Role::tuning, why);
        if (!held.input.empty())
            add(with_input(run, input, held.input), Role::holdout, "");
        proposal_.holdout_why = held.why;
    }

    /// `run` held out itself, or a variant of it where its last input can be learned by heart from the commit.
    void last_of(const Run& run, std::size_t runs) {
        const std::string input = run.inputs.empty() ? "" : run.inputs.back();
        const std::vector<std::string> told = committed(run.inputs);
        const bool alone = told == std::vector<std::string>{input};
        const auto made = alone ? variant(input) : std::nullopt;
        add(made ? with_input(run, input, *made) : run, Role::holdout, "");
        proposal_.holdout_why =
            made ? variant_why(input)
            : told.empty()
                ? fmt::format("The last of {} runs is held out: it is written outside the commit, where whoever "
                              "writes patches does not read it.",
                              runs)
                : readable_why(told.front());
    }

    std::size_t count(Role role) const { return proposal_.draft.with_role(role).size(); }

private:
    struct Held {
        std::string input; ///< "" when there is none
        std::string why;
    };

    /// Which of `family` or what made of it is held out, best what no commit tells.
    Held hold_out(const Run& run, const std::string& input, const std::vector<std::string>& family) {
        const auto free = [&](bool in_commit) {
            const auto at = std::find_if(family.begin(), family.end(), [&](const std::string& file) {
                return seen_.file(file) != nullptr && seen_.file(file)->committed == in_commit &&
                       !needed_by_tests(seen_, file);
            });
            return family.size() > 1 && at != family.end() ? *at : "";
        };
        const std::string outside = free(false);
        // Before the first commit every file is outside, and most are about to come in.
        if (!outside.empty() && seen_.has_commit)
            return {outside, outside_why(outside)};
        std::vector<std::string> models{input};
        models.insert(models.end(), family.begin(), family.end());
        for (const std::string& model : models)
            if (const auto made = variant(model))
                return {*made, variant_why(model)};
        if (!outside.empty())
            return {outside, outside_why(outside)};
        if (const std::string told = free(true); !told.empty())
            return {told, readable_why(told)};
        return {"", fmt::format("There is no second input like {} that is free, and none could honestly be made of it: "
                                "verdicts will read \"not held out\" until you write one to .holdfast/holdout.json.",
                                run.inputs.empty() ? input : run.inputs.back())};
    }

    std::vector<std::string> committed(const std::vector<std::string>& files) const {
        std::vector<std::string> found;
        for (const std::string& path : files)
            if (const SeenFile* file = seen_.file(path); file != nullptr && file->committed)
                found.push_back(path);
        return found;
    }

    /// The path of a variant of the text `input`, which becomes one of the proposal's files.
    std::optional<std::string> variant(const std::string& input) {
        const SeenFile* file = seen_.file(input);
        auto text = file != nullptr && file->size <= largest_variant
                        ? variant_of(seen_.text(input, largest_variant), extension_of(input))
                        : std::nullopt;
        if (!text)
            return std::nullopt;
        const std::string path = fmt::format(".holdfast/inputs/{}-shuffled{}", stem_of(input), extension_of(input));
        proposal_.files.push_back({path, std::move(*text)});
        return path;
    }

    static std::string variant_why(const std::string& input) {
        return fmt::format(
            "Held out is a variant that is not in the commit: the lines of {} shuffled, every fifth left "
            "out. Real data that is in no commit would be better.",
            input);
    }

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
    const std::size_t tuning = std::max<std::size_t>(1, std::min(runs.size() - 1, most_tuning));
    for (std::size_t i = 0; i < tuning; ++i)
        choice.add(runs[i], Role::tuning, why);
    if (runs.size() > 1)
        choice.last_of(runs[tuning], tuning + 1);
    else
        proposal.holdout_why = "There is only one way to run the program here: verdicts will read \"not held out\" "
                               "until you write another to .holdfast/holdout.json.";
}

std::string outside_why(const std::string& path) {
    return path +
           " is held out: it is of the same kind as the tuning inputs and not in the commit. Leave it outside, so "
           "that nobody who writes patches can learn it by heart.";
}

std::string readable_why(const std::string& path) {
    return path + " is held out, but it is in the commit, so whoever writes patches can read it: trials will carry the "
                  "flag readable held-out.";
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
