// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/imports.hpp"
#include "app/cli/output.hpp"
#include "app/common/bounded_file.hpp"
#include "app/common/records.hpp"
#include "core/project/text.hpp"
#include "core/review/imported.hpp"
#include "core/study/clock.hpp"
#include "core/study/evidence_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

/// The trial of this history that made the evidence itself; null when another machine did.
const study::TrialRecord* maker(const app::Records& records, const study::ImportRecord& import) {
    for (const study::TrialRecord& trial : records.trials)
        if (const study::VerdictRecord* verdict = records.verdict(trial.id);
            verdict != nullptr && verdict->evidence_digest == import.whole_digest)
            return &trial;
    return nullptr;
}

void print_imported(const study::ImportRecord& import, const nlohmann::json& trials) {
    fmt::print("{}: {}\n", import.id == 0 ? "already there" : "imported", review::import_words(import));
    if (trials.empty())
        fmt::print(
            "No trial here is of this candidate; `holdfast show` and `compare` will name it beside one that is.\n");
    for (const nlohmann::json& trial : trials)
        fmt::print("It measured the candidate of trial {}.\n", trial.get<std::int64_t>());
}

std::vector<std::int64_t> trials_of(const app::Records& records, const study::ImportRecord& import) {
    std::vector<std::int64_t> numbers;
    for (const study::TrialRecord& trial : records.trials)
        for (const study::ImportRecord* each : records.imported(trial))
            if (each->digest == import.digest)
                numbers.push_back(trial.number);
    return numbers;
}

nlohmann::json listed(const app::Records& records, const git::Repository& repository) {
    nlohmann::json list = nlohmann::json::array();
    for (const study::ImportRecord& import : records.imports) {
        nlohmann::json entry = review::import_document(import);
        entry["known-commit"] = repository.resolve(import.baseline_commit).has_value();
        entry["trials"] = trials_of(records, import);
        list.push_back(std::move(entry));
    }
    return list;
}

void print_list(const app::Records& records, const nlohmann::json& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const nlohmann::json& entry = list[i];
        std::string where = fmt::format("commit {:.12}", entry.at("commit").get<std::string>());
        if (!entry.at("known-commit").get<bool>())
            where += ", which is not in this clone";
        else if (entry.at("trials").empty())
            where += ", no trial here of its candidate";
        for (const nlohmann::json& trial : entry.at("trials"))
            where += fmt::format(", trial {}", trial.get<std::int64_t>());
        fmt::print("{}  {}\n    {}, evidence {:.12}\n", records.imports[i].time,
                   review::import_words(records.imports[i]), where, entry.at("evidence").get<std::string>());
    }
    if (list.empty())
        fmt::print("Nothing was imported. Another machine's file comes from: holdfast export ID --format evidence\n");
}

} // namespace

Result<int> list_imports(const Common& common) {
    auto repository = git::Repository::open(common.folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto records = app::read_records(**store, "{}");
    if (!records)
        return tl::unexpected(records.error());
    const nlohmann::json list = listed(*records, *repository);
    if (common.json)
        print_document({{"schema", "holdfast/imports/1"}, {"imports", list}});
    else
        print_list(*records, list);
    return Exit::done;
}

Result<int> import_evidence(const Common& common, const ImportArguments& arguments) {
    if (arguments.file.empty())
        return invalid("import evidence", "no file is named",
                       "Name one, or see what is there with: holdfast import --list");
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto text =
        app::read_bounded(arguments.file, study::max_evidence_file, "import the evidence " + printable(arguments.file),
                          "Name a file that `holdfast export ID --format evidence` wrote");
    if (!text)
        return tl::unexpected(text.error());
    auto import = review::check_import(*text);
    if (!import)
        return tl::unexpected(import.error());
    if (auto made = app::make_state_folder(opened->project, opened->repository); !made)
        return tl::unexpected(made.error());
    auto store = app::open_history(opened->project.folder, db::SqliteStore::Mode::append);
    if (!store)
        return tl::unexpected(store.error());
    auto records = app::read_records(**store, "{}");
    if (!records)
        return tl::unexpected(records.error());
    if (const study::TrialRecord* trial = maker(*records, *import))
        return invalid("import the evidence", fmt::format("trial {} of this history made it", trial->number),
                       "See it with: holdfast show");
    import->time = study::utc_now();
    if (auto added = (*store)->add_import(*import); !added)
        return tl::unexpected(added.error());
    records->imports = {*import};
    const nlohmann::json trials = trials_of(*records, *import);
    if (common.json) {
        nlohmann::json document = review::import_document(*import);
        document["schema"] = "holdfast/import/1";
        document["already"] = import->id == 0;
        document["trials"] = trials;
        print_document(document);
    } else
        print_imported(*import, trials);
    return Exit::done;
}

} // namespace holdfast::cli
