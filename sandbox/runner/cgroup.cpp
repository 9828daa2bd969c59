// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/cgroup.hpp"

#include "sandbox/runner/cgroup_files.hpp"
#include "sandbox/small_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

using namespace std::chrono_literals;
using steady_clock = std::chrono::steady_clock;

constexpr std::string_view prefix = "holdfast-";
constexpr auto sweep_limit = 2s, trial_limit = 5s;
// Beside the program's processes: bubblewrap twice while it starts, init, and a server's keeper. RLIMIT_NPROC is exact;
// this one holds where that is got round.
constexpr unsigned own_processes = 8;

std::vector<Hierarchy> hierarchies() {
    return read_hierarchies(read_small(AT_FDCWD, "/proc/self/mountinfo"), read_small(AT_FDCWD, "/proc/self/cgroup"));
}

Descriptor open_folder(int at, const std::string& path) {
    return Descriptor(::openat(at, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool has_file(int folder, const char* name) {
    return ::faccessat(folder, name, F_OK, 0) == 0;
}

std::vector<std::string> groups_in(int folder, std::string_view start) {
    std::vector<std::string> names;
    const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
    while (const dirent* entry = list ? ::readdir(list.get()) : nullptr)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && std::string_view(entry->d_name).starts_with(start))
            names.emplace_back(entry->d_name);
    return names;
}

std::vector<pid_t> members(int folder) {
    std::vector<pid_t> found;
    const std::string text = read_small(folder, "cgroup.procs");
    const char* at = text.c_str();
    for (char* end = nullptr; const long id = std::strtol(at, &end, 10); at = end)
        if (id > 1)
            found.push_back(pid_t(id));
    return found;
}

bool is_empty_folder(int folder, bool unified) {
    if (unified)
        return number_of_key(read_small(folder, "cgroup.events"), "populated") == 0U;
    return members(folder).empty();
}

/// A process that is seen in the group can only leave it by its end: nothing inside can reach a group's files.
void kill_members(int folder) {
    for (const pid_t process : members(folder)) {
        const Descriptor handle(int(::syscall(SYS_pidfd_open, process, 0)));
        const std::vector<pid_t> now = handle ? members(folder) : std::vector<pid_t>();
        if (std::find(now.begin(), now.end(), process) != now.end() && process != ::getpid())
            ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
    }
}

/// Polls until it holds; false when `limit` is over before.
template <class Condition> bool wait_until(steady_clock::duration limit, Condition holds) {
    for (const auto end = steady_clock::now() + limit; !holds(); std::this_thread::sleep_for(1ms))
        if (steady_clock::now() > end)
            return false;
    return true;
}

/// Of a dead runner: whatever is in the group and the groups in it is ended and removed.
void end_stale(int at, const std::string& name) {
    const Descriptor group = open_folder(at, name);
    if (!group || ::flock(group.get(), LOCK_EX | LOCK_NB) != 0)
        return; // its runner lives
    wait_until(sweep_limit, [&] {
        for (const std::string& inner : groups_in(group.get(), "")) {
            const Descriptor folder = open_folder(group.get(), inner);
            if (folder && !write_small(folder.get(), "cgroup.kill", "1"))
                kill_members(folder.get());
            ::unlinkat(group.get(), inner.c_str(), AT_REMOVEDIR);
        }
        return ::unlinkat(at, name.c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY;
    });
}

/// The group's own folder and those above it that can be seen.
std::vector<std::string> upwards(const Hierarchy& hierarchy) {
    std::vector<std::string> folders;
    for (std::string folder = hierarchy.own; folder.size() >= hierarchy.top.size(); folder.erase(folder.rfind('/'))) {
        folders.push_back(folder);
        if (folder == hierarchy.top || folder.rfind('/') == std::string::npos)
            break;
    }
    return folders;
}

/// A new locked group in `folder` that belongs to `user`. Without a descriptor errno says why.
Descriptor make_parent(const std::string& folder, uid_t user, std::string& name) {
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::string path =
            fmt::format("{}{}-{}-{}", prefix, ::getpid(), steady_clock::now().time_since_epoch().count(), attempt);
        name = folder + "/" + path;
        if (::mkdir(name.c_str(), 0755) != 0)
            return {};
        Descriptor made = open_folder(AT_FDCWD, name);
        // Whoever sweeps between these lines takes it for a dead one's.
        if (made && ::flock(made.get(), LOCK_EX | LOCK_NB) == 0 && ::faccessat(made.get(), ".", F_OK, 0) == 0 &&
            has_file(made.get(), "cgroup.procs")) {
            if (user == ::geteuid() || ::fchown(made.get(), user, user) == 0)
                return made;
            ::rmdir(name.c_str());
            return {};
        }
    }
    errno = EBUSY;
    return {};
}

} // namespace

ControlGroup::~ControlGroup() {
    for (const Place& place : places_) // left by a sandbox that could not be started
        ::unlinkat(place.parent, name_.c_str(), AT_REMOVEDIR);
}

int ControlGroup::folder_to_enter() const {
    for (const Place& place : places_)
        if (place.unified)
            return place.folder.get();
    return -1;
}

std::vector<int> ControlGroup::files_to_enter() const {
    std::vector<int> files;
    for (const Place& place : places_)
        if (!place.unified)
            files.push_back(place.tasks.get());
    return files;
}

std::uint64_t ControlGroup::memory_kills() const {
    for (const Place& place : places_)
        if (place.memory)
            return number_of_key(read_small(place.folder.get(), place.unified ? "memory.events" : "memory.oom_control"),
                                 "oom_kill")
                .value_or(0);
    return 0;
}

GroupUse ControlGroup::use() const {
    GroupUse use;
    use.memory_kills = memory_kills();
    for (const Place& place : places_) {
        const int folder = place.folder.get();
        if (place.memory) {
            const std::string stat = read_small(folder, "memory.stat");
            const auto files = number_of_key(stat, place.unified ? "file" : "total_cache"),
                       in_memory = number_of_key(stat, place.unified ? "shmem" : "total_shmem");
            // What files left in the cache depends on what was read before and is nobody's need.
            const std::uint64_t cache = files.value_or(0) - std::min(in_memory.value_or(0), files.value_or(0));
            use.peak_bytes =
                only_number(read_small(folder, place.unified ? "memory.peak" : "memory.max_usage_in_bytes"));
            if (use.peak_bytes)
                *use.peak_bytes -= std::min(cache, *use.peak_bytes);
        }
        if (place.cpu && place.unified) {
            const std::string stat = read_small(folder, "cpu.stat");
            if (const auto user = number_of_key(stat, "user_usec"), system = number_of_key(stat, "system_usec");
                user && system) {
                use.user = std::chrono::microseconds(*user);
                use.system = std::chrono::microseconds(*system);
            }
        } else if (place.cpu) {
            if (const auto user = only_number(read_small(folder, "cpuacct.usage_user")),
                system = only_number(read_small(folder, "cpuacct.usage_sys"));
                user && system) {
                use.user = std::chrono::nanoseconds(*user);
                use.system = std::chrono::nanoseconds(*system);
            }
        }
    }
    return use;
}

bool ControlGroup::forget_peak() const {
    for (const Place& place : places_)
        if (place.memory && !place.unified)
            return write_small(place.folder.get(), "memory.max_usage_in_bytes", "0");
    return false; // version 2 forgets for one open descriptor only, since Linux 6.12
}

void ControlGroup::kill() const {
    for (const Place& place : places_)
        if (place.unified && write_small(place.folder.get(), "cgroup.kill", "1"))
            return;
    for (const Place& place : places_)
        if (place.freezer)
            write_small(place.folder.get(), "freezer.state", "FROZEN");
    if (!places_.empty())
        kill_members(places_.front().folder.get());
    for (const Place& place : places_)
        if (place.freezer)
            write_small(place.folder.get(), "freezer.state", "THAWED");
}

bool ControlGroup::is_empty() const {
    return std::all_of(places_.begin(), places_.end(),
                       [](const Place& place) { return is_empty_folder(place.folder.get(), place.unified); });
}

bool ControlGroup::end(steady_clock::duration limit) {
    return wait_until(limit, [&] {
        if (!is_empty()) {
            kill();
            return false;
        }
        std::erase_if(places_, [&](const Place& place) {
            return ::unlinkat(place.parent, name_.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
        });
        return places_.empty();
    });
}

/// Controllers are given from above: a group has those that its parent enabled, which it can only while it holds no
/// process itself. So the place is the nearest group from the own one upwards whose children have what the tree has.
void ControlGroups::add_unified(const Hierarchy& hierarchy, uid_t user) {
    const std::string all = read_small(AT_FDCWD, hierarchy.top + "/cgroup.controllers");
    std::string enable;
    for (const char* controller : {"memory", "pids"})
        if (holds_word(all, controller))
            enable += fmt::format("{}+{}", enable.empty() ? "" : " ", controller);
    for (const std::string& folder : upwards(hierarchy)) {
        if (!enable.empty() && folder == hierarchy.own) // those above belong to others
            write_small(AT_FDCWD, folder + "/cgroup.subtree_control", enable);
        Tree tree;
        std::string name;
        tree.unified = true;
        tree.parent = make_parent(folder, user, name);
        const int parent = tree.parent.get();
        if (!tree.parent) {
            found_ = fmt::format("{}: {}", folder, std::strerror(errno));
            continue;
        }
        const std::string here = read_small(parent, "cgroup.controllers");
        tree.memory = holds_word(here, "memory");
        tree.pids = holds_word(here, "pids");
        tree.cpu = true; // cpu.stat is in every group
        bool whole = tree.memory == holds_word(all, "memory") && tree.pids == holds_word(all, "pids");
        if (!whole)
            found_ = fmt::format("{}: memory and pids are not enabled in it", folder);
        // Entering needs the right to write in the group above both: this process has to be below it too.
        else if ((!enable.empty() && !write_small(parent, "cgroup.subtree_control", enable)) ||
                 ::mkdirat(parent, "self", 0755) != 0 || !write_small(parent, "self/cgroup.procs", "0") ||
                 (user != ::geteuid() && ::fchownat(parent, "cgroup.procs", user, user, 0) != 0)) {
            found_ = fmt::format("{}: {}", name, std::strerror(errno));
            whole = false;
        }
        if (whole) {
            trees_.push_back(std::move(tree));
            return;
        }
        ::unlinkat(parent, "self", AT_REMOVEDIR);
        ::rmdir(name.c_str());
    }
}

void ControlGroups::add_version_1(const Hierarchy& hierarchy, uid_t user) {
    const bool unified = std::any_of(trees_.begin(), trees_.end(), [](const Tree& tree) { return tree.unified; });
    Tree tree;
    tree.memory = hierarchy.has("memory");
    tree.pids = hierarchy.has("pids");
    tree.cpu = !unified && hierarchy.has("cpuacct");
    tree.freezer = !unified && hierarchy.has("freezer");
    // A cpuset takes no process before it was given processors, which are not limited here.
    if ((!tree.memory && !tree.pids && !tree.cpu && !tree.freezer) || hierarchy.has("cpuset"))
        return;
    std::string name;
    tree.parent = make_parent(hierarchy.own, user, name);
    if (tree.parent)
        trees_.push_back(std::move(tree));
    else
        found_ = fmt::format("{}: {}", hierarchy.own, std::strerror(errno));
}

void ControlGroups::prepare(uid_t user) {
    sweep_groups();
    found_ = "none is mounted";
    const std::vector<Hierarchy> all = hierarchies();
    for (const Hierarchy& hierarchy : all)
        if (hierarchy.unified)
            add_unified(hierarchy, user);
    for (const Hierarchy& hierarchy : all)
        if (!hierarchy.unified)
            add_version_1(hierarchy, user);
}

void ControlGroups::try_out() {
    if (trees_.empty())
        return;
    std::string failure;
    if (auto group = make({}, failure)) {
        const pid_t child = fork_into(*group);
        if (child == 0) {
            bool entered = true;
            for (const int file : group->files_to_enter())
                entered = ::write(file, "0", 1) == 1 && entered;
            _exit(entered ? 0 : errno);
        }
        if (child < 0)
            failure = std::string("clone3: ") + std::strerror(errno);
        int status = 0;
        if (child > 0 && ::waitpid(child, &status, 0) == child && status != 0)
            failure = std::string("entering one: ") + std::strerror(WEXITSTATUS(status));
        if (!group->end(trial_limit))
            failure = "one that was tried does not become empty";
    }
    if (failure.empty())
        return describe();
    trees_.clear();
    found_ = failure;
}

void ControlGroups::describe() {
    std::string parts[2];
    const auto add = [&](const Tree& tree, bool has, const char* what) {
        std::string& part = parts[tree.unified ? 1 : 0];
        if (has)
            part += (part.empty() ? "" : ", ") + std::string(what);
    };
    for (const Tree& tree : trees_) {
        add(tree, tree.memory, "memory");
        add(tree, tree.pids, "pids");
        add(tree, tree.cpu, "cpu");
        add(tree, tree.unified || tree.freezer, "kill");
    }
    found_.clear();
    for (const int version : {1, 2})
        if (const std::string& part = parts[version - 1]; !part.empty())
            found_ += fmt::format("{}v{}: {}", found_.empty() ? "" : "; ", version, part);
}

std::unique_ptr<ControlGroup> ControlGroups::make(const study::ExecutionLimits& limits, std::string& failure) {
    if (trees_.empty())
        return {};
    std::unique_ptr<ControlGroup> group(new ControlGroup);
    group->name_ = std::to_string(made_++);
    const auto give_up = [&](const char* what) {
        failure = fmt::format("a control group: {}: {}", what, std::strerror(errno));
        return nullptr;
    };
    for (const Tree& tree : trees_) {
        const int parent = tree.parent.get();
        if (::mkdirat(parent, group->name_.c_str(), 0755) != 0)
            return give_up("make one");
        group->places_.push_back({tree.unified,
                                  tree.memory,
                                  tree.pids,
                                  tree.cpu,
                                  tree.freezer,
                                  parent,
                                  open_folder(parent, group->name_),
                                  {}});
        ControlGroup::Place& place = group->places_.back();
        const int folder = place.folder.get();
        const std::string memory = std::to_string(limits.memory_bytes);
        if (!place.folder)
            return give_up("open one");
        if (tree.memory && !write_small(folder, tree.unified ? "memory.max" : "memory.limit_in_bytes", memory))
            return give_up("limit its memory");
        if (tree.memory && tree.unified) { // absent where there is no swap; all are ended rather than one of them
            write_small(folder, "memory.swap.max", "0");
            write_small(folder, "memory.oom.group", "1");
        } else if (tree.memory) {
            write_small(folder, "memory.memsw.limit_in_bytes", memory);
        }
        if (tree.pids && !write_small(folder, "pids.max", std::to_string(limits.processes + own_processes)))
            return give_up("limit its processes");
        if (!tree.unified) { // at a high number: a new process puts others in place before it writes here
            const Descriptor tasks(::openat(folder, "tasks", O_WRONLY | O_CLOEXEC));
            place.tasks.reset(tasks ? ::fcntl(tasks.get(), F_DUPFD_CLOEXEC, 32) : -1);
        }
        if (!tree.unified && !place.tasks)
            return give_up("open its list of tasks");
    }
    return group;
}

void sweep_groups() {
    for (const Hierarchy& hierarchy : hierarchies())
        for (const std::string& folder : upwards(hierarchy))
            if (const Descriptor at = open_folder(AT_FDCWD, folder))
                for (const std::string& name : groups_in(at.get(), prefix))
                    end_stale(at.get(), name);
}

pid_t fork_into(const ControlGroup& group) {
    const int folder = group.folder_to_enter();
    if (folder < 0)
        return ::fork();
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = std::uint64_t(folder);
    return pid_t(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

} // namespace holdfast::sandbox
