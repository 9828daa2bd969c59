// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/base.hpp"

namespace holdfast::review {

Base find_base(const study::StudyRecord& study, const git::Repository& repository, const git::Head& head) {
    Base base;
    if (auto commit = repository.resolve(study.baseline_commit);
        commit && commit->id == study.baseline_commit && commit->tree == study.baseline_tree)
        base.commit = std::move(*commit);
    base.current = base.commit && (head.commit.id == base.commit->id || head.commit.tree == base.commit->tree);
    return base;
}

void try_merge(Base& base, const git::Repository& repository, const git::Head& head, const Change& change) {
    if (!base.commit || base.current)
        return;
    if (const auto merged = repository.merged(*base.commit, head.commit, change.changes); !merged)
        base.conflict = merged.error().message();
}

} // namespace holdfast::review
