// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/calibrate_screen.hpp"

#include "app/desktop/calibration_plot.hpp"
#include "core/stats/random.hpp"
#include "tests/desktop/drive.hpp"

#include <QCheckBox>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <qcustomplot.h>

using namespace holdfast;
using namespace holdfast::desktop;
using namespace holdfast::test;
using Kind = CalibrateState::Kind;

namespace {

/// What a workload of that noise gives; `slot`: what the first run of a pair loses.
study::WorkloadCalibration workload(const std::string& name, Role role, double noise, double slot = 0) {
    stats::Random random(stats::derive(5, name));
    std::vector<stats::SelfPair> pairs;
    for (std::size_t i = 0; i < 100; ++i)
        pairs.push_back({slot + noise * random.normal(), random.coin(), i / 25});
    study::WorkloadCalibration one;
    one.workload = name;
    one.role = role;
    one.metric = "wall";
    one.sessions = 4;
    one.self = stats::compare_with_itself(pairs, 100, 0.01, 25, {10, 20, 40, 80, 160, 200}, 3, 100);
    study::Burden seen{0.03, 0.029, 19, 31, 100, 14, 14, -0.031, {-0.049, -0.012}, ""};
    study::Burden small;
    small.share = 0.01;
    small.limit = 100;
    study::Burden none;
    none.share = 0.1;
    none.unavailable = "nothing was burnt: its program is static";
    one.burdens = {small, seen, none};
    return one;
}

std::shared_ptr<const study::Calibration> sample() {
    auto calibration = std::make_shared<study::Calibration>();
    calibration->number = 3;
    calibration->ended = "2026-01-31T08:15:00.000Z";
    calibration->threshold = 100;
    calibration->minimum_effect = 0.01;
    calibration->workloads = {workload("skewed", Role::tuning, 0.02), workload("uniform", Role::tuning, 0.05, 0.04),
                              workload("<b>unseen\x1b[31m", Role::holdout, 0.03)};
    return calibration;
}

} // namespace

TEST_CASE("before the first calibration its screen says what one is for, and can make one") {
    CalibrateScreen screen;
    screen.set_state({Kind::idle, {}});
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("Nothing is calibrated yet."));
    CHECK_THAT(words(screen), ContainsSubstring("costs no question"));
    CHECK_FALSE(part<QTableWidget>(screen, "Workloads").isVisible());
    std::optional<study::CalibrationRequest> asked;
    QObject::connect(&screen, &CalibrateScreen::calibrate_requested, &screen,
                     [&](const study::CalibrationRequest& request) { asked = request; });
    part<QSpinBox>(screen, "Sessions").setValue(2);
    part<QCheckBox>(screen, "Look for injected slow-downs").setChecked(false);
    press(screen, Qt::Key_F9);
    REQUIRE(asked);
    CHECK(asked->sessions == 2);
    CHECK(asked->rounds == 25);
    CHECK_FALSE(asked->burdens);
    CHECK(asked->workloads.empty());
}

TEST_CASE("a calibration shows noise, provable effects, false verdicts and slow-downs of each workload") {
    CalibrateScreen screen;
    screen.set_state({Kind::idle, {}});
    screen.set_calibration(sample(), "");
    open(screen);
    const auto& table = part<QTableWidget>(screen, "Workloads");
    REQUIRE(table.rowCount() == 3);
    const auto row = [&](int number) {
        QStringList cells;
        for (int column = 0; column < table.columnCount(); ++column)
            cells << table.item(number, column)->text();
        return cells.join(" | ").toStdString();
    };
    CHECK_THAT(row(0), StartsWith("skewed | tuning | 1.9 %"));
    CHECK_THAT(row(0), ContainsSubstring("% in 200 | "));
    CHECK_THAT(row(0), ContainsSubstring("0 of 4 [0 to 60 %] | 0 of 4 [0 to 60 %]"));
    CHECK_THAT(row(0), ContainsSubstring("1 %: too small, 3 %: after 14, 10 %: not injected"));
    CHECK_THAT(row(2), ContainsSubstring("<b>unseen\\x1b[31m | held-out"));
    CHECK_THAT(words(screen), ContainsSubstring("seen after 14 rounds; expected within 19 (8 of 10)"));
    CHECK_THAT(words(screen), ContainsSubstring("not injected: nothing was burnt"));
    CHECK_THAT(words(screen), !ContainsSubstring("Failed:"));
    const_cast<QTableWidget&>(table).setCurrentCell(1, 0);
    CHECK_THAT(words(screen), ContainsSubstring("Failed: whichever run of a pair comes first changes wall by +5"));
    CHECK(screen.findChild<CalibrationPlot*>()->findChild<QCustomPlot*>()->graphCount() == 4); // and the minimum
}

TEST_CASE("a calibration that no study can rest on any more says why") {
    CalibrateScreen screen;
    screen.set_calibration(sample(), "the last one is older than 24 h");
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("the last one is older than 24 h"));
}

TEST_CASE("a running calibration shows its phase and time, and can be cancelled once") {
    CalibrateScreen screen;
    screen.set_state({Kind::running, {}});
    open(screen);
    screen.show_progress({"burden-3", 0, 10, 40, std::chrono::seconds(2)}, std::chrono::minutes(3));
    CHECK_THAT(words(screen), ContainsSubstring("Slowed down by 3 %"));
    CHECK(screen.findChild<QProgressBar*>()->text() == "10 of at most 40");
    QSignalSpy cancelled(&screen, &CalibrateScreen::cancel_requested);
    QSignalSpy asked(&screen, &CalibrateScreen::calibrate_requested);
    press(screen, Qt::Key_F9);
    CHECK(asked.isEmpty());
    press(screen, Qt::Key_F9, Qt::ShiftModifier);
    CHECK(cancelled.size() == 1);
    screen.set_state({Kind::stopping, {}});
    press(screen, Qt::Key_F9, Qt::ShiftModifier);
    CHECK(cancelled.size() == 1);
    CHECK_THAT(words(screen), ContainsSubstring("the run in flight is being finished"));
}

TEST_CASE("where nothing can run the calibration's screen says why") {
    CalibrateScreen screen;
    screen.set_state({Kind::unavailable, "a study is running"});
    open(screen);
    QSignalSpy asked(&screen, &CalibrateScreen::calibrate_requested);
    click(screen, "Calibrate");
    CHECK(asked.isEmpty());
    CHECK_THAT(words(screen), ContainsSubstring("Calibrate: a study is running"));
}
