// SPDX-License-Identifier: GPL-3.0-or-later
// Held-out workloads that whoever writes patches can read, and so learn by heart.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"

#include <string>
#include <vector>

namespace holdfast::study {

struct ReadableHoldout {
    const Workload* workload = nullptr; ///< of the project that was asked about
    std::string where;                  ///< what tells: "holdfast.json", the held-out file or an input
};

/// Held-out workloads that are written in holdfast.json, or that `commit` tells: it tracks their file or one of their
/// inputs. Each workload once; empty when all are secret.
Result<std::vector<ReadableHoldout>> readable_holdouts(const Project& project, const git::Repository& repository,
                                                       const git::Commit& commit);

} // namespace holdfast::study
