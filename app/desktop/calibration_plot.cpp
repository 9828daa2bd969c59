// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/calibration_plot.hpp"

#include "app/common/calibration_words.hpp"
#include "app/desktop/plot_style.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "core/decision/rule.hpp"

#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace holdfast::desktop {

namespace {

using Style = QCPScatterStyle;

constexpr std::array shapes{Style::ssCircle, Style::ssDiamond, Style::ssSquare, Style::ssTriangle, Style::ssCross};

double percent(double log_ratio, Better better) {
    return 100 * std::abs(decision::as_change(log_ratio, better));
}

} // namespace

CalibrationPlot::CalibrationPlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)) {
    setAccessibleName("Smallest provable effect against rounds");
    plot_->setMinimumHeight(170);
    plot_->setFocusPolicy(Qt::NoFocus); // the table tells the same to the keyboard
    plot_->legend->setVisible(true);
    plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        auto ticker = QSharedPointer<QCPAxisTickerLog>::create();
        ticker->setLogBase(2);
        axis->setTicker(ticker);
        axis->setNumberFormat("gb");
        axis->setNumberPrecision(3);
    }
    plot_->xAxis->setLabel("Rounds");
    plot_->yAxis->setLabel("Smallest provable effect, %");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(plot_);
    draw();
}

void CalibrationPlot::show_calibration(std::shared_ptr<const study::Calibration> calibration) {
    calibration_ = std::move(calibration);
    emphasised_ = -1;
    draw();
    describe();
}

void CalibrationPlot::emphasise(int workload) {
    emphasised_ = workload;
    draw();
}

void CalibrationPlot::add_curve(std::size_t index) {
    const study::WorkloadCalibration& workload = calibration_->workloads[index];
    QVector<double> rounds, effects;
    for (const stats::Provable& point : workload.self.provable)
        if (std::isfinite(point.effect)) {
            rounds.push_back(static_cast<double>(point.rounds));
            effects.push_back(percent(point.effect, workload.better));
        }
    const Colours& colour = colours(palette());
    const std::array inks{colour.better, colour.axis, colour.worse, colour.unclear};
    const QColor ink = inks[index % inks.size()];
    QCPGraph* graph = plot_->addGraph();
    graph->setData(rounds, effects, true);
    graph->setPen(QPen(ink, static_cast<int>(index) == emphasised_ ? 3 : 1.5));
    graph->setScatterStyle(Style(shapes[index % shapes.size()], QPen(ink, 1.5), palette().brush(QPalette::Base), 8));
    graph->setName(shown(workload.workload));
}

void CalibrationPlot::add_minimum() {
    QCPGraph* graph = plot_->addGraph();
    const QCPRange range = plot_->xAxis->range();
    const double minimum = 100 * calibration_->minimum_effect;
    graph->setData({range.lower, range.upper}, {minimum, minimum}, true);
    graph->setPen(QPen(colours(palette()).axis, 1, Qt::DashLine));
    graph->setName("minimum effect of the project");
}

void CalibrationPlot::draw() {
    plot_->clearPlottables();
    plot_->xAxis->setRange(8, 256);
    double low = 0.5, high = 4;
    if (calibration_) {
        low = std::min(low, 80 * calibration_->minimum_effect);
        for (const study::WorkloadCalibration& workload : calibration_->workloads)
            for (const stats::Provable& point : workload.self.provable)
                if (std::isfinite(point.effect)) {
                    high = std::max(high, 1.3 * percent(point.effect, workload.better));
                    plot_->xAxis->setRangeUpper(
                        std::max(plot_->xAxis->range().upper, 1.2 * static_cast<double>(point.rounds)));
                }
        for (std::size_t index = 0; index < calibration_->workloads.size(); ++index)
            add_curve(index);
        add_minimum();
    }
    plot_->yAxis->setRange(low, high);
    dress();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void CalibrationPlot::dress() {
    dress_plot(*plot_, false);
    plot_->legend->setBrush(palette().color(QPalette::Base)); // it lies on the curves
}

void CalibrationPlot::describe() {
    QStringList lines;
    if (calibration_)
        for (const study::WorkloadCalibration& workload : calibration_->workloads)
            for (const stats::Provable& point : workload.self.provable)
                lines.push_back(QString("%1, %2 rounds: %3")
                                    .arg(shown(workload.workload))
                                    .arg(point.rounds)
                                    .arg(shown(app::size_text(point.effect, workload.better))));
    setAccessibleDescription(lines.isEmpty() ? "Nothing is calibrated yet." : lines.join("; "));
}

void CalibrationPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        draw();
}

} // namespace holdfast::desktop
