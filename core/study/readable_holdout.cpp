// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/readable_holdout.hpp"

namespace holdfast::study {

Result<std::vector<ReadableHoldout>> readable_holdouts(const Project& project, const git::Repository& repository,
                                                       const git::Commit& commit) {
    std::vector<ReadableHoldout> readable;
    for (const Workload* workload : project.with_role(Role::holdout)) {
        if (workload->readable_holdout) {
            readable.push_back({workload, "holdfast.json"});
            continue;
        }
        std::vector<std::string> told_by{project.holdout_file};
        told_by.insert(told_by.end(), workload->inputs.begin(), workload->inputs.end());
        for (const std::string& path : told_by) {
            auto tracked = repository.read(commit, repository.prefix() + path);
            if (!tracked)
                return tl::unexpected(tracked.error());
            if (tracked->has_value()) {
                readable.push_back({workload, path});
                break;
            }
        }
    }
    return readable;
}

} // namespace holdfast::study
