// SPDX-License-Identifier: GPL-3.0-or-later
// Which trials are shown, and in which order: what has no result comes last whatever the sort and its order.
#pragma once

#include "app/common/overview.hpp"

#include <QSortFilterProxyModel>
#include <QStringList>

#include <vector>

namespace holdfast::desktop {

class TrialsModel;

class TrialsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit TrialsFilter(TrialsModel& model, QObject* parent = nullptr);

    /// Words that must all occur in a row's texts, in any case.
    void set_text(const QString& text);
    void set_verdict(const QString& verdict);                    ///< "generalises", ...; "": all
    void set_standings(std::vector<review::Standing> standings); ///< empty: all
    void show_searched(bool shown);

    const app::TrialSummary& trial(const QModelIndex& index) const; ///< of this proxy; must be valid

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const final;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const final;

private:
    TrialsModel& model_;
    QStringList words_;
    QString verdict_;
    std::vector<review::Standing> standings_;
    bool searched_ = false;
};

} // namespace holdfast::desktop
