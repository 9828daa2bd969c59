// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/review_parts.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <vector>

namespace holdfast::desktop {

namespace {

QPushButton* button(const QString& text, QWidget* parent) {
    auto* made = new QPushButton(text, parent);
    made->setAutoDefault(false);
    return made;
}

QScrollArea* scrolling(QWidget* content, const QString& name, QWidget* parent) {
    auto* area = named(new QScrollArea(parent), name);
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

QSplitter* splitter(Qt::Orientation orientation, QWidget* first, QWidget* second, const QString& name) {
    auto* made = named(new QSplitter(orientation), name);
    made->addWidget(first);
    made->addWidget(second);
    made->setChildrenCollapsible(false);
    made->setHandleWidth(9);
    return made;
}

} // namespace

ReviewParts::ReviewParts(QWidget* on)
    : screen(on), title(plain_label({}, on)), doubt(plain_label({}, on)), subtitle(plain_label({}, on)),
      decided(plain_label({}, on)), previous(button("‹ Previous (P)", on)), next(button("Next (N) ›", on)),
      export_button(button("Export… (E)", on)), raw_button(button("Raw samples (S)", on)),
      banner(new VerdictBanner(on)), pages(new QStackedWidget(on)), forest(new ForestPlot(on)),
      flags(new FlagsPanel(on)), tabs(named(new QTabWidget(on), "Change and evidence")), diff(new DiffView(on)),
      knobs(new PairTable("Knobs", "Knob", "Old → new (range)", on)), gates(new GatesTab(on)),
      provenance(new ProvenanceTab(on)), limits(new LimitsPanel(on)), raw(new RawSamples(on)),
      reject(button("Reject… (R)", on)), remeasure(button("Re-measure (M)", on)), rework(button("Needs work… (C)", on)),
      approve(button("Approve… (Ctrl+Return)", on)), missing(new BriefLabel(on)) {
    auto* layout = new QVBoxLayout(on);
    layout->setContentsMargins(10, 6, 10, 6);
    layout->setSpacing(5);
    layout->addWidget(header());
    layout->addWidget(banner);
    auto* nothing = plain_label("No proposal is shown. Choose one in the queue.", on);
    nothing->setAlignment(Qt::AlignCenter);
    pages->addWidget(nothing);
    pages->addWidget(review());
    pages->addWidget(raw);
    layout->addWidget(pages, 1);
    layout->addWidget(bottom());
}

QWidget* ReviewParts::header() {
    auto* bar = new QWidget(screen);
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(0, 0, 0, 0);
    auto* words = new QVBoxLayout;
    words->setSpacing(1);
    title->setFont(scaled_font(1.5, true));
    doubt->setFont(scaled_font(1, true));
    for (QLabel* label : {title, doubt, subtitle, decided})
        words->addWidget(label);
    line->addLayout(words, 1);
    for (QPushButton* each : {previous, next, export_button})
        line->addWidget(each, 0, Qt::AlignTop);
    return bar;
}

QWidget* ReviewParts::review() {
    auto* left = new QWidget(screen);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    below = scrolling(flags, "Flags and reasons", left);
    below->setMinimumHeight(150);
    below->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored); // the rest, once the plot has its rows
    column->addWidget(forest);
    column->addWidget(below, 1);
    auto* sides = splitter(Qt::Horizontal, left, evidence(), "Effects and change");
    left->setMinimumWidth(480);
    sides->setStretchFactor(0, 3);
    sides->setStretchFactor(1, 2);
    sides->setSizes({600, 400});
    return sides;
}

QWidget* ReviewParts::evidence() {
    tabs->addTab(diff, "Diff");
    tabs->addTab(knobs, "Knobs");
    tabs->addTab(gates, "Gates");
    tabs->addTab(provenance, "Provenance");
    tabs->setDocumentMode(true);
    limits_area = scrolling(limits, "Not tested, and cost", screen);
    auto* both = splitter(Qt::Vertical, tabs, limits_area, "Change and limits");
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 1);
    both->setSizes({300, 130});
    return both;
}

QWidget* ReviewParts::bottom() {
    auto* bar = new QWidget(screen);
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(0, 0, 0, 0);
    for (QPushButton* each : {reject, remeasure, rework, raw_button})
        line->addWidget(each);
    line->addSpacing(16);
    line->addWidget(missing, 1);
    line->addSpacing(8);
    line->addWidget(approve);
    return bar;
}

void ReviewParts::show_questions(const review::Sheet& sheet, const std::vector<review::Gate>& overridable,
                                 bool proposal) {
    flags->show_sheet(sheet, overridable, proposal);
    order_tab();
}

