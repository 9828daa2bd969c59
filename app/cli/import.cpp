// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/imports.hpp"
#include "app/cli/output.hpp"
#include "app/cli/results_files.hpp"
#include "app/common/bounded_file.hpp"
#include "app/common/records.hpp"
#include "core/project/hash.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/results/summary.hpp"
#include "core/review/imported.hpp"
#include "core/study/clock.hpp"
#include "core/study/evidence_file.hpp"

#include <cstdio>
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

struct ResultsFile {
    study::ResultsFileRecord record;
    results::File file;
};

Result<std::vector<ResultsFile>> stored_results(const study::Store& store) {
    auto records = store.results_files();
    if (!records)
        return tl::unexpected(records.error());
    std::vector<ResultsFile> files;
    for (study::ResultsFileRecord& record : *records) {
        auto file = results::from_json(record.benchmarks_json);
        if (!file)
            return tl::unexpected(file.error());
        files.push_back({std::move(record), std::move(*file)});
    }
    return files;
}

constexpr std::size_t listed_rows = 12, imported_rows = 200;

void print_results(const std::vector<ResultsFile>& files) {
    for (const ResultsFile& each : files)
        fmt::print("{}  {}{}\n{}", each.record.time, results_words(each.record, each.file),
                   each.record.commit.empty() ? "" : fmt::format(", imported at commit {:.12}", each.record.commit),
                   results_table(each.file, listed_rows));
    if (!files.empty())
        fmt::print("{}\n", results_caveat);
}

/// Of this machine, which need not be the one that measured.
std::string machine_here() {
    auto runner = app::start_runner();
    return runner ? (*runner)->machine() : "{}";
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
    auto files = stored_results(**store);
    if (!files)
        return tl::unexpected(files.error());
    const nlohmann::json list = listed(*records, *repository);
    if (common.json) {
        nlohmann::json results = nlohmann::json::array();
        for (const ResultsFile& each : *files)
            results.push_back(results_document(each.record, each.file));
        print_document({{"schema", "holdfast/imports/1"}, {"imports", list}, {"results", std::move(results)}});
        return Exit::done;
    }
    print_list(*records, list);
    print_results(*files);
    if (list.empty() && files->empty())
        fmt::print("Nothing was imported. Another machine's file comes from: holdfast export ID --format evidence\n");
    return Exit::done;
}

namespace {

Result<std::unique_ptr<study::Store>> history_to_import_into(const app::Opened& opened) {
    if (auto made = app::make_state_folder(opened.project, opened.repository); !made)
        return tl::unexpected(made.error());
    return app::open_history(opened.project.folder, db::SqliteStore::Mode::append);
}

Result<int> import_evidence(const Common& common, const app::Opened& opened, const std::string& text) {
    auto import = review::check_import(text);
    if (!import)
        return tl::unexpected(import.error());
    auto store = history_to_import_into(opened);
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

/// Of a file that takes longer than a person waits without a word.
void say_step(const char* step, const std::string& text) {
    constexpr std::size_t said_from = 4 << 20;
    if (text.size() < said_from)
        return;
    fmt::print(stderr, "import: {} {}\n", step, bytes_text(static_cast<double>(text.size())));
    std::fflush(stderr);
}

Result<int> import_results(const Common& common, const app::Opened& opened, const std::string& name,
                           const std::string& text) {
    say_step("reading", text);
    auto file = results::read(text);
    if (!file)
        return tl::unexpected(file.error());
    say_step("storing what is kept of", text);
    results::keep_first(*file);
    results::summarise(*file);
    study::ResultsFileRecord record;
    record.digest = sha256(text);
    record.format = results::format_name(file->format);
    record.name = name == "-" ? "standard input" : printable(std::filesystem::path(name).filename().string());
    record.benchmarks_json = results::to_json(*file);
    if (const auto commit = opened.repository.resolve())
        record.commit = commit->id;
    record.machine_json = machine_here();
    record.time = study::utc_now();
    auto store = history_to_import_into(opened);
    if (!store)
        return tl::unexpected(store.error());
    if (auto added = (*store)->add_results_file(record); !added)
        return tl::unexpected(added.error());
    const bool already = record.id == 0;
    if (common.json) {
        nlohmann::json document = results_document(record, *file);
        document["schema"] = "holdfast/import-results/1";
        document["already"] = already;
        print_document(document);
    } else
        fmt::print("{}: {}\n{}{}\n", already ? "already there" : "imported", results_words(record, *file),
                   results_table(*file, imported_rows), results_caveat);
    return Exit::done;
}

} // namespace

Result<int> import_file(const Common& common, const ImportArguments& arguments) {
    if (arguments.file.empty())
        return invalid("import a file", "no file is named",
                       "Name one, or see what is there with: holdfast import --list");
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    const std::string attempted = "import " + printable(arguments.file);
    auto text = app::read_bounded(arguments.file, results::largest_file, attempted,
                                  "Name a file that `holdfast export ID --format evidence` or a benchmarking program "
                                  "wrote");
    if (!text)
        return tl::unexpected(text.error());
    const bool named = text->find("\"holdfast/evidence-file/") != std::string::npos;
    if (!named && !study::begins_evidence_file(*text))
        return import_results(common, *opened, arguments.file, *text);
    if (text->size() > study::max_evidence_file)
        return invalid(attempted, fmt::format("it is larger than {} MiB", study::max_evidence_file >> 20),
                       "Name a smaller file");
    return import_evidence(common, *opened, *text);
}

} // namespace holdfast::cli
