// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/exports.hpp"

#include "app/cli/output.hpp"
#include "app/cli/whole_file.hpp"
#include "app/common/ssh_signatures.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<int> export_trial(const Common& common, const ExportArguments& arguments) {
    auto format = review::find_format(arguments.format);
    if (!format)
        return tl::unexpected(format.error());
    if (arguments.without_holdout && (*format)->name != "evidence")
        return invalid("leave out what is held out", "only the format evidence has it", "Give --format evidence.");
    if (!arguments.file.empty())
        if (auto target = check_target(arguments.file, arguments.force); !target)
            return tl::unexpected(target.error());
    auto repository = git::Repository::open(common.folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    if ((*format)->carries_change)
        if (auto verified = (*store)->verified_head(); !verified)
            return tl::unexpected(verified.error());
    auto dossier = review::open_dossier(**store, *repository, common.folder, arguments.id);
    if (!dossier)
        return tl::unexpected(dossier.error());
    app::SshSignatures signatures; // to verify, no key is needed
    auto text = arguments.without_holdout
                    ? review::evidence_file(*dossier, false)
                    : review::export_as(**format, *dossier, review::make_sheet(*dossier), *repository, signatures);
    if (!text)
        return tl::unexpected(text.error());
    if ((*format)->name == "evidence" && !arguments.without_holdout && dossier->project &&
        !dossier->project->with_role(Role::holdout).empty())
        fmt::print(stderr,
                   "note: the evidence holds the held-out workloads' commands and samples; whoever reads it can "
                   "tune for them. --without-holdout leaves them out.\n");
    if (!arguments.file.empty())
        if (auto written = write_whole(arguments.file, *text, arguments.force); !written)
            return tl::unexpected(written.error());
    if (common.json)
        print_document({{"schema", "holdfast/export/1"},
                        {"trial", dossier->trial.number},
                        {"format", (*format)->name},
                        {"file", arguments.file.empty() ? nlohmann::json(nullptr) : nlohmann::json(arguments.file)},
                        {"bytes", text->size()},
                        {"sha256", sha256(*text)},
                        {"text", arguments.file.empty() ? nlohmann::json(*text) : nlohmann::json(nullptr)}});
    else if (arguments.file.empty())
        std::fwrite(text->data(), 1, text->size(), stdout); // main() tells when it could not be written
    else
        fmt::print("{}: trial {} as {}, {} bytes\n", printable(arguments.file), dossier->trial.number, (*format)->name,
                   text->size());
    return Exit::done;
}

} // namespace holdfast::cli
