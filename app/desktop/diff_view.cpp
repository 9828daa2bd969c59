// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/diff_view.hpp"

#include "app/desktop/brief_label.hpp"
#include "app/desktop/diff_pane.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace holdfast::desktop {

namespace {

QToolButton* tool(const QString& text, const QString& name, const QString& tip, QWidget* parent) {
    auto* button = named(new QToolButton(parent), name, tip);
    button->setText(text);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

DiffView::DiffView(QWidget* parent, Marks marks)
    : QWidget(parent), marks_(marks), count_(new FittingLabel(this)), empty_(plain_label({}, this)),
      viewed_box_(named(new QCheckBox("Viewed (V)", this), "Hunk viewed", "Marks the hunk in front as looked at.")),
      split_(tool("Side by side (D)", "Side by side", "Shows old and new text beside each other (D)", this)),
      back_(tool("▲", "Previous hunk", "Previous hunk (K)", this)),
      forward_(tool("▼", "Next hunk", "Next hunk (J)", this)),
      files_(named(new QListWidget(this), "Changed files",
                   marks == Marks::viewed ? "A tick stands before each file whose hunks are all viewed." : "")),
      stack_(new QStackedWidget(this)), unified_(named(new DiffPane(DiffPane::Numbers::both, this), "Unified diff")),
      before_(named(new DiffPane(DiffPane::Numbers::before, this), "Diff, old side")),
      after_(named(new DiffPane(DiffPane::Numbers::after, this), "Diff, new side")) {
    auto* sides = named(new QSplitter(this), "Old and new side");
    sides->addWidget(before_);
    sides->addWidget(after_);
    sides->setChildrenCollapsible(false);
    empty_->setAlignment(Qt::AlignTop);
    empty_->setMargin(8);
    for (QWidget* page : {static_cast<QWidget*>(unified_), static_cast<QWidget*>(sides), static_cast<QWidget*>(empty_)})
        stack_->addWidget(page);
    files_->setTextElideMode(Qt::ElideMiddle);
    files_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(make_bar());
    layout->addWidget(files_);
    layout->addWidget(stack_, 1);
    connect_panes();
    show_files({}, {});
}

QWidget* DiffView::make_bar() {
    auto* bar = new QWidget(this);
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(6, 0, 6, 0);
    line->addWidget(back_);
    line->addWidget(forward_);
    line->addWidget(viewed_box_);
    line->addWidget(count_, 1);
    line->addWidget(split_);
    split_->setCheckable(true);
    viewed_box_->setVisible(marks_ == Marks::viewed);
    QWidget* const stops[] = {back_, forward_, viewed_box_, split_, files_};
    for (std::size_t i = 1; i < std::size(stops); ++i)
        setTabOrder(stops[i - 1], stops[i]);
    return bar;
}

void DiffView::connect_panes() {
    connect(back_, &QToolButton::clicked, this, &DiffView::previous_hunk);
    connect(forward_, &QToolButton::clicked, this, &DiffView::next_hunk);
    connect(viewed_box_, &QCheckBox::clicked, this, &DiffView::toggle_viewed);
    connect(split_, &QToolButton::clicked, this, [this] {
        stack_->setCurrentIndex(split_->isChecked() ? 1 : 0);
        go_to(current_);
    });
    connect(files_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (moving_ || row < 0)
            return;
        const auto& all = places();
        const auto first = std::find_if(all.begin(), all.end(), [row](const HunkPlace& place) {
            return place.file == static_cast<std::size_t>(row);
        });
        if (first != all.end())
            go_to(static_cast<std::size_t>(first - all.begin()));
    });
    for (DiffPane* pane : {unified_, before_, after_})
        connect(pane, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) { cursor_moved(line); });
    for (const auto& [one, other] : {std::pair(before_, after_), std::pair(after_, before_)}) {
        connect(one->verticalScrollBar(), &QScrollBar::valueChanged, other->verticalScrollBar(), &QScrollBar::setValue);
        connect(one->horizontalScrollBar(), &QScrollBar::valueChanged, other->horizontalScrollBar(),
                &QScrollBar::setValue);
    }
}

