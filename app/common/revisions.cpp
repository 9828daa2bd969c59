// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/revisions.hpp"

#include "core/git/patch.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/bench.hpp"
#include "core/study/files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace holdfast::app {

namespace {

constexpr std::uint64_t max_project_file = 4ULL << 20;
constexpr std::size_t paths_named = 10;
constexpr unsigned seen_around = 200; // lines: whose settings they are is often said at the top of the file

/// Nothing where there is no file.
Result<std::optional<std::string>> readable_text(const git::Repository& repository, const git::Commit& commit,
                                                 const std::string& path) {
    auto entry = repository.read(commit, path);
    if (!entry)
        return tl::unexpected(entry.error());
    if (*entry && ((*entry)->kind == git::Entry::Kind::file || (*entry)->kind == git::Entry::Kind::executable))
        return std::move((*entry)->content);
    return std::nullopt;
}

/// The text of a file of the commit, else of the folder unless it is the project file.
Result<std::optional<std::string>> text_at(const git::Repository& repository, const git::Commit& commit,
                                           const std::filesystem::path& folder, const std::string& path) {
    auto text = readable_text(repository, commit, repository.prefix() + path);
    if (!text || *text)
        return text;
    return path == "holdfast.json" ? Result<std::optional<std::string>>(std::nullopt)
                                   : study::read_output(folder, path, max_project_file);
}

Result<Project> project_of(const git::Repository& repository, const git::Commit& commit,
                           const std::filesystem::path& folder) {
    std::optional<Error> fault;
    auto project = load_project(folder, [&](const std::string& path) -> std::optional<std::string> {
        auto text = text_at(repository, commit, folder, path);
        if (text)
            return std::move(*text);
        fault = text.error();
        return std::nullopt;
    });
    if (fault)
        return tl::unexpected(*fault);
    if (!project) {
        Error error = to_error(project.error());
        error.attempted = fmt::format("read the project file of the commit {}", commit.id);
        return tl::unexpected(error);
    }
    return std::move(*project);
}

std::string listed(const std::vector<std::string>& paths) {
    std::string text;
    for (std::size_t i = 0; i < std::min(paths.size(), paths_named); ++i)
        text += (text.empty() ? "" : ", ") + printable(paths[i]);
    return paths.size() > paths_named ? fmt::format("{} and {} more", text, paths.size() - paths_named) : text;
}

/// Who changed the paths at which the two revisions differ.
struct Differences {
    std::vector<std::string> by_candidate, by_base, unknown; ///< unknown: this clone has no common commit

    explicit Differences(const std::vector<std::string>& differ) : unknown(differ) {}
    Differences(const std::vector<std::string>& differ, const std::vector<std::string>& since) {
        for (const std::string& path : differ)
            (std::binary_search(since.begin(), since.end(), path) ? by_candidate : by_base).push_back(path);
    }
};

Result<Differences> differences(const Revisions& revisions, const std::vector<std::string>& differ) {
    auto common = revisions.repository.merge_base(revisions.base, revisions.candidate);
    if (!common)
        return tl::unexpected(common.error());
    if (!*common)
        return Differences(differ);
    auto since = revisions.repository.changed_paths(**common, revisions.candidate);
    if (!since)
        return tl::unexpected(since.error());
    return Differences(differ, *since);
}

void add_note(std::vector<std::string>& notes, const std::vector<std::string>& paths, const char* project_file,
              const char* protected_files, const std::string& judge) {
    if (std::find(paths.begin(), paths.end(), judge) != paths.end())
        notes.push_back(fmt::format("{} Both sides were judged by the base's.", project_file));
    std::vector<std::string> others;
    std::copy_if(paths.begin(), paths.end(), std::back_inserter(others),
                 [&](const std::string& path) { return path != judge; });
    if (!others.empty())
        notes.push_back(fmt::format("{}: {}.", protected_files, listed(others)));
}

Result<std::vector<std::string>> notes_on(const Revisions& revisions) {
    auto changed = revisions.repository.changed_paths(revisions.base, revisions.candidate);
    if (!changed)
        return tl::unexpected(changed.error());
    std::vector<std::string> notes;
    if (changed->empty())
        notes.emplace_back("The two revisions have the same files: what differs is noise.");
    const std::string project_file = revisions.repository.prefix() + "holdfast.json";
    const git::PatchRules rules = study::patch_rules(revisions.judge, revisions.repository);
    std::erase_if(*changed,
                  [&](const std::string& path) { return path != project_file && !git::is_protected(rules, path); });
    if (changed->empty())
        return notes;
    auto who = differences(revisions, *changed);
    if (!who)
        return tl::unexpected(who.error());
    add_note(notes, who->by_candidate, "The candidate changes holdfast.json.",
             "The candidate changes protected files, which a proposal may not", project_file);
    add_note(notes, who->by_base, "The candidate lacks what the base changed in holdfast.json since they parted.",
             "The candidate lacks what the base changed in protected files since they parted", project_file);
    add_note(notes, who->unknown, "The two have different holdfast.json files.", "The two differ in protected files",
             project_file);
    return notes;
}

} // namespace

Result<std::vector<review::Flag>> flags_between(const Project& judge, const git::Repository& repository,
                                                const git::Commit& base, const git::Commit& candidate) {
    auto paths = repository.changed_paths(base, candidate);
    if (!paths)
        return tl::unexpected(paths.error());
    std::vector<git::DiffFile> files;
    for (const std::string& path : *paths) {
        if (path == repository.prefix() + "holdfast.json")
            continue; // both are judged by the base's
        auto before = readable_text(repository, base, path), after = readable_text(repository, candidate, path);
        if (!before || !after)
            return tl::unexpected(before ? after.error() : before.error());
        auto file = git::diff_texts(path, std::move(*before), std::move(*after), seen_around);
        if (!file)
            return tl::unexpected(file.error());
        files.push_back(std::move(*file));
    }
    return review::change_flags(judge, files);
}

Result<Configuration> defaults_in(const Project& judge, const git::Repository& repository, const git::Commit& commit) {
    auto project = project_of(repository, commit, judge.folder);
    if (!project)
        return tl::unexpected(project.error());
    Configuration configuration = judge.defaults();
    for (const Knob& knob : judge.knobs)
        if (const Knob* other = project->knob(knob.name))
            if (auto value = parse_value(knob, to_text(other->default_value)))
                configuration[knob.name] = *value;
    return admit(judge, configuration) ? configuration : judge.defaults();
}

Result<Revisions> open_revisions(const std::filesystem::path& folder, const std::string& base,
                                 const std::string& candidate) {
    auto repository = git::Repository::open(folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto before = repository->resolve(base.empty() ? "HEAD" : base);
    if (!before)
        return tl::unexpected(before.error());
    auto after = repository->resolve(candidate);
    if (!after)
        return tl::unexpected(after.error());
    auto judge = project_of(*repository, *before, folder);
    if (!judge)
        return tl::unexpected(judge.error());
    Revisions revisions{std::move(*judge), *repository, *before, *after, {}, {}};
    auto flags = flags_between(revisions.judge, *repository, *before, *after);
    if (!flags)
        return tl::unexpected(flags.error());
    revisions.flags = std::move(*flags);
    auto notes = notes_on(revisions);
    if (!notes)
        return tl::unexpected(notes.error());
    revisions.notes = std::move(*notes);
    return revisions;
}

} // namespace holdfast::app
