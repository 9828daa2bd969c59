// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_points.hpp"
#include "app/desktop/trials_filter.hpp"
#include "app/desktop/trials_model.hpp"
#include "app/desktop/trials_screen.hpp"
#include "app/desktop/trials_table.hpp"
#include "app/desktop/words.hpp"
#include "tests/catch.h"
#include "tests/desktop/sample_history.hpp"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <cmath>

using namespace holdfast;
using namespace holdfast::desktop;
using Column = TrialColumn;
using Mode = QAbstractItemModelTester::FailureReportingMode;
using enum review::EffectView::Direction;

namespace {

std::vector<TrialColumn> all_columns() {
    std::vector<TrialColumn> columns;
    for (int column = 0; column <= static_cast<int>(Column::branch); ++column)
        columns.push_back(static_cast<Column>(column));
    return columns;
}

std::string numbers(const QAbstractItemModel& model) {
    std::string text;
    for (int row = 0; row < model.rowCount(); ++row)
        text += (text.empty() ? "" : " ") + model.index(row, 0).data(TrialsModel::number_role).toString().toStdString();
    return text;
}

struct Both {
    TrialsModel model{all_columns()};
    TrialsFilter filter{model};
    QAbstractItemModelTester of_model{&model, Mode::Fatal}, of_filter{&filter, Mode::Fatal};

    void sort(Column column, Qt::SortOrder order) { filter.sort(model.place_of(column), order); }
};

} // namespace

TEST_CASE("trials change, come and go in place while the model's rules hold") {
    Both both;
    both.sort(Column::held_out, Qt::AscendingOrder);
    QSignalSpy reset(&both.model, &QAbstractItemModel::modelReset),
        changed(&both.model, &QAbstractItemModel::dataChanged);
    QSignalSpy inserted(&both.model, &QAbstractItemModel::rowsInserted),
        removed(&both.model, &QAbstractItemModel::rowsRemoved);
    auto trials = test::history().trials;
    both.model.update(trials);
    CHECK(inserted.size() == 1);
    both.model.update(trials);
    CHECK(changed.isEmpty());

    trials[1].outcome = "generalises";
    trials[2].held_out = test::effect(-0.09, -0.1, -0.08, better);
    trials.push_back(test::decided(51, "failed", "late", 60));
    both.model.update(trials);
    CHECK(changed.size() == 1);
    CHECK(inserted.size() == 2);

    trials.erase(trials.begin() + 3, trials.begin() + 5);
    trials[0].id = "another of the same number";
    both.model.update(trials);
    CHECK(removed.size() == 2);
    CHECK(both.model.rowCount() == 49);
    CHECK(both.model.index(0, 0).data(TrialsModel::id_role).toString() == "another of the same number");
    both.model.update({});
    CHECK(both.model.rowCount() == 0);
    CHECK(reset.isEmpty());
}

TEST_CASE("what has no result comes last whatever the sort and its order, and numbers sort as numbers") {
    Both both;
    std::vector<app::TrialSummary> trials;
    const auto add = [&](const char* verdict, std::optional<double> estimate) {
        auto trial = test::decided(static_cast<std::int64_t>(trials.size()) + 1, verdict, "change", 1);
        if (estimate)
            trial.tuning = test::effect(*estimate, *estimate - 0.1, *estimate + 0.1, unclear);
        trials.push_back(trial);
    };
    add("failed", {});
    add("generalises", -0.02);
    add("inconclusive", {});
    add("regresses (tail)", 0.3);
    add("no-effect", std::nan(""));
    add("refused", {});
    add("generalises", -0.112);
    add("inconclusive", -HUGE_VAL);
    both.model.update(trials);
    both.sort(Column::tuning, Qt::AscendingOrder);
    CHECK(numbers(both.filter) == "8 7 2 4 3 5 1 6");
    both.sort(Column::tuning, Qt::DescendingOrder);
    CHECK(numbers(both.filter) == "4 2 7 8 3 5 1 6");
    both.sort(Column::number, Qt::DescendingOrder);
    CHECK(numbers(both.filter) == "8 7 5 4 3 2 6 1");
}

