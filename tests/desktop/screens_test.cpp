// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/apply_screen.hpp"
#include "app/desktop/approved_screen.hpp"
#include "app/desktop/compare_screen.hpp"
#include "app/desktop/front_screen.hpp"
#include "app/desktop/history_screen.hpp"
#include "app/desktop/queue_screen.hpp"
#include "app/desktop/study_screen.hpp"
#include "app/desktop/trials_screen.hpp"
#include "app/desktop/trials_table.hpp"
#include "tests/catch.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <memory>

using namespace holdfast;
using namespace holdfast::desktop;

namespace {

std::vector<std::unique_ptr<Screen>> all_screens() {
    std::vector<std::unique_ptr<Screen>> screens;
    screens.push_back(std::make_unique<StudyScreen>());
    screens.push_back(std::make_unique<TrialsScreen>());
    screens.push_back(std::make_unique<QueueScreen>());
    screens.push_back(std::make_unique<ApplyScreen>());
    screens.push_back(std::make_unique<ApprovedScreen>());
    screens.push_back(std::make_unique<CompareScreen>());
    screens.push_back(std::make_unique<HistoryScreen>());
    screens.push_back(std::make_unique<FrontScreen>());
    return screens;
}

} // namespace

TEST_CASE("no two actions of a screen share a key, and every action says what it does") {
    for (const auto& screen : all_screens()) {
        QStringList keys;
        for (const QAction* action : screen->actions()) {
            CHECK_FALSE(action->statusTip().isEmpty());
            for (const QKeySequence& key : action->shortcuts())
                keys.push_back(key.toString());
        }
        INFO(screen->name().toStdString() << ": " << keys.join(' ').toStdString());
        CHECK_FALSE(keys.isEmpty());
        CHECK(keys.removeDuplicates() == 0);
    }
}

TEST_CASE("every control of the screens has a name for a screen reader") {
    for (const auto& screen : all_screens()) {
        INFO(screen->name().toStdString());
        CHECK_FALSE(screen->accessibleName().isEmpty());
        for (const QWidget* widget : screen->findChildren<QWidget*>()) {
            const bool part_of_a_control =
                widget->objectName().startsWith("qt_") || qobject_cast<const QHeaderView*>(widget) ||
                qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
                qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                qobject_cast<const QLineEdit*>(widget->parentWidget()) ||
                qobject_cast<const QAbstractItemView*>(widget->parentWidget()) ||
                qobject_cast<const QAbstractItemView*>(widget) && !qobject_cast<const TrialsTable*>(widget);
            if (widget->focusPolicy() == Qt::NoFocus || part_of_a_control || qobject_cast<const QLabel*>(widget))
                continue;
            INFO(widget->metaObject()->className() << " " << widget->objectName().toStdString());
            CHECK_FALSE(widget->accessibleName().isEmpty());
        }
    }
}

TEST_CASE("no button of the screens is a default button, the one that writes a commit least of all") {
    for (const auto& screen : all_screens())
        for (const QPushButton* button : screen->findChildren<QPushButton*>()) {
            INFO(button->text().toStdString());
            CHECK_FALSE(button->isDefault());
            CHECK_FALSE(button->autoDefault());
        }
}
