// SPDX-License-Identifier: GPL-3.0-or-later
// How every plot looks in the palette in force.
#pragma once

#include <qcustomplot.h>

namespace holdfast::desktop {

/// With a real minus sign.
class SignedTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Background, axes, grid and legend in the palette's colours and the fonts of notes. `zero`: the value axis's line at
/// zero stands out.
void dress_plot(QCustomPlot& plot, bool zero);

/// Words in the middle of a plot that has nothing to draw.
void say_in_plot(QCustomPlot& plot, const QString& text);

/// A colour and a line style for the `index`th of up to six curves, told apart by the colour-blind and by the dashes.
QPen curve_pen(const QPalette& palette, std::size_t index);

/// A legend below the axes that takes no width from them. To be called once.
void put_legend_below(QCustomPlot& plot);

} // namespace holdfast::desktop
