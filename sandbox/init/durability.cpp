// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls of an observed run brought data to the disk. A call's name says little: it may fail, come before the
// write, or be for another file. So the file behind its descriptor is looked at before the call, and the call counts
// when it succeeds and the file was written since the same thread's last one for it. Written is what has another size
// or another time of modification than then; a file's first sync has the start of the program to compare with. Stops at
// every write would tell the same and slow down what writes much.
//
// By thread, or the number would depend on which of two threads came first to a file that both write. Whether a file
// was left as it was last synced goes by all threads.
#include "sandbox/init/calls.hpp"
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

constexpr std::size_t most_files = 512; ///< that are told
constexpr long most_entries = 100'000;  ///< of writable folders that are looked through
constexpr int most_waits = 256;
constexpr std::size_t most_places = 32;

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// The clock that file systems stamp files with; it moves by the kernel's tick.
std::int64_t file_time() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME_COARSE, &time);
    return nanoseconds(time);
}

/// No write until now has a later stamp.
std::int64_t time_now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return nanoseconds(time);
}

std::int64_t started = 0;  ///< by file_time()
bool times_set = false;    ///< a program has set a file's times itself, so that they no longer tell of its writes alone
std::size_t files_met = 0; ///< that are told, or would be

bool same(const FileState& a, const FileState& b) {
    return a.size == b.size && a.modified == b.modified && (!times_set || a.changed == b.changed);
}

