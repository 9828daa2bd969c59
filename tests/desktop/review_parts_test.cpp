// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the review screen: plot, diff, logs, raw samples.
#include "app/desktop/brief_label.hpp"
#include "app/desktop/diff_lines.hpp"
#include "app/desktop/diff_view.hpp"
#include "app/desktop/evidence_tabs.hpp"
#include "app/desktop/forest_layout.hpp"
#include "app/desktop/forest_plot.hpp"
#include "app/desktop/raw_samples.hpp"
#include "app/desktop/words.hpp"
#include "core/project/utf8.hpp"
#include "tests/catch.h"
#include "tests/desktop/sheets.hpp"

#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>

using namespace holdfast;
using namespace holdfast::desktop;
using Kind = ShownLine::Kind;

TEST_CASE("a forest plot has a text for every row") {
    ForestPlot plot;
    plot.show_sheet(test::good().sheet, 0.1);
    const QStringList rows = plot.accessibleDescription().split('\n');
    REQUIRE(rows.size() == 6);
    CHECK(rows[0] ==
          "tuning uniform-small: −7.9 % [−8.8, −7.0], better, 40 rounds, every judged run passed its check.");
    CHECK(rows[5].startsWith("held-out many-clients: +0.6 % [−2.9, +4.1], unclear, 60 rounds"));
    CHECK(rows[5].contains("wide spread"));
    CHECK(plot.accessibleName() == "Change of wall time (s) by workload, candidate against baseline; lower is better");
    auto rows_metric = test::good().sheet;
    rows_metric->metric = "rows";
    rows_metric->unit = "";
    rows_metric->better = Better::higher;
    plot.show_sheet(rows_metric, 0.1);
    CHECK(plot.accessibleName() == "Change of rows by workload, candidate against baseline; higher is better");
}

TEST_CASE("metrics that always exist are said in words, declared ones by their name") {
    CHECK(metric_words("wall") == "wall time");
    CHECK(metric_words("cpu") == "CPU time");
    CHECK(metric_words("peak-memory") == "peak memory");
    CHECK(metric_words("rows\u202e") == "rows\\u202e");
}

TEST_CASE("a forest plot draws unknown, single, equal and infinite values") {
    const auto sheet = test::odd_numbers().sheet;
    const PlotRange range = forest_range(*sheet);
    CHECK(range.low < 0);
    CHECK(range.high > 0);
    CHECK(range.high < 1); // one round at +2500 % does not squash the rest
    ForestPlot plot;
    plot.show_sheet(sheet, 0.1);
    plot.resize(700, 300);
    CHECK_FALSE(plot.grab().isNull());
    CHECK(plot.accessibleDescription().startsWith("tuning unknown: unknown, 0 rounds, has no check."));
    CHECK(plot.accessibleDescription().contains("a judged run failed its check"));
}

TEST_CASE("ticks are round, few, and named with a real minus") {
    const auto ticks = round_ticks({-0.11, 0.05}, 6);
    REQUIRE(ticks.size() <= 7);
    CHECK(std::any_of(ticks.begin(), ticks.end(), [](double tick) { return std::abs(tick) < 1e-12; }));
    CHECK(tick_text(-0.1, 0.05) == "−10 %");
    CHECK(tick_text(0.005, 0.005) == "+0.5 %");
    CHECK(tick_text(0, 0.02) == "0 %");
}

TEST_CASE("dots lie at the same place at every drawing, within their row") {
    for (std::size_t i = 0; i < 500; ++i) {
        CHECK(jitter(3, i) == jitter(3, i));
        CHECK(std::abs(jitter(3, i)) <= 1);
    }
    CHECK(jitter(1, 1) != jitter(2, 1));
}

