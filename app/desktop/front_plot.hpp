// SPDX-License-Identifier: GPL-3.0-or-later
// Trials of a study with several objectives as points with intervals; those that no other beats are marked.
#pragma once

#include "core/review/front.hpp"

#include <qcustomplot.h>

namespace holdfast::desktop {

class FrontPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit FrontPlot(QWidget* parent = nullptr);
    /// `across`, `up`: which of the front's objectives the axes are; both below its number of objectives.
    void show_front(review::Front front, std::size_t across, std::size_t up);

signals:
    void trial_activated(qint64 number); ///< a click on a trial's point

protected:
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    enum class Kind { certain, possible, beaten, fails, baseline };
    static Kind kind_of(const review::FrontPoint& point);
    bool has_place(const review::FrontPoint& point) const;
    void redraw();
    void set_axes();
    void draw_line();
    void draw_points(Kind kind);
    const review::FrontPoint* point_at(const QPoint& place) const;

    review::Front front_;
    std::size_t across_ = 0, up_ = 1;
};

/// "#3: wall −3.2 % [−4.1, −2.3], peak memory ...; on the front".
QString point_words(const review::Front& front, const review::FrontPoint& point);
/// "on the front", "on the front, could be beaten", "beaten", "the baseline".
QString place_words(const review::FrontPoint& point);

} // namespace holdfast::desktop
