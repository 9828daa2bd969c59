// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace holdfast::desktop {

/// A tool tip that shows `text` as it is. Qt takes a tip that looks like markup for markup, whoever wrote it.
inline QString plain_tip(const QString& text) {
    return "<span>" + text.toHtmlEscaped().replace('\n', "<br>") + "</span>";
}

} // namespace holdfast::desktop
