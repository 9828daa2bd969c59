// SPDX-License-Identifier: GPL-3.0-or-later
// One decided trial with all that a person's decision rests on, read from the store and recomputed.
#pragma once

#include "core/project/project.hpp"
#include "core/review/change.hpp"
#include "core/review/statement.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::review {

/// Where a trial stands with the person.
enum class Standing { none, waiting, approved, rejected, rework, applied, reverted };
std::string_view to_text(Standing standing);

/// `verdict`: null without one.
Standing standing_of(const std::string& trial, const study::VerdictRecord* verdict,
                     const std::vector<study::ReviewRecord>& reviews,
                     const std::vector<study::ApplicationRecord>& applications);

/// The commit the study measured, seen from where the user's branch is now.
struct Base {
    std::optional<git::Commit> commit; ///< nothing: the repository does not have it any more
    bool current = false;              ///< HEAD is this commit, or has its tree
    std::string conflict;              ///< moved: why the change does not merge into HEAD; "" when it does
};

/// What the project wants of an approval's signature: as the study froze it, or as HEAD has it committed.
struct SignatureDemand {
    bool required = false;
    std::string because;         ///< required: who says so
    std::string allowed_signers; ///< the file in the commit the study measured, never a newer one; "": none is named
    std::string fault;           ///< a file is named, or demanded, and cannot be read there
};

struct Dossier {
    study::StudyRecord study;
    study::TrialRecord trial;
    study::VerdictRecord verdict;
    std::vector<study::GateRecord> gates;
    std::vector<study::SampleRecord> samples;           ///< of the trial, in the order taken
    std::vector<study::ReviewRecord> reviews;           ///< of the trial, oldest first
    std::vector<study::ApplicationRecord> applications; ///< of the trial, oldest first
    std::size_t tried = 0;                              ///< candidates the study looked at, searched ones included
    std::size_t decided = 0;                            ///< of them through the gates
    std::int64_t questions = 0;                         ///< held-out questions the study asked
    int confirmations = 0;                              ///< the study has spent
    int passed_before = 0; ///< trials of the study that passed every gate before this one was confirmed
    Standing standing = Standing::none;

    std::shared_ptr<const Project> project; ///< as the study froze it
    std::optional<Change> change;           ///< nothing: could not be computed, see change_error
    std::string change_error;
    Base base;
    SignatureDemand signature;
    git::Head head;             ///< where the user's branch is now
    std::string unrecorded;     ///< a commit on this trial's branch that the history does not know; "" for none
    std::string evidence_fault; ///< why the stored evidence does not hold, in words; "" when it does

    /// The decision in force when it is an approval; null without one, and once the change was taken back.
    const study::ReviewRecord* approval() const;
    const study::ApplicationRecord* application() const; ///< the last one; null when never applied
    Result<Binding> binding() const; ///< recomputed, not read; an error when change or evidence do not hold
};

/// `trial`: number ("3", "#3") or id. Errors: unknown (invalid), not decided (refused), store or repository unreadable.
Result<Dossier> open_dossier(const study::Store& store, const git::Repository& repository,
                             const std::filesystem::path& folder, const std::string& trial);

} // namespace holdfast::review
