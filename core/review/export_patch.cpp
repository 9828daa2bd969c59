// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/email.hpp"
#include "core/project/text.hpp"
#include "core/review/export_parts.hpp"
#include "core/review/message.hpp"
#include "core/study/clock.hpp"

#include <fmt/format.h>

namespace holdfast::review {

Result<std::string> change_mail(const Dossier& dossier, const Statement& statement, const git::Repository& repository) {
    const std::string attempted = fmt::format("export trial {} as a patch", dossier.trial.number);
    if (!dossier.change || !dossier.base.commit)
        return refused(attempted, printable(dossier.change_error), "Run a new study");
    const auto time = study::from_utc(statement.time);
    if (!time)
        return failed(attempted, "the approval has no readable time: " + printable(statement.time),
                      "Run `holdfast audit`");
    // The commit's own message. The head of the history belongs to the commit that apply writes.
    const std::string message = without_chain(apply_message(dossier, statement, statement.reviewer));
    const std::size_t subject = message.find('\n');
    return git::email_patch(repository, *dossier.base.commit, dossier.change->files, statement.reviewer,
                            message.substr(0, subject), message.substr(message.find_first_not_of('\n', subject)),
                            *time);
}

} // namespace holdfast::review
