// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/diff_view.hpp"

#include "app/desktop/diff_pane.hpp"
#include "app/desktop/plain_tip.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

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

DiffView::DiffView(QWidget* parent)
    : QWidget(parent), m_count(new QLabel(this)), m_empty(plain_label({}, this)),
      m_viewed_box(named(new QCheckBox("Viewed (V)", this), "Hunk viewed", "Marks the hunk in front as looked at.")),
      m_split(tool("Side by side (D)", "Side by side", "Shows old and new text beside each other (D)", this)),
      m_back(tool("▲", "Previous hunk", "Previous hunk (K)", this)),
      m_forward(tool("▼", "Next hunk", "Next hunk (J)", this)),
      m_files(
          named(new QListWidget(this), "Changed files", "A tick stands before each file whose hunks are all viewed.")),
      m_stack(new QStackedWidget(this)), m_unified(named(new DiffPane(DiffPane::Numbers::both, this), "Unified diff")),
      m_before(named(new DiffPane(DiffPane::Numbers::before, this), "Diff, old side")),
      m_after(named(new DiffPane(DiffPane::Numbers::after, this), "Diff, new side")) {
    auto* sides = named(new QSplitter(this), "Old and new side");
    sides->addWidget(m_before);
    sides->addWidget(m_after);
    sides->setChildrenCollapsible(false);
    m_empty->setAlignment(Qt::AlignTop);
    m_empty->setMargin(8);
    for (QWidget* page :
         {static_cast<QWidget*>(m_unified), static_cast<QWidget*>(sides), static_cast<QWidget*>(m_empty)})
        m_stack->addWidget(page);
    m_files->setTextElideMode(Qt::ElideMiddle);
    m_files->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(make_bar());
    layout->addWidget(m_files);
    layout->addWidget(m_stack, 1);
    connect_panes();
    show_files({}, {});
}

QWidget* DiffView::make_bar() {
    auto* bar = new QWidget(this);
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(6, 0, 6, 0);
    line->addWidget(m_back);
    line->addWidget(m_forward);
    line->addWidget(m_viewed_box);
    line->addWidget(m_count, 1);
    line->addWidget(m_split);
    m_count->setTextFormat(Qt::PlainText);
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_split->setCheckable(true);
    return bar;
}

void DiffView::connect_panes() {
    connect(m_back, &QToolButton::clicked, this, &DiffView::previous_hunk);
    connect(m_forward, &QToolButton::clicked, this, &DiffView::next_hunk);
    connect(m_viewed_box, &QCheckBox::clicked, this, &DiffView::toggle_viewed);
    connect(m_split, &QToolButton::clicked, this, [this] {
        m_stack->setCurrentIndex(m_split->isChecked() ? 1 : 0);
        go_to(m_current);
    });
    connect(m_files, &QListWidget::currentRowChanged, this, [this](int row) {
        if (m_moving || row < 0)
            return;
        const auto& all = places();
        const auto first = std::find_if(all.begin(), all.end(), [row](const HunkPlace& place) {
            return place.file == static_cast<std::size_t>(row);
        });
        if (first != all.end())
            go_to(static_cast<std::size_t>(first - all.begin()));
    });
    for (DiffPane* pane : {m_unified, m_before, m_after})
        connect(pane, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) { cursor_moved(line); });
    for (const auto& [one, other] : {std::pair(m_before, m_after), std::pair(m_after, m_before)}) {
        connect(one->verticalScrollBar(), &QScrollBar::valueChanged, other->verticalScrollBar(), &QScrollBar::setValue);
        connect(one->horizontalScrollBar(), &QScrollBar::valueChanged, other->horizontalScrollBar(),
                &QScrollBar::setValue);
    }
}

