// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_options_box.hpp"

#include "app/common/study_options.hpp"
#include "app/desktop/screen.hpp"
#include "tuners/tuners.hpp"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace holdfast::desktop {

namespace {

QSpinBox* number_box(const QString& name, const QString& tip, int least, int most, QWidget* parent) {
    auto* box = named(new QSpinBox(parent), name, tip);
    box->setRange(least, most);
    box->setToolTip(tip);
    return box;
}

QLabel* caption(const QString& text, QWidget* of, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setBuddy(of);
    return label;
}

} // namespace

StudyOptionsBox::StudyOptionsBox(QWidget* parent) : QGroupBox("Next study", parent) {
    named(this, "Next study");
    auto* tuners = new QHBoxLayout;
    for (const std::string& name : tuners::names()) {
        auto* box = named(new QCheckBox(shown(name), this), "Tuner " + shown(name));
        connect(box, &QCheckBox::toggled, this, &StudyOptionsBox::changed);
        tuners_.push_back(box);
        tuners->addWidget(box);
    }
    tuners->addStretch();
    trials_ = number_box("Configurations to look at",
                         "How many configurations the search looks at, over all tuners. 0: "
                         "only what is queued.",
                         0, 1'000'000, this);
    leaders_ = number_box("Leaders", "At most this many of them go on to the gates.", 1, 1000, this);
    minutes_ = number_box("Time budget", "No new trial starts after it.", 0, 60 * 24 * 30, this);
    minutes_->setSuffix(" min");
    minutes_->setSpecialValueText("none");
    seed_ = named(new QLineEdit(this), "Seed", "The same seed gives the same suggestions and coins.");
    seed_->setMaxLength(20);
    seed_->setToolTip("The same seed gives the same suggestions and coins.");
    auto* fresh = named(new QPushButton("New seed", this), "New seed", "Draws another seed.");
    fresh->setAutoDefault(false);
    connect(fresh, &QPushButton::clicked, this, [this] { seed_->setText(QString::number(app::random_seed())); });
    connect(seed_, &QLineEdit::textChanged, this, &StudyOptionsBox::changed);

    auto* numbers = new QHBoxLayout;
    numbers->addWidget(trials_);
    numbers->addSpacing(12);
    numbers->addWidget(caption("&Leaders", leaders_, this));
    numbers->addWidget(leaders_);
    numbers->addSpacing(12);
    numbers->addWidget(caption("Time &budget", minutes_, this));
    numbers->addWidget(minutes_);
    numbers->addStretch();
    auto* seed = new QHBoxLayout;
    seed_->setFixedWidth(seed_->fontMetrics().horizontalAdvance(QString(22, '8')) + 16);
    seed->addWidget(seed_);
    seed->addWidget(fresh);
    seed->addStretch();
    auto* form = new QFormLayout(this);
    form->addRow("Tuners", tuners);
    form->addRow(caption("&Configurations to look at", trials_, this), numbers);
    form->addRow(caption("S&eed", seed_, this), seed);
}

void StudyOptionsBox::set_options(const study::Options& defaults) {
    defaults_ = defaults;
    const auto names = tuners::names();
    for (std::size_t i = 0; i < tuners_.size(); ++i)
        tuners_[i]->setChecked(std::find(defaults.tuners.begin(), defaults.tuners.end(), names[i]) !=
                               defaults.tuners.end());
    trials_->setValue(defaults.trials);
    leaders_->setValue(defaults.leaders);
    const auto budget = defaults.budget.value_or(std::chrono::milliseconds(0));
    minutes_->setValue(static_cast<int>(std::chrono::ceil<std::chrono::minutes>(budget).count()));
    seed_->setText(QString::number(defaults.seed));
}

study::Options StudyOptionsBox::options() const {
    study::Options options = defaults_;
    options.tuners.clear();
    const auto names = tuners::names();
    for (std::size_t i = 0; i < tuners_.size(); ++i)
        if (tuners_[i]->isChecked())
            options.tuners.push_back(names[i]);
    options.trials = trials_->value();
    options.leaders = leaders_->value();
    options.budget.reset();
    if (minutes_->value() > 0)
        options.budget = std::chrono::minutes(minutes_->value());
    options.seed = seed_->text().toULongLong();
    return options;
}

QString StudyOptionsBox::fault() const {
    bool whole = false;
    seed_->text().toULongLong(&whole);
    return whole ? QString() : QString("the seed must be a whole number from 0 to 18446744073709551615");
}

} // namespace holdfast::desktop
