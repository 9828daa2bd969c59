// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/questions.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::app::init {

namespace {

using About = Question::About;

/// The command as a person writes it: inputs by their paths, a program by its name where that says it all.
std::string command_of(const Proposal& proposal, const Workload& workload) {
    Argv argv = workload.run;
    for (std::string& word : argv)
        for (const std::string& input : workload.inputs)
            if (const auto at = word.find("{inputs}/" + std::filesystem::path(input).filename().string());
                at != std::string::npos)
                word = word.substr(0, at) + input;
    for (const Runnable& program : proposal.programs)
        if (argv.size() >= program.argv.size() && std::equal(program.argv.begin(), program.argv.end(), argv.begin())) {
            argv.erase(argv.begin(), argv.begin() + static_cast<std::ptrdiff_t>(program.argv.size()));
            argv.insert(argv.begin(), program.name);
            break;
        }
    return printable(join_words(argv));
}

std::string output_of(const Workload& workload) {
    return workload.check.files.empty() ? "stdout" : workload.check.files.front().file;
}

std::string names_of(const std::vector<Knob>& knobs) {
    std::string text;
    for (const Knob& knob : knobs)
        text += (text.empty() ? "" : ", ") + knob.name;
    return text.empty() ? "none" : text;
}

Error not_understood(const std::string& question, const std::string& text, const std::string& remedy) {
    return {Error::Kind::invalid, "take '" + printable(text) + "' as " + question, "it is not one", remedy};
}

Result<void> answer_run(const Seen& seen, const std::string& text, Proposal& proposal) {
    const auto words = split_words(text);
    auto run = words ? run_of_words(seen, proposal.programs, *words) : std::nullopt;
    if (!run)
        return tl::unexpected(not_understood(
            "a command", text,
            words ? "Begin with a program that is built here, or an interpreter and a script of this folder"
                  : "Write one command without pipes, redirections and variables; put those into a script"));
    propose_workloads(seen, {*run}, "You named this.", proposal);
    proposal.draft.objective = "wall";
    proposal.draft.metrics.clear();
    return {};
}

Result<void> answer_output(const std::string& text, Proposal& proposal) {
    Check check;
    if (text == "stdout")
        check.standard_output = Compared{};
    else if (text.find_first_of(" {}") == std::string::npos && !text.starts_with('/') &&
             text.find("..") == std::string::npos)
        check.files = {{text, std::nullopt}};
    else
        return tl::unexpected(
            not_understood("an output", text, "Answer stdout, or the name of one file that the program writes"));
    for (Workload& workload : proposal.draft.workloads) {
        workload.check = check;
        for (std::string& word : workload.run)
            if (word == text)
                word = "{out}/" + text;
    }
    return {};
}

Result<void> answer_holdout(const Seen& seen, const std::string& text, Proposal& proposal) {
    const Workload* model = proposal.first(Role::tuning);
    auto& workloads = proposal.draft.workloads;
    const auto drop = [&] {
        std::erase_if(workloads, [](const Workload& workload) { return workload.role == Role::holdout; });
        proposal.files.clear();
    };
    if (text == "none") {
        drop();
        proposal.holdout_why = "Nothing is held out: verdicts will read \"not held out\" until you write workloads to "
                               ".holdfast/holdout.json.";
        return {};
    }
    if (seen.file(text) == nullptr || model == nullptr || model->inputs.empty())
        return tl::unexpected(not_understood("a held-out input", text, "Name a file of this folder, or answer none"));
    Workload held = *model;
    const std::string before = "{inputs}/" + name_of(held.inputs.back());
    for (std::string& word : held.run)
        if (const auto at = word.find(before); at != std::string::npos)
            word.replace(at, before.size(), "{inputs}/" + name_of(text));
    held.inputs.back() = text;
    held.role = Role::holdout;
    held.name = plain_name(stem_of(text));
    drop();
    std::erase_if(workloads, [&](const Workload& workload) {
        return std::find(workload.inputs.begin(), workload.inputs.end(), text) != workload.inputs.end();
    });
    if (workloads.empty())
        return tl::unexpected(not_understood("a held-out input", text, "Name a file that no tuning workload needs"));
    for (int i = 2; std::any_of(workloads.begin(), workloads.end(),
                                [&](const Workload& workload) { return workload.name == held.name; });
         ++i)
        held.name = fmt::format("{}-held-out-{}", plain_name(stem_of(text)), i);
    workloads.push_back(std::move(held));
    proposal.holdout_why = seen.file(text)->committed ? readable_why(text) : outside_why(text);
    return {};
}

Result<void> answer_knobs(const std::string& text, Proposal& proposal) {
    auto& knobs = proposal.draft.knobs;
    if (text == "all")
        return {};
    std::vector<Knob> kept;
    std::string name;
    for (const char c : (text == "none" ? "" : text) + ",") {
        if (c != ',' && c != ' ') {
            name += c;
            continue;
        }
        const auto known =
            std::find_if(knobs.begin(), knobs.end(), [&](const Knob& knob) { return knob.name == name; });
        if (!name.empty() && known == knobs.end())
            return tl::unexpected(
                not_understood("knobs", name, fmt::format("Choose among {}, or answer none", names_of(knobs))));
        if (!name.empty())
            kept.push_back(*known);
        name.clear();
    }
    knobs = std::move(kept);
    return {};
}

Result<void> answer_test(const Seen& seen, const std::string& text, Proposal& proposal) {
    if (text == "none") {
        proposal.draft.code.test.clear();
        proposal.why.erase("test");
        return {};
    }
    auto words = split_words(text);
    if (!words || words->empty())
        return tl::unexpected(not_understood("a test command", text, "Write one command, or answer none"));
    const auto run = run_of_words(seen, proposal.programs, *words);
    if (run && run->inputs.empty())
        words = run->argv;
    proposal.draft.code.test = {*words};
    auto& kept = proposal.draft.code.protected_paths;
    for (const std::string& path : judges_named(seen, proposal.programs, *words))
        if (std::find(kept.begin(), kept.end(), path) == kept.end())
            kept.push_back(path);
    proposal.why["test"] = "you named this command.";
    return {};
}

} // namespace

