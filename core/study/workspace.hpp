// SPDX-License-Identifier: GPL-3.0-or-later
// The disposable trees of one project below Runner::cache(): exported sources, builds, pinned inputs, run folders.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/runner.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace holdfast::study {

class Workspace {
public:
    /// Makes the project's folder in the cache and clears what an earlier process left running in it.
    static Result<Workspace> open(const Project& project, const git::Repository& repository, Runner& runner);

    /// The project whose trees are in `folder` of the cache, as open() noted it; nothing when that cannot be told.
    static std::optional<std::filesystem::path> project_of(const std::filesystem::path& folder);

    /// The project's folder inside the exported tree of `commit` with `changes`, whose id is `tree`; made once per
    /// tree. Held-out inputs are not in it.
    Result<std::filesystem::path> tree(const git::Commit& commit, const git::Changes& changes,
                                       const std::string& tree) const;

    /// A folder that holds the workload's inputs under their last component, pinned when the study starts: from the
    /// commit when it tracks them, else from the project folder.
    Result<std::filesystem::path> inputs(const Workload& workload, const git::Commit& commit);

    /// Takes over `made`, what the workload's `generate` wrote for `seed`, and pins it.
    Result<std::filesystem::path> generated(const Workload& workload, std::int64_t seed,
                                            const std::filesystem::path& made);

    /// The same of what a variant's `make` wrote.
    Result<std::filesystem::path> varied(const Workload& workload, std::int64_t seed, const Variant& variant,
                                         const std::filesystem::path& made);

    /// Removes what generated() and varied() keep for `seed`, and the outputs at expected().
    Result<void> forget(const Workload& workload, std::int64_t seed);

    /// SHA-256 of the pinned inputs by workload, and of generated and varied ones by workload and seed.
    const std::map<std::string, std::string>& input_hashes() const { return input_hashes_; }

    /// The first of input_hashes() whose files are not what they were pinned as; "" when all are. Reads all of them.
    Result<std::string> changed_input() const;

    /// Where the baseline's outputs of a workload are kept. Mounted for judges only.
    std::filesystem::path expected(const Workload& workload, std::int64_t seed) const;

    /// A new, empty folder that a sandbox may write.
    Result<std::filesystem::path> scratch() const;

    const git::Repository& repository() const { return *repository_; }
    std::filesystem::path builds() const { return folder_ / "builds"; }
    /// The compiler cache that all builds of the project read.
    std::filesystem::path compilations() const { return folder_ / "ccache"; }

    /// Where it is noted which checks have been tried against null programs.
    std::filesystem::path checked() const { return folder_ / "checked"; }

    std::filesystem::path fetched() const { return folder_ / "fetched"; }
    /// What fetch() got, mounted as {deps} from now on.
    void use_deps(std::filesystem::path folder) { deps_ = std::move(folder); }
    const std::filesystem::path& deps() const { return deps_; } ///< empty: the project fetches nothing

private:
    Workspace(const Project& project, const git::Repository& repository, Runner& runner);
    std::filesystem::path made_place(const std::string& name, const std::string& hash) const;
    Result<std::filesystem::path> keep_made(const std::string& name, const std::filesystem::path& made);
    const Project* project_;
    const git::Repository* repository_;
    Runner* runner_;
    std::filesystem::path folder_, deps_;
    std::map<std::string, std::string> input_hashes_;
    mutable unsigned long next_scratch_ = 0;
};

} // namespace holdfast::study
