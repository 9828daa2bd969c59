// SPDX-License-Identifier: GPL-3.0-or-later
// What several screens say in the same words.
#pragma once

#include "core/review/sheet.hpp"
#include "core/study/forecast.hpp"

#include <QDateTime>
#include <QString>

#include <optional>
#include <string>

namespace holdfast::desktop {

/// A tooltip that is never taken for markup.
QString plain_tip(const QString& text);
/// A button's or action's text in which no character becomes a mnemonic.
QString plain_caption(const QString& text);

/// With every commit, tree or digest in it (40 hexadecimal digits or more) cut to its first twelve.
QString with_short_ids(const QString& text);

/// With its first letter upper case: a sentence.
QString capitalised(QString text);

/// What a phase of study::Progress does, in words; an unknown phase as it is.
QString phase_words(const std::string& phase);
/// "between 2 and 9 min left"
QString remaining_words(const std::optional<study::Remaining>& remaining);
/// "wall time", "CPU time", "peak memory"; a metric that the project declares by its own name.
QString metric_words(const std::string& metric);
QString direction_words(review::EffectView::Direction direction);

/// A stored UTC time; invalid when the text is none.
QDateTime stored_time(const std::string& text);
/// In the person's time zone, to the minute; "" when it is none.
QString local_time(const std::string& text);
/// "3 min ago"; "" when it is no time.
QString age_words(const std::string& text, const QDateTime& now);

} // namespace holdfast::desktop
