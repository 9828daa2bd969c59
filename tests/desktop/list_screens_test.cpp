// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/approved_screen.hpp"
#include "app/desktop/queue_screen.hpp"
#include "app/desktop/trials_screen.hpp"
#include "app/desktop/trials_table.hpp"
#include "core/review/exports.hpp"
#include "tests/desktop/drive.hpp"
#include "tests/desktop/sample_history.hpp"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>

using namespace holdfast;
using namespace holdfast::desktop;
using namespace holdfast::test;
using review::Standing;

TEST_CASE("Return and a double click open a trial; the filter is reached with a key") {
    TrialsScreen screen;
    screen.set_overview(test::history());
    open(screen);
    QSignalSpy activated(&screen, &TrialsScreen::trial_activated);
    auto& table = *screen.findChild<TrialsTable*>();
    press(screen, Qt::Key_Down);
    press(screen, Qt::Key_Return);
    REQUIRE(activated.size() == 1);
    CHECK(activated[0][0].toLongLong() == 2);
    const QPoint third = table.visualRect(table.model()->index(2, 1)).center();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, third);
    QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, third);
    REQUIRE(activated.size() == 2);
    CHECK(activated[1][0].toLongLong() == 3);

    press(screen, Qt::Key_Slash);
    REQUIRE(qobject_cast<QLineEdit*>(screen.focusWidget()) != nullptr);
    QTest::keyClicks(screen.focusWidget(), "UNROLL overfits");
    CHECK(table.model()->rowCount() == 1);
    CHECK_THAT(words(screen), ContainsSubstring("1 of 50 trials shown"));
}

TEST_CASE("what was only searched is hidden until asked for, with its count") {
    TrialsScreen screen;
    screen.set_overview(test::history());
    open(screen);
    const auto& table = *screen.findChild<TrialsTable*>();
    CHECK(table.model()->rowCount() == 10);
    CHECK(screen.findChild<QCheckBox*>()->text() == "Only searched (40)");
    press(screen, Qt::Key_S);
    CHECK(table.model()->rowCount() == 50);
}

TEST_CASE("verdict and review narrow the trials") {
    TrialsScreen screen;
    screen.set_overview(test::history());
    open(screen);
    const auto& table = *screen.findChild<TrialsTable*>();
    part<QComboBox>(screen, "Verdict").setCurrentText("generalises");
    CHECK(table.model()->rowCount() == 6);
    part<QComboBox>(screen, "Review").setCurrentText("waiting");
    CHECK(table.model()->rowCount() == 1);
}

TEST_CASE("rows are copied as text and as CSV that quotes what it must") {
    TrialsScreen screen;
    app::Overview overview = test::history();
    overview.trials[0].change = "a \"quoted\", b";
    screen.set_overview(overview);
    open(screen);
    press(screen, Qt::Key_C, Qt::ControlModifier);
    CHECK_THAT(QGuiApplication::clipboard()->text().toStdString(), ContainsSubstring("#\tStudy\tTuner"));
    CHECK_THAT(QGuiApplication::clipboard()->text().toStdString(),
               ContainsSubstring("\n#1\t1\tlocal\tgeneralises\t−3.2 %"));
    press(screen, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK_THAT(QGuiApplication::clipboard()->text().toStdString(), ContainsSubstring(",\"a \"\"quoted\"\", b\","));
}

TEST_CASE("columns stay as the person put them") {
    {
        TrialsScreen screen;
        open(screen);
        auto* header = screen.findChild<TrialsTable*>()->horizontalHeader();
        header->moveSection(7, 1);
        header->resizeSection(7, 333);
    }
    TrialsScreen again;
    const auto* header = again.findChild<TrialsTable*>()->horizontalHeader();
    CHECK(header->visualIndex(7) == 1);
    CHECK(header->sectionSize(7) == 333);
    QSettings().clear();
}

TEST_CASE("the queue moves with J and K and opens one proposal at a time") {
    QueueScreen screen;
    screen.set_overview(test::history());
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("2 proposals wait for you"));
    CHECK_THAT(words(screen), ContainsSubstring("Sent back (2)"));
    QSignalSpy activated(&screen, &QueueScreen::trial_activated);
    press(screen, Qt::Key_J);
    press(screen, Qt::Key_J); // not past the end
    press(screen, Qt::Key_Return);
    press(screen, Qt::Key_K);
    press(screen, Qt::Key_Return);
    REQUIRE(activated.size() == 2);
    CHECK(activated[0][0].toLongLong() == 8);
    CHECK(activated[1][0].toLongLong() == 1);
    for (const TrialsTable* table : screen.findChildren<TrialsTable*>())
        CHECK(table->selectionMode() == QAbstractItemView::SingleSelection);
}

