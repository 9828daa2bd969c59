// SPDX-License-Identifier: GPL-3.0-or-later
// The whole way with keys and mouse, on a real study: watch, reject the overfit, approve the gain, apply, export, take
// back. git says what reached the repository.
#include "app/common/places.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/message_strip.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/trials_table.hpp"
#include "tests/command.hpp"
#include "tests/desktop/drive.hpp"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QStandardPaths>

using namespace holdfast;
using namespace holdfast::desktop;
using test::part;
using test::press;
using test::words;

namespace {

constexpr int patience_ms = 60'000;
constexpr int study_ms = 400'000; // a study of 50 configurations on a shared machine

class Journey {
public:
    Journey() : window(std::filesystem::path(HOLDFAST_SOURCE_DIR) / "resources") {
        window.resize(1280, 800);
        window.show();
        activate();
        wait();
    }

    void wait() {
        wait_for("nothing is being read or written", [this] { return window.settled(); });
    }
    template <class Condition> void wait_for(const char* what, const Condition& condition, int ms = patience_ms) {
        const bool came = QTest::qWaitFor(condition, ms);
        if (!came)
            window.grab().save(QDir::tempPath() + "/holdfast-journey.png");
        INFO("until " << what << "; message: " << window.messages()->text().toStdString()
                      << "; page: " << words(*window.current_screen()));
        REQUIRE(came);
    }

    /// Ctrl+1 to Ctrl+8.
    Screen& page(int number, const QString& name) {
        press(window, static_cast<Qt::Key>(Qt::Key_0 + number), Qt::ControlModifier);
        wait_for("the page is in front", [&] { return window.current_screen()->name() == name; });
        return *window.current_screen();
    }

    /// The example of the start page: made when it is not there yet.
    void open_example() {
        Screen& start = page(1, "start");
        auto* demos = start.findChild<QListWidget*>("demos");
        REQUIRE(demos != nullptr);
        wait_for("the examples are listed", [&] { return demos->count() >= 2; });
        for (int row = 0; row < demos->count(); ++row)
            if (demos->item(row)->data(Qt::UserRole).toString() == "zorder")
                demos->setCurrentRow(row);
        demos->setFocus();
        QTest::keyClick(demos, Qt::Key_Return);
        wait_for("the project is open", [&] { return window.current_screen()->name() == "study"; });
        git({"config", "user.name", "Ada"});
        git({"config", "user.email", "ada@example.org"});
    }

    /// Clicks the first row of the table on the page that holds `text`.
    void click_row(Screen& screen, const QString& text) {
        auto* table = screen.findChild<TrialsTable*>();
        REQUIRE(table != nullptr);
        const QAbstractItemModel& rows = *table->model();
        for (int row = 0; row < rows.rowCount(); ++row)
            for (int column = 0; column < rows.columnCount(); ++column)
                if (rows.index(row, column).data().toString().contains(text)) {
                    table->scrollTo(rows.index(row, 0));
                    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                                      table->visualRect(rows.index(row, 0)).center());
                    table->setFocus();
                    return;
                }
        FAIL("no row holds " << text.toStdString());
    }

    /// Types the reason into the dialog that is open, and sends it.
    void give_reason(const QString& reason) {
        QWidget* dialog = nullptr;
        wait_for("the dialog is open", [&] { return (dialog = dialog_in_front()) != nullptr; });
        auto* field = dialog->findChild<QPlainTextEdit*>();
        auto* confirm = dialog->findChild<QAbstractButton*>("confirm");
        REQUIRE(field != nullptr);
        REQUIRE(confirm != nullptr);
        if (!reason.isEmpty())
            QTest::keyClicks(field, reason);
        REQUIRE(confirm->isEnabled());
        QTest::mouseClick(confirm, Qt::LeftButton);
        wait_for("the dialog is gone", [&] { return dialog_in_front() == nullptr; });
        activate();
    }

