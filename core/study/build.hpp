// SPDX-License-Identifier: GPL-3.0-or-later
// From an exported tree and a configuration to something that runs, in the sandbox, cached.
#pragma once

#include "core/project/project.hpp"
#include "core/study/compilations.hpp"
#include "core/study/runner.hpp"
#include "core/study/watch.hpp"
#include "core/study/workspace.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::study {

/// What a build made. Equal hashes mean: the same programs run, in the same way.
struct Artifact {
    std::string tree;                               ///< id
    std::filesystem::path source;                   ///< the project's folder in the exported tree
    std::filesystem::path build;                    ///< {build}, read-only from now on
    std::map<std::string, std::string> executables; ///< SHA-256 by path below {build}, and of programs outside it
    std::string hash;                               ///< of the executables (an interpreted program: of the tree)
};

struct BuildOutcome {
    std::optional<Artifact> artifact; ///< nothing when the build failed
    std::string reason, log;          ///< of the failure
    bool cached = false;
};

/// Builds `source` (the project's folder of tree `tree`) for `configuration`. An error means that no build could be
/// tried; a failing build is an outcome. Cached by tree, build commands and build environment, whoever builds.
Result<BuildOutcome> build(const Project& project, const Workspace& workspace, Runner& runner, const Watch& watch,
                           const std::string& tree, const std::filesystem::path& source,
                           const Configuration& configuration, Builder builder);

/// The same commands with other variables and more to see, into `place`, which is emptied; for looking at a candidate,
/// never for measuring it. "" when they succeeded, else why not.
Result<std::string> build_beside(const Project& project, const Workspace& workspace, Runner& runner, const Watch& watch,
                                 const std::filesystem::path& source, const Configuration& configuration,
                                 const std::vector<std::pair<std::string, std::string>>& environment,
                                 const std::filesystem::path& place, const std::vector<Mount>& mounts = {});

/// Whether the artifact's executables are still what was built.
Result<bool> unchanged(const Project& project, const Artifact& artifact);

/// Everything that decides what a run does: executables, expanded commands, environment.
std::string behaviour_hash(const Project& project, const Artifact& artifact, const Configuration& configuration);

/// Runs the project's own tests on a copy of the build; nothing when they pass, else the reason and the log.
struct TestFailure {
    std::string reason, log;
};
/// `adjust` changes what they see.
Result<std::optional<TestFailure>> run_tests(const Project& project, const Workspace& workspace, Runner& runner,
                                             const Watch& watch, const Artifact& artifact,
                                             const std::function<void(Execution&)>& adjust = {});

} // namespace holdfast::study
