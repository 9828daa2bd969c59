// SPDX-License-Identifier: GPL-3.0-or-later
// The review screen as a person has it in front.
#pragma once

#include "app/desktop/brief_label.hpp"
#include "app/desktop/review_screen.hpp"
#include "tests/catch.h"
#include "tests/desktop/sheets.hpp"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTest>

#include <algorithm>

namespace holdfast::test {

struct Fixture {
    desktop::ReviewScreen screen;

    explicit Fixture(const Shown& shown) {
        screen.resize(1024, 700);
        show(shown);
        screen.show();
        REQUIRE(QTest::qWaitForWindowExposed(&screen));
        screen.activateWindow();
        QApplication::setActiveWindow(&screen);
    }

    void show(const Shown& shown) { screen.show_dossier(shown.dossier, shown.sheet, true); }

    template <class Widget> Widget* called(const QString& name) const {
        for (auto* widget : screen.findChildren<Widget*>())
            if (widget->accessibleName() == name)
                return widget;
        FAIL("there is no control called " << name.toStdString());
        return nullptr;
    }
    QPushButton* approve() const { return called<QPushButton>("Approve…"); }
    QCheckBox* flag(const QString& name) const { return called<QCheckBox>("I have read: " + name); }
    QDialog* dialog(const QString& name) const { return screen.findChild<QDialog*>(name); }
    QAbstractButton* confirm(const QString& name) const { return dialog(name)->findChild<QAbstractButton*>("confirm"); }

    /// To whatever has the focus, as a keyboard does.
    void press(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
        QWidget* target = screen.focusWidget() != nullptr ? screen.focusWidget() : &screen;
        QTest::keyClick(target, key, with);
    }
    static void click(QAbstractButton* button) {
        const int side = std::min(8, button->width() / 2);
        QTest::mouseClick(button, Qt::LeftButton, {}, QPoint(side, button->height() / 2));
    }
    QString missing() const { return screen.findChild<desktop::BriefLabel*>()->text(); }
    bool says(const QString& text) const {
        const auto labels = screen.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](QLabel* label) { return label->isVisibleTo(&screen) && label->text().contains(text); });
    }
};

} // namespace holdfast::test