TEST_CASE("a diff's two sides have the same height, and every byte its ink") {
    const auto shown = test::hostile();
    const ShownDiff diff = shown_diff(shown.sheet->files);
    REQUIRE(diff.before.size() == diff.after.size());
    CHECK(diff.in_unified.size() == diff.in_split.size());
    for (const auto* side : {&diff.unified, &diff.before, &diff.after})
        for (const ShownLine& line : *side)
            CHECK(line.text.size() == line.inks.size());
    for (const HunkPlace& place : diff.in_unified)
        CHECK((diff.unified[place.line].kind == Kind::hunk || diff.unified[place.line].kind == Kind::note));
}

TEST_CASE("a diff shows what would hide, binary content and a missing newline in words") {
    const ShownLine line = shown_rows("a\u202eb\x1b\xff\t", "").front();
    CHECK(line.text == "a\\u202eb\\x1b\\xff\t");
    CHECK(line.inks[1] == static_cast<char>(Ink::hidden));
    std::string all;
    for (const ShownLine& each : shown_diff(test::hostile().sheet->files).unified)
        all += each.text + '\n';
    CHECK(all.find("Binary content, not shown: 3 bytes before, 3 bytes after.") != std::string::npos);
    CHECK(all.find("No newline at the end of the file.") != std::string::npos);
    CHECK(all.find("\u202e") == std::string::npos);
}

TEST_CASE("a long line is shown whole, in rows that end between characters") {
    std::string text;
    while (text.size() < 100000)
        text += "a\u00e9\u202e\U0001f600";
    std::string shown, expected;
    const auto rows = shown_rows(text, "");
    REQUIRE(rows.size() > 20);
    for (const ShownLine& row : rows) {
        CHECK(row.text.size() <= 4000);
        CHECK(row.continued == (&row != &rows.front()));
        CHECK_FALSE(first_invalid_utf8(row.text));
        shown += row.text;
    }
    for (std::size_t i = 0; i < text.size() / 10; ++i)
        expected += "a\u00e9\\u202e\U0001f600";
    CHECK(shown == expected);
    const ShownDiff diff = shown_diff(test::hostile().sheet->files);
    const auto is_note = [](const ShownLine& line) { return line.text == "↪ One line of 100000 bytes, in 25 rows"; };
    for (const auto* side : {&diff.unified, &diff.before, &diff.after}) {
        const auto note = std::find_if(side->begin(), side->end(), is_note);
        REQUIRE(note != side->end());
        std::string whole;
        for (int i = 1; i <= 25; ++i)
            whole += note[i].text;
        CHECK(whole == std::string(100000, 'x'));
        CHECK(note[1].new_line == 2);
        CHECK_FALSE(note[26].continued);
    }
}

TEST_CASE("the colours of a line come from the whole text, not from the hunk") {
    git::DiffFile file;
    file.path = "a.cpp";
    file.before = "/* one\ntwo\n*/\nint three;\n";
    file.after = "/* one\ntwo 2\n*/\nint three;\n";
    using Line = git::DiffLine::Kind;
    file.hunks = {{2, 1, 2, 1, {{Line::removed, 2, 0, "two", true}, {Line::added, 0, 2, "two 2", true}}},
                  {4, 1, 4, 1, {{Line::context, 4, 4, "int three;", true}}}};
    const ShownDiff diff = shown_diff({file});
    REQUIRE(diff.unified.size() == 6);
    CHECK(diff.unified[2].kind == Kind::removed);
    CHECK(diff.unified[2].inks == std::string(3, static_cast<char>(Ink::comment)));
    CHECK(diff.unified[3].inks == std::string(5, static_cast<char>(Ink::comment)));
    CHECK(diff.unified[5].inks[0] == static_cast<char>(Ink::keyword));
}

TEST_CASE("hunks are walked and marked; the marks survive the change of form") {
    DiffView view;
    view.resize(500, 400);
    view.show_files(test::good().sheet->files, "");
    REQUIRE(view.hunks() == 4);
    view.toggle_viewed();
    view.next_hunk();
    CHECK(view.current() == 1);
    view.toggle_viewed();
    view.toggle_side_by_side();
    CHECK(view.side_by_side());
    CHECK(view.viewed() == 2);
    CHECK(view.current() == 1);
    view.toggle_viewed();
    CHECK(view.viewed() == 1);
    for (int i = 0; i < 9; ++i)
        view.next_hunk();
    CHECK(view.current() == 3);
    view.previous_hunk();
    CHECK(view.current() == 2);
    view.show_files({}, "No file changes.");
    view.next_hunk();
    view.toggle_viewed();
    CHECK(view.viewed() == 0);
}

