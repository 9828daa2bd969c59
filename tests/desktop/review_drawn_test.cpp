// SPDX-License-Identifier: GPL-3.0-or-later
// What the review screen draws and where the keys lead: colours as on the screen, room, the order of Tab.
#include "app/desktop/diff_view.hpp"
#include "app/desktop/evidence_tabs.hpp"
#include "app/desktop/forest_plot.hpp"
#include "app/desktop/raw_samples.hpp"
#include "app/desktop/theme.hpp"
#include "tests/desktop/drive.hpp"
#include "tests/desktop/review_fixture.hpp"
#include "tests/scratch.hpp"

#include <QFileDialog>
#include <QFontMetrics>
#include <QImage>
#include <QLineEdit>
#include <QMessageBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTreeWidget>

using namespace holdfast;
using namespace holdfast::desktop;
using test::Fixture;

namespace {

std::size_t pixels_of(QWidget& widget, const QColor& colour) {
    const QImage image = widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
    std::size_t count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == colour ? 1 : 0;
    return count;
}

/// "-" and "+" for the lines of a diff whose backgrounds are drawn as removed and added, from top to bottom, at `x`.
std::string backgrounds(QWidget& pane, int x) {
    const Colours& theme = colours(pane.palette());
    const QImage image = pane.grab().toImage();
    std::string found;
    char last = ' ';
    for (int y = 0; y < image.height(); ++y) {
        const QColor colour = image.pixelColor(x, y);
        const char now = colour == theme.removed ? '-' : colour == theme.added ? '+' : ' ';
        if (now != last && now != ' ')
            found += now;
        last = now;
    }
    return found;
}

struct LightAgain {
    ~LightAgain() { apply_theme(*qApp, ThemeChoice::light); }
};

} // namespace

TEST_CASE("J, K, V and D walk, mark and turn the diff; S shows the raw samples and goes back") {
    Fixture the(test::good());
    auto* diff = the.screen.findChild<DiffView*>();
    the.press(Qt::Key_J);
    the.press(Qt::Key_J);
    CHECK(diff->current() == 2);
    the.press(Qt::Key_K);
    CHECK(diff->current() == 1);
    the.press(Qt::Key_V);
    CHECK(diff->viewed() == 1);
    the.press(Qt::Key_D);
    CHECK(diff->side_by_side());
    the.press(Qt::Key_V);
    CHECK(diff->viewed() == 0);
    the.press(Qt::Key_D);
    CHECK_FALSE(diff->side_by_side());
    auto* raw = the.screen.findChild<RawSamples*>();
    CHECK_FALSE(raw->isVisible());
    the.press(Qt::Key_S);
    CHECK(raw->isVisible());
    the.press(Qt::Key_S);
    CHECK_FALSE(raw->isVisible());
}

TEST_CASE("N and P ask for the next and the previous proposal, from wherever the focus is") {
    Fixture the(test::flagged());
    QSignalSpy next(&the.screen, &ReviewScreen::next_requested);
    QSignalSpy previous(&the.screen, &ReviewScreen::previous_requested);
    for (QWidget* place :
         {static_cast<QWidget*>(the.flag("over-stated")), static_cast<QWidget*>(the.called<QPushButton>("Reject…")),
          the.called<QWidget>("Unified diff")}) {
        place->setFocus();
        REQUIRE(the.screen.focusWidget() == place);
        the.press(Qt::Key_N);
        the.press(Qt::Key_P);
    }
    CHECK(next.size() == 3);
    CHECK(previous.size() == 3);
}

