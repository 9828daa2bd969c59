// SPDX-License-Identifier: GPL-3.0-or-later
// Every timed run behind a verdict: by workload as a strip, as distributions and in the order taken; and as CSV.
#pragma once

#include "core/review/sheet.hpp"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;

namespace holdfast::desktop {

class SamplePlot;

class RawSamples : public QWidget {
    Q_OBJECT
public:
    explicit RawSamples(QWidget* parent = nullptr);

    void show_sheet(std::shared_ptr<const review::Sheet> sheet);
    void clear();

signals:
    void closed();

private:
    QWidget* make_bar();
    void fill_choices();
    void redraw();
    void save();

    std::shared_ptr<const review::Sheet> sheet_;
    QComboBox* workload_;
    QComboBox* phase_;
    QComboBox* metric_;
    QLabel* note_;
    SamplePlot* strip_;
    SamplePlot* ecdf_;
    SamplePlot* order_;
};

} // namespace holdfast::desktop
