// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/trials_model.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/decision/verdict.hpp"

#include <QApplication>

#include <cmath>
#include <tuple>

namespace holdfast::desktop {

namespace {

using app::TrialSummary;
using review::EffectView;

const char* title(TrialColumn column) {
    switch (column) {
    case TrialColumn::number:
        return "#";
    case TrialColumn::study:
        return "Study";
    case TrialColumn::tuner:
        return "Tuner";
    case TrialColumn::verdict:
        return "Verdict";
    case TrialColumn::held_out:
        return "Held-out";
    case TrialColumn::tuning:
        return "Tuning";
    case TrialColumn::review:
        return "Review";
    case TrialColumn::flags:
        return "Flags";
    case TrialColumn::change:
        return "Change";
    case TrialColumn::ended:
        return "Ended";
    case TrialColumn::age:
        return "Age";
    case TrialColumn::commit:
        return "Commit";
    case TrialColumn::branch:
        return "Branch";
    }
    return "";
}

/// By its words, which hold all that is shown and compare well when a number is NaN.
auto essence(const std::optional<EffectView>& effect) {
    return std::tuple(effect.has_value(), effect ? effect->text : "",
                      effect ? effect->direction : EffectView{}.direction, effect ? effect->rounds : 0);
}

bool same(const TrialSummary& a, const TrialSummary& b) {
    const auto plain = [](const TrialSummary& t) {
        return std::tie(t.id, t.number, t.study, t.kind, t.tuner, t.state, t.outcome, t.looked, t.change, t.flags,
                        t.proposal, t.standing, t.commit, t.branch, t.created, t.ended);
    };
    return plain(a) == plain(b) && essence(a.tuning) == essence(b.tuning) && essence(a.held_out) == essence(b.held_out);
}

const std::optional<EffectView>& effect_of(TrialColumn column, const TrialSummary& trial) {
    return column == TrialColumn::held_out ? trial.held_out : trial.tuning;
}

const std::string& time_of(const TrialSummary& trial) {
    return trial.ended.empty() ? trial.created : trial.ended;
}

QString joined(const std::vector<std::string>& texts) {
    QStringList list;
    for (const std::string& text : texts)
        list.push_back(shown(text));
    return list.join("\n");
}

QString text_of(TrialColumn column, const TrialSummary& trial) {
    switch (column) {
    case TrialColumn::number:
        return QString("#%1").arg(trial.number);
    case TrialColumn::study:
        return trial.study == 0 ? QString("–") : QString::number(trial.study);
    case TrialColumn::tuner:
        return shown(trial.tuner);
    case TrialColumn::verdict:
        return shown(trial.outcome);
    case TrialColumn::held_out:
    case TrialColumn::tuning:
        return effect_of(column, trial) ? shown(effect_of(column, trial)->text) : QString("–");
    case TrialColumn::review:
        return trial.standing == review::Standing::none ? QString("–")
                                                        : QString::fromUtf8(review::to_text(trial.standing).data());
    case TrialColumn::flags:
        return trial.flags.empty()    ? QString("–")
               : trial.danger.empty() ? QString::number(trial.flags.size())
                                      : QString::fromStdString(trial.danger);
    case TrialColumn::change:
        return shown(trial.change);
    case TrialColumn::ended:
        return local_time(trial.ended);
    case TrialColumn::age:
        return age_words(time_of(trial), QDateTime::currentDateTimeUtc());
    case TrialColumn::commit:
        return (trial.standing == review::Standing::reverted ? "taken back by " : "") +
               shown(trial.commit.substr(0, 10));
    case TrialColumn::branch:
        return shown(trial.branch);
    }
    return {};
}

/// Invalid: has none, and comes last.
QVariant sort_key(TrialColumn column, const TrialSummary& trial) {
    switch (column) {
    case TrialColumn::number:
        return static_cast<double>(trial.number);
    case TrialColumn::study:
        return trial.study == 0 ? QVariant() : QVariant(static_cast<double>(trial.study));
    case TrialColumn::held_out:
    case TrialColumn::tuning: {
        const auto& effect = effect_of(column, trial);
        return effect && !std::isnan(effect->estimate) ? QVariant(effect->estimate) : QVariant();
    }
    case TrialColumn::flags:
        return static_cast<double>(trial.flags.size());
    case TrialColumn::ended:
        return trial.ended.empty() ? QVariant() : QVariant(QString::fromStdString(trial.ended));
    case TrialColumn::age: {
        const QDateTime time = stored_time(time_of(trial));
        return time.isValid() ? QVariant(-static_cast<double>(time.toMSecsSinceEpoch())) : QVariant();
    }
    default:
        return text_of(column, trial);
    }
}

QString tip_of(TrialColumn column, const TrialSummary& trial) {
    switch (column) {
    case TrialColumn::held_out:
    case TrialColumn::tuning: {
        const auto& effect = effect_of(column, trial);
        return effect ? QString("%1, %2 rounds: %3")
                            .arg(shown(effect->text))
                            .arg(effect->rounds)
                            .arg(direction_words(effect->direction))
                      : QString("Not measured");
    }
    case TrialColumn::flags:
        return joined(trial.flags);
    case TrialColumn::commit:
        return shown(trial.commit);
    default:
        return text_of(column, trial);
    }
}

QVariant colour_of(TrialColumn column, const TrialSummary& trial) {
    const Colours& colour = colours(QApplication::palette());
    const bool effect = column == TrialColumn::held_out || column == TrialColumn::tuning;
    if (!has_result(trial) || (effect && !effect_of(column, trial)))
        return colour.muted;
    if (!effect)
        return {};
    const auto direction = effect_of(column, trial)->direction;
    return direction == EffectView::Direction::better  ? colour.better
           : direction == EffectView::Direction::worse ? colour.worse
                                                       : colour.unclear;
}

std::optional<decision::VerdictKind> kind_of(const TrialSummary& trial) {
    return decision::verdict_from_text(trial.outcome.substr(0, trial.outcome.find(" (")));
}

} // namespace

bool has_result(const TrialSummary& trial) {
    using Kind = decision::VerdictKind;
    const auto kind = kind_of(trial);
    return kind == Kind::generalises || kind == Kind::overfits || kind == Kind::regresses || kind == Kind::no_effect ||
           kind == Kind::inconclusive;
}

bool searched_only(const TrialSummary& trial) {
    return trial.state == study::State::done && trial.tuner != "measure" && !kind_of(trial);
}

TrialsModel::TrialsModel(std::vector<TrialColumn> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

void TrialsModel::update(const std::vector<TrialSummary>& trials) {
    std::size_t at = 0, next = 0;
    const auto gone = [&](std::size_t row) {
        return row < trials_.size() &&
               (next == trials.size() || trials_[row].number < trials[next].number ||
                (trials_[row].number == trials[next].number && trials_[row].id != trials[next].id));
    };
    const auto fresh = [&](std::size_t index) {
        return index < trials.size() && (at == trials_.size() || trials[index].number < trials_[at].number);
    };
    const auto place = [](std::size_t index) { return static_cast<std::ptrdiff_t>(index); };
    while (at < trials_.size() || next < trials.size()) {
        std::size_t end = at;
        while (gone(end))
            ++end;
        if (end > at) {
            beginRemoveRows({}, static_cast<int>(at), static_cast<int>(end) - 1);
            trials_.erase(trials_.begin() + place(at), trials_.begin() + place(end));
            endRemoveRows();
        }
        end = next;
        while (fresh(end))
            ++end;
        if (end > next) {
            const std::size_t count = end - next;
            beginInsertRows({}, static_cast<int>(at), static_cast<int>(at + count) - 1);
            trials_.insert(trials_.begin() + place(at), trials.begin() + place(next), trials.begin() + place(end));
            endInsertRows();
            at += count;
            next = end;
        }
        const std::size_t first = at;
        while (at < trials_.size() && next < trials.size() && trials_[at].id == trials[next].id &&
               !same(trials_[at], trials[next]))
            trials_[at++] = trials[next++];
        if (at > first)
            emit dataChanged(index(static_cast<int>(first), 0), index(static_cast<int>(at) - 1, columnCount() - 1));
        while (at < trials_.size() && next < trials.size() && trials_[at].id == trials[next].id &&
               same(trials_[at], trials[next])) {
            ++at;
            ++next;
        }
    }
}

int TrialsModel::place_of(TrialColumn column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

int TrialsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(trials_.size());
}

int TrialsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    return cell(columns_[static_cast<std::size_t>(index.column())], role, trial(index.row()));
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const TrialColumn column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return QString(title(column));
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

QVariant TrialsModel::cell(TrialColumn column, int role, const TrialSummary& trial) const {
    switch (role) {
    case Qt::DisplayRole:
        return text_of(column, trial);
    case Qt::ToolTipRole:
        return plain_tip(tip_of(column, trial));
    case Qt::AccessibleTextRole:
        return QString("%1: %2").arg(title(column), tip_of(column, trial));
    case Qt::ForegroundRole:
        return colour_of(column, trial);
    case sort_role:
        return sort_key(column, trial);
    case number_role:
        return static_cast<qint64>(trial.number);
    case id_role:
        return QString::fromStdString(trial.id);
    default:
        return {};
    }
}

} // namespace holdfast::desktop
