// SPDX-License-Identifier: GPL-3.0-or-later
// The review screen driven with real keys and clicks, against core's own rules.
#include "app/common/ssh_signatures.hpp"
#include "app/desktop/project_work.hpp"
#include "app/desktop/verdict_banner.hpp"
#include "tests/desktop/review_fixture.hpp"

#include <QAction>
#include <QClipboard>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabWidget>

using namespace holdfast;
using desktop::ReviewScreen;
using test::Fixture;
using test::Shown;

TEST_CASE("approve waits until each flag is acknowledged, one by one") {
    Fixture the(test::flagged());
    CHECK_FALSE(the.approve()->isEnabled());
    CHECK(the.missing().startsWith("Not acknowledged: over-stated, shape changed"));
    Fixture::click(the.flag("over-stated"));
    CHECK_FALSE(the.approve()->isEnabled());
    CHECK(the.missing().startsWith("Not acknowledged: shape changed"));
    Fixture::click(the.flag("shape changed"));
    CHECK(the.approve()->isEnabled());
    Fixture::click(the.flag("over-stated"));
    CHECK_FALSE(the.approve()->isEnabled());
}

TEST_CASE("approve is neither default nor focused, and far from reject") {
    Fixture the(test::good());
    REQUIRE(the.approve()->isEnabled());
    CHECK_FALSE(the.approve()->isDefault());
    CHECK_FALSE(the.approve()->autoDefault());
    CHECK(the.screen.focusWidget() != the.approve());
    const auto* reject = the.called<QPushButton>("Reject…");
    const int reject_end = reject->mapTo(&the.screen, QPoint(reject->width(), 0)).x();
    CHECK(the.approve()->mapTo(&the.screen, QPoint()).x() - reject_end > 300);
    QSignalSpy approved(&the.screen, &ReviewScreen::approve_requested);
    the.press(Qt::Key_Return);
    the.press(Qt::Key_Space);
    CHECK(the.dialog("approve") == nullptr);
    CHECK(approved.isEmpty());
}

TEST_CASE("an approval says what it approves, cancels by default, and carries what was read") {
    Fixture the(test::flagged());
    QSignalSpy approved(&the.screen, &ReviewScreen::approve_requested);
    the.press(Qt::Key_Return, Qt::ControlModifier);
    CHECK(the.dialog("approve") == nullptr);
    Fixture::click(the.flag("over-stated"));
    Fixture::click(the.flag("shape changed"));
    the.press(Qt::Key_Return, Qt::ControlModifier);
    REQUIRE(the.dialog("approve") != nullptr);
    QString all;
    for (auto* label : the.dialog("approve")->findChildren<QLabel*>())
        all += label->text() + '\n';
    for (const char* part :
         {"#184", "block_rows 64 → 24", "aaaaaaaaaaaa", "bbbbbbbbbbbb", "over-stated, shape changed"})
        CHECK(all.contains(part));
    CHECK(the.dialog("approve")->findChild<QPushButton*>("confirm")->isDefault() == false);
    QTest::keyClick(the.dialog("approve"), Qt::Key_Return);
    CHECK(approved.isEmpty());
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    the.press(Qt::Key_Return, Qt::ControlModifier);
    REQUIRE(the.dialog("approve") != nullptr);
    QTest::keyClicks(the.dialog("approve")->findChild<QPlainTextEdit*>(), "looks right");
    Fixture::click(the.confirm("approve"));
    REQUIRE(approved.size() == 1);
    CHECK(approved[0][0].toLongLong() == 184);
    CHECK(approved[0][1].value<review::Answers>().acknowledged ==
          std::vector<std::string>{"over-stated", "shape changed"});
    CHECK(approved[0][2].toString() == "looks right");
}

TEST_CASE("overrides ask for a reason only where a gate needs it") {
    Fixture plain(test::good());
    CHECK(plain.screen.findChildren<QLineEdit*>().isEmpty());
    Fixture the(test::moved());
    CHECK_FALSE(the.approve()->isEnabled());
    auto* base = the.called<QLineEdit>("Reason to approve although: base moved");
    auto* unseen = the.called<QLineEdit>("Reason to approve although: not held out");
    CHECK(base->placeholderText().contains("at least ten characters"));
    QTest::keyClicks(unseen, "only one ");
    CHECK(the.says("Not enough: the reason has fewer than ten characters."));
    QTest::keyClicks(unseen, "machine has this load");
    CHECK_FALSE(the.says("Not enough"));
    CHECK_FALSE(the.approve()->isEnabled());
    CHECK(the.says("Before approving: 1 of 2 reasons given"));
    QTest::keyClicks(base, "  ");
    CHECK_FALSE(the.approve()->isEnabled());
    QTest::keyClicks(base, "docs only moved");
    CHECK(the.approve()->isEnabled());
}

