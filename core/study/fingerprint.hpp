// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two readings of machine() are of machines whose samples may be pooled.
#pragma once

#include <string>
#include <vector>

namespace holdfast::study {

/// The fingerprint in a machine's JSON, "" in one that is older than fingerprints.
std::string fingerprint_of(const std::string& machine_json);

/// What differs, in words: "governor: powersave → performance"; empty when samples may be pooled.
std::vector<std::string> machine_differences(const std::string& before, const std::string& after);

} // namespace holdfast::study
