// SPDX-License-Identifier: GPL-3.0-or-later
// What the sandbox costs: sandbox_overhead HELPERS [ROUNDS]. The same program without any, in bubblewrap alone (name
// spaces, an empty world, nothing else of what the sandbox does) and in the sandbox, in alternation.
// `total` is from asking to having the answer, `inside` the wall time that a sample records.
#include "sandbox/sandbox_runner.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <vector>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
    return values[values.size() / 2];
}

double bare(const std::vector<std::string>& words) {
    std::vector<std::string> copy = words;
    std::vector<char*> argv;
    for (std::string& word : copy)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const auto start = Clock::now();
    pid_t pid = -1;
    if (posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0)
        return 0;
    waitpid(pid, nullptr, 0);
    return milliseconds(Clock::now() - start);
}

std::vector<std::string> in_bubblewrap(const std::vector<std::string>& argv) {
    std::vector<std::string> words = {"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind",        "/usr",
                                      "/usr",  "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"};
    for (const char* place : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"})
        words.insert(words.end(), {"--ro-bind-try", place, place});
    words.insert(words.end(), {"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--"});
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
}

int compare(holdfast::study::Runner& runner, const char* name, const std::vector<std::string>& argv, int rounds) {
    std::vector<double> without, bubblewrap, total, inside;
    const std::vector<std::string> wrapped = in_bubblewrap(argv);
    holdfast::study::Execution execution;
    execution.argv = argv;
    for (int round = 0; round < rounds + 1; ++round) {
        const double outside = bare(argv), plain = bare(wrapped);
        const auto start = Clock::now();
        const auto result = runner.execute(execution, {});
        const double whole = milliseconds(Clock::now() - start);
        if (!result || !result->ok()) {
            std::fprintf(stderr, "%s: %s\n", name, result ? result->reason.c_str() : result.error().message().c_str());
            return 1;
        }
        if (round == 0)
            continue; // warm-up
        without.push_back(outside);
        bubblewrap.push_back(plain);
        total.push_back(whole);
        inside.push_back(milliseconds(result->usage.wall));
    }
    std::printf("%-16s %6d %8.2f %8.2f %8.2f %8.2f %12.3f %12.3f\n", name, rounds, median(without), median(bubblewrap),
                median(total), median(inside), median(inside) / median(without), median(total) / median(bubblewrap));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2)
        return 2;
    const int rounds = std::max(argc > 2 ? std::atoi(argv[2]) : 200, 1);
    auto runner = holdfast::sandbox::SandboxRunner::start(argv[1]);
    if (!runner) {
        std::fprintf(stderr, "%s\n", runner.error().message().c_str());
        return 4;
    }
    holdfast::sandbox::SandboxOptions alone;
    alone.groups = false;
    auto ungrouped = holdfast::sandbox::SandboxRunner::start(argv[1], alone);
    if (!ungrouped) {
        std::fprintf(stderr, "%s\n", ungrouped.error().message().c_str());
        return 4;
    }
    std::printf("%-16s %6s %8s %8s %8s %8s %12s %12s\n", "median, ms", "rounds", "bare", "bwrap", "total", "inside",
                "inside/bare", "total/bwrap");
    const std::vector<std::string> loop = {
        "awk", "BEGIN { for (i = 0; i < 8000000; ++i) s += i * i; print s > \"/dev/null\" }"};
    return compare(**runner, "true", {"true"}, rounds) + compare(**ungrouped, "true, no group", {"true"}, rounds) +
           compare(**runner, "a busy program", loop, std::max(rounds / 4, 1));
}
