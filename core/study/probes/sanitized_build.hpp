// SPDX-License-Identifier: GPL-3.0-or-later
// Builds with the compilers' sanitizers.
//
// The compilers are reached through wrappers at the front of PATH that add the flags, so that a build need not take any
// from its environment; that they arrived is looked up in what was built.
#pragma once

#include "core/study/bench.hpp"
#include "core/study/probes/sanitizer_log.hpp"
#include "core/study/probes/scratch_folder.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace holdfast::study::probes {

struct Sanitizer {
    const char* name; ///< as in holdfast.json
    const char* flags;
    const char* symbol;     ///< in every file that was built with it
    bool on_changed_inputs; ///< finds what an input does, not what the processors' timing does
    /// More flags for a compiler that knows them (GCC 12, Clang 9): local variables begin with a pattern, so that an
    /// answer out of one that nobody wrote is another one.
    const char* where_known = "";
};

extern const std::array<Sanitizer, 3> sanitizers;

struct SanitizedBuild {
    std::optional<ScratchFolder> folder;
    std::string why_not; ///< "does not build with it: ..."; "" when there is one
};

Result<SanitizedBuild> build_sanitized(const Bench& bench, const Arm& arm, const Sanitizer& sanitizer);

/// The baseline's build, and what its runs have shown so far.
struct KnownBaseline {
    SanitizedBuild built;
    std::map<std::string, Findings> findings; ///< of all its runs, by Place::name; only where it ran as it should
    std::set<std::string> wrong;              ///< the places where it answered wrongly
};

/// What is known of the baseline for all candidates of a study; gone with the bench. No other process reads it: what is
/// half made when this one ends is cleared with the workspace's other scratch folders.
class KnownBaselines {
public:
    /// Built when it is asked for first. Stays where it is.
    Result<KnownBaseline*> of(const Bench& bench, const Sanitizer& sanitizer);

private:
    std::map<std::string, KnownBaseline> known_; ///< by sanitizer, source and build commands
};

/// Those of `bench`.
KnownBaselines& known_baselines(Bench& bench);

} // namespace holdfast::study::probes