void ReviewParts::order_tab() {
    // Approve is the last stop, so that no key pressed in passing reaches it.
    const QWidget* const groups[] = {previous, next,   export_button, forest, below,      tabs,   limits_area,
                                     raw,      reject, remeasure,     rework, raw_button, approve};
    const auto group_of = [&groups](const QWidget* stop) {
        return std::find_if(std::begin(groups), std::end(groups),
                            [stop](const QWidget* group) { return group == stop || group->isAncestorOf(stop); });
    };
    std::vector<QWidget*> stops;
    for (QWidget* each = screen->nextInFocusChain(); each != screen; each = each->nextInFocusChain())
        if (screen->isAncestorOf(each) && (each->focusPolicy() & Qt::TabFocus) != 0 &&
            group_of(each) != std::end(groups))
            stops.push_back(each);
    std::stable_sort(stops.begin(), stops.end(),
                     [&](const QWidget* one, const QWidget* other) { return group_of(one) < group_of(other); });
    for (std::size_t i = 1; i < stops.size(); ++i)
        QWidget::setTabOrder(stops[i - 1], stops[i]);
}

void ReviewParts::show_figures(const review::Dossier& dossier, const std::shared_ptr<const review::Sheet>& sheet) {
    title->setText(QString("#%1  %2").arg(sheet->number).arg(shown(sheet->title)));
    subtitle->setText(shown(sheet->subtitle));
    decided->setVisible(!sheet->reviews.empty());
    if (!sheet->reviews.empty()) {
        const study::ReviewRecord& last = sheet->reviews.back();
        const QString standing = shown(std::string(review::to_text(sheet->standing)));
        const QString decision = shown(last.decision);
        decided->setText(QString("%1 by %2, %3%4%5")
                             .arg(decision, shown(last.reviewer_name), local_time(last.time),
                                  standing == decision ? QString() : ", now " + standing,
                                  last.comment.empty() ? QString() : ": " + shown(last.comment)));
    }
    banner->show_sheet(*sheet, with_short_ids(shown(dossier.evidence_fault)));
    banner->show();
    forest->show_sheet(sheet, dossier.project ? dossier.project->decision.false_proposal_rate
                                              : DecisionSettings{}.false_proposal_rate);
    knobs->show_pairs(sheet->knobs);
    tabs->setTabText(1, QString("Knobs (%1)").arg(sheet->knobs.size()));
    gates->show_gates(sheet->gates, sheet->number);
    provenance->show_sheet(*sheet);
    limits->show_sheet(*sheet);
    raw->show_sheet(sheet);
}

void ReviewParts::show_change(const review::Dossier& dossier, const review::Sheet& sheet) {
    diff->show_files(sheet.files, dossier.change_error.empty() ? QString("No file changes.")
                                                               : "The change cannot be computed: " +
                                                                     with_short_ids(shown(dossier.change_error)));
    const bool only_knobs = dossier.trial.patch.empty() && !sheet.knobs.empty();
    tabs->setCurrentWidget(only_knobs ? static_cast<QWidget*>(knobs) : diff);
    pages->setCurrentIndex(review_page);
    tabs->currentWidget()->setFocus();
}

void ReviewParts::show_approval_fault(const QString& fault) {
    doubt->setText(fault.isEmpty() ? QString() : "⚠ The approval no longer holds: " + fault);
    doubt->setVisible(!fault.isEmpty());
}

void ReviewParts::clear() {
    for (QLabel* label : {title, subtitle, decided})
        label->clear();
    show_approval_fault({});
    title->setText("Review");
    decided->hide();
    banner->hide();
    pages->setCurrentIndex(empty_page);
    forest->clear();
    raw->clear();
    diff->show_files({}, {});
    show_questions({}, {}, false);
    gates->show_gates({}, 0);
}

void ReviewParts::show_approval(const std::vector<review::Gate>& approval) {
    QStringList names, all;
    for (const review::Gate& gate : approval)
        if (!gate.held) {
            names << shown(gate.override_name.empty() ? gate.name : gate.override_name);
            all << with_short_ids(shown(gate.found)) + (gate.remedy.empty() ? QString() : ". " + shown(gate.remedy));
        }
    QString text = capitalised(all.value(0));
    if (names.size() > 1)
        text = QString("Missing: %1. %2").arg(names.join("; "), text);
    missing->say(text, all.join('\n'));
    approve->setAccessibleDescription(text);
    gates->show_approval(approval);
}

} // namespace holdfast::desktop