void DiffView::show_files(const std::vector<git::DiffFile>& files, const QString& instead) {
    diff_ = shown_diff(files);
    viewed_.clear();
    names_.clear();
    moving_ = true;
    files_->clear();
    for (const git::DiffFile& file : files) {
        names_.push_back(shown(file.path).toStdString());
        files_->addItem(QString());
    }
    files_->setVisible(files.size() > 1);
    files_->setFixedHeight(
        static_cast<int>(std::min<std::size_t>(files.size(), 4)) * (files_->fontMetrics().height() + 4) + 6);
    unified_->show_lines(diff_.unified);
    before_->show_lines(diff_.before);
    after_->show_lines(diff_.after);
    moving_ = false;
    empty_->setText(instead);
    stack_->setCurrentIndex(files.empty() ? 2 : split_->isChecked() ? 1 : 0);
    for (QWidget* control : {static_cast<QWidget*>(back_), static_cast<QWidget*>(forward_),
                             static_cast<QWidget*>(viewed_box_), static_cast<QWidget*>(split_)})
        control->setEnabled(!files.empty());
    current_ = 0;
    update_marks();
    if (!files.empty())
        go_to(0);
}

bool DiffView::side_by_side() const {
    return split_->isChecked();
}

const std::vector<HunkPlace>& DiffView::places() const {
    return split_->isChecked() ? diff_.in_split : diff_.in_unified;
}

void DiffView::next_hunk() {
    if (current_ + 1 < hunks())
        go_to(current_ + 1);
}

void DiffView::previous_hunk() {
    if (current_ > 0)
        go_to(current_ - 1);
}

void DiffView::toggle_viewed() {
    if (hunks() == 0 || marks_ == Marks::none)
        return;
    const bool now = viewed_.erase(current_) == 0;
    if (now)
        viewed_.insert(current_);
    unified_->set_viewed(diff_.in_unified[current_].line, now);
    before_->set_viewed(diff_.in_split[current_].line, now);
    after_->set_viewed(diff_.in_split[current_].line, now);
    update_marks();
    emit viewed_changed();
}

void DiffView::toggle_side_by_side() {
    if (split_->isEnabled())
        split_->click();
}

void DiffView::go_to(std::size_t hunk) {
    if (hunks() == 0)
        return;
    moving_ = true;
    current_ = hunk;
    // The heading of a file comes into sight with its first hunk.
    unified_->go_to(diff_.in_unified[hunk].line);
    before_->go_to(diff_.in_split[hunk].line);
    after_->go_to(diff_.in_split[hunk].line);
    files_->setCurrentRow(static_cast<int>(places()[hunk].file));
    moving_ = false;
    update_marks();
}

void DiffView::cursor_moved(int line) {
    if (moving_ || hunks() == 0)
        return;
    const auto& all = places();
    std::size_t hunk = 0;
    while (hunk + 1 < all.size() && all[hunk + 1].line <= static_cast<std::size_t>(line))
        ++hunk;
    moving_ = true;
    current_ = hunk;
    files_->setCurrentRow(static_cast<int>(all[hunk].file));
    moving_ = false;
    update_marks();
}

void DiffView::update_marks() {
    std::vector<std::size_t> open(names_.size(), 0);
    for (std::size_t i = 0; i < hunks(); ++i)
        open[diff_.in_unified[i].file] += viewed_.count(i) == 0 ? 1 : 0;
    for (std::size_t i = 0; i < names_.size(); ++i)
        files_->item(static_cast<int>(i))
            ->setText((marks_ == Marks::none ? ""
                       : open[i] == 0        ? "✓  "
                                             : "·   ") +
                      QString::fromStdString(names_[i]));
    viewed_box_->setChecked(viewed_.count(current_) > 0);
    const QString place = hunks() == 0 ? QString() : QString::fromStdString(diff_.in_unified[current_].words);
    const QString count = QString("%1/%2 hunks").arg(viewed()).arg(hunks());
    count_->say(hunks() == 0 || marks_ == Marks::none ? QStringList{place} : QStringList{count + " viewed", count});
    viewed_box_->setAccessibleDescription(place);
    count_->setToolTip(plain_tip(place));
}

} // namespace holdfast::desktop