    /// Without a window manager nobody hands the keys back when a dialog closes.
    void activate() {
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window));
    }

    QWidget* dialog_in_front() const {
        for (QDialog* dialog : window.findChildren<QDialog*>())
            if (dialog->isVisible())
                return dialog;
        return nullptr;
    }

    QString git(const std::vector<std::string>& arguments) const {
        std::vector<std::string> argv{"git"};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        const test::Ran ran = test::run_command(argv, folder());
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return QString::fromStdString(ran.out).trimmed();
    }

    std::filesystem::path folder() const {
        return (QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/holdfast/demo/zorder")
            .toStdString();
    }

    MainWindow window;
};

} // namespace

TEST_CASE("From an example to a commit and back, with keys and mouse") {
    Journey journey;
    MainWindow& window = journey.window;

    journey.open_example();
    const QString base = journey.git({"rev-parse", "HEAD"});
    journey.wait();

    // The study: started, paused, gone on with, watched to its end.
    Screen& study = *window.current_screen();
    auto* start_button = study.findChild<QAbstractButton*>("start-study-button");
    REQUIRE(start_button != nullptr);
    journey.wait_for("a study can be started", [&] { return start_button->isEnabled(); });
    QTest::mouseClick(start_button, Qt::LeftButton);
    auto* pause = study.findChild<QAction*>("pause-study");
    auto* resume = study.findChild<QAction*>("resume-study");
    journey.wait_for(
        "the study runs",
        [&] {
            return pause->isEnabled() && words(study).find(" left") != std::string::npos &&
                   words(study).find("not known") == std::string::npos;
        },
        study_ms);
    press(window, Qt::Key_F7);
    journey.wait_for("the study is paused", [&] { return resume->isEnabled(); });
    press(window, Qt::Key_F6);
    journey.wait_for("the study goes on", [&] { return pause->isEnabled(); });
    journey.wait_for(
        "the study ends", [&] { return !pause->isEnabled() && start_button->isEnabled(); }, study_ms);
    journey.wait();

    // The overfit is rejected, with a reason.
    Screen& trials = journey.page(3, "trials");
    journey.click_row(trials, "overfits");
    press(window, Qt::Key_Return);
    journey.wait_for("the review is in front", [&] { return window.current_screen()->name() == "review"; });
    journey.wait();
    Screen& review = *window.current_screen();
    CHECK(words(review).find("Overfits") != std::string::npos);
    auto* approve = review.findChild<QAction*>("approve");
    REQUIRE(approve != nullptr);
    CHECK_FALSE(approve->isEnabled());
    press(window, Qt::Key_R);
    journey.give_reason("learned the four queries by heart");
    journey.wait();

    // The gain is read and approved.
    journey.page(4, "queue");
    press(window, Qt::Key_J);
    press(window, Qt::Key_Return);
    journey.wait_for("the review is in front", [&] { return window.current_screen()->name() == "review"; });
    journey.wait();
    journey.wait_for("the good trial is shown", [&] { return words(review).find("Generalises") != std::string::npos; });
    // The boxes of the trial before may still be there for a moment, so each look ticks what is open.
    journey.wait_for("it may be approved", [&] {
        for (auto* box : review.findChildren<QCheckBox*>())
            if (box->accessibleName().startsWith("I have read") && box->isVisible() && !box->isChecked())
                QTest::keyClick(box, Qt::Key_Space);
        return approve->isEnabled();
    });
    press(window, Qt::Key_Return, Qt::ControlModifier);
    journey.give_reason("");
    journey.wait();
    CHECK(journey.git({"rev-parse", "HEAD"}) == base);
    CHECK(journey.git({"branch", "--list", "holdfast/*"}).isEmpty());

    // It becomes a commit.
    Screen& approved = journey.page(7, "approved");
    journey.wait_for("the approved trial is listed",
                     [&] { return approved.findChild<TrialsTable*>()->model()->rowCount() == 1; });
    journey.click_row(approved, "generalises");
    press(window, Qt::Key_A);
    journey.wait_for("the plan is in front", [&] { return window.current_screen()->name() == "apply"; });
    Screen& apply = *window.current_screen();
    auto* commit = apply.findChild<QAction*>("confirm-apply");
    REQUIRE(commit != nullptr);
    journey.wait_for("the commit is ready", [&] { return commit->isEnabled(); });
    CHECK(commit->text().contains("holdfast/1/1"));
    press(window, Qt::Key_Return, Qt::ControlModifier);
    journey.wait_for("it is applied", [&] { return window.current_screen()->name() == "approved"; });
    journey.wait();
    CHECK(journey.git({"rev-parse", "HEAD"}) == base);
    CHECK(journey.git({"rev-parse", "holdfast/1/1~1"}) == base);
    CHECK(journey.git({"show", "holdfast/1/1:holdfast.json"}).contains("\"default\": 24"));
    CHECK(journey.git({"log", "-1", "--format=%(trailers:key=Reviewed-by,valueonly)", "holdfast/1/1"}) ==
          "Ada <ada@example.org>");

    // It is exported, and git takes what was written.
    journey.click_row(approved, "generalises");
    auto* as_patch = approved.findChild<QAction*>("export-patch");
    REQUIRE(as_patch != nullptr);
    as_patch->trigger();
    auto* dialog = window.findChild<QFileDialog*>("export-file");
    REQUIRE(dialog != nullptr);
    const QString file = QDir::tempPath() + "/journey.patch";
    QFile::remove(file);
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(file);
    QTest::keyClick(dialog->findChild<QLineEdit*>("fileNameEdit"), Qt::Key_Return);
    journey.wait_for("the file is written", [&] { return QFile::exists(file); });
    journey.activate();
    journey.wait();
    CHECK(journey.git({"apply", "--check", "--verbose", file.toStdString()}).isEmpty());
    QFile::remove(file);

    // It is taken back.
    journey.click_row(approved, "generalises");
    press(window, Qt::Key_R);
    journey.wait_for("the way back is ready",
                     [&] { return window.current_screen()->name() == "apply" && commit->isEnabled(); });
    press(window, Qt::Key_Return, Qt::ControlModifier);
    journey.wait_for("it is taken back", [&] { return window.current_screen()->name() == "approved"; });
    journey.wait();
    CHECK(journey.git({"rev-parse", "holdfast/1/1^{tree}"}) ==
          journey.git({"rev-parse", base.toStdString() + "^{tree}"}));
    CHECK(journey.git({"rev-list", "--count", "HEAD..holdfast/1/1"}) == "2");
    CHECK(journey.git({"status", "--porcelain"}).isEmpty());
}