void DiffView::show_files(const std::vector<git::DiffFile>& files, const QString& instead) {
    m_diff = shown_diff(files);
    m_viewed.clear();
    m_names.clear();
    m_moving = true;
    m_files->clear();
    for (const git::DiffFile& file : files) {
        m_names.push_back(shown(file.path).toStdString());
        m_files->addItem(QString());
    }
    m_files->setVisible(files.size() > 1);
    m_files->setFixedHeight(
        static_cast<int>(std::min<std::size_t>(files.size(), 4)) * (m_files->fontMetrics().height() + 4) + 6);
    m_unified->show_lines(m_diff.unified);
    m_before->show_lines(m_diff.before);
    m_after->show_lines(m_diff.after);
    m_moving = false;
    m_empty->setText(instead);
    m_stack->setCurrentIndex(files.empty() ? 2 : m_split->isChecked() ? 1 : 0);
    for (QWidget* control : {static_cast<QWidget*>(m_back), static_cast<QWidget*>(m_forward),
                             static_cast<QWidget*>(m_viewed_box), static_cast<QWidget*>(m_split)})
        control->setEnabled(!files.empty());
    m_current = 0;
    update_marks();
    if (!files.empty())
        go_to(0);
}

bool DiffView::side_by_side() const {
    return m_split->isChecked();
}

const std::vector<HunkPlace>& DiffView::places() const {
    return m_split->isChecked() ? m_diff.in_split : m_diff.in_unified;
}

void DiffView::next_hunk() {
    if (m_current + 1 < hunks())
        go_to(m_current + 1);
}

void DiffView::previous_hunk() {
    if (m_current > 0)
        go_to(m_current - 1);
}

void DiffView::toggle_viewed() {
    if (hunks() == 0)
        return;
    const bool now = m_viewed.erase(m_current) == 0;
    if (now)
        m_viewed.insert(m_current);
    m_unified->set_viewed(m_diff.in_unified[m_current].line, now);
    m_before->set_viewed(m_diff.in_split[m_current].line, now);
    m_after->set_viewed(m_diff.in_split[m_current].line, now);
    update_marks();
    emit viewed_changed();
}

void DiffView::toggle_side_by_side() {
    if (m_split->isEnabled())
        m_split->click();
}

void DiffView::go_to(std::size_t hunk) {
    if (hunks() == 0)
        return;
    m_moving = true;
    m_current = hunk;
    // The heading of a file comes into sight with its first hunk.
    m_unified->go_to(m_diff.in_unified[hunk].line);
    m_before->go_to(m_diff.in_split[hunk].line);
    m_after->go_to(m_diff.in_split[hunk].line);
    m_files->setCurrentRow(static_cast<int>(places()[hunk].file));
    m_moving = false;
    update_marks();
}

void DiffView::cursor_moved(int line) {
    if (m_moving || hunks() == 0)
        return;
    const auto& all = places();
    std::size_t hunk = 0;
    while (hunk + 1 < all.size() && all[hunk + 1].line <= static_cast<std::size_t>(line))
        ++hunk;
    m_moving = true;
    m_current = hunk;
    m_files->setCurrentRow(static_cast<int>(all[hunk].file));
    m_moving = false;
    update_marks();
}

void DiffView::update_marks() {
    std::vector<std::size_t> open(m_names.size(), 0);
    for (std::size_t i = 0; i < hunks(); ++i)
        open[m_diff.in_unified[i].file] += m_viewed.count(i) == 0 ? 1 : 0;
    for (std::size_t i = 0; i < m_names.size(); ++i)
        m_files->item(static_cast<int>(i))
            ->setText((open[i] == 0 ? "✓  " : "·   ") + QString::fromStdString(m_names[i]));
    m_viewed_box->setChecked(m_viewed.count(m_current) > 0);
    m_count->setText(hunks() == 0 ? QString() : QString("%1 of %2 viewed").arg(viewed()).arg(hunks()));
    const QString place = hunks() == 0 ? QString() : QString::fromStdString(m_diff.in_unified[m_current].words);
    m_viewed_box->setAccessibleDescription(place);
    m_count->setToolTip(plain_tip(place));
}

} // namespace holdfast::desktop
