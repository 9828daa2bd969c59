// SPDX-License-Identifier: GPL-3.0-or-later
// What people decided about decided trials, and what came of it; the check of the history that both rest on.
#include "db/audit.hpp"
#include "db/chain.hpp"
#include "db/digest.hpp"
#include "db/rows.hpp"
#include "db/store_impl.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace holdfast::db {

using namespace holdfast::study;
using nlohmann::json;

namespace {

std::string review_event(const std::string& decision) {
    return decision == "approved" ? "change approved" : decision == "rejected" ? "change rejected" : "rework asked";
}

bool is_blank(const std::string& text) {
    return text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
}

Result<void> check_review(const ReviewRecord& review, const std::string& attempted) {
    constexpr std::array<std::string_view, 3> decisions{"approved", "rejected", "rework"};
    if (std::find(decisions.begin(), decisions.end(), review.decision) == decisions.end())
        return failed(attempted, fmt::format("there is no decision \"{}\"", review.decision), report_defect);
    if (!json::accept(review.statement_json))
        return failed(attempted, "the statement is not JSON", report_defect);
    if (review.decision != "approved" && is_blank(review.comment))
        return invalid(attempted, "no reason is given", "Say why, in a sentence for whoever proposed the change.");
    return {};
}

/// Whether a commit may be recorded that brings the trial's change to a branch, or takes it back.
Result<void> check_application(SQLite::Database& database, const ApplicationRecord& application,
                               const std::string& attempted) {
    const std::vector<ReviewRecord> reviews = read_reviews(database, application.trial);
    const auto rests_on = std::find_if(reviews.begin(), reviews.end(), [&](const ReviewRecord& review) {
        return review.id == application.review && review.decision == "approved";
    });
    if (rests_on == reviews.end())
        return refused(attempted,
                       fmt::format("review {} is no approval of trial {}", application.review, application.trial),
                       "Approve the change first.");
    const std::vector<ApplicationRecord> before = read_applications(database, application.trial);
    const bool is_applied = !before.empty() && before.back().action == "applied";
    if (application.action == "reverted")
        return is_applied ? Result<void>()
                          : refused(attempted, fmt::format("the change of trial {} is not applied", application.trial),
                                    "Revert only what was applied.");
    if (application.action != "applied")
        return failed(attempted, fmt::format("there is no action \"{}\"", application.action), report_defect);
    if (is_applied)
        return refused(attempted,
                       fmt::format("the change of trial {} is applied already, as commit {}", application.trial,
                                   before.back().commit),
                       "Revert it before you apply it again.");
    if (rests_on->id != reviews.back().id)
        return refused(attempted,
                       fmt::format("review {} of trial {} was followed by another, {}", application.review,
                                   application.trial, reviews.back().decision),
                       "Apply what the last review approves.");
    return {};
}

} // namespace

Result<void> SqliteStore::add_review(ReviewRecord& review) {
    const std::string what = "store a review";
    const std::string attempted = impl_->attempted(what);
    if (auto sound = check_review(review, attempted); !sound)
        return sound;
    std::int64_t id = 0;
    const auto body = [&](SQLite::Database& database) -> Result<void> {
        if (!is_decided(database, review.trial))
            return refused(attempted, fmt::format("trial {} has no verdict", review.trial),
                           "Wait until the trial is decided.");
        SQLite::Statement insert(database, "INSERT INTO reviews (trial, decision, reviewer_name, reviewer_email, "
                                           "comment, shared, statement_json, signature, time) "
                                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, review.trial, review.decision, review.reviewer_name, review.reviewer_email, review.comment,
                 review.shared, review.statement_json, review.signature, review.time);
        insert.exec();
        id = database.getLastInsertRowid();
        ReviewRecord numbered = review;
        numbered.id = id;
        log_event(database, review_event(review.decision), review.trial,
                  {{"review", id}, {"decision", review.decision}, {"record", digest_of(numbered)}});
        return {};
    };
    auto done = impl_->write(what, body, true);
    if (done)
        review.id = id;
    return done;
}

Result<std::vector<ReviewRecord>> SqliteStore::reviews() const {
    return impl_->read("read the reviews", [](SQLite::Database& database) { return read_reviews(database); });
}

Result<void> SqliteStore::add_application(ApplicationRecord& application, const std::function<Result<void>()>& act) {
    const std::string what = "record what was applied";
    std::int64_t id = 0;
    bool acted = false; // a transaction that another process kept from committing is taken again
    const auto body = [&](SQLite::Database& database) -> Result<void> {
        if (auto allowed = check_application(database, application, impl_->attempted(what)); !allowed)
            return allowed;
        SQLite::Statement insert(database, "INSERT INTO applications (trial, action, review, commit_id, parent_id, "
                                           "branch, evidence, who, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, application.trial, application.action, application.review, application.commit,
                 application.parent, application.branch, application.evidence, application.who, application.time);
        insert.exec();
        id = database.getLastInsertRowid();
        ApplicationRecord numbered = application;
        numbered.id = id;
        log_event(database, "change " + application.action, application.trial,
                  {{"application", id}, {"commit", application.commit}, {"record", digest_of(numbered)}});
        if (!acted)
            if (auto done = act(); !done)
                return done;
        acted = true;
        return {};
    };
    auto done = impl_->write(what, body, true);
    if (done)
        application.id = id;
    return done;
}

Result<std::vector<ApplicationRecord>> SqliteStore::applications() const {
    return impl_->read("read what was applied", [](SQLite::Database& database) { return read_applications(database); });
}

Result<std::string> SqliteStore::verified_head() const {
    const std::string what = "verify the history";
    auto report = impl_->read(what, [&](SQLite::Database& database) { return audit(database, impl_->options.known); });
    if (!report)
        return tl::unexpected(report.error());
    if (!report->clean())
        return refused(impl_->attempted(what), report->findings.front(), "Run: holdfast audit");
    return report->head;
}

} // namespace holdfast::db
