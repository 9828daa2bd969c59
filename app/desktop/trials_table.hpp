// SPDX-License-Identifier: GPL-3.0-or-later
// A table of trials: whole rows, moved through with keys, copied as text or CSV.
#pragma once

#include "app/desktop/trials_filter.hpp"

#include <QTableView>

#include <optional>

namespace holdfast::desktop {

class TrialsTable : public QTableView {
    Q_OBJECT
public:
    /// `name`: for a screen reader.
    TrialsTable(TrialsFilter& filter, const QString& name, QWidget* parent);

    /// Column order, widths and sort as they were when the program ran last, and kept from now on.
    void keep_layout(const QString& settings_key);

    std::optional<qint64> current_number() const;
    const app::TrialSummary* current_trial() const; ///< null: no row is current
    QList<qint64> selected_numbers() const;         ///< in the order shown
    /// Goes `rows` down (negative: up), not past the ends; to the first row when none is current.
    void step(int rows);
    /// Makes the first row current when none is.
    void take_current();

    QString selection_as_text() const; ///< tab-separated, as shown, with a header line
    QString selection_as_csv() const;  ///< RFC 4180, with a header line

signals:
    void trial_activated(qint64 number); ///< double click
    void current_trial_changed();
    void selection_changed();

private:
    QList<QStringList> selection() const;
    void size_columns();

    TrialsFilter& filter_;
};

} // namespace holdfast::desktop
