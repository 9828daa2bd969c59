// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_plot.hpp"
#include "app/desktop/study_screen.hpp"
#include "tests/desktop/drive.hpp"
#include "tests/desktop/sample_history.hpp"

#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTextBlock>
#include <qcustomplot.h>

#include <map>

using namespace holdfast;
using namespace holdfast::desktop;

using namespace holdfast::test;
using Kind = StudyState::Kind;

TEST_CASE("without a project the study screen says why nothing can be started") {
    StudyScreen screen;
    screen.set_state({Kind::unavailable, "No project is open."});
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("No project is open."));
    CHECK_THAT(words(screen), ContainsSubstring("Start study, Resume: no study can be started, see above."));
    QSignalSpy started(&screen, &StudyScreen::start_requested);
    click(screen, "Start study");
    press(screen, Qt::Key_F5);
    CHECK(started.isEmpty());
}

TEST_CASE("a study starts with what the person set") {
    StudyScreen screen;
    study::Options defaults;
    defaults.seed = 7;
    defaults.fixed["opt"] = Value(true);
    screen.set_project_options(defaults);
    open(screen);
    std::optional<study::Options> asked;
    QObject::connect(&screen, &StudyScreen::start_requested, &screen,
                     [&](const study::Options& options) { asked = options; });
    auto& trials = part<QSpinBox>(screen, "Configurations to look at");
    trials.setFocus();
    trials.selectAll();
    QTest::keyClicks(&trials, "12");
    auto& seed = part<QLineEdit>(screen, "Seed");
    seed.setFocus();
    seed.selectAll();
    QTest::keyClicks(&seed, "18446744073709551615");
    click(screen, "Tuner random");
    press(screen, Qt::Key_F5);
    REQUIRE(asked);
    CHECK(asked->trials == 12);
    CHECK(asked->seed == 18446744073709551615ULL);
    CHECK(asked->tuners == std::vector<std::string>{"local", "random"});
    CHECK(asked->fixed == defaults.fixed);
    CHECK_FALSE(asked->budget);
}

TEST_CASE("a seed that is no number keeps a study from starting, in words") {
    StudyScreen screen;
    screen.set_project_options({});
    open(screen);
    auto& seed = part<QLineEdit>(screen, "Seed");
    seed.setFocus();
    QTest::keyClicks(&seed, "x");
    QSignalSpy started(&screen, &StudyScreen::start_requested);
    press(screen, Qt::Key_F5);
    CHECK(started.isEmpty());
    CHECK_THAT(words(screen), ContainsSubstring("the seed must be a whole number"));
}

TEST_CASE("a running study shows its phase, time and trial, and can be paused and stopped") {
    StudyScreen screen;
    screen.set_overview(test::history());
    screen.set_state({Kind::running, {}});
    open(screen);
    screen.show_progress({"confirm", 8, 23, 200, std::chrono::seconds(1)},
                         study::Remaining{std::chrono::minutes(2), std::chrono::minutes(9)}, std::chrono::minutes(41));
    CHECK_THAT(words(screen), ContainsSubstring("Confirm: fresh rounds"));
    CHECK_THAT(words(screen), ContainsSubstring("41 min elapsed, between 2 and 9 min left"));
    CHECK(screen.findChild<QProgressBar*>()->text() == "23 of at most 200 rounds");
    QSignalSpy activated(&screen, &StudyScreen::trial_activated);
    click(screen, "Trial #8: align 16 → 64");
    REQUIRE(activated.size() == 1);
    CHECK(activated[0][0].toLongLong() == 8);

    QSignalSpy paused(&screen, &StudyScreen::pause_requested), after(&screen, &StudyScreen::stop_after_trial_requested);
    QSignalSpy stopped(&screen, &StudyScreen::stop_now_requested);
    press(screen, Qt::Key_F7);
    press(screen, Qt::Key_F8);
    CHECK(paused.size() == 1);
    CHECK(after.size() == 1);
    press(screen, Qt::Key_F8, Qt::ShiftModifier);
    auto* question = screen.findChild<QMessageBox*>("stop-now-question");
    REQUIRE(question != nullptr);
    CHECK(stopped.isEmpty());
    QTest::keyClick(question, Qt::Key_Return); // the harmless answer is the default
    CHECK(stopped.isEmpty());
    click(screen, "Stop now");
    question = screen.findChildren<QMessageBox*>("stop-now-question").back();
    for (QAbstractButton* button : question->buttons())
        if (button->text() == "Stop now")
            QTest::mouseClick(button, Qt::LeftButton);
    CHECK(stopped.size() == 1);
}

