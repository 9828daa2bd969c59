// SPDX-License-Identifier: GPL-3.0-or-later
// One input of a workload, changed without knowing what it holds, as often as it is needed.
#pragma once

#include "core/study/probes/mutate.hpp"
#include "core/study/probes/scratch_folder.hpp"
#include "core/study/sampler.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::study::probes {

struct Probing;

/// A workload whose inputs can be changed.
struct InputSource {
    const Workload* workload;
    std::filesystem::path folder;
    std::vector<std::string> files; ///< below it, not too large
    std::vector<std::string> texts; ///< of them
    std::size_t most_copies = 16;   ///< Turn::most_copies
    std::size_t fields = 0;         ///< that a line in the middle of a text has; of the text with the most
};

/// Gives the same input each time.
struct InputChange {
    InputSource source;
    Turn turn;
    std::uint64_t seed;
};

struct ChangedInput {
    ScratchFolder folder; ///< all of the workload's inputs, one of them changed
    std::string what;     ///< "numbers.txt: line 3 left out"; printable
};
Result<ChangedInput> make_input(const Probing& probing, const InputChange& change);

constexpr std::chrono::milliseconds longest_run = std::chrono::seconds(10); ///< on a changed input, without a sanitizer

/// Shows `inputs` where `workload` sees its own.
Sampler::Adjust shows(const Workload& workload, const std::filesystem::path& inputs);

/// Both sides on it, twice the baseline. Another answer, or another end, is decided or a caution in Probing::found.
/// False: the baseline's answer settles nothing.
Result<bool> try_input(Probing& probing, const Workload& workload, const ChangedInput& input);

} // namespace holdfast::study::probes
