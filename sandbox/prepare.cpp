// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/prepare.hpp"

#include "sandbox/folders.hpp"
#include "sandbox/read_paths.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/random.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;
using study::Execution;

/// Random length, because the size of the environment moves the stack and with it alignment and speed.
std::string layout_padding() {
    std::uint16_t length = 0;
    if (::getrandom(&length, sizeof length, 0) != ssize_t(sizeof length))
        length = 2048;
    return std::string(length % 4097, 'x');
}

/// The whole environment of a program: these, then the caller's, which may replace them.
void complete_environment(Execution& execution) {
    std::vector<std::pair<std::string, std::string>> all = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                                            {"HOME", "/home/user"},
                                                            {"LANG", "C.UTF-8"},
                                                            {"TZ", "UTC"},
                                                            {"TMPDIR", "/tmp"}};
    for (auto& variable : execution.environment) {
        const auto same = std::find_if(all.begin(), all.end(), [&](auto& v) { return v.first == variable.first; });
        if (same == all.end())
            all.push_back(std::move(variable));
        else
            same->second = std::move(variable.second);
    }
    if (execution.phase == study::Phase::run)
        all.emplace_back("PAD", layout_padding());
    execution.environment = std::move(all);
}

bool has_nul(const std::string& text) {
    return text.find('\0') != std::string::npos;
}

bool is_reserved(const fs::path& inside) {
    constexpr std::array reserved = {"usr",    "bin", "sbin", "lib", "lib32", "lib64",
                                     "libx32", "etc", "proc", "dev", "sys",   "init"};
    auto component = inside.begin();
    if (++component == inside.end())
        return true; // "/"
    const std::string first = component->native();
    return first.empty() || std::find(reserved.begin(), reserved.end(), first) != reserved.end();
}

Result<void> check_commands(const Execution& execution) {
    const std::string attempted = "run a program in a sandbox";
    std::vector<const Argv*> commands = {&execution.argv};
    if (execution.server) {
        commands.push_back(&execution.server->start);
        for (const Argv* optional : {&execution.server->ready, &execution.server->stop})
            if (!optional->empty())
                commands.push_back(optional);
        if (execution.server->limit.count() <= 0 || execution.server->limit > std::chrono::hours(24))
            return invalid(attempted, "the limit for its server is not between 1 ms and a day",
                           "Set a timeout in that range");
    }
    if (has_nul(execution.folder))
        return invalid(attempted, "its folder holds a NUL byte", "Write it without \\u0000");
    for (const Argv* argv : commands) {
        if (argv->empty() || argv->front().empty())
            return invalid(attempted, "its command is empty", "Write the program and its arguments as a list of words");
        if (std::any_of(argv->begin(), argv->end(), has_nul))
            return invalid(attempted, "its command holds a NUL byte", "Write it without \\u0000");
    }
    return {};
}

} // namespace

Result<Execution> prepared(const Execution& given, const fs::path& cache) {
    Execution execution = given;
    const std::string attempted = "run a program in a sandbox";
    if (auto sound = check_commands(execution); !sound)
        return tl::unexpected(sound.error());
    if (execution.network && execution.phase != study::Phase::build)
        return refused(attempted, "only what is fetched before a study may use the network",
                       "Fetch what is needed with \"fetch\"");
    for (const auto& [name, value] : execution.environment)
        if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value))
            return invalid(attempted, fmt::format("the name of an environment variable is invalid: '{}'", name),
                           "Use letters, digits and _");
    for (study::Mount& mount : execution.mounts) {
        const fs::path inside(mount.inside);
        if (!inside.is_absolute() || inside != inside.lexically_normal() || has_nul(mount.inside) ||
            is_reserved(inside))
            return invalid(attempted, fmt::format("nothing can be mounted at '{}'", mount.inside),
                           "Use an absolute path outside the system's folders");
        // Resolved now, while nothing runs: a program that ran before may have left links.
        Result<fs::path> host = below_cache(cache, mount.host);
        if (!host)
            return tl::unexpected(host.error());
        mount.host = *host;
    }
    Result<std::vector<std::string>> read = readable_paths(execution, cache);
    if (!read)
        return tl::unexpected(read.error());
    execution.read = std::move(*read);
    complete_environment(execution);
    return execution;
}

} // namespace holdfast::sandbox
