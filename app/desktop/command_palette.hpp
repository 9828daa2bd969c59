// SPDX-License-Identifier: GPL-3.0-or-later
// All actions by name: type a few letters, choose with the arrows, Return does it.
#pragma once

#include "app/desktop/action_scopes.hpp"

#include <QDialog>

#include <optional>

class QLineEdit;
class QTreeWidget;

namespace holdfast::desktop {

/// How well the letters of `query` are found in `text`, in order and without case; smaller is better, nothing when they
/// are not. Beginnings of words and neighbours count as near.
std::optional<int> fuzzy_distance(const QString& query, const QString& text);

class CommandPalette : public QDialog {
    Q_OBJECT
public:
    CommandPalette(const QList<ActionScope>& scopes, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& query);
    void run_current();

    QList<ActionScope> scopes_;
    QLineEdit* query_;
    QTreeWidget* list_;
};

} // namespace holdfast::desktop