FileState state_of(const struct stat& info) {
    return {info.st_size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

/// Whose last sync of which file. sync_file_range is apart: it starts what fsync may have to finish.
struct Key {
    pid_t thread = -1; ///< 0: any; -1: an entry is free
    bool range = false;
    dev_t device = 0;
    ino_t number = 0;
};

struct Entry {
    Key key;
    FileState state; ///< just before the sync
    std::uint32_t syncs = 0;
    bool always = false; ///< opened so that each write is a sync
};

/// Open addressing, at most half full.
class Table {
public:
    Entry* find(const Key& key) const {
        if (room_ == 0)
            return nullptr;
        Entry& entry = place(key);
        return entry.key.thread < 0 ? nullptr : &entry;
    }
    Entry& get(const Key& key) {
        if (2 * (size_ + 1) > room_)
            grow();
        Entry& entry = place(key);
        if (entry.key.thread < 0) {
            entry.key = key;
            ++size_;
        }
        return entry;
    }
    bool empty() const { return size_ == 0; }

private:
    static bool same_key(const Key& a, const Key& b) {
        return a.thread == b.thread && a.range == b.range && a.device == b.device && a.number == b.number;
    }
    Entry& place(const Key& key) const {
        std::uint64_t hash = (std::uint64_t(key.number) * 31 + std::uint64_t(key.device)) * 31;
        hash = (hash + std::uint64_t(key.thread) * 2 + (key.range ? 1 : 0)) * 0x9e3779b97f4a7c15U; // Knuth's
        std::size_t at = std::size_t(hash >> 20U) & (room_ - 1);
        while (entries_[at].key.thread >= 0 && !same_key(entries_[at].key, key))
            at = (at + 1) & (room_ - 1);
        return entries_[at];
    }
    void grow() {
        Entry* const former = entries_;
        const std::size_t former_room = room_;
        room_ = room_ == 0 ? 256 : 2 * room_;
        entries_ = static_cast<Entry*>(std::malloc(room_ * sizeof(Entry)));
        if (entries_ == nullptr)
            _exit(1);
        for (std::size_t i = 0; i < room_; ++i)
            entries_[i] = Entry{};
        for (std::size_t i = 0; i < former_room; ++i)
            if (former[i].key.thread >= 0)
                place(former[i].key) = former[i];
        std::free(former);
    }

    Entry* entries_ = nullptr;
    std::size_t size_ = 0, room_ = 0; ///< room: a power of two
};
Table table;

/// A folder or file that the program may write and that is there after it.
struct Writable {
    const char* path = nullptr;
    dev_t device = 0;
    std::int64_t synced = 0; ///< time_now() at the last sync of all of it
};
Writable writable[most_places];
std::size_t writables = 0;

Key key_of(pid_t thread, const Attempt& attempt) {
    return {thread, attempt.call == Call::sync_file_range, attempt.device, attempt.number};
}

bool look_at(const char* path, Attempt& attempt) {
    struct stat info {};
    if (stat(path, &info) != 0)
        return false;
    attempt.device = info.st_dev;
    attempt.number = info.st_ino;
    attempt.state = state_of(info);
    attempt.folder = S_ISDIR(info.st_mode);
    attempt.file = attempt.folder || S_ISREG(info.st_mode) || S_ISBLK(info.st_mode);
    return attempt.file;
}

/// The file behind a descriptor of a thread.
bool look_at(pid_t thread, std::uint64_t descriptor, Attempt& attempt) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", int(thread), int(descriptor));
    return look_at(path, attempt);
}

bool written_since_start(const FileState& state) {
    return state.size > 0 && state.modified >= started;
}

/// Since the last sync by `thread`; 0: by any.
bool written(pid_t thread, const Attempt& attempt) {
    const Entry* entry = table.find(key_of(thread, attempt));
    return entry != nullptr ? !same(entry->state, attempt.state) : written_since_start(attempt.state);
}

/// The mapping at an address, by a thread's list of them. Its file is found again by its path, if it is still there;
/// otherwise the attempt is taken for one that brings something.
void look_at_mapping(pid_t thread, std::uint64_t address, Attempt& attempt) {
    static char line[PATH_MAX + 256];
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/maps", int(thread));
    FILE* const list = std::fopen(path, "re");
    if (list == nullptr)
        return;
    while (std::fgets(line, sizeof line, list) != nullptr) {
        unsigned long long begin = 0, end = 0, number = 0;
        char rights[5] = {};
        int name = 0;
        if (std::sscanf(line, "%llx-%llx %4s %*x %*x:%*x %llu %n", &begin, &end, rights, &number, &name) != 4 ||
            address < begin || address >= end)
            continue;
        line[std::strcspn(line, "\n")] = '\0';
        const char* const file = line + name;
        if (rights[3] != 's' || number == 0 || *file != '/' || std::strncmp(file, "/memfd:", 7) == 0 ||
            std::strncmp(file, "/dev/zero", 9) == 0)
            break;
        struct statfs system {};
        const bool found = look_at(file, attempt) && attempt.number == ino_t(number);
        attempt.file = found;
        // Memory file systems do not note what is written through mappings.
        const bool noted = found && statfs(file, &system) == 0 && system.f_type != TMPFS_MAGIC;
        attempt.something = noted ? written(thread, attempt) : rights[1] == 'w';
        break;
    }
    std::fclose(list);
}

bool is_writable_device(dev_t device) {
    for (std::size_t i = 0; i < writables; ++i)
        if (writable[i].device == device)
            return true;
    return false;
}

/// The flags of an open descriptor; -1 when they cannot be told.
long flags_of(pid_t thread, std::int64_t descriptor) {
    char path[64], text[256] = {};
    std::snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", int(thread), int(descriptor));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    const char* found = size > 0 ? std::strstr(text, "flags:") : nullptr;
    return found == nullptr ? -1 : std::strtol(found + std::strlen("flags:"), nullptr, 8);
}

/// What is written from now on shall have another time than what was written until now. Kernels before 6.13 stamp
/// files with the tick alone. The waits are few: on a disk a sync takes longer than a tick.
void let_time_pass(std::int64_t time) {
    static int waits = 0;
    constexpr timespec half_a_millisecond{0, 500'000};
    if (file_time() > time || ++waits > most_waits)
        return;
    for (int i = 0; i < 25 && file_time() <= time; ++i)
        nanosleep(&half_a_millisecond, nullptr);
}

void note_synced(pid_t thread, const Attempt& attempt) {
    if (!attempt.file)
        return;
    table.get(key_of(thread, attempt)).state = attempt.state;
    Entry& file = table.get(key_of(0, attempt));
    file.state = attempt.state;
    file.syncs += attempt.something ? 1 : 0;
    if (attempt.something)
        let_time_pass(attempt.state.modified);
}

/// A descriptor by which each write is a sync.
bool note_opened(pid_t thread, std::int64_t descriptor) {
    Attempt opened;
    const long flags = flags_of(thread, descriptor);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || !look_at(thread, std::uint64_t(descriptor), opened) ||
        opened.folder)
        return false;
    Entry& file = table.get(key_of(0, opened));
    file.always = true;
    ++file.syncs;
    return true;
}

/// One write that is a sync leaves the file synced when it was before.
void note_written(pid_t thread, const Attempt& attempt) {
    Attempt after;
    if (written(0, attempt) || !look_at(thread, attempt.descriptor, after) || after.number != attempt.number)
        return;
    after.something = true;
    note_synced(thread, after);
}

void note_all_synced(const Attempt& attempt) {
    for (std::size_t i = 0; i < writables; ++i)
        if (attempt.call == Call::sync || writable[i].device == attempt.device)
            writable[i].synced = attempt.begun;
    let_time_pass(attempt.begun);
}

const Writable* walked = nullptr;
long entries_left = most_entries;

/// Tells one file of a writable folder; stops the walk when there are too many.
int tell(const char* path, const struct stat* info, int type, FTW*) {
    if (--entries_left < 0)
        return 1;
    if (type != FTW_F || !S_ISREG(info->st_mode))
        return 0;
    const FileState state = state_of(*info);
    const std::int64_t time = times_set ? state.changed : state.modified;
    bool last = written_since_start(state) && time <= walked->synced;
    std::uint32_t syncs = 0;
    for (const bool range : {false, true})
        if (const Entry* entry = table.find({0, range, info->st_dev, info->st_ino}); entry != nullptr) {
            last = last || entry->always || same(entry->state, state);
            syncs += entry->syncs;
        }
    // One that was synced before anything was in it is none.
    if ((!last || state.size == 0) && syncs == 0)
        return 0;
    if (++files_met > most_files || std::strlen(path) >= sizeof record.synced.path)
        return 1;
    std::snprintf(record.synced.path, sizeof record.synced.path, "%s", path);
    record.synced.syncs = syncs;
    record.synced.last = last ? 1 : 0;
    return send_record(Kind::synced) ? 0 : 1;
}

} // namespace

