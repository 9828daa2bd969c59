// SPDX-License-Identifier: GPL-3.0-or-later
// The unchanged program run twice in the sandbox, to see that a written project can be measured.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"

#include <string>
#include <vector>

namespace holdfast::app::init {

struct Tried {
    struct Row {
        std::string workload;
        double seconds = 0;    ///< of the second run
        std::string different; ///< why the second run's output is not the first one's, in words; "" when it is
    };
    std::vector<Row> rows;
    bool repeatable() const;
};

/// Builds HEAD's tree and runs every workload twice; nothing is stored. An error says why the program does not run.
Result<Tried> try_baseline(const Project& project, const git::Repository& repository, study::Runner& runner,
                           study::Store& store, const study::Watch& watch);

/// The same outputs, their numbers compared within 1e-6 of each other.
Project with_tolerance(Project project);

} // namespace holdfast::app::init
