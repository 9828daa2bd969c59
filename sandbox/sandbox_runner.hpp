// SPDX-License-Identifier: GPL-3.0-or-later
// core's Runner with bubblewrap: one small process, holdfast-runner, starts every sandbox; holdfast-init is process 1
// in each.
#pragma once

#include "core/study/runner.hpp"
#include "sandbox/energy.hpp"
#include "sandbox/runner_process.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace holdfast::sandbox {

struct SandboxOptions {
    std::filesystem::path bubblewrap; ///< empty: /usr/bin, /usr/local/bin or /bin. Never looked up in PATH.
    bool groups = true;               ///< control groups are used where they can be made
};

class SandboxRunner final : public study::Runner {
public:
    /// `helpers`: the folder with holdfast-init, holdfast-runner and holdfast-canary. Runs `true` in a sandbox once. An
    /// error names what is missing. Where bubblewrap or user namespaces are, it runs programs without: isolation() says
    /// then what is missing and how to get it, and whoever runs candidates asks it first.
    static Result<std::unique_ptr<study::Runner>> start(const std::filesystem::path& helpers,
                                                        const SandboxOptions& options = {});

    Result<study::ExecutionResult> execute(const study::Execution& execution, std::stop_token kill) override;
    Result<std::unique_ptr<study::KeptSandbox>> keep(const study::Execution& execution, std::stop_token kill) override;
    Result<study::Isolation> isolation() override;
    const std::filesystem::path& cache() const override { return cache_; }
    Result<void> give(const std::filesystem::path& tree) override;
    study::MachineReading reading() const override;
    study::Counters counters() override;
    std::string machine() const override;

private:
    SandboxRunner() = default;
    Result<void> try_out();

    std::filesystem::path cache_, helpers_;
    std::filesystem::path bubblewrap_;   ///< empty: programs run without name spaces
    std::optional<Error> no_namespaces_; ///< why
    bool use_groups_ = true;
    std::string groups_; ///< what Isolation::groups tells; known since start() ran something
    std::mutex one_at_a_time_;
    RunnerProcess process_; ///< of execute(); each kept sandbox has its own
    std::mutex isolation_mutex_;
    std::optional<study::Isolation> isolation_;
    bool counts_instructions();
    std::string simulator();

    mutable std::mutex counters_mutex_;
    std::optional<study::Counters> counters_;
    std::string energy_meters_;                   ///< names of those that agree; "" without
    mutable std::optional<EnergyCounter> energy_; ///< once counters() found meters that agree
};

} // namespace holdfast::sandbox