void begin_durability(const Program& program) {
    started = file_time();
    for (char** place = program.places; *place != nullptr && writables < most_places; ++place) {
        struct stat info {};
        bool lasts = Right(**place) == Right::write && stat(*place + 1, &info) == 0;
        for (const Scratch& scratch_place : scratch)
            lasts = lasts && std::strcmp(*place + 1, scratch_place.folder) != 0;
        if (lasts)
            writable[writables++] = {*place + 1, info.st_dev, 0};
    }
}

void note_times_set() {
    times_set = true;
}

Attempt begin_sync(pid_t thread, Call call, const std::uint64_t (&arguments)[6]) {
    Attempt attempt;
    attempt.call = call;
    attempt.begun = time_now();
    attempt.descriptor = arguments[0];
    switch (call) {
    case Call::fsync:
    case Call::fdatasync:
        attempt.something = look_at(thread, arguments[0], attempt) && written(thread, attempt);
        if (attempt.folder)
            attempt.call = Call::fsync_folder;
        break;
    case Call::sync_file_range: // without flags it does nothing
        attempt.something = look_at(thread, arguments[0], attempt) && !attempt.folder && arguments[3] != 0 &&
                            arguments[1] < std::uint64_t(attempt.state.size) && written(thread, attempt);
        attempt.file = attempt.something;
        break;
    case Call::syncfs:
        attempt.something = look_at(thread, arguments[0], attempt) && is_writable_device(attempt.device);
        break;
    case Call::sync:
        attempt.something = true;
        break;
    case Call::msync:
        look_at_mapping(thread, arguments[0], attempt);
        break;
    case Call::write_sync:
        attempt.something = look_at(thread, arguments[0], attempt) && !attempt.folder;
        break;
    default: // an open: what was opened is seen when it is
        break;
    }
    return attempt;
}

void end_sync(pid_t thread, const Attempt& attempt, std::int64_t result) {
    if (result < 0)
        return;
    bool something = attempt.something;
    switch (attempt.call) {
    case Call::open_sync:
    case Call::open_dsync:
        something = note_opened(thread, result);
        break;
    case Call::write_sync:
        something = something && result > 0;
        if (something)
            note_written(thread, attempt);
        break;
    case Call::syncfs:
    case Call::sync:
        if (something)
            note_all_synced(attempt);
        break;
    default:
        note_synced(thread, attempt);
        break;
    }
    record.seen.brought[std::size_t(attempt.call)] += something ? 1 : 0;
}

void tell_synced() {
    bool any = !table.empty();
    for (std::size_t i = 0; i < writables; ++i)
        any = any || writable[i].synced != 0;
    bool whole = writables < most_places;
    for (std::size_t i = 0; any && whole && i < writables; ++i) {
        walked = &writable[i];
        constexpr int open_folders = 16;
        whole = nftw(walked->path, tell, open_folders, FTW_PHYS) == 0;
    }
    record.synced = {};
    record.seen.synced_whole = whole ? 1 : 0;
}

} // namespace holdfast::init
