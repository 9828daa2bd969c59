// SPDX-License-Identifier: GPL-3.0-or-later
// What the probes of one candidate share.
#pragma once

#include "core/study/probes/probe.hpp"

#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace holdfast::study::probes {

/// A folder that a sandbox may write; gone with the object.
class ScratchFolder {
public:
    static Result<ScratchFolder> make(const Workspace& workspace);
    ~ScratchFolder();
    ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    ScratchFolder& operator=(ScratchFolder&&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

struct Probing {
    Bench* bench;
    const Arm* candidate;
    std::vector<const Workload*> workloads;
    std::mt19937_64 random;
    std::chrono::steady_clock::time_point until; ///< nothing is begun after it
    Found found = {};
    bool threads = false;         ///< some run of either side has started a thread beside its first
    bool threads_unknown = false; ///< not every run could be followed

    const Project& project() const { return *bench->project; }
    Sampler& sampler() const { return *bench->sampler; }
    bool time_left() const { return std::chrono::steady_clock::now() < until; }
    /// "the time of 5 min was spent"
    std::string out_of_time() const;
    /// The error of a stop request, if there is one.
    Result<void> go_on() const;
    void gap(std::string what, const std::string& why) { found.gaps.push_back(std::move(what) + ": " + why); }
};

/// Each looks at one thing and writes into Probing::found.
Result<void> compare_calls(Probing& probing);  ///< calls.cpp; first, since it tells of threads
Result<void> run_sanitizers(Probing& probing); ///< sanitizers.cpp
Result<void> change_inputs(Probing& probing);  ///< inputs.cpp
Result<void> draw_seeds(Probing& probing);     ///< inputs.cpp
Result<void> sweep_threads(Probing& probing);  ///< sweep.cpp

} // namespace holdfast::study::probes
