// SPDX-License-Identifier: GPL-3.0-or-later
// The last question before a decision is sent. Both are opened, not executed: the window goes on.
#pragma once

#include "core/review/dossier.hpp"
#include "core/review/rules.hpp"
#include "core/review/sheet.hpp"

#include <QDialog>

class QCheckBox;
class QPlainTextEdit;
class QVBoxLayout;

namespace holdfast::desktop {

/// Says once more what is about to be approved. Cancel is the default.
class ApproveDialog : public QDialog {
    Q_OBJECT
public:
    ApproveDialog(const review::Dossier& dossier, const review::Sheet& sheet, const review::Answers& answers,
                  bool can_sign, QWidget* parent);

    QString comment() const;

private:
    void add_summary(QVBoxLayout* layout, const review::Dossier& dossier, const review::Sheet& sheet,
                     const review::Answers& answers, bool can_sign);

    QPlainTextEdit* comment_;
};

/// Asks for the reason of a rejection or a rework; without one it cannot be sent.
class DeclineDialog : public QDialog {
    Q_OBJECT
public:
    /// `decision`: rejected or rework.
    DeclineDialog(review::Decision decision, const review::Sheet& sheet, QWidget* parent);

    QString reason() const; ///< trimmed
    bool shared() const;

private:
    QPlainTextEdit* reason_;
    QCheckBox* shared_ = nullptr;
};

} // namespace holdfast::desktop
