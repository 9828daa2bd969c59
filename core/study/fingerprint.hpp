// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two readings of machine() are of machines whose samples may be pooled.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace holdfast::study {

/// A digest (64 hexadecimal digits) of the facts in a machine's JSON that move results: processor, limits, kernel,
/// frequency and memory settings, host. What comes and goes, such as load and free memory, has no part in it, nor has
/// any other member.
std::string make_fingerprint(const std::string& machine_json);

/// The fingerprint in a machine's JSON, "" in one that is older than fingerprints.
std::string fingerprint_of(const std::string& machine_json);

/// What differs, in words: "governor: powersave → performance"; empty when samples may be pooled. A fact that only one
/// of the two has was not read then, and tells nothing; a fact that could not be read is "unknown".
std::vector<std::string> machine_differences(const std::string& before, const std::string& after);

/// What a machine's JSON says of what moves results, in words: "governor" → "performance". Safe to show.
std::vector<std::pair<std::string, std::string>> machine_facts(const std::string& machine_json);

} // namespace holdfast::study
