// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace holdfast::desktop {

class ForestCanvas;

/// The words beside a forest plot in fixed columns: name, effect, rounds, check; and the headings of the roles. Drawn
/// with the plot, so that it follows every size.
class ForestRows : public QCPLayerable {
    Q_OBJECT
public:
    explicit ForestRows(ForestCanvas* canvas);

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
    QRect clipRect() const override;

private:
    void draw_heading(QCPPainter* painter, const QRect& line, const QString& heading, bool divide) const;
    void draw_row(QCPPainter* painter, const QRect& line, std::size_t index) const;

    ForestCanvas* canvas_;
};

} // namespace holdfast::desktop
