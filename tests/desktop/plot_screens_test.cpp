// SPDX-License-Identifier: GPL-3.0-or-later
// The pages that compare trials, look back at the baseline and show a front.
#include "app/desktop/compare_screen.hpp"
#include "app/desktop/ecdf_plot.hpp"
#include "app/desktop/front_plot.hpp"
#include "app/desktop/front_screen.hpp"
#include "app/desktop/history_plot.hpp"
#include "app/desktop/history_screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/trials_screen.hpp"
#include "app/desktop/values_table.hpp"
#include "tests/desktop/drive.hpp"
#include "tests/desktop/plot_values.hpp"
#include "tests/desktop/sample_history.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>

using namespace holdfast;
using namespace holdfast::desktop;
using namespace holdfast::test;

namespace {

QStringList row_of(const QTableWidget& table, int row) {
    QStringList cells;
    for (int column = 0; column < table.columnCount(); ++column)
        cells << table.item(row, column)->text();
    return cells;
}

QStringList head_of(const QTableWidget& table) {
    QStringList names;
    for (int column = 0; column < table.columnCount(); ++column)
        names << table.horizontalHeaderItem(column)->text();
    return names;
}

/// Pixels of a plot that have this colour, or nearly.
int pixels(QWidget& widget, const QColor& colour) {
    const QImage picture = widget.grab().toImage();
    int count = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const QColor at = picture.pixelColor(x, y);
            count += std::abs(at.red() - colour.red()) + std::abs(at.green() - colour.green()) +
                                 std::abs(at.blue() - colour.blue()) <
                             24
                         ? 1
                         : 0;
        }
    return count;
}

} // namespace

TEST_CASE("the numbers of trials are read as people write them") {
    CHECK(trial_numbers("3, #7 12").value() == QList<qint64>{3, 7, 12});
    CHECK(trial_numbers("3;7").value() == QList<qint64>{3, 7});
    for (const char* wrong : {"", "3", "3 3", "3 x", "0 1", "-1 2", "1 2 3 4 5 6 7", "99999999999999999999 1"}) {
        INFO(wrong);
        REQUIRE_FALSE(trial_numbers(wrong));
        CHECK(trial_numbers(wrong).error().kind == Error::Kind::invalid);
        CHECK_FALSE(trial_numbers(wrong).error().remedy.empty());
    }
}

TEST_CASE("selected trials are compared with a key, two to six of them") {
    TrialsScreen screen;
    screen.set_overview(test::history());
    open(screen);
    QSignalSpy asked(&screen, &TrialsScreen::compare_requested);
    press(screen, Qt::Key_C);
    CHECK(asked.isEmpty()); // one is selected
    auto* action = screen.findChild<QAction*>("compare-trials");
    CHECK(action->toolTip().contains("fewer than two trials are selected"));
    press(screen, Qt::Key_Down, Qt::ShiftModifier);
    press(screen, Qt::Key_Down, Qt::ShiftModifier);
    press(screen, Qt::Key_C);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0][0].value<QList<qint64>>() == QList<qint64>{1, 2, 3});
    press(screen, Qt::Key_A, Qt::ControlModifier);
    press(screen, Qt::Key_C);
    CHECK(asked.size() == 1);
    CHECK(action->toolTip().contains("more than six"));
}

TEST_CASE("the compare page says how to fill it, and asks for the trials that are typed") {
    CompareScreen screen;
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("Nothing is compared yet"));
    QSignalSpy asked(&screen, &CompareScreen::compare_requested);
    QTest::keyClicks(screen.focusWidget(), "3");
    press(screen, Qt::Key_Return);
    CHECK(asked.isEmpty());
    CHECK_THAT(words(screen), ContainsSubstring("Write two to six numbers"));
    QTest::keyClicks(screen.focusWidget(), ", 7");
    press(screen, Qt::Key_Return);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0][0].value<QList<qint64>>() == QList<qint64>{3, 7});
    click(screen, "Compare");
    CHECK(asked.size() == 2);
}

