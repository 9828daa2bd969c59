// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/front_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/front_plot.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/values_table.hpp"
#include "app/desktop/words.hpp"
#include "core/review/effect.hpp"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace holdfast::desktop {

namespace {

enum Page { empty_page, front_page };

QComboBox* choice(const QString& name, QWidget* parent) {
    auto* box = named(new QComboBox(parent), name);
    named(box->view(), name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

} // namespace

FrontScreen::FrontScreen(QWidget* parent) : Screen("front", "Front", parent) {
    auto* heading = plain_label(title(), this);
    heading->setFont(scaled_font(1.6, true));
    auto* empty =
        plain_label("No study has more than one objective yet.\n\nWith two or three objectives no candidate need "
                    "be the best in all of them: the front are those that no other beats in every one. Write a "
                    "list into holdfast.json, such as \"objective\": [\"wall\", \"peak-memory\"], and start a "
                    "study.",
                    this);
    empty->setAlignment(Qt::AlignTop);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(empty);
    pages_->addWidget(make_content());
    make_actions();
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addWidget(pages_, 1);
    setFocusProxy(table_);
}

QWidget* FrontScreen::make_content() {
    auto* content = new QWidget(this);
    study_ = choice("Study", content);
    across_ = choice("Across", content);
    up_ = choice("Up", content);
    summary_ = muted_label({}, content);
    plot_ = new FrontPlot(content);
    table_ = new ValuesTable("Trials of the front", content);
    connect(study_, &QComboBox::currentIndexChanged, this, &FrontScreen::choose_study);
    connect(across_, &QComboBox::currentIndexChanged, this, &FrontScreen::show_front);
    connect(up_, &QComboBox::currentIndexChanged, this, &FrontScreen::show_front);
    connect(plot_, &FrontPlot::trial_activated, this, &FrontScreen::trial_activated);
    connect(table_, &ValuesTable::opened, this, &FrontScreen::trial_activated);
    auto* bar = new QHBoxLayout;
    for (const auto& [name, box] : {std::pair("Study", study_), std::pair("Across", across_), std::pair("Up", up_)}) {
        auto* label = new QLabel(name, content);
        label->setBuddy(box);
        bar->addWidget(label);
        bar->addWidget(box);
    }
    bar->addStretch(1);
    auto* parts = new QSplitter(Qt::Vertical, content);
    parts->setChildrenCollapsible(false);
    parts->addWidget(plot_);
    parts->addWidget(table_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    parts->setSizes({300, 200}); // in this proportion, whatever their hints
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(bar);
    layout->addWidget(parts, 1);
    layout->addWidget(summary_);
    return content;
}

void FrontScreen::make_actions() {
    auto* swap = add_action("swap-axes", "Swap the axes", QKeySequence("X"), "Draws what is across up, and back.");
    connect(swap, &QAction::triggered, this, [this] {
        const int across = across_->currentIndex(), up = up_->currentIndex();
        across_->setCurrentIndex(up);
        up_->setCurrentIndex(across);
    });
}

void FrontScreen::show_fronts(std::vector<review::Front> fronts) {
    fronts_ = std::move(fronts);
    {
        const QSignalBlocker blocker(study_);
        const QVariant before = study_->currentData();
        study_->clear();
        for (const review::Front& front : fronts_)
            study_->addItem(QString("Study %1").arg(front.number), static_cast<qint64>(front.number));
        const int kept = before.isValid() ? study_->findData(before) : -1;
        study_->setCurrentIndex(kept >= 0 ? kept : study_->count() - 1);
    }
    pages_->setCurrentIndex(fronts_.empty() ? empty_page : front_page);
    choose_study();
}

const review::Front* FrontScreen::chosen() const {
    const auto at = static_cast<std::size_t>(std::max(0, study_->currentIndex()));
    return at < fronts_.size() ? &fronts_[at] : nullptr;
}

void FrontScreen::choose_study() {
    const review::Front* front = chosen();
    if (front == nullptr)
        return;
    for (QComboBox* box : {across_, up_}) {
        const QSignalBlocker blocker(box);
        const int before = box->currentIndex();
        box->clear();
        for (const std::string& objective : front->objectives)
            box->addItem(metric_words(objective));
        box->setCurrentIndex(before >= 0 && before < box->count() ? before : box == across_ ? 0 : 1);
        box->setEnabled(box->count() > 2);
    }
    show_front();
}

void FrontScreen::show_front() {
    const review::Front* front = chosen();
    if (front == nullptr)
        return;
    plot_->show_front(*front, static_cast<std::size_t>(std::max(0, across_->currentIndex())),
                      static_cast<std::size_t>(std::max(0, up_->currentIndex())));
    QStringList head{"Trial", "Place", "Verdict"};
    for (const std::string& objective : front->objectives)
        head << capitalised(metric_words(objective));
    std::vector<QStringList> rows;
    std::vector<qint64> keys;
    std::size_t on_front = 0;
    for (const review::FrontPoint& point : front->points) {
        QStringList row{point.trial == 0 ? QString("baseline") : QString("#%1").arg(point.trial), place_words(point),
                        shown(point.verdict)};
        for (const review::EffectView& effect : point.effects)
            row << (point.trial == 0 ? QString("0 %") : shown(review::effect_words(effect)));
        rows.push_back(row);
        keys.push_back(point.trial);
        on_front += point.on_front && point.trial != 0 ? 1 : 0;
    }
    table_->show_rows(head, rows, keys);
    summary_->setText(
        QString("%1 of %2 trials are on the front, by their estimates on the tuning workloads. Lines are "
                "intervals: filled marks stay on the front wherever inside them the truth lies.")
            .arg(on_front)
            .arg(front->points.size() - (front->points.empty() || front->points.front().trial != 0 ? 0 : 1)));
}

} // namespace holdfast::desktop
