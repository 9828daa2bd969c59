// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/surroundings.hpp"

#include "sandbox/kernel_files.hpp"

#include <array>
#include <sstream>
#include <string_view>
#include <system_error>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(file, ignored);
}

/// The kernel's list is for root only; without it, a file in the folder that is loaded at every start speaks for it.
bool has_bwrap_profile(const fs::path& root) {
    std::istringstream loaded(text_of(root / "sys/kernel/security/apparmor/profiles"));
    bool readable = false;
    for (std::string line; std::getline(loaded, line); readable = true)
        if (line.rfind("bwrap ", 0) == 0 || line.find("/bwrap ") != std::string::npos)
            return true;
    if (readable)
        return false;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "etc/apparmor.d", error)) {
        const std::string text = text_of(entry.path());
        if (text.find("/bwrap") != std::string::npos && text.find("userns") != std::string::npos)
            return true;
    }
    return false;
}

/// Kubernetes first: its containers are docker's or containerd's and leave their marks too.
std::string container_of(const fs::path& root) {
    const std::string groups = text_of(root / "proc/self/cgroup") + text_of(root / "proc/1/cgroup");
    if (is_there(root / "run/secrets/kubernetes.io") || is_there(root / "var/run/secrets/kubernetes.io") ||
        groups.find("kubepods") != std::string::npos)
        return "kubernetes";
    if (is_there(root / "run/.containerenv") || groups.find("libpod") != std::string::npos)
        return "podman";
    if (is_there(root / ".dockerenv") || groups.find("/docker") != std::string::npos)
        return "docker";
    std::string name = line_of(root / "run/systemd/container");
    if (name.empty()) { // entries end with NUL
        const std::string environment = '\0' + text_of(root / "proc/1/environ");
        const std::string key = std::string(1, '\0') + "container=";
        if (const std::size_t at = environment.find(key); at != std::string::npos)
            name = environment.substr(at + key.size()).c_str();
    }
    if (name.empty() && groups.find("/lxc") != std::string::npos)
        return "lxc";
    for (const char* known : {"docker", "podman", "lxc", "systemd-nspawn"})
        if (name == known)
            return name;
    return name.empty() ? "" : "container";
}

/// The kernel lets nobody mount a fresh /proc whose own /proc is covered in part. What systemd mounts there is fine.
bool is_proc_masked(const fs::path& root) {
    std::istringstream mounts(text_of(root / "proc/self/mountinfo"));
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream fields(line);
        std::string id, parent, device, source, place;
        if (fields >> id >> parent >> device >> source >> place && place.rfind("/proc/", 0) == 0 &&
            place != "/proc/sys/fs/binfmt_misc" && place != "/proc/fs/nfsd")
            return true;
    }
    return false;
}

Error refusal(const std::string& found, const std::string& remedy) {
    return {Error::Kind::refused, "isolate programs", found, remedy};
}

} // namespace

Surroundings read_surroundings(const fs::path& root) {
    Surroundings here;
    here.container = container_of(root);
    const fs::path settings = root / "proc/sys";
    here.apparmor_restricts = line_of(settings / "kernel/apparmor_restrict_unprivileged_userns") == "1";
    here.bwrap_profile = has_bwrap_profile(root);
    here.no_user_namespaces = is_there(root / "proc/self/ns") && !is_there(root / "proc/self/ns/user");
    if (const auto most = number_of(settings / "user/max_user_namespaces"))
        here.max_user_namespaces = static_cast<std::uint64_t>(*most);
    if (const std::string allowed = line_of(settings / "kernel/unprivileged_userns_clone"); !allowed.empty())
        here.unprivileged_allowed = allowed != "0";
    here.seccomp = number_after(text_of(root / "proc/self/status"), "Seccomp:") == 2;
    here.masked_proc = is_proc_masked(root);
    return here;
}

std::optional<Error> obstacle(const Surroundings& here) {
    if (here.no_user_namespaces)
        return refusal("the kernel has no user namespaces", "Boot a kernel with CONFIG_USER_NS");
    if (here.max_user_namespaces == 0U)
        return refusal("the limit on user namespaces is 0", "Run: sudo sysctl user.max_user_namespaces=15000");
    if (here.unprivileged_allowed == false)
        return refusal("the kernel does not let ordinary users make user namespaces",
                       "Run: sudo sysctl kernel.unprivileged_userns_clone=1");
    if (here.apparmor_restricts && !here.bwrap_profile)
        return refusal("AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1), and no "
                       "profile lets bwrap make them",
                       apparmor_remedy());
    if (!here.container.empty() && (here.seccomp || here.masked_proc))
        return refusal("this is a container (" + here.container + ") with " +
                           (!here.masked_proc ? "a seccomp filter"
                            : here.seccomp    ? "a seccomp filter and a masked /proc"
                                              : "a masked /proc"),
                       container_remedy(here.container));
    return std::nullopt;
}

std::string container_remedy(const std::string& container) {
    constexpr std::array<std::array<std::string_view, 2>, 4> known = {{
        {"docker", "Start it with: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined "
                   "--security-opt apparmor=unconfined"},
        {"podman", "Start it with: podman run --security-opt seccomp=unconfined --security-opt unmask=ALL"},
        {"kubernetes", "Give the pod hostUsers: false and its container securityContext: {procMount: Unmasked, "
                       "seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}"},
        {"lxc", "Run on the host: lxc config set CONTAINER security.nesting true"},
    }};
    for (const auto& [name, remedy] : known)
        if (name == container)
            return std::string(remedy);
    return container.empty() ? "" : "Start the container without its seccomp filter and with /proc unmasked";
}

std::string apparmor_profile(const fs::path& bubblewrap) {
    return "# Lets bubblewrap make the user namespaces that holdfast's sandbox needs.\n"
           "abi <abi/4.0>,\n"
           "include <tunables/global>\n"
           "\n"
           "profile bwrap " +
           bubblewrap.string() +
           " flags=(unconfined) {\n"
           "  userns,\n"
           "\n"
           "  include if exists <local/bwrap>\n"
           "}\n";
}

std::string apparmor_remedy() {
    return std::string("Run: ") + apparmor_save + " && " + apparmor_load;
}

} // namespace holdfast::sandbox