TEST_CASE("a flag that is a gate is one question: its evidence, and a reason") {
    Fixture the(test::moved());
    CHECK(the.says("nothing shows that the gain holds on data the tuner has not seen. Never measured"));
    for (const auto* box : the.screen.findChildren<QCheckBox*>())
        CHECK_FALSE(box->accessibleName().startsWith("I have read"));
}

TEST_CASE("single keys do nothing while a reason is typed") {
    Fixture the(test::moved());
    QSignalSpy next(&the.screen, &ReviewScreen::next_requested);
    QSignalSpy measured(&the.screen, &ReviewScreen::remeasure_requested);
    auto* field = the.called<QLineEdit>("Reason to approve although: base moved");
    field->setFocus();
    QTest::keyClicks(field, "rmnc");
    CHECK(field->text() == "rmnc");
    CHECK(next.isEmpty());
    CHECK(measured.isEmpty());
    CHECK(the.dialog("reject") == nullptr);
}

TEST_CASE("reject and needs work demand a reason; sharing it is a choice") {
    Fixture the(test::good());
    QSignalSpy declined(&the.screen, &ReviewScreen::decline_requested);
    the.press(Qt::Key_R);
    REQUIRE(the.dialog("reject") != nullptr);
    CHECK_FALSE(the.confirm("reject")->isEnabled());
    QTest::keyClicks(the.dialog("reject")->findChild<QPlainTextEdit*>(), "   ");
    CHECK_FALSE(the.confirm("reject")->isEnabled());
    QTest::keyClicks(the.dialog("reject")->findChild<QPlainTextEdit*>(), "too fragile ");
    Fixture::click(the.confirm("reject"));
    REQUIRE(declined.size() == 1);
    CHECK(declined[0][1].value<review::Decision>() == review::Decision::rejected);
    CHECK(declined[0][2].toString() == "too fragile");
    CHECK_FALSE(declined[0][3].toBool());
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    the.press(Qt::Key_C);
    REQUIRE(the.dialog("rework") != nullptr);
    auto* share = the.dialog("rework")->findChild<QCheckBox*>();
    CHECK_FALSE(share->isChecked());
    Fixture::click(share);
    QTest::keyClicks(the.dialog("rework")->findChild<QPlainTextEdit*>(), "keep the cache");
    Fixture::click(the.confirm("rework"));
    REQUIRE(declined.size() == 2);
    CHECK(declined[1][1].value<review::Decision>() == review::Decision::rework);
    CHECK(declined[1][3].toBool());
}

TEST_CASE("keys ask for the next, the previous, another measurement, an export and the command") {
    Fixture the(test::good());
    QSignalSpy next(&the.screen, &ReviewScreen::next_requested);
    QSignalSpy previous(&the.screen, &ReviewScreen::previous_requested);
    QSignalSpy measured(&the.screen, &ReviewScreen::remeasure_requested);
    QSignalSpy exported(&the.screen, &ReviewScreen::export_requested);
    for (const Qt::Key key : {Qt::Key_N, Qt::Key_P, Qt::Key_M, Qt::Key_E, Qt::Key_Y})
        the.press(key);
    CHECK(next.size() == 1);
    CHECK(previous.size() == 1);
    REQUIRE(measured.size() == 1);
    CHECK(measured[0][0].toLongLong() == 184);
    CHECK(exported.size() == 1);
    CHECK(QApplication::clipboard()->text() == "holdfast measure --trial 184 --seed 7");
}

TEST_CASE("what is not a proposal names the missing gate, and nothing can be decided while nothing is shown") {
    Fixture the(test::overfit());
    CHECK_FALSE(the.approve()->isEnabled());
    CHECK(the.missing().startsWith("The verdict is overfits"));
    the.screen.clear();
    CHECK_FALSE(the.approve()->isEnabled());
    CHECK_FALSE(the.called<QPushButton>("Reject…")->isEnabled());
    the.press(Qt::Key_E);
    the.press(Qt::Key_R);
    CHECK(the.dialog("reject") == nullptr);
}

