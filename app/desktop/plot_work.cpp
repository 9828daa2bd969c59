// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/plot_work.hpp"

#include "app/common/places.hpp"
#include "core/results/results.hpp"

namespace holdfast::desktop::work {

namespace {

namespace fs = std::filesystem;

/// Null: the project has no history yet.
Result<std::unique_ptr<study::Store>> open_if_there(const fs::path& folder) {
    std::error_code code;
    if (!fs::exists(app::history_file(folder), code) && !code)
        return std::unique_ptr<study::Store>();
    auto store = app::open_history(folder, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    return std::unique_ptr<study::Store>(std::move(*store));
}

ImportedFile read_again(study::ResultsFileRecord record) {
    ImportedFile file;
    if (const auto read = results::from_json(record.benchmarks_json))
        for (const results::Benchmark& benchmark : read->benchmarks)
            file.benchmarks.push_back(benchmark.name);
    else
        file.fault = read.error().found;
    file.record = std::move(record);
    return file;
}

} // namespace

Result<Compared> compare(const fs::path& folder, const QList<qint64>& numbers) {
    auto store = app::open_existing_history(folder, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto repository = git::Repository::open(folder);
    if (!repository)
        return tl::unexpected(repository.error());
    std::vector<review::Dossier> dossiers;
    for (const qint64 number : numbers) {
        auto dossier = review::open_dossier(**store, *repository, folder, std::to_string(number));
        if (!dossier)
            return tl::unexpected(dossier.error());
        dossiers.push_back(std::move(*dossier));
    }
    auto comparison = review::compare(dossiers);
    if (!comparison)
        return tl::unexpected(comparison.error());
    Compared compared{std::make_shared<const review::Comparison>(std::move(*comparison))};
    if (const auto& project = dossiers.front().project)
        compared.alpha = project->decision.false_proposal_rate;
    return compared;
}

Result<History> read_history(const fs::path& folder) {
    History history;
    auto store = open_if_there(folder);
    if (!store)
        return tl::unexpected(store.error());
    if (*store == nullptr)
        return history;
    auto imports = (*store)->imports();
    if (!imports)
        return tl::unexpected(imports.error());
    auto files = (*store)->results_files();
    if (!files)
        return tl::unexpected(files.error());
    history.imports = std::move(*imports);
    for (study::ResultsFileRecord& record : *files)
        history.files.push_back(read_again(std::move(record)));
    auto series = study::baseline_history(**store, "", "");
    if (!series)
        return tl::unexpected(series.error());
    history.series = std::move(*series);
    return history;
}

Result<std::vector<review::Front>> read_fronts(const fs::path& folder) {
    auto store = open_if_there(folder);
    if (!store)
        return tl::unexpected(store.error());
    if (*store == nullptr)
        return std::vector<review::Front>();
    return review::fronts(**store);
}

} // namespace holdfast::desktop::work