TEST_CASE("trials side by side: only what differs, on each workload, with machines and warnings") {
    CompareScreen screen;
    screen.show_comparison(test::compared());
    open(screen);
    CHECK(part<QLineEdit>(screen, "Trials to compare").text() == "184, 185, 186");
    CHECK_THAT(words(screen), ContainsSubstring("Measured on different machines"));
    auto& table = part<ValuesTable>(screen, "Trials side by side");
    CHECK(head_of(table).contains("block_rows"));
    CHECK(head_of(table).contains("Machine, beside that of #184"));
    CHECK(row_of(table, 0).contains("the same"));
    CHECK(row_of(table, 2).contains("governor: powersave → performance"));
    CHECK_THAT(row_of(table, 1).join('|').toStdString(), ContainsSubstring("overfits"));

    auto& plot = *screen.findChild<EcdfPlot*>();
    CHECK(plot.accessibleDescription().contains("#185: 40 runs"));
    auto& workload = part<QComboBox>(screen, "Workload of the distributions");
    const QString before = workload.currentText();
    press(screen, Qt::Key_Down, Qt::ControlModifier);
    CHECK(workload.currentText() != before);
    CHECK(pixels(plot, QColor("#0072b2")) > 50);

    QSignalSpy opened(&screen, &CompareScreen::trial_activated);
    table.setFocus();
    press(screen, Qt::Key_Down);
    press(screen, Qt::Key_Return);
    REQUIRE(opened.size() == 1);
    CHECK(opened[0][0].toLongLong() == 185);
    screen.clear();
    CHECK_THAT(words(screen), ContainsSubstring("Nothing is compared yet"));
}

TEST_CASE("trials without a timed run are compared without a plot") {
    CompareScreen screen;
    desktop::Compared compared = test::compared();
    auto bare = std::make_shared<review::Comparison>(*compared.comparison);
    bare->workloads.clear();
    for (review::Sheet& sheet : bare->trials)
        sheet.rows.clear();
    compared.comparison = bare;
    screen.show_comparison(compared);
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("none of these trials was timed"));
    CHECK(screen.findChild<EcdfPlot*>()->accessibleDescription().isEmpty());
}

TEST_CASE("an empty history says what will be here") {
    HistoryScreen screen;
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("The baseline was not measured yet"));
    press(screen, Qt::Key_I);
    CHECK_THAT(words(screen), ContainsSubstring("Nothing was imported"));
}

TEST_CASE("the baseline over time tells its sessions, its changes and those of the machine") {
    HistoryScreen screen;
    screen.show_history(test::baseline_history());
    open(screen);
    auto& table = part<ValuesTable>(screen, "The baseline's sessions");
    REQUIRE(table.rowCount() == 30);
    CHECK(row_of(table, 18).last() == "changed by +8.0 % (250 ms → 270 ms)");
    CHECK(row_of(table, 9).last() == "machine: kernel: 6.1.0 → 6.1.1");
    CHECK_THAT(words(screen), ContainsSubstring("30 sessions, 1 change point, 1 machine change"));
    auto& plot = *screen.findChild<HistoryPlot*>();
    CHECK(plot.accessibleDescription() == "changed at session 19 by +8.0 % (250 ms → 270 ms)");
    CHECK(pixels(plot, colours(plot.palette()).worse) > 50); // slower
    CHECK(pixels(plot, colours(plot.palette()).caution) > 20);
    CHECK(part<QComboBox>(screen, "Workload").count() == 2);
    press(screen, Qt::Key_M);
    CHECK(part<QComboBox>(screen, "Metric").currentText() == "peak memory");
    press(screen, Qt::Key_W);
    CHECK(part<QComboBox>(screen, "Workload").currentText() == "sort-spill");
    CHECK_THAT(words(screen), ContainsSubstring("1 session, 0 change points"));

    press(screen, Qt::Key_I);
    CHECK(screen.findChild<QTabWidget*>()->tabText(1) == "Imported (2)");
    CHECK(row_of(part<ValuesTable>(screen, "Results of other programs"), 0).last() == "BM_Scan/1024, BM_Scan/2048");
    CHECK_THAT(row_of(part<ValuesTable>(screen, "Evidence of other machines"), 0).last().toStdString(),
               ContainsSubstring("generalises"));
}

TEST_CASE("the series that was chosen stays when the history is read again") {
    HistoryScreen screen;
    screen.show_history(test::baseline_history());
    open(screen);
    press(screen, Qt::Key_W);
    screen.show_history(test::baseline_history());
    CHECK(part<QComboBox>(screen, "Workload").currentText() == "sort-spill");
}

