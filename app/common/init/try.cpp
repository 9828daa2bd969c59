// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/try.hpp"

#include "core/project/text.hpp"
#include "core/study/bench.hpp"

#include <algorithm>

namespace holdfast::app::init {

bool Tried::repeatable() const {
    return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.different.empty(); });
}

Result<Tried> try_baseline(const Project& project, const git::Repository& repository, study::Runner& runner,
                           study::Store& store, const study::Watch& watch) {
    auto commit = repository.resolve();
    if (!commit)
        return tl::unexpected(commit.error());
    std::vector<const Workload*> workloads;
    for (const Workload& workload : project.workloads)
        workloads.push_back(&workload);
    auto bench = study::prepare_bench(project, repository, runner, store, watch, *commit, workloads);
    if (!bench)
        return tl::unexpected(bench.error());
    Tried tried;
    for (const Workload* workload : workloads) {
        auto taken = bench->sampler->take(bench->baseline, *workload, workload->seeds.front());
        if (!taken)
            return tl::unexpected(taken.error());
        if (taken->outcome == study::Taken::Outcome::failed)
            return failed("run the workload " + printable(workload->name) + " a second time", printable(taken->reason),
                          "Make it run the same way each time");
        const auto wall = taken->metrics.find("wall");
        tried.rows.push_back({workload->name, wall == taken->metrics.end() ? 0 : wall->second,
                              taken->outcome == study::Taken::Outcome::wrong ? printable(taken->reason) : ""});
    }
    return tried;
}

Project with_tolerance(Project project) {
    for (Workload& workload : project.workloads) {
        if (workload.check.standard_output)
            workload.check.standard_output->numeric = Tolerance{1e-6, 0, {}, false};
        for (Compared& file : workload.check.files)
            file.numeric = Tolerance{1e-6, 0, {}, false};
    }
    return project;
}

} // namespace holdfast::app::init
