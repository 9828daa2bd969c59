// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/plot_style.hpp"

#include "app/desktop/theme.hpp"

#include <array>

namespace holdfast::desktop {

QString SignedTicker::getTickLabel(double tick, const QLocale& locale, QChar format, int precision) {
    return QCPAxisTicker::getTickLabel(tick, locale, format, precision).replace('-', QChar(0x2212));
}

void dress_plot(QCustomPlot& plot, bool zero) {
    const Colours& colour = colours(plot.palette());
    const QColor text = plot.palette().color(QPalette::WindowText);
    plot.setBackground(plot.palette().color(QPalette::Base));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(QPen(colour.axis));
        axis->setTickPen(QPen(colour.axis));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(text);
        axis->setLabelColor(text);
        axis->setTickLabelFont(scaled_font(0.9));
        axis->setLabelFont(scaled_font(0.9));
        axis->grid()->setPen(QPen(colour.grid, 1, Qt::DotLine));
        axis->grid()->setZeroLinePen(zero && axis == plot.yAxis ? QPen(colour.axis, 1.2)
                                                                : QPen(colour.grid, 1, Qt::DotLine));
    }
    if (plot.legend == nullptr)
        return;
    plot.legend->setFont(scaled_font(0.9));
    plot.legend->setTextColor(text);
    plot.legend->setBrush(Qt::NoBrush);
    plot.legend->setBorderPen(Qt::NoPen);
}

void say_in_plot(QCustomPlot& plot, const QString& text) {
    auto* words = new QCPItemText(&plot);
    words->position->setType(QCPItemPosition::ptAxisRectRatio);
    words->position->setCoords(0.5, 0.4);
    words->setText(text);
    words->setColor(plot.palette().color(QPalette::WindowText));
    words->setFont(scaled_font(1.0));
    words->setBrush(plot.palette().color(QPalette::Base));
    words->setPadding(QMargins(8, 4, 8, 4));
}

QPen curve_pen(const QPalette& palette, std::size_t index) {
    static const std::array<const char*, 6> light{"#0072b2", "#b33a1e", "#00785a", "#9b4f83", "#8a6100", "#1b1b1b"};
    static const std::array<const char*, 6> dark{"#56b4e9", "#ff8a65", "#3fc9a0", "#d99ac2", "#e0b040", "#e8e8e8"};
    static const std::array<Qt::PenStyle, 6> dashes{Qt::SolidLine, Qt::DashLine,       Qt::DashDotLine,
                                                    Qt::SolidLine, Qt::DashDotDotLine, Qt::DashLine};
    const std::size_t at = index % light.size();
    return {QColor(is_dark(palette) ? dark[at] : light[at]), 2, dashes[at]};
}

void put_legend_below(QCustomPlot& plot) {
    plot.setAutoAddPlottableToLegend(false);
    auto* below = new QCPLayoutGrid;
    plot.plotLayout()->addElement(1, 0, below);
    below->addElement(0, 0, plot.legend);
    below->setMaximumSize(100'000, QWIDGETSIZE_MAX); // an empty legend would make the whole plot as narrow as itself
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot.legend->setVisible(true);
    plot.plotLayout()->setRowStretchFactor(1, 0.001);
    plot.plotLayout()->setRowSpacing(2);
}

} // namespace holdfast::desktop
