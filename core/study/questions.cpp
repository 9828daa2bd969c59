// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/questions.hpp"

#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/measure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

/// The definitions of what a frozen project file holds out; null when it cannot be read.
json held_out(const std::string& frozen_json) {
    const json frozen = json::parse(frozen_json, nullptr, false);
    if (!frozen.is_object() || !frozen.contains("holdout") || !frozen.contains("project"))
        return nullptr;
    json inlined = json::array();
    const json& project = frozen.at("project");
    if (project.is_object() && project.contains("workloads") && project.at("workloads").is_array())
        for (const json& workload : project.at("workloads"))
            if (workload.is_object() && workload.contains("role") && workload.at("role") == "holdout")
                inlined.push_back(workload);
    return {frozen.at("holdout"), std::move(inlined)};
}

} // namespace

Result<int> questions_asked(const Store& store, const StudyRecord& study) {
    if (by_hand(study))
        return questions_by_hand(store, study.frozen_json, asked_digests(study).value_or(std::vector<std::string>()));
    auto questions = store.questions(study.id);
    if (!questions)
        return tl::unexpected(questions.error());
    return static_cast<int>(questions->size());
}

Result<int> questions_by_hand(const Store& store, const std::string& frozen_json,
                              const std::vector<std::string>& digests) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    const json same = held_out(frozen_json);
    int older = 0, most = 0;
    std::map<std::string, int> asked;
    for (const StudyRecord& study : *studies) {
        const auto its = asked_digests(study);
        if (!by_hand(study) || (!its && held_out(study.frozen_json) != same))
            continue;
        auto questions = store.questions(study.id);
        if (!questions)
            return tl::unexpected(questions.error());
        const int more = static_cast<int>(questions->size());
        older += its ? 0 : more;
        for (const std::string& digest : its.value_or(std::vector<std::string>()))
            asked[digest] += more;
    }
    for (const std::string& digest : digests)
        most = std::max(most, asked[digest]);
    return older + most;
}

std::string spent_text(const Project& project, const std::string& whose) {
    return fmt::format("all {} held-out questions {} are spent; bring new held-out workloads",
                       project.decision.holdout_questions, whose);
}

Result<std::optional<QuestionRecord>> ask_question(Store& store, const Project& project, const StudyRecord& study,
                                                   const std::string& trial, int rounds,
                                                   const std::vector<const Workload*>& workloads) {
    auto questions = store.questions(study.id);
    if (!questions)
        return tl::unexpected(questions.error());
    const auto mine = std::find_if(questions->begin(), questions->end(),
                                   [&](const QuestionRecord& question) { return question.trial == trial; });
    if (mine != questions->end())
        return std::optional<QuestionRecord>(*mine);
    auto asked = questions_asked(store, study);
    if (!asked)
        return tl::unexpected(asked.error());
    if (*asked >= project.decision.holdout_questions)
        return std::optional<QuestionRecord>();
    auto seeds = draw_seeds(workloads);
    if (!seeds)
        return tl::unexpected(seeds.error());
    QuestionRecord question;
    question.study = study.id;
    question.trial = trial;
    question.rounds = rounds;
    question.asked = utc_now();
    question.seeds_json = seeds_to_json(*seeds);
    if (auto logged = store.ask_question(question); !logged)
        return tl::unexpected(logged.error());
    return std::optional<QuestionRecord>(std::move(question));
}

QuestionSeeds::~QuestionSeeds() {
    // What cannot be removed is removed when the workspace is opened again, or by `gc`.
    for (const Workload* workload : workloads_)
        if (const auto own = seeds_.find(workload->name); own != seeds_.end())
            (void)sampler_->forget_seeds(*workload, own->second);
}

const std::vector<std::int64_t>& QuestionSeeds::of(const Workload& workload) const {
    const auto own = seeds_.find(workload.name);
    return own == seeds_.end() ? workload.seeds : own->second;
}

Result<void> QuestionSeeds::pin(const QuestionRecord& question) {
    auto seeds = seeds_from_json(question.seeds_json);
    if (!seeds)
        return tl::unexpected(seeds.error());
    seeds_ = std::move(*seeds);
    for (const Workload* workload : workloads_) {
        const auto own = seeds_.find(workload->name);
        if (own == seeds_.end())
            continue;
        auto taken = sampler_->pin_seeds(*workload, own->second);
        if (!taken)
            return tl::unexpected(taken.error());
        if (*taken)
            return failed(fmt::format("run the baseline on the fresh seeds of workload {}", printable(workload->name)),
                          printable((*taken)->reason) +
                              ((*taken)->log.empty() ? "" : "\n" + printable((*taken)->log, false)),
                          "Make generate, the baseline and the check pass for every seed, then start a new study");
    }
    return {};
}

} // namespace holdfast::study