TEST_CASE("Closing the window in a study keeps what was measured, and the next start offers to go on") {
    {
        Journey journey;
        MainWindow& window = journey.window;
        journey.open_example();
        journey.wait();
        Screen& study = *window.current_screen();
        auto* start = study.findChild<QAction*>("start-study");
        auto* pause = study.findChild<QAction*>("pause-study");
        journey.wait_for("a study can be started", [&] { return start->isEnabled(); });
        press(window, Qt::Key_F5);
        // Before the first round there is nothing that could be gone on with.
        journey.wait_for(
            "rounds are timed",
            [&] { return pause->isEnabled() && words(study).find("Opening:") != std::string::npos; }, study_ms);

        window.close();
        CHECK(window.isVisible());
        auto* stay = window.findChild<QAbstractButton*>("close-stay");
        REQUIRE(stay != nullptr);
        QTest::mouseClick(stay, Qt::LeftButton);
        journey.activate();
        CHECK(pause->isEnabled());

        window.close();
        QAbstractButton* stop = nullptr;
        for (auto* button : window.findChildren<QAbstractButton*>("close-stop"))
            if (button->isVisible())
                stop = button;
        REQUIRE(stop != nullptr);
        QTest::mouseClick(stop, Qt::LeftButton);
        journey.wait_for("the study has stopped", [&] { return !window.isVisible(); });
    }
    Journey again;
    again.open_example();
    again.wait_for("what was interrupted is told",
                   [&] { return again.window.messages()->text().contains("was interrupted"); });
    auto* resume = again.window.current_screen()->findChild<QAction*>("resume-study");
    again.wait_for("it can be resumed", [&] { return resume->isEnabled(); });
    press(again.window, Qt::Key_F6);
    auto* stop = again.window.current_screen()->findChild<QAction*>("pause-study");
    again.wait_for("it goes on", [&] { return stop->isEnabled(); });
    press(again.window, Qt::Key_F7);
    again.wait_for("it is paused", [&] { return resume->isEnabled(); });
}
