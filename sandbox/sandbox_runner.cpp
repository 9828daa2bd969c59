// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/sandbox_runner.hpp"

#include "sandbox/alone.hpp"
#include "sandbox/canaries.hpp"
#include "sandbox/folders.hpp"
#include "sandbox/kept_sandbox.hpp"
#include "sandbox/machine.hpp"
#include "sandbox/machine_lock.hpp"
#include "sandbox/prepare.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;
using study::Execution;

const std::string no_groups = "none: ";

Result<fs::path> find_bubblewrap(const SandboxOptions& options) {
    if (options.bubblewrap.empty())
        for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
            if (::access(path, X_OK) == 0)
                return fs::path(path);
    if (!options.bubblewrap.empty() && ::access(options.bubblewrap.c_str(), X_OK) == 0)
        return options.bubblewrap;
    return refused("isolate programs", "bubblewrap (bwrap) is not installed",
                   "Run: apt-get install bubblewrap (Fedora: dnf install bubblewrap)");
}

} // namespace

Result<std::unique_ptr<study::Runner>> SandboxRunner::start(const fs::path& helpers, const SandboxOptions& options) {
    Result<fs::path> cache = make_cache();
    if (!cache)
        return tl::unexpected(cache.error());
    std::error_code error;
    Result<fs::path> reachable = reachable_helpers(fs::absolute(helpers, error), *cache);
    if (!reachable)
        return tl::unexpected(reachable.error());
    std::unique_ptr<SandboxRunner> runner(new SandboxRunner);
    runner->cache_ = std::move(*cache);
    runner->helpers_ = std::move(*reachable);
    runner->use_groups_ = options.groups;
    const Result<fs::path> bubblewrap = find_bubblewrap(options);
    if (bubblewrap)
        runner->bubblewrap_ = *bubblewrap;
    // Isolation that is missing shows here and not in the middle of a study.
    const Result<void> isolated = bubblewrap ? runner->try_out() : tl::unexpected(bubblewrap.error());
    if (isolated)
        return runner;
    if (isolated.error().kind != Error::Kind::refused)
        return tl::unexpected(isolated.error());
    runner->bubblewrap_.clear();
    runner->no_namespaces_ = isolated.error();
    if (!runner->try_out())
        return tl::unexpected(isolated.error());
    return runner;
}

Result<void> SandboxRunner::try_out() {
    if (auto started = process_.start(helpers_, bubblewrap_, use_groups_); !started)
        return started;
    Execution nothing;
    nothing.phase = study::Phase::judge;
    nothing.argv = {"true"};
    auto probe = execute(nothing, {});
    if (!probe)
        return tl::unexpected(probe.error());
    if (!probe->ok())
        return refused("isolate programs", fmt::format("`true` in a sandbox: {}", probe->reason),
                       "Run holdfast doctor");
    return {};
}

Result<study::ExecutionResult> SandboxRunner::execute(const Execution& given, std::stop_token kill) {
    const std::lock_guard lock(one_at_a_time_);
    std::optional<MachineLock> place;
    if (no_namespaces_) {
        Result<MachineLock> taken = MachineLock::acquire(cache_ / alone_lock, {}, kill);
        if (!taken)
            return tl::unexpected(taken.error());
        place = std::move(*taken);
    }
    Result<Execution> execution = prepared(given, cache_);
    if (execution && no_namespaces_)
        execution = placed_on_host(*execution, cache_);
    if (!execution)
        return tl::unexpected(execution.error());
    Result<Reply> reply = process_.ask(MessageKind::execute, encode(*execution), kill);
    if (!reply)
        return tl::unexpected(reply.error());
    if (groups_.empty())
        groups_ = reply->groups.empty() ? no_groups + reply->groupless : reply->groups;
    return std::move(reply->result);
}

Result<std::unique_ptr<study::KeptSandbox>> SandboxRunner::keep(const Execution& given, std::stop_token kill) {
    Result<Execution> execution = prepared(given, cache_);
    if (execution && no_namespaces_)
        execution = placed_on_host(*execution, cache_);
    if (!execution)
        return tl::unexpected(execution.error());
    if (!execution->server)
        return invalid("keep a server", "there is none to start",
                       "Give the workload a \"start\", or leave \"keep\" out");
    return keep_sandbox(*execution, helpers_, bubblewrap_, use_groups_, kill);
}

Result<study::Isolation> SandboxRunner::isolation() {
    const std::lock_guard lock(isolation_mutex_);
    if (!isolation_) {
        Result<study::Isolation> found = run_canaries(*this, helpers_ / "holdfast-canary");
        if (!found)
            return found;
        if (no_namespaces_) {
            found->missing = no_namespaces_->found;
            found->remedy = no_namespaces_->remedy;
        }
        isolation_ = std::move(*found);
        isolation_->groups = groups_;
    }
    return *isolation_;
}

Result<void> SandboxRunner::give(const fs::path& tree) {
    return give_tree(cache_, tree);
}

study::MachineReading SandboxRunner::reading() const {
    study::MachineReading reading = read_machine();
    const std::lock_guard lock(counters_mutex_);
    if (energy_)
        reading.joules = energy_->joules();
    return reading;
}

bool SandboxRunner::counts_instructions() {
    Execution nothing;
    nothing.phase = study::Phase::judge;
    nothing.argv = {"true"};
    nothing.count_instructions = true;
    const auto result = execute(nothing, {});
    return result && result->ok() && result->usage.instructions.value_or(0) > 0;
}

/// A program of /usr, which is all that sandboxes see.
std::string SandboxRunner::simulator() {
    if (::access("/usr/bin/valgrind", X_OK) != 0)
        return "";
    Execution version;
    version.phase = study::Phase::judge;
    version.argv = {"/usr/bin/valgrind", "--tool=cachegrind", "--version"};
    const auto result = execute(version, {});
    return result && result->ok() ? "cachegrind" : "";
}

study::Counters SandboxRunner::counters() {
    const std::lock_guard lock(counters_mutex_);
    if (!counters_) {
        study::Counters found;
        found.instructions = counts_instructions();
        found.instructions_fallback = simulator();
        EnergyAgreement agreement = agree(find_meters(), real_load());
        found.energy = agreement.counter.has_value();
        found.energy_because = std::move(agreement.because);
        energy_ = std::move(agreement.counter);
        energy_meters_ = std::move(agreement.meters);
        counters_ = std::move(found);
    }
    return *counters_;
}

/// Control groups are no part of the fingerprint, which is told without a runner too; they decide the isolation level,
/// and different ones are never compared. What counts here is told once it was asked for, and is no part of it either:
/// most studies do not ask.
std::string SandboxRunner::machine() const {
    auto machine = nlohmann::json::parse(describe_machine());
    machine["control_groups"] = groups_.starts_with(no_groups) ? "none" : groups_;
    const std::lock_guard lock(counters_mutex_);
    if (!counters_)
        return machine.dump();
    machine["instructions"] = counters_->instructions ? nlohmann::json("kernel")
                              : counters_->instructions_fallback.empty()
                                  ? nlohmann::json()
                                  : nlohmann::json(counters_->instructions_fallback);
    machine["energy_meters"] = energy_meters_.empty() ? nlohmann::json() : nlohmann::json(energy_meters_);
    return machine.dump();
}

} // namespace holdfast::sandbox
