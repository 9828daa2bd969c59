// SPDX-License-Identifier: GPL-3.0-or-later
// Trials as rows. Each screen chooses its columns; an update changes rows in place, so that selection and scroll stay
// while a study runs.
#pragma once

#include "app/common/overview.hpp"

#include <QAbstractTableModel>

#include <vector>

namespace holdfast::desktop {

enum class TrialColumn {
    number,
    study,
    tuner,
    verdict,
    held_out,
    tuning,
    review,
    flags,
    change,
    ended,
    age,
    commit,
    branch,
};

/// Decided with a comparison: an effect that means something. Refused, failed, queued, searched are not.
bool has_result(const app::TrialSummary& trial);
/// A configuration that the search looked at and did not send on.
bool searched_only(const app::TrialSummary& trial);

class TrialsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        sort_role = Qt::UserRole, ///< a number or text; nothing: sorts last
        number_role,              ///< qint64, in every column
        id_role,                  ///< QString, in every column
    };

    explicit TrialsModel(std::vector<TrialColumn> columns, QObject* parent = nullptr);

    /// `trials` by number, as in app::Overview.
    void update(const std::vector<app::TrialSummary>& trials);
    const app::TrialSummary& trial(int row) const { return trials_[static_cast<std::size_t>(row)]; }
    /// The index of `column` among this model's; −1: it is not shown.
    int place_of(TrialColumn column) const;

    int rowCount(const QModelIndex& parent = {}) const final;
    int columnCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const final;

private:
    QVariant cell(TrialColumn column, int role, const app::TrialSummary& trial) const;

    std::vector<TrialColumn> columns_;
    std::vector<app::TrialSummary> trials_;
};

} // namespace holdfast::desktop
