// SPDX-License-Identifier: GPL-3.0-or-later
// Screens driven as a person drives them.
#pragma once

#include "tests/catch.h"

#include <QAbstractButton>
#include <QLabel>
#include <QTest>

#include <cstdlib>
#include <string>

namespace holdfast::test {

inline void open(QWidget& screen) {
    screen.resize(850, 640);
    screen.show();
    screen.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&screen));
    screen.setFocus();
}

inline void press(QWidget& screen, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* focus = screen.focusWidget();
    QTest::keyClick(focus ? focus : &screen, key, modifiers);
}

template <class Widget> Widget& part(QWidget& screen, const QString& accessible_name) {
    for (Widget* widget : screen.findChildren<Widget*>())
        if (widget->accessibleName() == accessible_name)
            return *widget;
    FAIL("no part is called " << accessible_name.toStdString());
    std::abort();
}

inline void click(QWidget& screen, const QString& button) {
    QTest::mouseClick(&part<QAbstractButton>(screen, button), Qt::LeftButton);
}

/// All words that the screen's labels show.
inline std::string words(const QWidget& screen) {
    QStringList texts;
    for (const QLabel* label : screen.findChildren<QLabel*>())
        if (label->isVisibleTo(&screen))
            texts.push_back(label->text());
    return texts.join('\n').toStdString();
}

} // namespace holdfast::test
