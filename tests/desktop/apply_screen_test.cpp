// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/apply_screen.hpp"
#include "app/desktop/diff_view.hpp"
#include "tests/desktop/drive.hpp"

#include <QAccessible>
#include <QCheckBox>
#include <QPlainTextEdit>
#include <QSignalSpy>

#include <memory>

using namespace holdfast;
using namespace holdfast::desktop;
using namespace holdfast::test;

namespace {

std::shared_ptr<review::Plan> plan() {
    auto plan = std::make_shared<review::Plan>();
    plan->branch = "holdfast/1/3";
    plan->parent = "3f9c2e1a0b4d5e6f708192a3b4c5d6e7f8091a2b";
    plan->message = "opt -O2 -> -O3\n\nHoldfast-Trial: 3\n";
    plan->author = {"Ada", "ada@example.org"};
    git::DiffFile file;
    file.path = "holdfast.json";
    file.hunks.push_back({1, 1, 1, 1, {}});
    file.hunks[0].lines.push_back({git::DiffLine::Kind::removed, 1, 0, "-O2", true});
    file.hunks[0].lines.push_back({git::DiffLine::Kind::added, 0, 1, "-O3", true});
    file.before = "-O2\n";
    file.after = "-O3\n";
    file.lines_added = file.lines_removed = 1;
    plan->files.push_back(file);
    return plan;
}

} // namespace

TEST_CASE("the commit is shown before it is written, and written once") {
    ApplyScreen screen;
    screen.show_plan(3, plan(), false, "main");
    open(screen);
    CHECK(part<QPlainTextEdit>(screen, "Commit message").toPlainText() == "opt -O2 -> -O3\n\nHoldfast-Trial: 3\n");
    CHECK_THAT(words(screen), ContainsSubstring("holdfast/1/3 (new)"));
    CHECK_THAT(words(screen), ContainsSubstring("Ada <ada@example.org>"));
    CHECK_THAT(words(screen), ContainsSubstring("1 file, +1 −1"));
    QSignalSpy confirmed(&screen, &ApplyScreen::confirmed);
    press(screen, Qt::Key_Return);
    CHECK(confirmed.isEmpty());
    click(screen, "Commit on holdfast/1/3");
    click(screen, "Commit on holdfast/1/3");
    REQUIRE(confirmed.size() == 1);
    CHECK(confirmed[0][0].toLongLong() == 3);
    CHECK_FALSE(confirmed[0][1].toBool());
    CHECK_FALSE(confirmed[0][2].toBool());
}

TEST_CASE("the files of a plan are shown line by line, walked and turned with keys, with nothing to tick") {
    ApplyScreen screen;
    auto two = plan();
    two->files.push_back(two->files.front());
    two->files.back().path = "src/<b>evil</b>\x1b.cpp";
    two->files.back().hunks[0].lines[1].text = "int\u202e three;";
    screen.show_plan(3, two, false, "main");
    open(screen);
    const auto text_of = [&screen](const char* pane) {
        auto* text = QAccessible::queryAccessibleInterface(&part<QWidget>(screen, pane))->textInterface();
        return text->text(0, text->characterCount()).toStdString();
    };
    CHECK(text_of("Unified diff") == "holdfast.json   +1 −1\n@@ −1,1 +1,1 @@\n-O2\n-O3\n"
                                     "src/<b>evil</b>\\x1b.cpp   +1 −1\n@@ −1,1 +1,1 @@\n-O2\nint\\u202e three;");
    auto* diff = screen.findChild<DiffView*>();
    press(screen, Qt::Key_J);
    CHECK(diff->current() == 1);
    press(screen, Qt::Key_K);
    CHECK(diff->current() == 0);
    press(screen, Qt::Key_D);
    CHECK(diff->side_by_side());
    CHECK_THAT(text_of("Diff, new side"), ContainsSubstring("-O3") && !ContainsSubstring("-O2"));
    CHECK_FALSE(part<QCheckBox>(screen, "Hunk viewed").isVisible());
    press(screen, Qt::Key_V);
    diff->toggle_viewed();
    CHECK(diff->viewed() == 0);
}

TEST_CASE("fast-forwarding names the branch and waits for the new plan") {
    ApplyScreen screen;
    screen.show_plan(3, plan(), false, "main");
    open(screen);
    auto& box = part<QCheckBox>(screen, "Fast-forward main");
    CHECK_FALSE(box.isChecked());
    CHECK_THAT(box.text().toStdString(), ContainsSubstring("main too: the files in the working tree change"));
    QSignalSpy changed(&screen, &ApplyScreen::fast_forward_changed), confirmed(&screen, &ApplyScreen::confirmed);
    QTest::mouseClick(&box, Qt::LeftButton, {}, QPoint(8, box.height() / 2));
    REQUIRE(changed.size() == 1);
    press(screen, Qt::Key_Return, Qt::ControlModifier);
    CHECK(confirmed.isEmpty());
    auto moving = plan();
    moving->fast_forward = "main";
    screen.show_plan(3, moving, false, "main");
    click(screen, "Commit on holdfast/1/3 and move main");
    REQUIRE(confirmed.size() == 1);
    CHECK(confirmed[0][2].toBool());
}

TEST_CASE("a refused plan can only be left") {
    ApplyScreen screen;
    screen.show_refusal(3, true, "Later commits touch <b>the same</b> lines.");
    open(screen);
    CHECK_THAT(words(screen), ContainsSubstring("Take #3 back"));
    CHECK_THAT(words(screen), ContainsSubstring("Later commits touch <b>the same</b> lines."));
    CHECK(words(screen).find("nothing to commit") == std::string::npos); // the refusal is enough
    QSignalSpy confirmed(&screen, &ApplyScreen::confirmed), cancelled(&screen, &ApplyScreen::cancelled);
    press(screen, Qt::Key_Return, Qt::ControlModifier);
    press(screen, Qt::Key_Escape);
    CHECK(confirmed.isEmpty());
    CHECK(cancelled.size() == 1);
}

TEST_CASE("a merge and an earlier run that was cut off are said before committing") {
    ApplyScreen screen;
    auto merged = plan();
    merged->merged = true;
    merged->done_already = "0123456789abcdef";
    screen.show_plan(3, merged, false);
    CHECK_THAT(words(screen), ContainsSubstring("the result as a whole was not measured"));
    CHECK_THAT(words(screen), ContainsSubstring("Commit 0123456789ab holds all this already"));
}
