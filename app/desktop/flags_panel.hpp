// SPDX-License-Identifier: GPL-3.0-or-later
// What must be read before an approval: each flag with its evidence and its own tick, each gate that only the person's
// typed reason passes; below them why the verdict is what it is.
#pragma once

#include "core/review/rules.hpp"
#include "core/review/sheet.hpp"

#include <QWidget>

#include <utility>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace holdfast::desktop {

class FlagsPanel : public QWidget {
    Q_OBJECT
public:
    explicit FlagsPanel(QWidget* parent = nullptr);

    /// Nothing ticked or typed. `overridable`: the gates that do not hold and may be passed with a reason; a flag of
    /// the same name is shown with its gate. `proposal`: it may be approved, so that no flag at all is worth saying.
    void show_sheet(const review::Sheet& sheet, const std::vector<review::Gate>& overridable, bool proposal);

    review::Answers answers() const;

signals:
    void answers_changed();

protected:
    void changeEvent(QEvent* event) override;

private:
    QVBoxLayout* add_card(const QString& heading, const QString& text);
    void add_flag(const review::Flag& flag);
    void add_override(const review::Gate& gate, const QString& evidence);
    void add_list(const QString& heading, const QStringList& entries);
    void count_open();

    QVBoxLayout* layout_;
    QLabel* heading_;
    QWidget* content_ = nullptr;
    std::vector<std::pair<std::string, QCheckBox*>> flags_;
    std::vector<std::pair<std::string, QLineEdit*>> overrides_;
};

} // namespace holdfast::desktop
