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

class QScrollArea;
class QStackedWidget;
class QTabWidget;

namespace holdfast::desktop {

struct ReviewParts {
    enum Page { empty_page, review_page, raw_page };

    explicit ReviewParts(QWidget* screen);

    void show_figures(const review::Dossier& dossier, const std::shared_ptr<const review::Sheet>& sheet);
    void show_questions(const review::Sheet& sheet, const std::vector<review::Gate>& overridable, bool proposal);
    /// Diff and knobs, the one that the candidate consists of in front.
    void show_change(const review::Dossier& dossier, const review::Sheet& sheet);
    /// Under the title; "": the approval holds, or there is none.
    void show_approval_fault(const QString& fault);
    void clear();
    /// Beside Approve: what is missing by name and the first of it in words; all of them in its tip and on the tab of
    /// the gates.
    void show_approval(const std::vector<review::Gate>& gates);

    QWidget* screen;
    QLabel *title, *doubt, *subtitle, *decided;
    QPushButton *previous, *next, *export_button, *raw_button;
    VerdictBanner* banner;
    QStackedWidget* pages;
    ForestPlot* forest;
    QScrollArea* below; ///< holds the flags and reasons
    FlagsPanel* flags;
    QTabWidget* tabs;
    DiffView* diff;
    PairTable* knobs;
    GatesTab* gates;
    ProvenanceTab* provenance;
    LimitsPanel* limits;
    QScrollArea* limits_area;
    RawSamples* raw;
    QPushButton *reject, *remeasure, *rework, *approve;
    BriefLabel* missing;

private:
    QWidget* header();
    QWidget* review();
    void order_tab();
    QWidget* evidence();
    QWidget* bottom();
};

} // namespace holdfast::desktop
