// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets of the review screen and where they lie. What they do is the screen's.
#pragma once

#include "app/desktop/brief_label.hpp"
#include "app/desktop/diff_view.hpp"
#include "app/desktop/evidence_tabs.hpp"
#include "app/desktop/flags_panel.hpp"
#include "app/desktop/forest_plot.hpp"
#include "app/desktop/raw_samples.hpp"
#include "app/desktop/verdict_banner.hpp"

class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace holdfast::desktop {

struct ReviewParts {
    enum Page { empty_page, review_page, raw_page };

    explicit ReviewParts(QWidget* screen);

    void show_figures(const review::Dossier& dossier, const std::shared_ptr<const review::Sheet>& sheet);
    void clear();
    /// Beside Approve: the first thing that is missing; all of them in its tip and on the tab of the gates.
    void show_approval(const std::vector<review::Gate>& gates);

    QWidget* screen;
    QLabel *title, *subtitle, *decided;
    QPushButton *previous, *next, *export_button, *raw_button;
    VerdictBanner* banner;
    QStackedWidget* pages;
    ForestPlot* forest;
    FlagsPanel* flags;
    QTabWidget* tabs;
    DiffView* diff;
    PairTable* knobs;
    GatesTab* gates;
    ProvenanceTab* provenance;
    LimitsPanel* limits;
    RawSamples* raw;
    QPushButton *reject, *remeasure, *rework, *approve;
    BriefLabel* missing;

private:
    QWidget* header();
    QWidget* review();
    QWidget* evidence();
    QWidget* bottom();
};

} // namespace holdfast::desktop