TEST_CASE("of a long log the end is shown, begun at a line") {
    std::string log;
    for (int i = 0; i < 5000; ++i)
        log += "line " + std::to_string(i) + "\n";
    const auto end = log_end(log);
    CHECK(end.starts_with("line 3000\n"));
    CHECK(end.ends_with("line 4999\n"));
    CHECK(log_end("") == "");
    CHECK(log_end("one\ntwo") == "one\ntwo");
    CHECK(log_end(std::string(3'000'000, 'x')).size() == 1'000'000);
}

TEST_CASE("a gate's log is shown with the gate, as plain text") {
    GatesTab tab;
    tab.show_gates(test::hostile().sheet->gates, 184);
    auto* list = tab.findChild<QTreeWidget*>();
    list->setCurrentItem(list->topLevelItem(0));
    CHECK(tab.findChild<QPlainTextEdit*>()->toPlainText() == "<b>evil</b>\\x1b[31m\\u202etxt.exe");
}

TEST_CASE("raw samples are shown by workload and say their medians") {
    RawSamples raw;
    raw.resize(800, 500);
    raw.show_sheet(test::good().sheet);
    auto* workload = raw.findChildren<QComboBox*>().front();
    REQUIRE(workload->count() == 6);
    workload->setCurrentIndex(3);
    CHECK_FALSE(raw.grab().isNull());
    bool said = false;
    for (auto* widget : raw.findChildren<QWidget*>())
        said = said || widget->accessibleDescription().startsWith("wall time (ms). baseline: 60 runs, median 250");
    CHECK(said);
    raw.show_sheet(test::odd_numbers().sheet);
    raw.clear();
    CHECK_FALSE(raw.grab().isNull());
}

TEST_CASE("without any round there is no plot, only a line that says why") {
    ForestPlot plot;
    plot.resize(700, 300);
    plot.show();
    auto* rows = plot.findChild<QScrollArea*>();
    const test::Shown shown = test::good();
    for (review::WorkloadRow& row : shown.sheet->rows)
        row.dots.clear();
    shown.sheet->gates.back().result = "fail";
    plot.show_sheet(shown.sheet, 0.1);
    CHECK_FALSE(rows->isVisible());
    CHECK(plot.accessibleDescription() == "No rounds were measured: holdout: confirmed");
    int said = 0;
    for (const QLabel* label : plot.findChildren<QLabel*>())
        said += label->isVisible() ? 1 : 0;
    CHECK(said == 1);
    plot.show_sheet(test::good().sheet, 0.1);
    CHECK(rows->isVisible());
}

TEST_CASE("a label takes the longest wording that fits and is never cut without a mark") {
    FittingLabel label;
    label.say({"0/12 hunks viewed", "0/12 hunks"});
    label.resize(400, 20);
    label.show();
    CHECK(label.text() == "0/12 hunks viewed");
    label.resize(label.fontMetrics().horizontalAdvance("0/12 hunks v"), 20);
    CHECK(label.text() == "0/12 hunks");
    label.resize(40, 20);
    CHECK(label.text().endsWith("…"));
}

TEST_CASE("ids are shown by their first digits") {
    CHECK(with_short_ids("HEAD is " + QString(40, 'a') + ", not " + QString(64, '1') + ".") ==
          "HEAD is aaaaaaaaaaaa, not 111111111111.");
    CHECK(with_short_ids("aaaaaaaaaaaa") == "aaaaaaaaaaaa");
    CHECK(with_short_ids("x" + QString(40, 'a')) == "x" + QString(40, 'a'));
}
