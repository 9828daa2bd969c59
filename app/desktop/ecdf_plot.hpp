// SPDX-License-Identifier: GPL-3.0-or-later
// Empirical distributions of several arms on one axis.
#pragma once

#include <qcustomplot.h>

#include <vector>

namespace holdfast::desktop {

struct EcdfCurve {
    QString name; ///< safe to show
    std::vector<double> values;
    bool baseline = false;  ///< drawn thin and dotted, in the colour of secondary things
    std::size_t colour = 0; ///< of curve_pen(); a baseline has none of its own
};

class EcdfPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit EcdfPlot(QWidget* parent = nullptr);

    /// `metric`, `unit`: of the values, which are shown in a unit with few digits.
    void show_curves(std::vector<EcdfCurve> curves, const QString& metric, const std::string& unit);

protected:
    void changeEvent(QEvent* event) override;

private:
    void redraw();

    std::vector<EcdfCurve> curves_;
    QString metric_;
    std::string unit_;
};

} // namespace holdfast::desktop
