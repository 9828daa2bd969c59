// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/words.hpp"

#include "app/desktop/screen.hpp"
#include "core/project/quantity.hpp"

#include <QRegularExpression>

#include <array>

namespace holdfast::desktop {

QString plain_tip(const QString& text) {
    return text.isEmpty() ? text : "<p style='white-space:pre-wrap'>" + text.toHtmlEscaped() + "</p>";
}

QString plain_caption(const QString& text) {
    return QString(text).replace('&', "&&");
}

QString with_short_ids(const QString& text) {
    static const QRegularExpression id("\\b([0-9a-f]{12})[0-9a-f]{28,}\\b");
    return QString(text).replace(id, "\\1");
}

QString capitalised(QString text) {
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString phase_words(const std::string& phase) {
    static const std::array<std::pair<const char*, const char*>, 9> words{{
        {"checks", "Trying the checks: none may pass without work"},
        {"build", "Building the candidate"},
        {"opening", "Opening: the baseline against itself, to learn the noise"},
        {"search", "Search: cheap looks at many configurations"},
        {"leaders", "Leaders: the best of the search, measured again"},
        {"screen", "Screen: six rounds that stop clear losers"},
        {"confirm", "Confirm: fresh rounds until the decision is clear"},
        {"holdout", "Held-out: one question on workloads that no tuner saw"},
        {"measure", "Measuring"},
    }};
    for (const auto& [name, text] : words)
        if (phase == name)
            return text;
    return shown(phase);
}

QString remaining_words(const std::optional<study::Remaining>& remaining) {
    if (!remaining)
        return "time left not known yet";
    const QString least = QString::fromStdString(duration_text(remaining->least));
    const QString most = QString::fromStdString(duration_text(remaining->most));
    if (least == most)
        return QString("about %1 left").arg(most);
    if (remaining->least.count() <= 0)
        return QString("at most %1 left").arg(most);
    const bool one_unit = least.section(' ', 1) == most.section(' ', 1);
    return QString("between %1 and %2 left").arg(one_unit ? least.section(' ', 0, 0) : least, most);
}

QString metric_words(const std::string& metric) {
    static const std::array<std::pair<const char*, const char*>, 3> words{
        {{"wall", "wall time"}, {"cpu", "CPU time"}, {"peak-memory", "peak memory"}}};
    for (const auto& [name, text] : words)
        if (metric == name)
            return text;
    return shown(metric);
}

QString direction_words(review::EffectView::Direction direction) {
    using Direction = review::EffectView::Direction;
    switch (direction) {
    case Direction::better:
        return "better";
    case Direction::worse:
        return "worse";
    case Direction::no_change:
        return "no practical change";
    case Direction::unclear:
        break;
    }
    return "unclear";
}

QDateTime stored_time(const std::string& text) {
    return QDateTime::fromString(QString::fromStdString(text), Qt::ISODateWithMs);
}

QString local_time(const std::string& text) {
    return stored_time(text).toLocalTime().toString("yyyy-MM-dd HH:mm");
}

QString age_words(const std::string& text, const QDateTime& now) {
    const QDateTime time = stored_time(text);
    if (!time.isValid())
        return {};
    const qint64 seconds = time.secsTo(now);
    if (seconds < 60)
        return "just now";
    const qint64 minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
    if (days > 0)
        return days == 1 ? QString("1 day ago") : QString("%1 days ago").arg(days);
    return hours > 0 ? QString("%1 h ago").arg(hours) : QString("%1 min ago").arg(minutes);
}

} // namespace holdfast::desktop