TEST_CASE("a front says how to get one, then which trials no other beats, and opens them") {
    FrontScreen screen;
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("No study has more than one objective yet"));
    screen.show_fronts(test::fronts());
    auto& table = part<ValuesTable>(screen, "Trials of the front");
    CHECK(head_of(table) == QStringList{"Trial", "Place", "Verdict", "Wall time", "Peak memory"});
    CHECK(row_of(table, 0)[1] == "the baseline, beaten");
    CHECK(row_of(table, 1)[1] == "on the front");
    CHECK(row_of(table, 3)[1] == "beaten");
    CHECK(row_of(table, 5)[1] == "not on the front: no-effect");
    CHECK_THAT(words(screen), ContainsSubstring("3 of 5 trials are on the front"));

    QSignalSpy opened(&screen, &FrontScreen::trial_activated);
    table.setFocus();
    press(screen, Qt::Key_Return);
    CHECK(opened.isEmpty()); // the baseline is no trial
    press(screen, Qt::Key_Down);
    press(screen, Qt::Key_Return);
    REQUIRE(opened.size() == 1);
    CHECK(opened[0][0].toLongLong() == 3);
    auto& plot = *screen.findChild<FrontPlot*>();
    QApplication::processEvents(); // it has its size once it was laid out
    plot.replot();
    const auto effects = test::fronts().back().points[2].effects; // a copy: what it is of is gone
    const QPoint place(static_cast<int>(plot.xAxis->coordToPixel(100 * effects[0].estimate)),
                       static_cast<int>(plot.yAxis->coordToPixel(100 * effects[1].estimate)));
    QTest::mouseClick(&plot, Qt::LeftButton, {}, place);
    REQUIRE(opened.size() == 2);
    CHECK(opened[1][0].toLongLong() == test::fronts().back().points[2].trial);
    CHECK(plot.xAxis->label().startsWith("Change of wall time"));
    press(screen, Qt::Key_X);
    CHECK(plot.xAxis->label().startsWith("Change of peak memory"));
    CHECK(pixels(plot, colours(plot.palette()).better) > 50);
}

TEST_CASE("three objectives are drawn two at a time") {
    FrontScreen screen;
    screen.show_fronts(test::fronts());
    open(screen);
    auto& study = part<QComboBox>(screen, "Study");
    study.setCurrentIndex(0);
    auto& up = part<QComboBox>(screen, "Up");
    REQUIRE(up.count() == 3);
    CHECK(up.isEnabled());
    up.setCurrentIndex(2);
    CHECK(screen.findChild<FrontPlot*>()->yAxis->label().startsWith("Change of rows"));
}

TEST_CASE("names from candidates and files are shown as they are, never as markup") {
    HistoryScreen screen;
    auto history = std::make_shared<History>(*test::baseline_history());
    history->series[0].workload = history->files[0].record.name = "<b>x</b>\u202ey";
    screen.show_history(history);
    CHECK(part<QComboBox>(screen, "Workload").itemText(0) == "<b>x</b>\\u202ey");
    CHECK(row_of(part<ValuesTable>(screen, "Results of other programs"), 0)[1] == "<b>x</b>\\u202ey");
}

TEST_CASE("rows of a plot's table are copied as text") {
    FrontScreen screen;
    screen.show_fronts(test::fronts());
    open(screen);
    press(screen, Qt::Key_C, Qt::ControlModifier);
    CHECK(QGuiApplication::clipboard()->text().startsWith("baseline\tthe baseline, beaten\t"));
}

TEST_CASE("plots follow the theme") {
    FrontScreen front;
    front.show_fronts(test::fronts());
    CompareScreen compare;
    compare.show_comparison(test::compared());
    HistoryScreen history;
    history.show_history(test::baseline_history());
    for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
        apply_theme(*qApp, theme);
        for (Screen* screen :
             {static_cast<Screen*>(&front), static_cast<Screen*>(&compare), static_cast<Screen*>(&history)}) {
            INFO(screen->name().toStdString());
            open(*screen);
            QTest::qWait(0); // queued replots
            const QColor base = screen->palette().color(QPalette::Base);
            for (QCustomPlot* plot : screen->findChildren<QCustomPlot*>())
                CHECK(plot->grab().toImage().pixelColor(1, 1) == base);
        }
    }
}
