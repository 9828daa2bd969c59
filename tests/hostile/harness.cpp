// SPDX-License-Identifier: GPL-3.0-or-later
// A harness of its own process: sandbox_harness HELPERS MEGABYTES PROGRAM ARGUMENT... runs the program in a sandbox
// from a process that big, and prints how it ended. With HOLDFAST_ANNOUNCE set it says first when it begins. With
// HOLDFAST_KEEP set the program is a server that it keeps. Tests kill it, interrupt it and look at what is left.
#include "sandbox/sandbox_runner.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
    if (argc < 4)
        return 2;
    const std::vector<char> ballast(std::strtoul(argv[2], nullptr, 10) << 20, 'x');
    auto runner = holdfast::sandbox::SandboxRunner::start(argv[1]);
    if (!runner) {
        std::fprintf(stderr, "%s\n", runner.error().message().c_str());
        return 4;
    }
    holdfast::study::Execution execution;
    execution.argv.assign(argv + 3, argv + argc);
    if (std::getenv("HOLDFAST_ANNOUNCE") != nullptr) {
        std::puts("begins");
        std::fflush(stdout);
    }
    if (std::getenv("HOLDFAST_KEEP") != nullptr) {
        execution.server = holdfast::study::Beside{std::exchange(execution.argv, {"sleep", "600"}), {}, {}};
        const auto kept = (*runner)->keep(execution, {});
        std::puts(kept ? "kept" : kept.error().message().c_str());
        std::fflush(stdout);
        return kept && (*kept)->run({}) ? 0 : 1;
    }
    const auto result = (*runner)->execute(execution, {});
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message().c_str());
        return 1;
    }
    std::printf("ending %d code %d peak %llu wall_us %lld user_us %lld source %s reason '%s'\n%s%s",
                int(result->ending), result->code, static_cast<unsigned long long>(result->usage.peak_memory_bytes),
                static_cast<long long>(result->usage.wall.count() / 1000),
                static_cast<long long>(result->usage.user.count() / 1000), result->usage.memory_source.c_str(),
                result->reason.c_str(), result->standard_output.c_str(), result->standard_error.c_str());
    return 0;
}
