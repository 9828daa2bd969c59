// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/calibrate_screen.hpp"

#include "app/common/calibration_words.hpp"
#include "app/desktop/calibration_plot.hpp"
#include "app/desktop/controls.hpp"
#include "app/desktop/theme.hpp"
#include "core/project/quantity.hpp"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>

#include <algorithm>

namespace holdfast::desktop {

namespace {

using Kind = CalibrateState::Kind;
using Workload = study::WorkloadCalibration;

const QString about_nothing =
    "Nothing is calibrated yet. A calibration runs the program against itself: what differs then is noise. It tells "
    "how "
    "small an effect this machine can prove, how often noise alone is called a change, and whether a slow-down of "
    "known "
    "size is seen. Held-out workloads are run too, with the baseline alone, which costs no question.";

QString phase_text(const study::Progress& progress) {
    const QString phase = shown(progress.phase);
    if (phase == "calibrate")
        return "The program against itself";
    if (phase.startsWith("burden-"))
        return QString("Slowed down by %1 %").arg(phase.mid(7));
    return phase.left(1).toUpper() + phase.mid(1);
}

QString seen_text(const Workload& workload) {
    QStringList texts;
    for (const study::Burden& burden : workload.burdens)
        texts.push_back(QString("%1 %: %2")
                            .arg(100 * burden.share)
                            .arg(!burden.unavailable.empty() ? "not injected"
                                 : burden.rounds == 0        ? "too small"
                                 : burden.seen_at            ? QString("after %1").arg(*burden.seen_at)
                                                             : QString("not in %1").arg(burden.rounds)));
    return texts.isEmpty() ? "not looked for" : texts.join(", ");
}

QString called_text(const stats::Proportion& taken) {
    return QString("%1 of %2 [%3 to %4 %]")
        .arg(taken.hits)
        .arg(taken.of)
        .arg(100 * taken.interval.low, 0, 'f', 0)
        .arg(100 * taken.interval.high, 0, 'f', 0);
}

/// The value of noise_lines() of that name.
QString line_of(const Workload& workload, double threshold, const std::string& name) {
    for (const auto& [what, value] : app::noise_lines(workload, threshold))
        if (what == name)
            return shown(value);
    return {};
}

QString provable_text(const Workload& workload) {
    if (workload.self.provable.empty())
        return {};
    const stats::Provable& last = workload.self.provable.back();
    return QString("%1 in %2").arg(shown(app::size_text(last.effect, workload.better))).arg(last.rounds);
}

QSpinBox* spin(const QString& name, int least, int most, int value, QWidget* parent) {
    auto* box = named(new QSpinBox(parent), name);
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

} // namespace

CalibrateScreen::CalibrateScreen(QWidget* parent) : Screen("calibrate", "Calibrate", parent) {
    auto* heading = plain_label(title(), this);
    heading->setFont(scaled_font(1.6, true));
    note_ = new NoteBox(this);
    about_ = muted_label(about_nothing, this);
    make_actions();
    now_ = make_now();
    make_table();
    plot_ = new CalibrationPlot(this);
    details_ = plain_label({}, this);
    details_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* scroll = named(new QScrollArea(this), "What was found");
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(details_);
    scroll->setMinimumWidth(360); // its lines are long, and the plot would take all there is
    auto* lower = new QSplitter(Qt::Horizontal, this);
    lower->addWidget(plot_);
    lower->addWidget(scroll);
    lower->setStretchFactor(0, 1);
    lower->setStretchFactor(1, 1);
    lower->setChildrenCollapsible(false);
    options_ = make_options();
    why_ = muted_label({}, this);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(action_button(calibrate_, this));
    buttons->addWidget(options_);
    buttons->addStretch();
    buttons->addWidget(action_button(cancel_, this));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addWidget(note_);
    layout->addWidget(about_);
    layout->addWidget(now_);
    layout->addWidget(table_);
    layout->addWidget(lower, 1);
    layout->addLayout(buttons);
    layout->addWidget(why_);
    setFocusProxy(table_);
    set_calibration(nullptr, {});
    set_state({});
}

void CalibrateScreen::make_actions() {
    calibrate_ = add_action("calibrate", "Calibrate", QKeySequence("F9"), "Runs the program against itself.");
    cancel_ = add_action("cancel-calibration", "Cancel", QKeySequence("Shift+F9"),
                         "Stops when the run in flight is stored; what was measured so far is not used.");
    connect(calibrate_, &QAction::triggered, this, [this] {
        study::CalibrationRequest request;
        request.sessions = static_cast<std::size_t>(sessions_->value());
        request.rounds = static_cast<std::size_t>(rounds_->value());
        request.burdens = burdens_->isChecked();
        emit calibrate_requested(request);
    });
    connect(cancel_, &QAction::triggered, this, &CalibrateScreen::cancel_requested);
}

QWidget* CalibrateScreen::make_now() {
    auto* panel = new QWidget(this);
    phase_ = plain_label({}, panel);
    phase_->setFont(scaled_font(1.1, true));
    bar_ = named(new QProgressBar(panel), "Progress of this phase");
    times_ = muted_label({}, panel);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins({});
    layout->addWidget(phase_);
    layout->addWidget(bar_);
    layout->addWidget(times_);
    return panel;
}

QWidget* CalibrateScreen::make_options() {
    const study::CalibrationRequest usual;
    auto* panel = new QWidget(this);
    sessions_ = spin("Sessions", 1, 100, static_cast<int>(usual.sessions), panel);
    rounds_ = spin("Rounds of a session", 6, 10'000, static_cast<int>(usual.rounds), panel);
    burdens_ = named(new QCheckBox("look for slow-downs of 1, 3 and 10 %", panel), "Look for injected slow-downs");
    burdens_->setChecked(usual.burdens);
    auto* row = new QHBoxLayout(panel);
    row->setContentsMargins({});
    row->addWidget(sessions_);
    row->addWidget(plain_label("sessions of", panel));
    row->addWidget(rounds_);
    row->addWidget(plain_label("rounds,", panel));
    row->addWidget(burdens_);
    return panel;
}

void CalibrateScreen::make_table() {
    const QStringList columns{"Workload",   "Role",          "Noise",         "Smallest provable", "First run",
                              "Neighbours", "Called faster", "Called slower", "Slow-downs seen"};
    table_ = named(new QTableWidget(0, static_cast<int>(columns.size()), this), "Workloads");
    table_->setHorizontalHeaderLabels(columns);
    table_->verticalHeader()->setVisible(false);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setTabKeyNavigation(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) { show_details(row); });
}

void CalibrateScreen::fill_table() {
    table_->setRowCount(0);
    if (!calibration_)
        return;
    const double threshold = calibration_->threshold;
    const bool several =
        std::any_of(calibration_->workloads.begin(), calibration_->workloads.end(), [&](const Workload& workload) {
            return workload.metric != calibration_->workloads.front().metric;
        });
    for (const Workload& workload : calibration_->workloads) {
        const int row = table_->rowCount();
        table_->insertRow(row);
        const QString name = shown(workload.workload);
        const QStringList cells{several ? QString("%1 (%2)").arg(name, shown(workload.metric)) : name,
                                workload.role == Role::tuning ? "tuning" : "held-out",
                                line_of(workload, threshold, "noise of a pair"),
                                provable_text(workload),
                                line_of(workload, threshold, "first against second").section(':', 0, 0),
                                line_of(workload, threshold, "lag-1 correlation").section(':', 0, 0),
                                workload.too_few() ? "too few rounds" : called_text(workload.self.false_faster),
                                workload.too_few() ? "too few rounds" : called_text(workload.self.false_slower),
                                seen_text(workload)};
        for (int column = 0; column < cells.size(); ++column)
            table_->setItem(row, column, new QTableWidgetItem(cells[column]));
    }
    table_->resizeColumnsToContents();
    const int rows = std::min(table_->rowCount(), 5);
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + rows * table_->rowHeight(0) +
                           2 * table_->frameWidth() + 18);
    table_->setCurrentCell(0, 0);
}

void CalibrateScreen::show_details(int row) {
    plot_->emphasise(row);
    if (!calibration_ || row < 0 || static_cast<std::size_t>(row) >= calibration_->workloads.size()) {
        details_->clear();
        return;
    }
    const Workload& workload = calibration_->workloads[static_cast<std::size_t>(row)];
    QStringList lines{QString("%1: %2").arg(shown(workload.workload), shown(app::taken_text(workload)))};
    for (const study::CalibrationFault& fault :
         study::faults_of(workload, calibration_->threshold, calibration_->minimum_effect))
        lines << "Failed: " + shown(fault.what) + ". " + shown(fault.remedy) + ".";
    for (const auto& [what, value] : app::noise_lines(workload, calibration_->threshold))
        lines << shown(what) + ": " + shown(value);
    for (const auto& [what, value] : app::burden_lines(workload))
        lines << shown(what) + ": " + shown(value);
    details_->setText(lines.join("\n"));
}

void CalibrateScreen::set_calibration(const std::shared_ptr<const study::Calibration>& calibration,
                                      const QString& caution) {
    calibration_ = calibration;
    caution_ = caution;
    plot_->show_calibration(calibration_);
    fill_table();
    const bool any = calibration_ != nullptr;
    table_->setVisible(any);
    plot_->setVisible(any);
    details_->setVisible(any);
    about_->setText(any ? QString("Calibration of %1 (study %2). The smallest provable effect is what eight of ten "
                                  "studies accept at E ≥ %3; \"called\" counts segments of the program against itself.")
                              .arg(shown(calibration_->ended))
                              .arg(calibration_->number)
                              .arg(calibration_->threshold)
                        : about_nothing);
    show_details(table_->currentRow());
    update_controls();
}

void CalibrateScreen::set_state(const CalibrateState& state) {
    const bool ours = state.kind == Kind::running || state.kind == Kind::stopping;
    state_ = state;
    if (ours && !now_->isVisibleTo(this)) {
        phase_->setText("Starting");
        times_->clear();
        bar_->setRange(0, 0);
    }
    now_->setVisible(ours);
    update_controls();
}

void CalibrateScreen::show_progress(const study::Progress& progress, std::chrono::nanoseconds elapsed) {
    phase_->setText(phase_text(progress));
    bar_->setRange(0, static_cast<int>(progress.total));
    bar_->setValue(static_cast<int>(progress.done));
    bar_->setFormat(QString("%1 of %2%3")
                        .arg(progress.done)
                        .arg(progress.phase.starts_with("burden") ? "at most " : "")
                        .arg(progress.total));
    QString text = shown(duration_text(elapsed)) + " elapsed";
    if (progress.each.count() > 0 && progress.total > progress.done)
        text += QString(", %1 left of this phase")
                    .arg(shown(duration_text(progress.each * static_cast<long>(progress.total - progress.done))));
    times_->setText(text);
}

void CalibrateScreen::update_controls() {
    const bool ours = state_.kind == Kind::running || state_.kind == Kind::stopping;
    note_->say(calibration_ ? caution_ : QString());
    options_->setEnabled(state_.kind == Kind::idle);
    allow(calibrate_, state_.kind == Kind::idle, ours ? "a calibration is running" : state_.reason);
    allow(cancel_, state_.kind == Kind::running,
          state_.kind == Kind::stopping ? "the run in flight is being finished" : "no calibration is running");
    why_->setText(why_disabled({calibrate_, cancel_}));
}

} // namespace holdfast::desktop
