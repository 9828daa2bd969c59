// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/quality.hpp"
#include "core/stats/random.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>

using namespace holdfast;
using namespace holdfast::decision;

namespace {

QualitySeen judged(const std::vector<std::pair<double, double>>& pairs, QualityDemand demand) {
    QualitySeen seen;
    seen.workload = "w";
    seen.metric = "psnr";
    seen.demand = demand;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        seen.seeds.push_back({static_cast<std::int64_t>(i + 1), pairs[i].first, pairs[i].second});
    judge_quality(seen);
    return seen;
}

const QualityDemand half{Better::higher, 0.5, false};

} // namespace

TEST_CASE("equal quality over six seeds is shown to be kept") {
    const auto seen = judged(std::vector<std::pair<double, double>>(6, {30, 30}), half);
    CHECK(seen.kept);
    CHECK(seen.equivalent);
    CHECK_FALSE(seen.lost);
    CHECK(seen.estimate == 0);
    CHECK_FALSE(judged(std::vector<std::pair<double, double>>(5, {30, 30}), half).kept);
    CHECK_FALSE(judged({}, half).kept);
}

TEST_CASE("a loss beyond the margin is shown, in either direction and unit") {
    const std::vector<std::pair<double, double>> worse(8, {30, 29});
    const auto seen = judged(worse, half);
    CHECK(seen.lost);
    CHECK_FALSE(seen.kept);
    CHECK(seen.estimate == -1);
    CHECK(judged(worse, {Better::lower, 0.5, false}).kept); // of an error: better
    CHECK_FALSE(judged(worse, {Better::lower, 0.5, false}).equivalent);
    CHECK(judged(worse, {Better::higher, 0.05, true}).kept); // 1 of 30 is less than 5 %
    CHECK(judged(worse, {Better::higher, 0.02, true}).lost);
    CHECK(judged(worse, {Better::higher, 0.02, true}).estimate == Approx(-1.0 / 30));
    CHECK(judged(std::vector<std::pair<double, double>>(8, {0, -1}), {Better::higher, 0.5, true}).lost);
}

TEST_CASE("what is neither shown kept nor lost says how far it came and names the worst seed") {
    const auto seen = judged({{30, 31}, {30, 28}, {30, 30}, {30, 28.5}, {30, 31}, {30, 29}}, half);
    CHECK_FALSE(seen.kept);
    CHECK_FALSE(seen.lost);
    REQUIRE(seen.worst);
    CHECK(seen.seeds[*seen.worst].seed == 2);
    CHECK_THAT(describe(seen),
               ContainsSubstring("psnr on workload \"w\": not shown to be at most 0.5 worse over 6 seeds") &&
                   ContainsSubstring("of 20") && ContainsSubstring("higher is better"));
    CHECK_THAT(worst_words(seen), ContainsSubstring("worst seed 2: 28 instead of 30"));
}

TEST_CASE("a quality that most seeds lose is kept in no order of the seeds") {
    std::vector<std::pair<double, double>> pairs(6, {30, 30});
    pairs.insert(pairs.end(), 14, {30, 0});
    const auto seen = judged(pairs, half);
    CHECK_FALSE(seen.kept);
    CHECK_FALSE(seen.equivalent);
    CHECK_THAT(worst_words(seen), ContainsSubstring("14 of 20 seeds lost more than 0.5"));
    std::reverse(pairs.begin(), pairs.end());
    CHECK(judged(pairs, half).log_e_kept == Approx(seen.log_e_kept));
    CHECK_FALSE(judged(pairs, half).kept);
}

TEST_CASE("what most seeds keep and many lose is not kept when the estimate lies beyond the margin") {
    std::vector<std::pair<double, double>> pairs(240, {30, 30});
    pairs.insert(pairs.end(), 160, {30, 0});
    const auto seen = judged(pairs, half);
    CHECK(seen.log_e_kept > std::log(quality_threshold)); // of the median alone
    CHECK(seen.estimate == -15);
    CHECK(seen.low <= seen.estimate);
    CHECK_FALSE(seen.kept);
    CHECK_FALSE(seen.lost);
}

TEST_CASE("the baseline's own spread over seeds is told") {
    const auto seen = judged({{10, 10}, {12, 12}, {14, 14}, {16, 16}, {18, 18}, {20, 20}}, half);
    CHECK(seen.baseline_spread == Approx(1.4826 * 3));
    CHECK(seen.kept); // pairs, not the spread, decide
}

TEST_CASE("a quality just beyond the margin is rarely shown as kept") {
    stats::Random random(11);
    int kept = 0, shown = 0;
    for (int i = 0; i < 1000; ++i) {
        std::vector<std::pair<double, double>> at_margin, equal;
        for (int seed = 0; seed < 30; ++seed) {
            const double baseline = 30 + random.normal();
            at_margin.emplace_back(baseline, baseline - 0.5 + 0.3 * random.normal());
            equal.emplace_back(baseline, baseline + 0.3 * random.normal());
        }
        kept += judged(at_margin, half).kept ? 1 : 0;
        shown += judged(equal, half).kept ? 1 : 0;
    }
    INFO(kept << " and " << shown << " of 1000");
    CHECK(kept <= 50); // Ville: at most a twentieth
    CHECK(shown >= 950);
}

TEST_CASE("words, interval and order: nothing claimed lies outside what is shown") {
    CHECK(rc::check([] {
        std::vector<std::pair<double, double>> pairs;
        for (const int change : *rc::gen::container<std::vector<int>>(rc::gen::inRange(-3, 4)))
            pairs.emplace_back(30, 30 + change);
        const auto seen = judged(pairs, {Better::higher, 1.5, false});
        RC_ASSERT(!seen.kept || seen.low >= -1.5);
        RC_ASSERT(!seen.lost || seen.high <= -1.5);
        RC_ASSERT(!seen.equivalent || (seen.low >= -1.5 && seen.high <= 1.5));
        RC_ASSERT(pairs.empty() || (seen.low <= seen.estimate && seen.estimate <= seen.high));
        std::sort(pairs.begin(), pairs.end());
        const auto sorted = judged(pairs, {Better::higher, 1.5, false});
        RC_ASSERT(sorted.kept == seen.kept);
        RC_ASSERT(sorted.lost == seen.lost);
        RC_ASSERT(sorted.low == seen.low);
    }));
}

TEST_CASE("exchanging the directions mirrors what is shown") {
    CHECK(rc::check([] {
        std::vector<std::pair<double, double>> pairs, mirrored;
        for (const auto& [baseline, candidate] : *rc::gen::container<std::vector<std::pair<int, int>>>(
                 rc::gen::pair(rc::gen::inRange(1, 9), rc::gen::inRange(1, 9)))) {
            pairs.emplace_back(baseline, candidate);
            mirrored.emplace_back(-baseline, -candidate);
        }
        const auto one = judged(pairs, {Better::higher, 0.5, false});
        const auto other = judged(mirrored, {Better::lower, 0.5, false});
        RC_ASSERT(one.kept == other.kept);
        RC_ASSERT(one.lost == other.lost);
        RC_ASSERT(one.log_e_kept == other.log_e_kept);
        RC_ASSERT(!(one.kept && one.lost));
    }));
}
