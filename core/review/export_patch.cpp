// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/email.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/export_parts.hpp"
#include "core/study/clock.hpp"

#include <fmt/format.h>

namespace holdfast::review {

Result<std::string> change_mail(const Dossier& dossier, const Sheet& sheet, const Statement& statement,
                                const git::Repository& repository) {
    const std::string attempted = fmt::format("export trial {} as a patch", dossier.trial.number);
    if (!dossier.change || !dossier.base.commit)
        return refused(attempted, printable(dossier.change_error), "Run a new study");
    const auto time = study::from_utc(statement.time);
    if (!time)
        return failed(attempted, "the approval has no readable time: " + printable(statement.time),
                      "Run `holdfast audit`");
    const std::string body = fmt::format("{}\n\nHoldfast-Trial: {}\nHoldfast-Evidence: {}\nReviewed-by: {} <{}>\n",
                                         sheet.verdict_sentence, dossier.trial.id, dossier.verdict.evidence_digest,
                                         statement.reviewer.name, statement.reviewer.email);
    return git::email_patch(repository, *dossier.base.commit, dossier.change->files, statement.reviewer, sheet.title,
                            body, *time);
}

} // namespace holdfast::review
