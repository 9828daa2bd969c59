// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/project_work.hpp"

#include "app/common/places.hpp"
#include "app/desktop/save_file.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/words.hpp"
#include "core/review/exports.hpp"
#include "core/study/clock.hpp"
#include "sandbox/machine.hpp"

#include <QFile>
#include <fmt/format.h>

namespace holdfast::desktop::work {

namespace {

/// A trial with the history it is in.
struct Opened {
    std::unique_ptr<study::Store> store;
    git::Repository repository;
    review::Dossier dossier;
};

/// `verify`: the whole history against its chain first, as whatever carries a change does.
Result<Opened> open(const fs::path& folder, std::int64_t number, db::SqliteStore::Mode mode, bool verify = false) {
    auto store = app::open_existing_history(folder, mode);
    if (!store)
        return tl::unexpected(store.error());
    if (verify)
        if (auto verified = (*store)->verified_head(); !verified)
            return tl::unexpected(verified.error());
    auto repository = git::Repository::open(folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto dossier = review::open_dossier(**store, *repository, folder, std::to_string(number));
    if (!dossier)
        return tl::unexpected(dossier.error());
    return Opened{std::move(*store), std::move(*repository), std::move(*dossier)};
}

} // namespace

Result<Read> read_trial(const fs::path& folder, std::int64_t number) {
    auto opened = open(folder, number, db::SqliteStore::Mode::read);
    if (!opened)
        return tl::unexpected(opened.error());
    auto sheet = std::make_shared<const review::Sheet>(review::make_sheet(opened->dossier));
    return Read{std::make_shared<const review::Dossier>(std::move(opened->dossier)), std::move(sheet)};
}

Result<Calibrated> read_calibration(const fs::path& folder) {
    Calibrated read;
    std::error_code code;
    if (!fs::exists(app::history_file(folder), code))
        return read;
    auto store = app::open_history(folder, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto last = study::last_calibration(**store);
    if (!last)
        return tl::unexpected(last.error());
    if (!*last)
        return read;
    const auto project = load_project(folder);
    if (!project)
        return tl::unexpected(to_error(project.error()));
    auto caution = study::calibration_caution(
        **store, *project, study::subject_at_head(*project, sandbox::describe_machine(), study::utc_now()));
    if (!caution)
        return tl::unexpected(caution.error());
    read.calibration = std::make_shared<const study::Calibration>(std::move(**last));
    read.caution = shown(*caution);
    return read;
}

QString approval_fault(const review::Dossier& dossier, review::Signatures& signatures) {
    if (dossier.standing != review::Standing::approved)
        return {};
    const auto statement = review::check_approval(dossier, signatures);
    if (statement)
        return {};
    const Error& error = statement.error();
    return with_short_ids(shown(error.found)) + (error.remedy.empty() ? QString() : ". " + shown(error.remedy));
}

Result<study::ReviewRecord> approve(const fs::path& folder, const review::Dossier& seen, const review::Answers& answers,
                                    const std::string& comment, review::Signatures& signatures) {
    const std::int64_t number = seen.trial.number;
    auto opened = open(folder, number, db::SqliteStore::Mode::append);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto now = opened->dossier.binding(), then = seen.binding();
    const bool same = now && then && *now == *then && opened->dossier.head.commit.id == seen.head.commit.id &&
                      opened->dossier.reviews.size() == seen.reviews.size();
    if (!same)
        return refused(fmt::format("approve trial {}", number), "it is not any more what you looked at",
                       "Look at it again");
    auto reviewer = opened->repository.identity();
    if (!reviewer)
        return tl::unexpected(reviewer.error());
    // Approve was pressed on the page of this very trial: that is what retyping its number is on a terminal.
    const review::Presence presence{review::Presence::Place::desktop, std::to_string(number)};
    return review::approve(*opened->store, opened->dossier, {answers, comment, presence, std::move(*reviewer)},
                           signatures);
}

Result<study::ReviewRecord> decline(const fs::path& folder, std::int64_t number, review::Decision decision,
                                    const std::string& reason, bool shared) {
    auto opened = open(folder, number, db::SqliteStore::Mode::append);
    if (!opened)
        return tl::unexpected(opened.error());
    auto reviewer = opened->repository.identity();
    if (!reviewer)
        return tl::unexpected(reviewer.error());
    return review::decline(*opened->store, opened->dossier, decision, reason, shared, *reviewer);
}

Result<review::Plan> plan(const fs::path& folder, std::int64_t number, bool revert, bool fast_forward,
                          review::Signatures& signatures) {
    auto opened = open(folder, number, db::SqliteStore::Mode::read, true);
    if (!opened)
        return tl::unexpected(opened.error());
    return revert ? review::plan_revert(opened->dossier, opened->repository, fast_forward)
                  : review::plan_apply(opened->dossier, opened->repository, signatures, fast_forward);
}

Result<study::ApplicationRecord> carry_out(const fs::path& folder, std::int64_t number, bool revert, bool fast_forward,
                                           review::Signatures& signatures) {
    auto store = app::open_history(folder, db::SqliteStore::Mode::append);
    if (!store)
        return tl::unexpected(store.error());
    auto repository = git::Repository::open(folder);
    if (!repository)
        return tl::unexpected(repository.error());
    const std::string trial = std::to_string(number);
    return revert ? review::revert(**store, *repository, folder, trial, fast_forward)
                  : review::apply(**store, *repository, folder, trial, signatures, fast_forward);
}

Result<void> export_to(const fs::path& folder, std::int64_t number, const std::string& format, const fs::path& file,
                       review::Signatures& signatures) {
    auto wanted = review::find_format(format);
    if (!wanted)
        return tl::unexpected(wanted.error());
    auto opened = open(folder, number, db::SqliteStore::Mode::read, (*wanted)->carries_change);
    if (!opened)
        return tl::unexpected(opened.error());
    auto text = review::export_as(**wanted, opened->dossier, review::make_sheet(opened->dossier), opened->repository,
                                  signatures);
    if (!text)
        return tl::unexpected(text.error());
    return write_file(QFile::decodeName(file.c_str()), *text);
}

} // namespace holdfast::desktop::work
