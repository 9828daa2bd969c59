// SPDX-License-Identifier: GPL-3.0-or-later
// Who may decide what, and when. The interfaces ask here and draw what they are told.
#pragma once

#include "core/git/diff.hpp"
#include "core/review/dossier.hpp"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::review {

/// Something the person must have read before approving.
struct Flag {
    std::string name;     ///< "over-stated", "more peak-memory"; stable: what is acknowledged
    std::string evidence; ///< one or two sentences with the numbers
};

/// The median paired change of a resource over the confirm rounds: candidate / baseline − 1.
struct ResourceMedian {
    std::string metric; ///< "peak-memory", "cpu", "wall"
    double change = 0;
    std::size_t pairs = 0; ///< at least 1
    bool shown = false;    ///< its confidence sequence (error 0.1) lies above no change
};
std::vector<ResourceMedian> resource_medians(const Dossier& dossier);
std::vector<ResourceMedian> resource_medians(const std::vector<study::SampleRecord>& samples);

/// The verdict's flags, and those that the samples show: a resource other than the objective (peak-memory, cpu, wall)
/// shown to be used more over the confirm rounds, by a median paired change of more than 10 %.
/// Also change_flags().
std::vector<Flag> flags_of(const Dossier& dossier);
/// The same without a dossier. `samples`: of the trial, at least those of its confirm and held-out phases. `project`:
/// as the study froze it; null when it cannot be read any more, then nothing can be approved either. `machine_json`: of
/// the study.
std::vector<Flag> flags_of(const study::TrialRecord& trial, const study::VerdictRecord& verdict,
                           const std::vector<study::SampleRecord>& samples, const Project* project,
                           const std::string& machine_json);

/// What the change itself shows, measured or not: danger_flags() and look_flags() (look.hpp).
std::vector<Flag> change_flags(const Project& project, const std::string& configuration_json, const std::string& patch);
/// The same of the files that differ between two commits.
std::vector<Flag> change_flags(const Project& project, const std::vector<git::DiffFile>& files);

/// "durability: fsync = off", "security: requirepass removed": knobs that differ from their default and lines of the
/// patch that change a setting which danger.hpp recognises or the project declares. "durability: fsync removed": a file
/// of the patch makes fewer of the calls that danger_code.hpp recognises. Each name once.
std::vector<Flag> danger_flags(const Project& project, const std::string& configuration_json, const std::string& patch);
/// The same of the files that differ between two commits.
std::vector<Flag> danger_flags(const Project& project, const std::vector<git::DiffFile>& files);
/// Whether a flag of that name is one of danger_flags().
bool is_danger(const std::string& flag);
/// For tables: "! durability: fsync = off; security: ssl = off" of the flags' names; "" when none is of that kind. Safe
/// to show.
std::string danger_words(const std::vector<std::string>& flags);

struct Gate {
    std::string name; ///< "proposed", "evidence", "checks", "held out", "flags", "base", "change", "signature", ...
    bool held = false;
    std::string found;           ///< in words, also when it held
    std::string remedy;          ///< what the person can do; "" when held
    std::string override_name;   ///< "base moved", "not held out": may be passed with a typed reason; "": may not
    std::string override_reason; ///< given; then `held` is true
};

/// What the person has said so far.
struct Answers {
    std::vector<std::string> acknowledged; ///< flags, by name, each on its own
    std::vector<Override> overrides;
};

/// All gates of an approval, in the order they are shown: proposed, evidence, checks, held out, base, change, flags,
/// signature, not applied. `can_sign`: a key is at hand.
std::vector<Gate> approval_gates(const Dossier& dossier, const Answers& answers, bool can_sign);

/// How the caller knows that a person decides. Agents, pipes and scripts have no presence.
struct Presence {
    enum class Place { none, terminal, desktop } place = Place::none;
    std::string retyped; ///< the proposal's number, typed by the person
};

/// Signing and verifying with the person's SSH key. Implemented where programs may be run.
class Signatures {
public:
    virtual ~Signatures() = default;
    virtual bool can_sign() const = 0;
    /// An SSH signature (armoured) of `text` in the namespace "holdfast-approval".
    virtual Result<std::string> sign(const std::string& text) = 0;
    /// Refused unless `signature` is one of `text` by a key that `allowed_signers` (ssh-keygen's format) gives `email`;
    /// without allowed signers ("") by any key.
    virtual Result<void> verify(const std::string& text, const std::string& signature, const std::string& email,
                                const std::string& allowed_signers) = 0;
};

struct Approval {
    Answers answers;
    std::string comment;
    Presence presence;
    git::Identity reviewer;
};

/// Stores an approval, signed when the project demands it or a key is at hand. Refused, naming the first missing gate,
/// otherwise; also without presence, or when `retyped` is not the trial's number.
Result<study::ReviewRecord> approve(study::Store& store, const Dossier& dossier, const Approval& approval,
                                    Signatures& signatures);

/// Reject and rework: any decided trial that is not applied; a reason that is not blank. `shared`: the tuner may read
/// the reason of a rework.
Result<study::ReviewRecord> decline(study::Store& store, const Dossier& dossier, Decision decision,
                                    const std::string& reason, bool shared, const git::Identity& reviewer);

/// Whether the approval in force still is what it was: the row in the store, its statement, its signature, the four
/// bound things recomputed. What `apply` and `export` ask first, whoever calls them. Returns the statement.
Result<Statement> check_approval(const Dossier& dossier, Signatures& signatures);

} // namespace holdfast::review
