// SPDX-License-Identifier: GPL-3.0-or-later
// One decided trial with all its evidence as one JSON document ("holdfast/evidence-file/1"), for another machine's
// history. What is read is hostile until its digest, and where possible its verdict, were computed again.
#pragma once

#include "core/study/store.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study {

struct EvidenceFile {
    StudyRecord study;
    TrialRecord trial;
    std::vector<GateRecord> gates; ///< without their logs
    std::vector<SampleRecord> samples;
    VerdictRecord verdict;
    bool complete = true;      ///< false: definitions, inputs' hashes and samples of held-out workloads are left out
    std::string whole_digest;  ///< incomplete: the digest of the whole evidence; else the verdict's own
    std::string checksum = {}; ///< SHA-256 of the document as canonical JSON without it; given by reading
};

inline constexpr std::size_t max_evidence_file = std::size_t{32} << 20; ///< bytes

/// The same without what is held out, its evidence sealed anew. What the verdict says in words stays.
Result<EvidenceFile> without_holdout(const EvidenceFile& whole);

/// The document. Refused when reading it back would not give this evidence: a patch that is not UTF-8, or a history
/// that was altered.
Result<std::string> write_evidence_file(const EvidenceFile& file);

/// Whether `text` begins as a file of write_evidence_file() does, which no other document of this program does: what is
/// cut short has lost the member "schema".
bool begins_evidence_file(std::string_view text);

/// Structure, sizes and types checked, then the digest against the rows and the checksum against the
/// document. Errors: invalid with the place of the first
/// thing that is wrong; refused when rows and evidence differ, naming in what.
Result<EvidenceFile> read_evidence_file(std::string_view text);

/// Whether effects and verdict follow from the file's samples by the project file it froze.
struct Recomputed {
    bool done = false; ///< false: they do not rest on samples alone, or the frozen project file cannot be read here
    std::string fault; ///< what does not follow, in words; "" when all that was computed does
};
Recomputed recompute(const EvidenceFile& file);

} // namespace holdfast::study