TEST_CASE("tab leads through everything, and to approve last") {
    test::Shown shown = test::flagged();
    shown.dossier->verdict.flags_json = "[]"; // so that approve is enabled
    Fixture the(shown);
    REQUIRE(the.approve()->isEnabled());
    auto* first = the.called<QPushButton>("Previous proposal");
    auto* tabs = the.screen.findChild<QTabWidget*>();
    for (int page = 0; page < tabs->count(); ++page) {
        tabs->setCurrentIndex(page);
        first->setFocus();
        QList<QWidget*> stops{first};
        while (stops.size() < 60) {
            the.press(Qt::Key_Tab);
            if (the.screen.focusWidget() == first)
                break;
            stops << the.screen.focusWidget();
        }
        INFO("page " << page << ", " << stops.size() << " stops");
        CHECK(stops.size() < 60);
        CHECK(stops.last() == the.approve());
        CHECK(stops.count(the.approve()) == 1);
        for (QWidget* each :
             {static_cast<QWidget*>(the.flag("over-stated")), static_cast<QWidget*>(the.called<QPushButton>("Reject…")),
              static_cast<QWidget*>(the.called<QPushButton>("Raw samples"))})
            CHECK(stops.contains(each));
        CHECK(stops.indexOf(the.flag("shape changed")) == stops.indexOf(the.flag("over-stated")) + 1);
        CHECK(stops.indexOf(the.flag("shape changed")) < stops.indexOf(the.called<QPushButton>("Reject…")));
    }
}

TEST_CASE("added and removed lines are drawn on their own backgrounds, in light and in dark") {
    const LightAgain after;
    for (const ThemeChoice theme : {ThemeChoice::light, ThemeChoice::dark}) {
        apply_theme(*qApp, theme);
        DiffView view;
        view.resize(1800, 400);
        git::DiffFile file = test::changed_file("a.cpp", 9);
        view.show_files({file}, "");
        view.show();
        CHECK(backgrounds(test::part<QWidget>(view, "Unified diff"), 1700) == "-+-+-+");
        view.toggle_side_by_side();
        CHECK(backgrounds(test::part<QWidget>(view, "Diff, old side"), 860) == "---");
        CHECK(backgrounds(test::part<QWidget>(view, "Diff, new side"), 860) == "+++");
    }
}

TEST_CASE("a change from light to dark recolours the plot and the diff that are shown") {
    const LightAgain after;
    Fixture the(test::good());
    auto* plot = the.screen.findChild<ForestPlot*>();
    auto* diff = the.called<QWidget>("Unified diff");
    const Colours light = colours(the.screen.palette());
    CHECK(pixels_of(*plot, light.better) > 100);
    CHECK(pixels_of(*diff, light.added) > 1000);
    apply_theme(*qApp, ThemeChoice::dark);
    QCoreApplication::processEvents();
    const Colours dark = colours(the.screen.palette());
    REQUIRE(dark.better != light.better);
    for (QWidget* each : {static_cast<QWidget*>(plot), diff}) {
        CHECK(pixels_of(*each, Qt::white) == 0);
        CHECK(pixels_of(*each, the.screen.palette().color(QPalette::Base)) > 1000);
    }
    CHECK(pixels_of(*plot, dark.better) > 100);
    CHECK(pixels_of(*plot, light.better) == 0);
    CHECK(pixels_of(*diff, dark.added) > 1000);
    CHECK(pixels_of(*diff, dark.removed) > 1000);
    CHECK(pixels_of(*diff, light.added) + pixels_of(*diff, light.removed) == 0);
}

TEST_CASE("an empty box to tick has an outline in the dark") {
    const LightAgain after;
    apply_theme(*qApp, ThemeChoice::dark);
    Fixture the(test::flagged());
    QCheckBox* box = the.flag("over-stated");
    CHECK(pixels_of(*box, colours(box->palette()).muted) >= 4 * 10);
}

TEST_CASE("the plot is as high as its rows, many rows scroll, and the flags keep their room") {
    Fixture the(test::flagged());
    auto* plot = the.screen.findChild<ForestPlot*>();
    auto* rows = plot->findChild<QScrollArea*>();
    const auto flags = [&the] { return the.called<QScrollArea>("Flags and reasons")->height(); };
    CHECK(rows->verticalScrollBar()->maximum() == 0);
    const int high = plot->height(), small = flags();
    the.screen.resize(1280, 1000);
    QCoreApplication::processEvents();
    CHECK(plot->height() <= high);
    CHECK(flags() >= small + 300);
    the.show(test::many(20, 30));
    the.screen.resize(1024, 700);
    QCoreApplication::processEvents();
    CHECK(rows->verticalScrollBar()->maximum() > 0);
    CHECK(flags() >= 150);
}

