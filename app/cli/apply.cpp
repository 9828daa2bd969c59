// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/apply.hpp"

#include "app/cli/output.hpp"
#include "app/common/ssh_signatures.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

void print_plan(const review::Plan& plan) {
    fmt::print("branch  {}{}\nparent  {}\ntree    {}\nauthor  {} <{}>\n", plan.branch,
               plan.expected.empty() ? " (new)" : "", plan.parent, plan.tree, printable(plan.author.name),
               printable(plan.author.email));
    if (plan.merged)
        fmt::print("merged  the base has moved; what will be committed was not measured as a whole\n");
    if (!plan.fast_forward.empty())
        fmt::print("moves   {} and the working tree\n", plan.fast_forward);
    for (const std::string& flag : plan.acknowledged)
        fmt::print("flag    ! {}\n", printable(flag));
    if (!plan.note.empty())
        fmt::print("note    {}\n", plan.note);
    fmt::print("\n{}\n", plan.message);
    for (const git::DiffFile& file : plan.files)
        fmt::print("{}", printable(git::unified(file), false));
}

nlohmann::json plan_document(const review::Plan& plan) {
    nlohmann::json files = nlohmann::json::array();
    for (const git::DiffFile& file : plan.files)
        files.push_back({{"path", file.path}, {"added", file.lines_added}, {"removed", file.lines_removed}});
    const auto given = [](const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); };
    return {{"branch", plan.branch},   {"expected", given(plan.expected)},  {"parent", plan.parent},
            {"tree", plan.tree},       {"message", plan.message},           {"merged", plan.merged},
            {"files", files},          {"acknowledged", plan.acknowledged}, {"fast-forward", given(plan.fast_forward)},
            {"note", given(plan.note)}};
}

nlohmann::json done_document(const study::ApplicationRecord& record) {
    return {{"trial", record.trial},   {"action", record.action}, {"commit", record.commit},
            {"parent", record.parent}, {"branch", record.branch}, {"time", record.time}};
}

Result<int> preview(const Common& common, const app::Opened& opened, const study::Store& store,
                    const ApplyArguments& arguments, review::Signatures& signatures, bool revert) {
    if (auto verified = store.verified_head(); !verified)
        return tl::unexpected(verified.error());
    auto dossier = review::open_dossier(store, opened.repository, opened.project.folder, arguments.trial);
    if (!dossier)
        return tl::unexpected(dossier.error());
    auto plan = revert ? review::plan_revert(*dossier, opened.repository, arguments.fast_forward)
                       : review::plan_apply(*dossier, opened.repository, signatures, arguments.fast_forward);
    if (!plan)
        return tl::unexpected(plan.error());
    if (common.json)
        print_document({{"schema", revert ? "holdfast/revert/1" : "holdfast/apply/1"},
                        {"done", nullptr},
                        {"plan", plan_document(*plan)}});
    else
        print_plan(*plan);
    return Exit::done;
}

} // namespace

Result<int> apply(const Common& common, const ApplyArguments& arguments, bool revert) {
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto store = open_history(common, arguments.dry_run ? db::SqliteStore::Mode::read : db::SqliteStore::Mode::append);
    if (!store)
        return tl::unexpected(store.error());
    auto signatures = app::SshSignatures::of(opened->repository);
    if (!signatures)
        return tl::unexpected(signatures.error());
    if (arguments.dry_run)
        return preview(common, *opened, **store, arguments, *signatures, revert);
    const std::filesystem::path& folder = opened->project.folder;
    auto done = revert ? review::revert(**store, opened->repository, folder, arguments.trial, arguments.fast_forward)
                       : review::apply(**store, opened->repository, folder, arguments.trial, *signatures,
                                       arguments.fast_forward);
    if (!done)
        return tl::unexpected(done.error());
    if (common.json)
        print_document({{"schema", revert ? "holdfast/revert/1" : "holdfast/apply/1"},
                        {"done", done_document(*done)},
                        {"plan", nullptr}});
    else
        fmt::print("{} as {} on {}\n", done->action, done->commit, done->branch);
    return Exit::done;
}

} // namespace holdfast::cli