std::optional<Question> next_question(const Proposal& proposal, const std::vector<About>& asked) {
    const auto open = [&](About about) { return std::find(asked.begin(), asked.end(), about) == asked.end(); };
    const Workload* tuning = proposal.first(Role::tuning);
    const Workload* held = proposal.first(Role::holdout);
    if (open(About::run))
        return Question{About::run, "What is to be measured: a command with its input?",
                        tuning == nullptr ? "" : command_of(proposal, *tuning)};
    if (tuning == nullptr)
        return std::nullopt;
    if (open(About::output) && tuning->check.command.empty())
        return Question{About::output, "What does it answer with: stdout, or a file that it writes?",
                        output_of(*tuning)};
    if (open(About::holdout) && !tuning->inputs.empty())
        return Question{About::holdout, "Which input is held out, best one that no commit has?",
                        held == nullptr || held->inputs.empty() ? "none" : printable(held->inputs.back())};
    if (open(About::knobs) && !proposal.draft.knobs.empty())
        return Question{About::knobs, "Which knobs may a study turn?", names_of(proposal.draft.knobs)};
    if (open(About::test))
        return Question{About::test, "Which command tests it?",
                        proposal.draft.code.test.empty() ? "none"
                                                         : printable(join_words(proposal.draft.code.test.front()))};
    return std::nullopt;
}

Result<void> answer(const Seen& seen, About about, const std::string& text, Proposal& proposal) {
    if (text.empty())
        return {};
    switch (about) {
    case About::run:
        return answer_run(seen, text, proposal);
    case About::output:
        return answer_output(text, proposal);
    case About::holdout:
        return answer_holdout(seen, text, proposal);
    case About::knobs:
        return answer_knobs(text, proposal);
    case About::test:
        return answer_test(seen, text, proposal);
    }
    return {};
}

} // namespace holdfast::app::init
