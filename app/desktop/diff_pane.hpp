// SPDX-License-Identifier: GPL-3.0-or-later
// One read-only column of a diff: line numbers, coloured lines, the hunk in front marked.
#pragma once

#include "app/desktop/diff_lines.hpp"

#include <Qsci/qsciscintilla.h>

#include <optional>
#include <vector>

namespace holdfast::desktop {

class DiffPane : public QsciScintilla {
    Q_OBJECT
public:
    enum class Numbers { both, before, after };

    DiffPane(Numbers numbers, QWidget* parent);

    void show_lines(const std::vector<ShownLine>& lines);
    /// Scrolls so that `line` is near the top; marks it as the one in front.
    void go_to(std::size_t line);
    void set_viewed(std::size_t line, bool viewed);

protected:
    void changeEvent(QEvent* event) override;

private:
    void apply_colours();
    void show_numbers(const std::vector<ShownLine>& lines);

    Numbers numbers_;
};

} // namespace holdfast::desktop
