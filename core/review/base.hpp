// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/git/repository.hpp"
#include "core/review/change.hpp"
#include "core/review/dossier.hpp"

namespace holdfast::review {

/// Where the study's commit is, seen from `head`.
Base find_base(const study::StudyRecord& study, const git::Repository& repository, const git::Head& head);

/// Fills Base::conflict of a base that has moved.
void try_merge(Base& base, const git::Repository& repository, const git::Head& head, const Change& change);

/// `project`: as the study froze it; null when it cannot be read.
SignatureDemand signature_demand(const Project* project, const Base& base, const git::Repository& repository,
                                 const git::Head& head);

} // namespace holdfast::review