TEST_CASE("the selection stays with its trial while a study adds and decides others") {
    TrialsScreen screen;
    auto overview = test::history();
    screen.set_overview(overview);
    auto& table = *screen.findChild<TrialsTable*>();
    table.selectRow(3);
    REQUIRE(table.current_number() == 4);
    overview.trials[0].number = 0; // comes earlier, as another row
    overview.trials[0].id = "new";
    overview.trials[6].outcome = "overfits";
    overview.trials.push_back(test::decided(60, "generalises", "late", 50));
    screen.set_overview(overview);
    CHECK(table.current_number() == 4);
    CHECK(table.selectionModel()->selectedRows().size() == 1);
}

TEST_CASE("hostile texts are visible and never markup") {
    TrialsModel model({Column::change, Column::tuner, Column::flags});
    auto trial = test::decided(1, "generalises", "<img src=x> \x1b[2J \u202e gnp.exe", 1);
    trial.tuner = "a\nb";
    trial.flags = {"<b>bold</b>"};
    model.update({trial});
    CHECK(model.index(0, 0).data().toString().toStdString() == "<img src=x> \\x1b[2J \\u202e gnp.exe");
    CHECK(model.index(0, 1).data().toString().toStdString() == "a\\nb");
    CHECK_THAT(model.index(0, 0).data(Qt::ToolTipRole).toString().toStdString(),
               ContainsSubstring("&lt;img src=x&gt;"));
    CHECK_THAT(model.index(0, 2).data(Qt::ToolTipRole).toString().toStdString(), ContainsSubstring("&lt;b&gt;"));
}

TEST_CASE("the plot's points tell tuning from held-out, and leave out what has no number") {
    auto overview = test::history();
    const StudyPoints points = study_points(overview, 1);
    CHECK(points.decided.size() == 15);
    CHECK(points.looked.size() == 40);
    CHECK(points.left_out == 0);
    REQUIRE(points.best.size() == 2);
    CHECK(points.best[0].second == Approx(-3.2));
    CHECK(points.best[1] == std::pair(24 * 60.0, -4.9));
    CHECK(study_points(overview, 2).decided.empty());

    overview.trials[0].held_out->estimate = std::nan("");
    overview.trials[1].ended = "no time";
    CHECK(study_points(overview, 1).left_out == 3);
}

TEST_CASE("the plot's range holds one point, equal points, open ends and wild looks") {
    StudyPoints points;
    const auto contains = [&](double value) {
        const auto [low, high] = value_range(points);
        return std::isfinite(low) && std::isfinite(high) && low < value && value < high;
    };
    CHECK(contains(0));
    points.decided.push_back({1, 0, 0, 0, false, 1});
    points.decided.push_back({2, 0, 0, 0, true, 1});
    CHECK(contains(0));
    points.decided.push_back({3, -3, -HUGE_VAL, HUGE_VAL, true, 2});
    CHECK(contains(-3));
    for (int i = 0; i < 100; ++i)
        points.looked.emplace_back(i, i == 7 ? 1e9 : -1.0);
    CHECK(contains(-3));
    CHECK(value_range(points).second < 100);
}

TEST_CASE("times and what remains are said in words") {
    using namespace std::chrono_literals;
    const auto left = [](auto least, auto most) {
        return remaining_words(study::Remaining{least, most}).toStdString();
    };
    CHECK(left(2min, 9min) == "between 2 and 9 min left");
    CHECK(left(40s, 9min) == "between 40 s and 9 min left");
    CHECK(left(9min, 9min) == "about 9 min left");
    CHECK(left(0s, 9min) == "at most 9 min left");
    const QDateTime now = stored_time("2026-01-31T08:15:00.000Z");
    CHECK(age_words("2026-01-31T08:14:30.000Z", now) == "just now");
    CHECK(age_words("2026-01-31T08:11:00.000Z", now) == "4 min ago");
    CHECK(age_words("2026-01-30T08:11:00.000Z", now) == "1 day ago");
    CHECK(age_words("nonsense", now).isEmpty());
}
