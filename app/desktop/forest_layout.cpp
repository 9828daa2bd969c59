// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/forest_layout.hpp"

#include "app/desktop/screen.hpp"

namespace holdfast::desktop {

QString tick_text(double change, double step) {
    return QString::fromStdString(review::change_tick(change, step));
}

QString effect_words(const review::EffectView& effect) {
    return is_known(effect) && !effect.text.empty() ? shown(effect.text) : QStringLiteral("unknown");
}

QString row_words(const review::WorkloadRow& row) {
    return shown(review::spoken(row));
}

} // namespace holdfast::desktop
