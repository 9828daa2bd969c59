// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/trials_filter.hpp"

#include "app/desktop/trials_model.hpp"

#include <algorithm>

namespace holdfast::desktop {

TrialsFilter::TrialsFilter(TrialsModel& model, QObject* parent) : QSortFilterProxyModel(parent), model_(model) {
    setSortRole(TrialsModel::sort_role);
    setSourceModel(&model);
}

void TrialsFilter::set_text(const QString& text) {
    words_ = text.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void TrialsFilter::set_verdict(const QString& verdict) {
    verdict_ = verdict;
    invalidateFilter();
}

void TrialsFilter::set_standings(std::vector<review::Standing> standings) {
    standings_ = std::move(standings);
    invalidateFilter();
}

void TrialsFilter::show_searched(bool shown) {
    searched_ = shown;
    invalidateFilter();
}

const app::TrialSummary& TrialsFilter::trial(const QModelIndex& index) const {
    return model_.trial(mapToSource(index).row());
}

bool TrialsFilter::filterAcceptsRow(int row, const QModelIndex&) const {
    const app::TrialSummary& trial = model_.trial(row);
    if (!searched_ && searched_only(trial))
        return false;
    if (!standings_.empty() && std::find(standings_.begin(), standings_.end(), trial.standing) == standings_.end())
        return false;
    if (!verdict_.isEmpty() && QString::fromStdString(trial.outcome).section(" (", 0, 0) != verdict_)
        return false;
    if (words_.isEmpty())
        return true;
    QString texts;
    for (int column = 0; column < model_.columnCount(); ++column)
        texts += model_.index(row, column).data().toString() + '\n';
    return std::all_of(words_.begin(), words_.end(),
                       [&](const QString& word) { return texts.contains(word, Qt::CaseInsensitive); });
}

bool TrialsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(sortRole()), b = right.data(sortRole());
    const auto rank = [this](const QModelIndex& index, const QVariant& key) {
        return !has_result(model_.trial(index.row())) ? 2 : !key.isValid() ? 1 : 0;
    };
    const int rank_a = rank(left, a), rank_b = rank(right, b);
    // Qt asks with the sides swapped for a descending order.
    if (rank_a != rank_b)
        return (rank_a < rank_b) == (sortOrder() == Qt::AscendingOrder);
    if (a.typeId() == QMetaType::Double && b.typeId() == QMetaType::Double)
        return a.toDouble() < b.toDouble();
    return a.toString().localeAwareCompare(b.toString()) < 0;
}

} // namespace holdfast::desktop
