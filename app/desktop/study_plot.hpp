// SPDX-License-Identifier: GPL-3.0-or-later
// What a study decided, against time. What the search merely looked at is faint: it is luck included.
#pragma once

#include "app/desktop/study_points.hpp"

#include <QWidget>

class QCustomPlot;
class QLabel;

namespace holdfast::desktop {

class StudyPlot : public QWidget {
    Q_OBJECT
public:
    explicit StudyPlot(QWidget* parent = nullptr);
    /// `metric`: safe to show. `nothing_yet`: what is said while nothing is decided.
    void show_points(StudyPoints points, const QString& metric, Better better, const QString& nothing_yet);

signals:
    void trial_activated(qint64 number); ///< double click on a decided point

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void draw();
    void dress();
    void add_looked(double per_unit);
    void add_best(double per_unit, double end);
    void add_decided(bool held_out, double per_unit, double shift);
    void describe();
    const StudyPoints::Decided* decided_at(const QPoint& place) const;

    StudyPoints points_;
    QString metric_, nothing_yet_;
    Better better_ = Better::lower;
    double per_unit_ = 1, shift_ = 0; ///< seconds a unit of the time axis; how far held-out points are moved
    QCustomPlot* plot_;
    QLabel* left_out_;
};

} // namespace holdfast::desktop
