// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/start_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/theme.hpp"

#include <QAction>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTreeWidget>
#include <algorithm>
#include <utility>
#include <vector>

namespace holdfast::desktop {

namespace {

constexpr int value_role = Qt::UserRole, fault_role = Qt::UserRole + 1;

QLabel* heading(const QString& text, QWidget* parent) {
    auto* label = plain_label(text, parent);
    label->setFont(scaled_font(1.2, true));
    return label;
}

QString state_of(const app::Finding& finding) {
    if (finding.good)
        return StartScreen::tr("✓ good");
    switch (finding.severity) {
    case app::Finding::Severity::stops:
        return StartScreen::tr("✗ stops");
    case app::Finding::Severity::widens:
        return StartScreen::tr("↔ widens");
    case app::Finding::Severity::know:
        return StartScreen::tr("• know");
    }
    return {};
}

QListWidget* word_list(const QString& name, const QString& title, const QString& about, QWidget* parent) {
    auto* list = named(new QListWidget(parent), title, about);
    list->setObjectName(name);
    list->setWordWrap(true);
    list->setAlternatingRowColors(true);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return list;
}

} // namespace

StartScreen::StartScreen(QAction* open, QAction* make, QWidget* parent) : Screen("start", tr("Start"), parent) {
    open_recent_ = add_action("open-recent", tr("Open the selected project"), {}, tr("Opens the selected project."));
    forget_ = add_action("forget-recent", tr("Remove from the list"), QKeySequence::Delete,
                         tr("Removes the selected project from this list; its folder stays."));
    make_demo_ = add_action("open-demo", tr("Open the selected example"), {},
                            tr("Makes the example a project of its own, if it is not yet one, and opens it."));
    examine_ = add_action("examine", tr("Examine this machine again"), QKeySequence("F5"),
                          tr("Tries the sandbox and the tools once more; takes some seconds."));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 16, 16, 16);
    grid->setSpacing(16);
    auto* title = plain_label(tr("Every change held still until it is measured, tried on workloads its author never "
                                 "saw, and approved by you."),
                              this);
    title->setFont(scaled_font(1.2));
    grid->addWidget(title, 0, 0, 1, 2);
    grid->addWidget(make_recent(open, make), 1, 0);
    grid->addWidget(make_demos(), 1, 1);
    grid->addWidget(make_machine(), 2, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(1, 3);
    grid->setRowStretch(2, 2);
    connect(open_recent_, &QAction::triggered, this,
            [this] { emit open_requested(recent_->currentItem()->data(value_role).toString()); });
    connect(forget_, &QAction::triggered, this,
            [this] { emit forget_requested(recent_->currentItem()->data(value_role).toString()); });
    connect(make_demo_, &QAction::triggered, this,
            [this] { emit demo_requested(demos_->currentItem()->data(value_role).toString()); });
    connect(examine_, &QAction::triggered, this, &StartScreen::examine_requested);
    connect(recent_, &QListWidget::itemActivated, open_recent_, &QAction::trigger);
    connect(demos_, &QListWidget::itemActivated, make_demo_, &QAction::trigger);
    for (const QListWidget* list : {recent_, demos_})
        connect(list, &QListWidget::currentRowChanged, this, &StartScreen::update_actions);
    setFocusProxy(recent_);
    update_actions();
}

QWidget* StartScreen::make_recent(QAction* open, QAction* make) {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(heading(tr("Projects opened lately"), box));
    nothing_ = muted_label(tr("None yet. Open a folder that holds a holdfast.json, make one with New project, or begin "
                              "with an example."),
                           box);
    column->addWidget(nothing_);
    recent_ = word_list("recent", tr("Projects opened lately"), tr("Return opens the selected project."), box);
    column->addWidget(recent_, 1);
    auto* row = new QHBoxLayout;
    for (QAction* action : {open, make, forget_})
        row->addWidget(action_button(action, box));
    row->addStretch();
    column->addLayout(row);
    return box;
}

QWidget* StartScreen::make_demos() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(heading(tr("Examples"), box));
    demos_ = word_list("demos", tr("Examples"), tr("Return makes and opens the selected example."), box);
    column->addWidget(demos_, 1);
    auto* row = new QHBoxLayout;
    row->addWidget(action_button(make_demo_, box));
    row->addStretch();
    column->addLayout(row);
    return box;
}

