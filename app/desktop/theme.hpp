// SPDX-License-Identifier: GPL-3.0-or-later
// Colours that stay legible in light and dark and can be told apart by the colour-blind. Shape or words always say it
// too.
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

class QApplication;

namespace holdfast::desktop {

enum class ThemeChoice { system, light, dark };

/// Fusion with a full palette (the Disabled group too). To be called once, before the first window, and again when the
/// person chooses another.
void apply_theme(QApplication& application, ThemeChoice choice);

bool is_dark(const QPalette& palette);

struct Colours {
    QColor better, worse, unclear; ///< effects: marks, intervals
    QColor band, grid, axis;       ///< plots
    QColor muted;                  ///< secondary text, at least 4.5:1 on the base
    QColor added, removed;         ///< backgrounds of diff lines
    QColor caution, caution_base;  ///< border and background of what must be read
    QColor good_base;
};
/// Of the palette in force; ask again on QEvent::PaletteChange.
const Colours& colours(const QPalette& palette);

/// The fixed-width font for diffs, logs and ids.
QFont fixed_font();
/// The application's font scaled: 1.6 for a page's title, 0.9 for notes.
QFont scaled_font(double factor, bool bold = false);

} // namespace holdfast::desktop
