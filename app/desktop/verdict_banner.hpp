// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict in words and the figures behind it, held-out first. Border, shape and words all say how it stands.
#pragma once

#include "core/review/sheet.hpp"

#include <QFrame>

class QHBoxLayout;
class QLabel;

namespace holdfast::desktop {

class VerdictBanner : public QFrame {
    Q_OBJECT
public:
    enum class Tone { good, caution, bad };

    explicit VerdictBanner(QWidget* parent = nullptr);

    /// `evidence_fault`: why the stored evidence does not hold, safe to show; "" when it does.
    void show_sheet(const review::Sheet& sheet, const QString& evidence_fault);
    Tone tone() const { return tone_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void add_fact(const QString& what, const QString& value, bool strong, bool cautious = false);
    void apply_colours();

    Tone tone_ = Tone::caution;
    QLabel* fault_;
    QLabel* sentence_;
    QLabel* gap_;
    QHBoxLayout* facts_;
};

} // namespace holdfast::desktop
