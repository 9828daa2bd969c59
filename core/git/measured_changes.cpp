// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/measured_changes.hpp"

#include "core/project/knobs.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <map>
#include <set>

namespace holdfast::git {

namespace {

using Texts = std::map<std::string, std::optional<std::string>>;

/// The texts that the patch gives to files.
Texts texts_of(const PlacedPatch* patch) {
    Texts texts;
    if (patch != nullptr)
        for (const PlacedFile& file : patch->files)
            texts[file.path] = file.change == PlacedFile::Change::removed ? std::nullopt : std::optional(file.after);
    return texts;
}

/// Sets one knob in the texts; `bases` collects what the commit holds.
class Setter {
public:
    Setter(const Repository& repository, const Commit& base, Texts& texts)
        : repository_(&repository), base_(&base), texts_(&texts) {
        for (const auto& [path, text] : texts)
            patched_.insert(path);
    }

    Result<void> set(const Knob& knob, const Value& value) {
        const std::string path = repository_->prefix() + knob.target;
        const bool patched = patched_.contains(path);
        const auto stop = [&](const std::string& found, const std::string& remedy) -> Result<void> {
            const std::string attempted =
                fmt::format("set the knob \"{}\" in {}, key {}", knob.name, printable(path), printable(knob.key));
            return patched ? refused(attempted, found, remedy) : invalid(attempted, found, remedy);
        };
        if (auto loaded = load(path); !loaded)
            return tl::unexpected(loaded.error());
        if (!(*texts_)[path])
            return stop(patched ? "the patch removes the file" : faults_[path],
                        "Correct \"file\" in the knob, or commit the file");
        auto changed = set_config(knob.format, *(*texts_)[path], knob.key, written_value(knob, value));
        if (!changed)
            return stop(changed.error().found, changed.error().remedy);
        (*texts_)[path] = std::move(*changed);
        return {};
    }

    /// Whether the commit holds exactly this text there.
    bool as_in_base(const std::string& path, const std::optional<std::string>& text) const {
        const auto base = bases_.find(path);
        return base != bases_.end() && base->second && base->second == text;
    }

private:
    /// Reads the file once: into `bases_`, and into the texts where no patch has put one.
    Result<void> load(const std::string& path) {
        if (bases_.contains(path))
            return {};
        auto entry = repository_->read(*base_, path);
        if (!entry)
            return tl::unexpected(entry.error());
        std::optional<std::string>& base = bases_[path];
        if (!*entry)
            faults_[path] = "there is no such file in the commit";
        else if ((*entry)->kind != Entry::Kind::file && (*entry)->kind != Entry::Kind::executable)
            faults_[path] = "it is a link, a folder or a submodule, not a file";
        else if ((*entry)->content.starts_with("version https://git-lfs.github.com/spec/"))
            faults_[path] = "it is stored in Git LFS, so its text is not in the repository";
        else
            base = std::move((*entry)->content);
        if (!patched_.contains(path))
            (*texts_)[path] = base;
        return {};
    }

    const Repository* repository_;
    const Commit* base_;
    Texts* texts_;
    std::set<std::string> patched_;
    Texts bases_;
    std::map<std::string, std::string> faults_;
};

} // namespace

Result<Changes> measured_changes(const Project& project, const Repository& repository, const Commit& base,
                                 const Configuration& configuration, const PlacedPatch* patch) {
    Texts texts = texts_of(patch);
    Setter setter(repository, base, texts);
    for (const Knob& knob : project.knobs) {
        const auto value = configuration.find(knob.name);
        if (knob.through != Knob::Through::file || value == configuration.end() || !counts(knob, configuration))
            continue;
        if (auto done = setter.set(knob, value->second); !done)
            return tl::unexpected(done.error());
    }
    Changes changes;
    for (auto& [path, text] : texts)
        if (!setter.as_in_base(path, text))
            changes.emplace_back(path, std::move(text));
    return changes;
}

} // namespace holdfast::git
