// SPDX-License-Identifier: GPL-3.0-or-later
// Raw runs drawn in three ways. Baseline is a ring, candidate a disc, in other colours too.
#pragma once

#include <qcustomplot.h>

#include <vector>

namespace holdfast::desktop {

struct SamplePoint {
    double value = 0; ///< finite, in the axis's unit
    bool candidate = false;
};

class SamplePlot : public QCustomPlot {
    Q_OBJECT
public:
    enum class Form { strip, ecdf, order };

    /// `name`: for screen readers, and the plot's heading.
    SamplePlot(Form form, const QString& name, QWidget* parent);

    /// `points` in the order they were taken; `axis`: "wall (ms)".
    void show_points(std::vector<SamplePoint> points, const QString& axis);

protected:
    void changeEvent(QEvent* event) override;

private:
    void redraw();
    void draw_strip();
    void draw_ecdf();
    void draw_order();
    void apply_colours();
    std::vector<double> values(bool candidate) const;
    QCPGraph* add_arm(bool candidate, double size);
    QColor colour(bool candidate) const;

    Form form_;
    QString name_, axis_;
    std::vector<SamplePoint> points_;
};

} // namespace holdfast::desktop
