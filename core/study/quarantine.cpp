// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quarantine.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

constexpr double tick = 0.01; ///< USER_HZ is 100 on every Linux
constexpr double usual_share = 0.95, margin = 2;
constexpr DisturbanceRates hardly_felt{0.02, 64, 0};

double since(std::uint64_t before, std::uint64_t after) {
    return after > before ? static_cast<double>(after - before) : 0; // some kernels let steal go back a little
}

/// The smallest value that `usual_share` of them do not exceed.
double usual(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto place = static_cast<std::size_t>(std::ceil(usual_share * static_cast<double>(values.size())));
    return values.empty() ? 0 : values[std::max<std::size_t>(place, 1) - 1];
}

double limit_of(const std::vector<DisturbanceRates>& seen, double DisturbanceRates::*rate) {
    std::vector<double> values;
    for (const DisturbanceRates& rates : seen)
        values.push_back(rates.*rate);
    return std::max(margin * usual(std::move(values)), hardly_felt.*rate);
}

/// The chance of a split at least as uneven when either side is as likely.
double chance_of_split(std::size_t one, std::size_t other) {
    const auto all = static_cast<double>(one + other), fewer = static_cast<double>(std::min(one, other));
    if (all == 0)
        return 1;
    return std::min(1.0, 2 * boost::math::cdf(boost::math::binomial_distribution<double>(all, 0.5), fewer));
}

} // namespace

DisturbanceRates rates_of(const SampleRecord& sample) {
    const double seconds = std::chrono::duration<double>(sample.usage.wall).count();
    if (!(seconds > 0))
        return {};
    const MachineReading &before = sample.before, &after = sample.after;
    return {since(before.steal_ticks, after.steal_ticks) * tick / seconds,
            (since(before.swap_in_pages, after.swap_in_pages) + since(before.swap_out_pages, after.swap_out_pages)) /
                seconds,
            static_cast<double>(sample.usage.throttled) / seconds};
}

QuarantineRule quarantine_rule(const std::vector<SampleRecord>& opening) {
    std::map<std::string, std::vector<DisturbanceRates>> seen;
    for (const SampleRecord& sample : opening)
        if (sample.round > 0 && sample.ending == "ok")
            seen[sample.workload].push_back(rates_of(sample));
    QuarantineRule rule;
    for (const auto& [workload, rates] : seen)
        rule.workloads[workload] = {limit_of(rates, &DisturbanceRates::steal), limit_of(rates, &DisturbanceRates::swap),
                                    limit_of(rates, &DisturbanceRates::throttled)};
    return rule;
}

json limits_json(const DisturbanceRates& limits) {
    return {{"steal-rate", limits.steal}, {"swap-rate", limits.swap}, {"throttle-rate", limits.throttled}};
}

QuarantineRule quarantine_rule(const std::string& opening_json) {
    QuarantineRule rule;
    const json opening = opening_json.empty() ? json::object() : json::parse(opening_json);
    for (const auto& [workload, seen] : opening.items())
        if (const auto limits = seen.find("quarantine"); limits != seen.end())
            rule.workloads[workload] = {limits->at("steal-rate").get<double>(), limits->at("swap-rate").get<double>(),
                                        limits->at("throttle-rate").get<double>()};
    return rule;
}

std::optional<std::string> disturbance(const QuarantineRule& rule, const SampleRecord& sample) {
    const auto limits = rule.workloads.find(sample.workload);
    if (limits == rule.workloads.end())
        return std::nullopt;
    const DisturbanceRates rates = rates_of(sample), &most = limits->second;
    if (rates.steal > most.steal)
        return fmt::format("steal {:.3g} s/s, usual up to {:.3g}", rates.steal, most.steal);
    if (rates.swap > most.swap)
        return fmt::format("swap {:.3g} pages/s, usual up to {:.3g}", rates.swap, most.swap);
    if (rates.throttled > most.throttled)
        return fmt::format("throttled {:.3g} times/s, usual up to {:.3g}", rates.throttled, most.throttled);
    return std::nullopt;
}

bool QuarantineState::drops(const DisturbedArms& disturbed) {
    ++rounds_;
    baseline_ += disturbed.baseline;
    candidate_ += disturbed.candidate;
    if (!switched_off_.empty() || !disturbed.any())
        return false;
    if (chance_of_split(baseline_, candidate_) < asymmetric_below) {
        switched_off_ = fmt::format("{} disturbed runs were the baseline's and {} the candidate's: that is not the "
                                    "machine alone, so no further round is dropped",
                                    baseline_, candidate_);
        return false;
    }
    if (static_cast<double>(dropped_ + 1) > most_dropped * static_cast<double>(rounds_))
        return false;
    ++dropped_;
    return true;
}

} // namespace holdfast::study
