// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/isolation.hpp"

#include "core/project/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

json report(const Isolation& isolation) {
    json canaries = json::array();
    for (const Canary& canary : isolation.canaries)
        canaries.push_back({{"name", canary.name}, {"held", canary.held}, {"detail", canary.detail}});
    return {{"level", isolation.level}, {"canaries", std::move(canaries)}};
}

std::string text(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

std::string isolation_report(const Isolation& isolation) {
    return text(report(isolation));
}

std::string with_isolation(const std::string& opening, const Isolation& isolation) {
    json all = opening.empty() ? json::object() : json::parse(opening);
    all[isolation_key] = report(isolation);
    return text(all);
}

std::optional<Isolation> isolation_of(const std::string& opening) {
    const json all = json::parse(opening, nullptr, false);
    if (!all.is_object() || !all.contains(isolation_key))
        return std::nullopt;
    try {
        Isolation isolation;
        const json& stored = all.at(isolation_key);
        isolation.level = stored.at("level").get<int>();
        for (const json& canary : stored.at("canaries"))
            isolation.canaries.push_back({canary.at("name").get<std::string>(), canary.at("held").get<bool>(),
                                          canary.at("detail").get<std::string>()});
        return isolation;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::vector<std::string> gaps_of(const Isolation& isolation) {
    std::vector<std::string> gaps;
    for (const Canary& canary : isolation.canaries)
        if (!canary.held)
            gaps.push_back(canary.name);
    return gaps;
}

std::string gaps_text(const Isolation& isolation) {
    return fmt::format("{}", fmt::join(gaps_of(isolation), "; "));
}

std::string isolation_text(int level, const std::string& opening) {
    const auto report = isolation_of(opening);
    if (!report || report->canaries.empty())
        return fmt::format("L{}", level);
    const std::string gaps = gaps_text(*report);
    return gaps.empty() ? fmt::format("L{}, {} escapes tried and stopped", level, report->canaries.size())
                        : fmt::format("L{}; a program inside {}", level, printable(gaps));
}

std::string isolation_flag(int level) {
    return level < level_for_candidates ? isolation_flag_start + std::to_string(level) : "";
}

Result<void> sufficient(const Isolation& isolation, int accepted) {
    if (isolation.level >= level_for_candidates || (!isolation.canaries.empty() && isolation.level >= accepted))
        return {};
    const std::string gaps = gaps_text(isolation);
    return refused("run candidates",
                   fmt::format("isolation is L{}: {}{}", isolation.level, isolation.missing,
                               gaps.empty() ? "" : fmt::format(". A program inside {}", gaps)),
                   isolation.remedy + (isolation.canaries.empty()
                                           ? ""
                                           : fmt::format("; or, when you trust the programs that far, accept these "
                                                         "gaps with: --accept-isolation L{}",
                                                         isolation.level)));
}

std::string code_refusal(const Isolation& isolation) {
    return isolation.level >= level_for_code
               ? ""
               : fmt::format("a change of code needs isolation of L{} at least, and this machine gives L{}: only knobs "
                             "of the program as it is can be tried",
                             level_for_code, isolation.level);
}

} // namespace holdfast::study
