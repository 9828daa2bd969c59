// SPDX-License-Identifier: GPL-3.0-or-later
// Every key, by where it works.
#pragma once

#include "app/desktop/action_scopes.hpp"

#include <QDialog>

namespace holdfast::desktop {

class KeyHelp : public QDialog {
    Q_OBJECT
public:
    KeyHelp(const QList<ActionScope>& scopes, QWidget* parent);
};

} // namespace holdfast::desktop
