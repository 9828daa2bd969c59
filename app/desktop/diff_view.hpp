// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a change, unified or side by side, with a mark for each hunk that the person has looked at.
#pragma once

#include "app/desktop/diff_lines.hpp"

#include <QWidget>

#include <set>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QListWidget;
class QStackedWidget;
class QToolButton;

namespace holdfast::desktop {

class DiffPane;

class DiffView : public QWidget {
    Q_OBJECT
public:
    explicit DiffView(QWidget* parent = nullptr);

    /// Nothing viewed. `instead` is said when there are no files.
    void show_files(const std::vector<git::DiffFile>& files, const QString& instead);

    std::size_t hunks() const { return m_diff.in_unified.size(); }
    std::size_t viewed() const { return m_viewed.size(); }
    std::size_t current() const { return m_current; } ///< below hunks(), when there are any
    bool side_by_side() const;

public slots:
    void next_hunk();
    void previous_hunk();
    void toggle_viewed();
    void toggle_side_by_side();

signals:
    void viewed_changed();

private:
    QWidget* make_bar();
    void connect_panes();
    void go_to(std::size_t hunk);
    void cursor_moved(int line);
    void update_marks();
    const std::vector<HunkPlace>& places() const;

    ShownDiff m_diff;
    std::vector<std::string> m_names; ///< of the files, safe to show
    std::set<std::size_t> m_viewed;
    std::size_t m_current = 0;
    bool m_moving = false;
    QLabel* m_count;
    QLabel* m_empty;
    QCheckBox* m_viewed_box;
    QToolButton* m_split;
    QToolButton* m_back;
    QToolButton* m_forward;
    QListWidget* m_files;
    QStackedWidget* m_stack;
    DiffPane* m_unified;
    DiffPane* m_before;
    DiffPane* m_after;
};

} // namespace holdfast::desktop
