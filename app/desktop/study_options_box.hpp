// SPDX-License-Identifier: GPL-3.0-or-later
// What a new study is asked to do.
#pragma once

#include "core/study/engine.hpp"

#include <QGroupBox>

#include <vector>

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace holdfast::desktop {

class StudyOptionsBox : public QGroupBox {
    Q_OBJECT
public:
    explicit StudyOptionsBox(QWidget* parent = nullptr);

    void set_options(const study::Options& defaults);
    /// The defaults with what the person changed.
    study::Options options() const;
    /// Why a study cannot be started with these, a clause; "" when it can.
    QString fault() const;

signals:
    void changed();

private:
    study::Options defaults_;
    std::vector<QCheckBox*> tuners_;
    QSpinBox *trials_, *leaders_, *minutes_;
    QLineEdit* seed_;
};

} // namespace holdfast::desktop
