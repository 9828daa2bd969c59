// SPDX-License-Identifier: GPL-3.0-or-later
// The page on which a person decides about one proposal: verdict, effects by workload, flags, diff, what was not
// tested. It draws what it is given and emits what the person decided; it stores, signs and measures nothing.
#pragma once

#include "app/desktop/screen.hpp"
#include "core/review/rules.hpp"
#include "core/review/sheet.hpp"

#include <functional>
#include <memory>

class QPushButton;

namespace holdfast::desktop {

struct ReviewParts;

class ReviewScreen : public Screen {
    Q_OBJECT
public:
    /// Who may approve and when; only tests give another one than core's.
    using Gates = std::function<std::vector<review::Gate>(const review::Dossier&, const review::Answers&, bool)>;

    explicit ReviewScreen(QWidget* parent = nullptr, Gates gates = review::approval_gates);
    ~ReviewScreen() override;

    /// Shows a trial as not yet read: nothing acknowledged, nothing typed, no hunk viewed. `sheet` is the dossier's
    /// own; `can_sign`: a key is at hand. Shown again for the same trial with the same evidence, what the person
    /// ticked, typed and viewed stays. `approval_fault`: why its approval no longer holds; "": it does, or there is
    /// none.
    void show_dossier(std::shared_ptr<const review::Dossier> dossier, std::shared_ptr<const review::Sheet> sheet,
                      bool can_sign, const QString& approval_fault = {});
    void clear();

signals:
    /// `seen`: what the person looked at when approving.
    void approve_requested(qint64 number, holdfast::review::Answers answers, QString comment,
                           std::shared_ptr<const holdfast::review::Dossier> seen);
    /// rejected or rework; `reason` is not blank. `shared`: the tuner may read it; only for a rework.
    void decline_requested(qint64 number, holdfast::review::Decision decision, QString reason, bool shared);
    void remeasure_requested(qint64 number);
    void next_requested();
    void previous_requested();
    void export_requested(qint64 number);

private:
    void make_decision_actions();
    void make_view_actions();
    static void bind(QPushButton* button, QAction* action);
    void update_decision();
    void ask_approve();
    void ask_decline(review::Decision decision);

    std::unique_ptr<ReviewParts> parts_; ///< the widgets, owned by Qt
    Gates gates_;
    std::shared_ptr<const review::Dossier> dossier_;
    std::shared_ptr<const review::Sheet> sheet_; ///< set whenever dossier_ is
    std::vector<std::string> overridable_;
    std::vector<QAction*> of_content_; ///< have nothing to act on while nothing is shown
    struct {
        QAction *reject = nullptr, *remeasure = nullptr, *rework = nullptr, *approve = nullptr, *raw = nullptr;
    } actions_;
    bool can_sign_ = false;
};

} // namespace holdfast::desktop