TEST_CASE("the network is allowed by a person only, and not by the return key") {
    StudyScreen screen;
    screen.set_state({Kind::running, {}});
    open(screen);
    QSignalSpy answered(&screen, &StudyScreen::consent_answered);
    screen.ask_consent("pip install <b>\ncargo fetch");
    auto* question = screen.findChild<QMessageBox*>("consent-question");
    REQUIRE(question != nullptr);
    CHECK(question->informativeText().contains("pip install <b>\ncargo fetch"));
    CHECK(question->textFormat() == Qt::PlainText);
    QTest::keyClick(question, Qt::Key_Return);
    REQUIRE(answered.size() == 1);
    CHECK_FALSE(answered.back().front().toBool());
    screen.ask_consent("cargo fetch");
    question = screen.findChildren<QMessageBox*>("consent-question").back();
    for (QAbstractButton* button : question->buttons())
        if (button->text() == "Allow")
            QTest::mouseClick(button, Qt::LeftButton);
    REQUIRE(answered.size() == 2);
    CHECK(answered.back().front().toBool());
}

TEST_CASE("a phase of unknown length, and times not known yet, are shown as such") {
    StudyScreen screen;
    screen.set_state({Kind::running, {}});
    screen.show_progress({"<b>\x1b[31m", 0, 0, 0, {}}, std::nullopt, std::chrono::seconds(3));
    CHECK_THAT(words(screen), ContainsSubstring("3 s elapsed, time left not known yet"));
    CHECK_THAT(words(screen), ContainsSubstring("<b>\\x1b[31m"));
    CHECK(screen.findChild<QProgressBar*>()->maximum() == 0);
}

TEST_CASE("an interrupted study is resumed with one key") {
    StudyScreen screen;
    screen.set_overview(test::history());
    screen.set_state({Kind::interrupted, {}});
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("Study 1 was interrupted"));
    QSignalSpy resumed(&screen, &StudyScreen::resume_requested);
    press(screen, Qt::Key_F6);
    CHECK(resumed.size() == 1);
}

TEST_CASE("a study of another process is shown, not steered") {
    StudyScreen screen;
    app::Overview overview = test::history();
    overview.running_study = 1;
    screen.set_overview(overview);
    screen.set_state({});
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("Another process runs study 1"));
    QSignalSpy started(&screen, &StudyScreen::start_requested), paused(&screen, &StudyScreen::pause_requested);
    press(screen, Qt::Key_F5);
    press(screen, Qt::Key_F7);
    CHECK(started.isEmpty());
    CHECK(paused.isEmpty());
}

TEST_CASE("the best so far is the best proposal that nobody turned down, by its held-out effect") {
    StudyScreen screen;
    screen.set_overview(test::history());
    CHECK_THAT(words(screen), ContainsSubstring("Best so far: #4 patch, held-out −4.9 %"));
}

TEST_CASE("the log keeps the last 5,000 lines, and cuts one that is too long") {
    StudyScreen screen;
    for (int line = 0; line < 6000; ++line)
        screen.add_line(QString("line %1").arg(line));
    const auto& log = part<QPlainTextEdit>(screen, "Log of the study");
    CHECK(log.blockCount() == 5000);
    CHECK(log.document()->firstBlock().text() == "line 1000");
    screen.add_line(QString(10'000'000, 'x'));
    CHECK(log.document()->lastBlock().length() < 3000);
    screen.add_line("\u202e<b>bold</b>");
    CHECK(log.document()->lastBlock().text() == "\\u202e<b>bold</b>");
}

TEST_CASE("the log takes room only once there is something to read") {
    StudyScreen screen;
    open(screen);
    const auto& log = part<QPlainTextEdit>(screen, "Log of the study");
    CHECK(log.height() <= 5 * log.fontMetrics().lineSpacing());
    CHECK(log.maximumHeight() < 200);
    screen.add_line("building");
    CHECK(log.maximumHeight() > 1000);
}

TEST_CASE("what lies beyond the scale of the study's plot is marked at its end") {
    StudyPoints points;
    for (int i = 0; i < 100; ++i)
        points.looked.emplace_back(i, 0.01 * i);
    points.looked.emplace_back(50, 400);
    points.looked.emplace_back(60, -300);
    StudyPlot plot;
    plot.show_points(points, "wall", Better::lower, {});
    auto* drawn = plot.findChild<QCustomPlot*>();
    std::map<QString, int> count;
    for (int i = 0; i < drawn->graphCount(); ++i) {
        const QCPGraph* graph = drawn->graph(i);
        count[graph->name()] = graph->dataCount();
        for (const QCPGraphData& point : *graph->data())
            CHECK(drawn->yAxis->range().contains(point.value));
    }
    CHECK(count["above the scale"] == 1);
    CHECK(count["below the scale"] == 1);
    CHECK(count["looked at, luck included"] == 100);
}