TEST_CASE("how many were tried is said once, in the words of the sheet") {
    const auto best = [](const Fixture& the) {
        const auto labels = the.screen.findChildren<QLabel*>();
        return std::count_if(labels.begin(), labels.end(),
                             [](const QLabel* label) { return label->text().contains("best"); });
    };
    CHECK(best(Fixture(test::good())) == 1);
    test::Shown several = test::good();
    several.sheet->subtitle = "tuner local · 48 tried, 2 went through the gates";
    CHECK(best(Fixture(several)) == 0);
}

TEST_CASE("what approval lacks takes two lines beside the button, and is whole in the tip and among the gates") {
    Fixture the(test::moved());
    auto* label = the.screen.findChild<BriefLabel*>();
    CHECK(label->text().startsWith("Missing: not held out; base moved; flags. Never measured on held-out workloads."));
    CHECK(label->height() <= 2 * label->fontMetrics().lineSpacing());
    CHECK(label->toolTip().contains("the change merges without conflict"));
    CHECK(label->toolTip().contains("not acknowledged: not held out"));
    auto* list = the.screen.findChild<GatesTab*>()->findChild<QTreeWidget*>();
    const auto held_out = list->findItems("approval: held out", Qt::MatchExactly);
    REQUIRE(held_out.size() == 1);
    CHECK(held_out[0]->text(1) == "✗ missing");
    CHECK(held_out[0]->text(3).contains("Bring held-out workloads and run a new study"));
    QTest::keyClicks(the.called<QLineEdit>("Reason to approve although: not held out"), "only one machine has this");
    CHECK(held_out[0]->text(1) == "✓ holds");
    CHECK(label->text().startsWith("HEAD is"));
}

TEST_CASE("a text in few lines loses only its end, which is marked") {
    const QFont font("DejaVu Sans", 9);
    const QString text = QString("words that go on ").repeated(40);
    const QStringList lines = brief_lines(text, font, 300, 2);
    REQUIRE(lines.size() == 2);
    CHECK(text.startsWith(lines[0]));
    CHECK(lines[1].endsWith(QChar(0x2026)));
    for (const QString& line : lines)
        CHECK(QFontMetrics(font).horizontalAdvance(line) <= 300);
    CHECK(brief_lines("short", font, 300, 2) == QStringList{"short"});
    CHECK(brief_lines("", font, 300, 2).join("").isEmpty());
}

TEST_CASE("saving asks for a file without blocking, writes it, and says what went wrong") {
    const test::ScratchFolder folder;
    const auto save = [](RawSamples& raw, const QString& path) {
        for (auto* button : raw.findChildren<QPushButton*>())
            if (button->accessibleName() == "Save CSV")
                QTest::mouseClick(button, Qt::LeftButton);
        auto* dialog = raw.findChild<QFileDialog*>("save-file"); // reached at once: nothing waits for the answer
        REQUIRE(dialog != nullptr);
        CHECK(dialog->selectedFiles().first().endsWith("trial-184-samples.csv"));
        dialog->findChild<QLineEdit*>()->setText(path);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    };
    RawSamples raw;
    raw.show_sheet(test::good().sheet);
    raw.show();
    const auto file = folder.path() / "samples.csv";
    save(raw, QString::fromStdString(file.string()));
    CHECK(test::read_text(file) == review::samples_csv(*test::good().sheet));
    CHECK(raw.findChild<QMessageBox*>() == nullptr);
    save(raw, "/proc/samples.csv");
    REQUIRE(raw.findChild<QMessageBox*>() != nullptr);
    CHECK(raw.findChild<QMessageBox*>()->text().contains("/proc/samples.csv"));
}

TEST_CASE("how many hunks were viewed is whole in the smallest window") {
    Fixture the(test::many(20, 5));
    the.screen.resize(1024 - 150, 700 - 50); // beside the list of pages, below the top bar
    QCoreApplication::processEvents();
    const auto* count = the.screen.findChild<FittingLabel*>();
    REQUIRE(count->isVisible());
    CHECK(count->text().startsWith("0/4 hunks"));
    CHECK(count->fontMetrics().horizontalAdvance(count->text()) <= count->width());
}
