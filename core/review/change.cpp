// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/change.hpp"

#include "core/git/patch.hpp"
#include "core/project/config_file.hpp"
#include "core/project/json_source.hpp"
#include "core/project/knob_values.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/bench.hpp"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

const std::string attempted = "work out what the trial changes";

struct Texts {
    std::optional<std::string> before, after;
    bool executable = false;
};
using Files = std::map<std::string, Texts>; ///< by path from the root

/// The file at `path`, as the changes so far left it.
Result<Texts*> text_of(Files& files, const git::Repository& repository, const git::Commit& base,
                       const std::string& path) {
    if (const auto known = files.find(path); known != files.end())
        return &known->second;
    auto entry = repository.read(base, path);
    if (!entry)
        return tl::unexpected(entry.error());
    if (!*entry || ((*entry)->kind != git::Entry::Kind::file && (*entry)->kind != git::Entry::Kind::executable))
        return refused(attempted, fmt::format("{} is no file in the commit {}", printable(path), base.id),
                       "Commit it, then run a new study.");
    const bool executable = (*entry)->kind == git::Entry::Kind::executable;
    return &files.emplace(path, Texts{(*entry)->content, (*entry)->content, executable}).first->second;
}

/// Where the knob's default is written in `document`; nothing when it is not there as the study froze it.
std::optional<std::string> default_pointer(const JsonNode& document, const Knob& knob) {
    const JsonNode* knobs = document.member("knobs");
    for (std::size_t i = 0; knobs != nullptr && i < knobs->children.size(); ++i) {
        const JsonNode& item = knobs->children[i];
        const JsonNode* name = item.member("name");
        if (name == nullptr || name->kind != JsonNode::Kind::text || name->text != knob.name)
            continue;
        const JsonNode* written = item.member("default");
        const auto value =
            written != nullptr ? value_from_json(knob, *written) : tl::unexpected(Error{}); // compared below: not there
        if (!value || *value != knob.default_value)
            return std::nullopt;
        return fmt::format("/knobs/{}/default", i);
    }
    return std::nullopt;
}

std::string json_text(const Value& value) {
    return std::visit([](const auto& each) { return nlohmann::json(each).dump(); }, value);
}

/// Every knob's default must be the frozen one: the others stay as they are in the commit, and were measured so.
Result<void> set_defaults(const Project& project, std::string& text, const std::vector<KnobChange>& changes) {
    for (const Knob& knob : project.knobs) {
        const auto document = parse_json(text);
        const auto pointer = document ? default_pointer(document->root, knob) : std::nullopt;
        if (!pointer)
            return refused(attempted,
                           fmt::format("holdfast.json in the baseline commit does not give the knob {} the default {}, "
                                       "which the study measured from",
                                       printable(knob.name), printable(to_text(knob.default_value))),
                           "Commit holdfast.json, then run a new study.");
        for (const KnobChange& change : changes) {
            if (change.knob != &knob)
                continue;
            auto edited = replace_json(text, *pointer, json_text(change.after));
            if (!edited)
                return tl::unexpected(edited.error());
            text = std::move(*edited);
        }
    }
    return {};
}

Result<Files> patched(const Project& project, const git::Repository& repository, const git::Commit& base,
                      const std::string& patch, std::string& tree) {
    Files files;
    tree = base.tree;
    if (patch.empty())
        return files;
    auto placed = git::place_patch(repository, base, patch, study::patch_rules(project, repository));
    if (!placed)
        return tl::unexpected(placed.error());
    tree = placed->result_tree;
    using Kind = git::PlacedFile::Change;
    for (git::PlacedFile& file : placed->files) {
        Texts texts;
        texts.executable = file.executable;
        if (file.change != Kind::added)
            texts.before = std::move(file.before);
        if (file.change != Kind::removed)
            texts.after = std::move(file.after);
        files.emplace(file.path, std::move(texts));
    }
    return files;
}

Result<void> compose(Change& change, Files files, const git::Repository& repository, const git::Commit& base) {
    for (auto& [path, texts] : files) {
        if (texts.before == texts.after)
            continue;
        change.changes.emplace_back(path, texts.after);
        auto diff = git::diff_texts(path, std::move(texts.before), std::move(texts.after));
        if (!diff)
            return tl::unexpected(diff.error());
        diff->executable = texts.executable;
        change.files.push_back(std::move(*diff));
    }
    auto tree = repository.tree_with(base, change.changes);
    if (!tree)
        return tl::unexpected(tree.error());
    change.tree = std::move(*tree);
    return {};
}

} // namespace

Result<Change> change_of(const Project& project, const git::Repository& repository, const git::Commit& base,
                         const std::string& configuration_json, const std::string& patch) {
    auto configuration = configuration_from_json(project, configuration_json);
    if (!configuration)
        return tl::unexpected(configuration.error());
    Change change;
    for (const Knob& knob : project.knobs)
        if (const Value& value = configuration->at(knob.name); value != knob.default_value)
            change.knobs.push_back({&knob, knob.default_value, value});
    auto files = patched(project, repository, base, patch, change.measured_tree);
    if (!files)
        return tl::unexpected(files.error());
    if (!change.knobs.empty()) {
        auto texts = text_of(*files, repository, base, repository.prefix() + "holdfast.json");
        if (!texts)
            return tl::unexpected(texts.error());
        if (auto set = set_defaults(project, *(*texts)->after, change.knobs); !set)
            return tl::unexpected(set.error());
    }
    if (auto composed = compose(change, std::move(*files), repository, base); !composed)
        return tl::unexpected(composed.error());
    return change;
}

} // namespace holdfast::review
