// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/explain.hpp"

#include <string_view>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

enum class Cause {
    certain,    ///< the message has this cause only
    namespaces, ///< user namespaces are refused, by whom the surroundings tell
    proc,       ///< a container masks /proc
};

struct Known {
    std::string_view sign; ///< in bubblewrap's message
    Error::Kind kind;
    std::string_view found, remedy;
    Cause cause = Cause::certain;
};

constexpr std::string_view no_rights =
    "user namespaces have no rights here, as AppArmor restricts them on Ubuntu 24.04 "
    "and later";
constexpr std::string_view too_few = "Run: sudo sysctl user.max_user_namespaces=15000";

// The first sign that occurs counts. An empty remedy of a namespace is AppArmor's profile.
constexpr Known known[] = {
    {"setting up uid map: Permission denied", Error::Kind::refused, no_rights, "", Cause::namespaces},
    {"loopback: Failed RTM_NEWADDR", Error::Kind::refused, no_rights, "", Cause::namespaces},
    {"namespace failed: No space left", Error::Kind::refused, "the limit on user namespaces is used up or 0", too_few},
    {"namespace failed: Resource temporarily", Error::Kind::refused, "the limit on processes is used up",
     "Raise the limit on processes (ulimit -u)"},
    {"max_*_namespaces", Error::Kind::refused, "the limit on user namespaces is used up or 0", too_few},
    {"max_user_namespaces", Error::Kind::refused, "the limit on user namespaces is 0", too_few},
    {"ermissions to creat", Error::Kind::refused, "the kernel does not let ordinary users make user namespaces",
     "Run: sudo sysctl kernel.unprivileged_userns_clone=1", Cause::namespaces},
    {"namespace failed: Operation not permitted", Error::Kind::refused,
     "user namespaces are not permitted here (a kernel setting, or a container's seccomp filter)",
     "Run: sudo sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000, or start the container with "
     "--security-opt seccomp=unconfined",
     Cause::namespaces},
    {"kernel does not support user namespace", Error::Kind::refused, "the kernel has no user namespaces",
     "Boot a kernel with CONFIG_USER_NS"},
    {"mount proc", Error::Kind::refused, "a fresh /proc cannot be mounted, as in containers that mask /proc",
     "Start the container with --security-opt systempaths=unconfined", Cause::proc},
    {"nknown option", Error::Kind::refused, "this bubblewrap is too old",
     "Install bubblewrap 0.8 or later (Debian 12: apt-get install bubblewrap)"},
    {"find source path", Error::Kind::failed, "", "Run the command again; the folder to mount has gone"},
};

std::string first_line(const std::string& text) {
    std::string line = text.substr(0, text.find('\n'));
    for (char& c : line)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return line;
}

} // namespace

Error explain(const std::string& stage, const std::string& said, const Surroundings& here) {
    const std::string attempted = stage.empty() ? "run a program in a sandbox" : stage;
    for (const Known& entry : known)
        if (said.find(entry.sign) != std::string::npos) {
            std::string found(entry.found), remedy(entry.remedy);
            if (entry.cause == Cause::namespaces)
                if (const auto fact = obstacle(here)) {
                    found = fact->found;
                    remedy = fact->remedy;
                }
            if (entry.cause == Cause::proc && !here.container.empty())
                remedy = container_remedy(here.container);
            if (remedy.empty())
                remedy = apparmor_remedy();
            found += found.empty() ? first_line(said) : " (" + first_line(said) + ")";
            return Error{entry.kind, attempted, std::move(found), std::move(remedy)};
        }
    return Error{Error::Kind::failed, attempted, first_line(said), "Run holdfast doctor"};
}

} // namespace holdfast::sandbox
