// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/change.hpp"

#include "core/git/measured_changes.hpp"
#include "core/project/config_file.hpp"
#include "core/project/json_source.hpp"
#include "core/project/knob_values.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/bench.hpp"

#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

const std::string attempted = "work out what the trial changes";

using Texts = std::map<std::string, std::optional<std::string>>; ///< by path from the root; nothing: removed

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

/// The tree that was measured: the patch, then the file knobs.
Result<Texts> measured(Change& change, const Project& project, const git::Repository& repository,
                       const git::Commit& base, const Configuration& configuration, const std::string& patch) {
    std::optional<git::PlacedPatch> placed;
    if (!patch.empty()) {
        auto result = git::place_patch(repository, base, patch, study::patch_rules(project, repository));
        if (!result)
            return tl::unexpected(result.error());
        placed = std::move(*result);
    }
    auto changes = git::measured_changes(project, repository, base, configuration, placed ? &*placed : nullptr);
    if (!changes)
        return tl::unexpected(changes.error());
    auto tree = repository.tree_with(base, *changes);
    if (!tree)
        return tl::unexpected(tree.error());
    change.measured_tree = std::move(*tree);
    return Texts(std::make_move_iterator(changes->begin()), std::make_move_iterator(changes->end()));
}

/// Of a file knob too: the next study measures its baseline with the defaults, and would take back what was applied.
Result<void> rewrite_project_file(Texts& texts, const Project& project, const git::Repository& repository,
                                  const git::Commit& base, const std::vector<KnobChange>& changes) {
    if (changes.empty())
        return {};
    const std::string path = repository.prefix() + "holdfast.json";
    std::optional<std::string>& text = texts[path];
    if (!text) {
        auto entry = repository.read(base, path);
        if (!entry)
            return tl::unexpected(entry.error());
        if (!*entry || ((*entry)->kind != git::Entry::Kind::file && (*entry)->kind != git::Entry::Kind::executable))
            return refused(attempted, fmt::format("{} is no file in the commit {}", printable(path), base.id),
                           "Commit it, then run a new study.");
        text = std::move((*entry)->content);
    }
    return set_defaults(project, *text, changes);
}

Result<void> compose(Change& change, Texts texts, const git::Repository& repository, const git::Commit& base) {
    for (auto& [path, text] : texts) {
        auto entry = repository.read(base, path);
        if (!entry)
            return tl::unexpected(entry.error());
        std::optional<std::string> before;
        if (*entry)
            before = std::move((*entry)->content);
        if (before == text)
            continue;
        change.changes.emplace_back(path, text);
        auto diff = git::diff_texts(path, std::move(before), std::move(text));
        if (!diff)
            return tl::unexpected(diff.error());
        diff->executable = *entry && (*entry)->kind == git::Entry::Kind::executable;
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
    auto texts = measured(change, project, repository, base, *configuration, patch);
    if (!texts)
        return tl::unexpected(texts.error());
    if (auto rewritten = rewrite_project_file(*texts, project, repository, base, change.knobs); !rewritten)
        return tl::unexpected(rewritten.error());
    if (auto composed = compose(change, std::move(*texts), repository, base); !composed)
        return tl::unexpected(composed.error());
    return change;
}

} // namespace holdfast::review
