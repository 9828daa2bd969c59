// SPDX-License-Identifier: GPL-3.0-or-later
// What the worker does for an open project. Each call opens what it needs and closes it again: no connection is shared
// between threads or kept while a study writes.
#pragma once

#include "core/project/error.hpp"
#include "core/review/apply.hpp"
#include "core/review/rules.hpp"
#include "core/review/sheet.hpp"
#include "core/study/calibrate.hpp"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace holdfast::desktop::work {

namespace fs = std::filesystem;

struct Read {
    std::shared_ptr<const review::Dossier> dossier;
    std::shared_ptr<const review::Sheet> sheet;
};
Result<Read> read_trial(const fs::path& folder, std::int64_t number);

struct Calibrated {
    std::shared_ptr<const study::Calibration> calibration; ///< the last one; null without one
    QString caution;                                       ///< why a study could not rest on it, safe to show
};
Result<Calibrated> read_calibration(const fs::path& folder);

/// Why the approval that waits to be applied no longer holds, safe to show; "": it does, or there is none.
QString approval_fault(const review::Dossier& dossier, review::Signatures& signatures);

/// Refused when the trial, its evidence or HEAD is not what was `seen`.
Result<study::ReviewRecord> approve(const fs::path& folder, const review::Dossier& seen, const review::Answers& answers,
                                    const std::string& comment, review::Signatures& signatures);
Result<study::ReviewRecord> decline(const fs::path& folder, std::int64_t number, review::Decision decision,
                                    const std::string& reason, bool shared);
Result<review::Plan> plan(const fs::path& folder, std::int64_t number, bool revert, bool fast_forward,
                          review::Signatures& signatures);
Result<study::ApplicationRecord> carry_out(const fs::path& folder, std::int64_t number, bool revert, bool fast_forward,
                                           review::Signatures& signatures);
/// Replaces `file` as a whole or leaves it as it was.
Result<void> export_to(const fs::path& folder, std::int64_t number, const std::string& format, const fs::path& file,
                       review::Signatures& signatures);

} // namespace holdfast::desktop::work
