// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/base.hpp"

#include "core/project/grammar.hpp"
#include "core/project/text.hpp"

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

namespace {

/// The "review" of holdfast.json at HEAD. No file: it asks for nothing. One that cannot be read could have asked for
/// signatures, so it counts as if it did.
ReviewSettings committed_settings(const git::Repository& repository, const git::Head& head) {
    ReviewSettings settings{true, ""};
    const auto entry = repository.read(head.commit, repository.prefix() + "holdfast.json");
    if (!entry)
        return settings;
    if (!*entry)
        return {};
    const auto document = parse_json((*entry)->content);
    if (!document || document->root.kind != JsonNode::Kind::object)
        return settings;
    Reader reader("holdfast.json");
    const JsonNode* review = document->root.member("review");
    ReviewSettings read;
    if (review != nullptr)
        read_review(reader, Spot{review, "/review"}, read);
    return reader.problem_count() == 0 ? read : settings;
}

} // namespace

SignatureDemand signature_demand(const Project* project, const Base& base, const git::Repository& repository,
                                 const git::Head& head) {
    const ReviewSettings frozen = project != nullptr ? project->review : ReviewSettings{true, ""};
    const ReviewSettings now = committed_settings(repository, head);
    SignatureDemand demand;
    demand.required = frozen.signatures_required || now.signatures_required;
    if (demand.required)
        demand.because = frozen.signatures_required ? "the project file of the study demands it"
                                                    : "holdfast.json at HEAD demands it";
    const std::string& file = frozen.allowed_signers.empty() ? now.allowed_signers : frozen.allowed_signers;
    if (file.empty()) {
        if (demand.required)
            demand.fault = "no allowed-signers file is named";
        return demand;
    }
    const std::string path = repository.prefix() + file;
    auto entry = base.commit ? repository.read(*base.commit, path) : Result<std::optional<git::Entry>>(std::nullopt);
    if (!entry)
        demand.fault = entry.error().message();
    else if (!*entry || (*entry)->content.empty())
        demand.fault = printable(path) + " is not in the commit that was measured, or empty";
    else
        demand.allowed_signers = std::move((*entry)->content);
    return demand;
}

} // namespace holdfast::review
