// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace holdfast::desktop {

/// Plain text of at most two lines, flush right; what has no room is in the tip and in the description that a screen
/// reader says.
class BriefLabel : public QWidget {
    Q_OBJECT
public:
    explicit BriefLabel(QWidget* parent = nullptr);

    /// `text`: what is drawn; `whole`: all that there is to say.
    void say(const QString& text, const QString& whole);
    const QString& text() const { return text_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString text_;
};

/// One line of plain text that is never cut: the first of its wordings that has room, else the last one elided. It is
/// never narrower than that one when that is as short as a count.
class FittingLabel : public QLabel {
    Q_OBJECT
public:
    explicit FittingLabel(QWidget* parent = nullptr);

    /// `wordings`: the longest first; at least one.
    void say(QStringList wordings);

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QStringList wordings_{QString()};
};

/// `text` broken into at most `most` lines of `width` pixels, the last one elided.
QStringList brief_lines(const QString& text, const QFont& font, int width, int most);

} // namespace holdfast::desktop
