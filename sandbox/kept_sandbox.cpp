// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/kept_sandbox.hpp"

#include "sandbox/runner_process.hpp"

#include <mutex>
#include <optional>

namespace holdfast::sandbox {
namespace {

using study::ExecutionResult;

class Kept final : public study::KeptSandbox {
public:
    Result<void> start(const study::Execution& execution, const std::filesystem::path& helpers,
                       const std::filesystem::path& bubblewrap, bool groups, const std::stop_token& kill) {
        if (auto started = process_.start(helpers, bubblewrap, groups); !started)
            return started;
        const auto ready = ask(MessageKind::keep, encode(execution), kill);
        if (!ready)
            return tl::unexpected(ready.error());
        starting_ = ready->server_output;
        return {};
    }

    Result<ExecutionResult> run(std::stop_token kill) override { return next(MessageKind::again, kill); }
    Result<ExecutionResult> stop(std::stop_token kill) override {
        if (stopped_)
            return failed("stop a server", "it has been stopped already", report_defect);
        auto result = next(MessageKind::stop, kill);
        stopped_ = true;
        return result;
    }

private:
    Result<ExecutionResult> next(MessageKind kind, const std::stop_token& kill) {
        const std::lock_guard lock(one_at_a_time_);
        if (stopped_)
            return failed("run a program beside a server", "the server has been stopped", report_defect);
        if (end_)
            return *end_;
        auto result = ask(kind, {}, kill);
        if (result)
            result->server_output.insert(0, std::exchange(starting_, {}));
        return result;
    }

    /// The end of the sandbox is remembered.
    Result<ExecutionResult> ask(MessageKind kind, const std::string& payload, const std::stop_token& kill) {
        Result<Reply> reply = process_.ask(kind, payload, kill);
        if (!reply)
            return tl::unexpected(reply.error());
        if (reply->over)
            end_ = reply->result;
        return std::move(reply->result);
    }

    RunnerProcess process_;
    std::mutex one_at_a_time_;
    std::optional<ExecutionResult> end_;
    std::string starting_; ///< what the server printed before it was ready; told with the first result
    bool stopped_ = false;
};

} // namespace

Result<std::unique_ptr<study::KeptSandbox>> keep_sandbox(const study::Execution& execution,
                                                         const std::filesystem::path& helpers,
                                                         const std::filesystem::path& bubblewrap, bool groups,
                                                         const std::stop_token& kill) {
    auto kept = std::make_unique<Kept>();
    if (auto started = kept->start(execution, helpers, bubblewrap, groups, kill); !started)
        return tl::unexpected(started.error());
    return kept;
}

} // namespace holdfast::sandbox