TEST_CASE("an empty queue says so") {
    QueueScreen screen;
    CHECK_THAT(words(screen), ContainsSubstring("No trial yet"));
    app::Overview overview = test::history();
    for (app::TrialSummary& trial : overview.trials)
        trial.standing = Standing::none;
    screen.set_overview(overview);
    CHECK_THAT(words(screen), ContainsSubstring("Nothing waits for you"));
    CHECK_THAT(words(screen), ContainsSubstring("Every proposal was decided"));
}

TEST_CASE("approved trials are applied, reverted, exported and their commit copied") {
    ApprovedScreen screen;
    screen.set_overview(test::history());
    open(screen);
    QSignalSpy apply(&screen, &ApprovedScreen::apply_requested), revert(&screen, &ApprovedScreen::revert_requested);
    QSignalSpy exported(&screen, &ApprovedScreen::export_requested);
    press(screen, Qt::Key_R); // #3 is not applied yet
    press(screen, Qt::Key_A);
    CHECK(revert.isEmpty());
    REQUIRE(apply.size() == 1);
    CHECK(apply[0][0].toLongLong() == 3);
    CHECK_THAT(words(screen), ContainsSubstring("Revert: it is not applied."));
    press(screen, Qt::Key_J);
    press(screen, Qt::Key_A); // #4 is applied already
    click(screen, "Revert");
    CHECK(apply.size() == 1);
    REQUIRE(revert.size() == 1);
    CHECK(revert[0][0].toLongLong() == 4);
    press(screen, Qt::Key_C, Qt::ControlModifier);
    CHECK(QGuiApplication::clipboard()->text() == "3f9c2e1a0b4d5e6f708192a3b4c5d6e7f8091a2b");

    click(screen, "Export");
    auto* menu = screen.findChild<QMenu*>();
    REQUIRE(menu->isVisible());
    CHECK(menu->actions().size() == static_cast<qsizetype>(review::formats().size()));
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Return);
    REQUIRE(exported.size() == 1);
    CHECK(exported[0][0].toLongLong() == 4);
    CHECK(exported[0][1].toString().toStdString() == review::formats().front().name);
}

TEST_CASE("the commit of a trial that was taken back is named as the one that did it") {
    ApprovedScreen screen;
    screen.set_overview(test::history());
    const QAbstractItemModel& model = *screen.findChild<TrialsTable*>()->model();
    QStringList commits;
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column)
            if (model.headerData(column, Qt::Horizontal).toString() == "Commit")
                commits << model.index(row, column).data().toString();
    CHECK(commits.contains("3f9c2e1a0b"));
    CHECK(commits.contains("taken back by 9a8b7c6d5e"));
}

TEST_CASE("a trial that is applied meanwhile changes what can be done with it") {
    ApprovedScreen screen;
    app::Overview overview = test::history();
    screen.set_overview(overview);
    open(screen);
    overview.trials[2].standing = Standing::applied;
    screen.set_overview(overview);
    QSignalSpy apply(&screen, &ApprovedScreen::apply_requested), revert(&screen, &ApprovedScreen::revert_requested);
    press(screen, Qt::Key_A);
    press(screen, Qt::Key_R);
    CHECK(apply.isEmpty());
    CHECK(revert.size() == 1);
}