TEST_CASE("another proposal starts unread; the same one shown again keeps what was read") {
    const Shown first = test::flagged();
    Fixture the(first);
    Fixture::click(the.flag("over-stated"));
    the.show(first);
    CHECK(the.flag("over-stated")->isChecked());
    Shown second = test::flagged();
    second.dossier->trial.id = "another";
    the.show(second);
    CHECK_FALSE(the.flag("over-stated")->isChecked());
}

TEST_CASE("every control has a name, and no two actions share a key") {
    Fixture the(test::moved());
    for (auto* widget : the.screen.findChildren<QWidget*>())
        if (widget->focusPolicy() != Qt::NoFocus && widget->objectName().indexOf("qt_") != 0 &&
            qobject_cast<QLabel*>(widget) == nullptr && !widget->inherits("QTabBar") &&
            !widget->inherits("QSplitter")) {
            INFO(widget->metaObject()->className() << " in " << widget->parentWidget()->metaObject()->className());
            CHECK_FALSE(widget->accessibleName().isEmpty());
        }
    QSet<QKeySequence> keys;
    for (QAction* action : the.screen.actions()) {
        CHECK_FALSE(keys.contains(action->shortcut()));
        keys.insert(action->shortcut());
    }
}

TEST_CASE("hostile texts are shown as they are, never as markup") {
    Fixture the(test::hostile());
    CHECK(the.says("<b>evil</b>\\x1b[31m\\u202etxt.exe"));
    for (auto* label : the.screen.findChildren<QLabel*>())
        if (label->text().contains("evil")) {
            CHECK(label->textFormat() == Qt::PlainText);
            CHECK_FALSE(label->text().contains(QChar(0x202e)));
        }
}

TEST_CASE("knobs are in front for a trial of knobs alone, the diff for one with a patch") {
    Fixture the(test::good());
    const auto in_front = [tabs = the.screen.findChild<QTabWidget*>()] {
        return tabs->tabText(tabs->currentIndex()).section(' ', 0, 0).toStdString();
    };
    CHECK(in_front() == "Diff");
    Shown knobs = test::good();
    knobs.dossier->trial.id = "knobs";
    knobs.dossier->trial.patch.clear();
    the.show(knobs);
    CHECK(in_front() == "Knobs");
    the.press(Qt::Key_V);
    CHECK(in_front() == "Diff");
    CHECK_FALSE(the.called<QCheckBox>("Hunk viewed")->isChecked()); // it was not in sight
    the.press(Qt::Key_V);
    CHECK(the.called<QCheckBox>("Hunk viewed")->isChecked());
    the.show(knobs); // the same again stays as the person left it
    CHECK(in_front() == "Diff");
}

TEST_CASE("an approval that no longer holds and evidence that does not are said at the top") {
    Fixture the(test::good());
    CHECK_FALSE(the.says("no longer holds"));
    CHECK_FALSE(the.says("The evidence does not hold"));
    Shown shown = test::good();
    shown.dossier->standing = review::Standing::approved;
    app::SshSignatures signatures;
    const QString fault = desktop::work::approval_fault(*shown.dossier, signatures);
    CHECK_FALSE(fault.isEmpty()); // there is no row of it
    the.screen.show_dossier(shown.dossier, shown.sheet, true, fault);
    CHECK(the.says("The approval no longer holds: " + fault));
    shown.dossier->standing = review::Standing::waiting;
    CHECK(desktop::work::approval_fault(*shown.dossier, signatures).isEmpty());
    shown.dossier->evidence_fault = "a sample is not what was measured";
    the.show(shown);
    CHECK_FALSE(the.says("no longer holds"));
    CHECK(the.says("The evidence does not hold: a sample is not what was measured"));
    CHECK(the.screen.findChild<desktop::VerdictBanner*>()->accessibleDescription().startsWith("Bad. The evidence"));
}

TEST_CASE("that nothing was flagged is said of a proposal only") {
    CHECK(Fixture(test::good()).says("Nothing was flagged"));
    CHECK_FALSE(Fixture(test::overfit()).says("Nothing was flagged"));
}