QWidget* StartScreen::make_machine() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    machine_ = heading(tr("This machine"), box);
    row->addWidget(machine_, 1);
    row->addWidget(action_button(examine_, box));
    column->addLayout(row);
    findings_ = named(new QTreeWidget(box), tr("This machine"), tr("What studies need, what was found, what to do."));
    findings_->setObjectName("findings");
    findings_->setHeaderLabels({tr("What"), tr("State"), tr("Found"), tr("To do")});
    findings_->setRootIsDecorated(false);
    findings_->setAlternatingRowColors(true);
    findings_->setWordWrap(true);
    column->addWidget(findings_, 1);
    return box;
}

void StartScreen::set_recent(const std::vector<RecentProject>& projects, const QString& open) {
    const QString before =
        recent_->currentItem() != nullptr ? recent_->currentItem()->data(value_role).toString() : QString();
    const QString selected = open.isEmpty() ? before : open;
    recent_->clear();
    for (const RecentProject& project : projects) {
        const QString folder = shown(project.folder.toStdString());
        auto* item = new QListWidgetItem(project.fault.isEmpty() ? folder : folder + "\n" + project.fault, recent_);
        item->setData(value_role, project.folder);
        item->setData(fault_role, project.fault);
        if (!project.fault.isEmpty())
            item->setForeground(palette().brush(QPalette::Disabled, QPalette::Text));
        if (project.folder == selected)
            recent_->setCurrentItem(item);
    }
    if (recent_->currentItem() == nullptr)
        recent_->setCurrentRow(0);
    nothing_->setVisible(projects.empty());
    update_actions();
}

void StartScreen::set_demos(const std::vector<app::DemoInfo>& demos) {
    demos_->clear();
    for (const app::DemoInfo& demo : demos) {
        auto* item = new QListWidgetItem(shown(demo.name) + "\n" + shown(demo.about), demos_);
        item->setData(value_role, QString::fromStdString(demo.name));
    }
    demos_->setCurrentRow(0);
    update_actions();
}

void StartScreen::set_examining() {
    machine_->setText(tr("This machine: being examined…"));
    allow(examine_, false, tr("the examination is under way"));
}

void StartScreen::set_examination(const app::Examination& examination) {
    machine_->setText(examination.ready() ? tr("This machine: ready for studies")
                                          : tr("This machine: no study can run, see what to do"));
    findings_->clear();
    // What asks for something first, what stops studies before what only widens intervals.
    std::vector<app::Finding> findings = examination.findings;
    std::stable_sort(findings.begin(), findings.end(), [](const app::Finding& a, const app::Finding& b) {
        return std::pair(a.good, a.severity) < std::pair(b.good, b.severity);
    });
    for (const app::Finding& finding : findings)
        findings_->addTopLevelItem(
            new QTreeWidgetItem({shown(finding.what), state_of(finding),
                                 shown(finding.effect.empty() ? finding.found : finding.found + "; " + finding.effect),
                                 shown(finding.remedy)}));
    for (int column = 0; column < 2; ++column)
        findings_->resizeColumnToContents(column);
    findings_->setColumnWidth(2, 380);
    allow(examine_, true, {});
}

void StartScreen::update_actions() {
    const QListWidgetItem* recent = recent_->currentItem();
    const QString fault = recent != nullptr ? recent->data(fault_role).toString() : tr("no project is selected");
    allow(open_recent_, fault.isEmpty(), fault);
    allow(forget_, recent != nullptr, tr("no project is selected"));
    allow(make_demo_, demos_->currentItem() != nullptr, tr("no example is selected"));
}

} // namespace holdfast::desktop
