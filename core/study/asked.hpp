// SPDX-License-Identifier: GPL-3.0-or-later
// What a held-out workload asks, whatever it is called: what one question told about it is known of its copies too.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// SHA-256 of what the workload asks. `inputs`: SHA-256 of each file's bytes, in the order of Workload::inputs. With
/// them the commands that make and run the data, and the seeds where a command takes one. Of fresh seeds only the
/// generator and its inputs, for the seeds are new each time. Names of the workload and of its inputs, card, weight,
/// check and variants are no part: changing them asks nothing new.
std::string asked_digest(const Workload& workload, const std::vector<std::string>& inputs);

/// The digest of each held-out one among `workloads`, sorted, each once. Error: an input cannot be read.
Result<std::vector<std::string>> asked_digests(const Project& project, const git::Repository& repository,
                                               const git::Commit& commit,
                                               const std::vector<const Workload*>& workloads);

/// What StudyRecord::options_json keeps of them; nothing in a study that is older than the digests.
inline constexpr const char* asked_key = "held-out";
std::optional<std::vector<std::string>> asked_digests(const StudyRecord& study);

} // namespace holdfast::study
