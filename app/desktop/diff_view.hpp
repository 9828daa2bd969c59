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

class FittingLabel;
class DiffPane;

class DiffView : public QWidget {
    Q_OBJECT
public:
    /// Without marks there is nothing to tick: the change was read before.
    enum class Marks { viewed, none };

    explicit DiffView(QWidget* parent = nullptr, Marks marks = Marks::viewed);

    /// Nothing viewed. `instead` is said when there are no files.
    void show_files(const std::vector<git::DiffFile>& files, const QString& instead);

    std::size_t hunks() const { return diff_.in_unified.size(); }
    std::size_t viewed() const { return viewed_.size(); }
    std::size_t current() const { return current_; } ///< below hunks(), when there are any
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

    const Marks marks_;
    ShownDiff diff_;
    std::vector<std::string> names_; ///< of the files, safe to show
    std::set<std::size_t> viewed_;
    std::size_t current_ = 0;
    bool moving_ = false;
    FittingLabel* count_;
    QLabel* empty_;
    QCheckBox* viewed_box_;
    QToolButton* split_;
    QToolButton* back_;
    QToolButton* forward_;
    QListWidget* files_;
    QStackedWidget* stack_;
    DiffPane* unified_;
    DiffPane* before_;
    DiffPane* after_;
};

} // namespace holdfast::desktop
