// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls of an observed program brought its files to the disk, and whether it asks for who watches.
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

const char* const source = R"(
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int made(const char* name, int flags) { return open(name, O_CREAT | O_RDWR | flags, 0644); }
static void fill(int file, const char* text) { if (write(file, text, strlen(text)) < 1) exit(9); }
static void* sync_it(void* file) { fsync(*(int*)file); return NULL; }
static void look(const char* path) { int file = open(path, O_RDONLY); if (file < 0) exit(8); close(file); }

int main(int argc, char** argv) {
    const char* mode = argv[1];
#define IS(name) else if (!strcmp(mode, name))
    if (!strcmp(mode, "looks")) {
        look("/proc/self/status");
        symlink("/proc/self/task", "/tmp/innocent");
        chdir("/tmp/innocent");
        char name[32];
        sprintf(name, "%d/stat", (int)getpid());
        look(name);
        int folder = open("/proc/self", O_PATH);
        if (openat(folder, "wchan", O_RDONLY) < 0)
            return 7;
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
            return 6;
        prctl(PR_GET_SECCOMP);
        return 0;
    }
    IS("looks-not") {
        look("/proc/self/maps");
        look("/proc/stat");
        look("/proc/meminfo");
        look("/dev/null");
        return 0;
    }
    int a = made("a", strcmp(mode, "synchronous") ? 0 : O_SYNC), other;
    if (!strcmp(mode, "early"))
        fsync(a);
    fill(a, "what the program is for");
    if (!strcmp(mode, "late"))
        fsync(a);
    IS("folder") fsync(open(".", O_RDONLY));
    IS("none") { fsync(-1); fdatasync(open("/dev/null", O_WRONLY)); }
    IS("twice") { fsync(a); fsync(a); }
    IS("again") { fsync(a); pwrite(a, "W", 1, 0); fsync(a); pwrite(a, "w", 1, 0); fdatasync(a); }
    IS("before-the-last") { fsync(a); fill(a, "more"); }
    IS("elsewhere") { other = made("b", 0); fill(other, "x"); fsync(other); }
    IS("empty-elsewhere") { other = made("b", 0); fsync(other); fsync(other); }
    IS("batch") { for (int i = 0; i < 100; ++i) fill(a, "more"); fsync(a); }
    IS("duplicate") { other = dup(a); close(a); fsync(other); }
    IS("child") { if (fork() == 0) { fsync(a); _exit(0); } wait(NULL); }
    IS("helper") { if (vfork() == 0) execlp("sync", "sync", "a", NULL); wait(NULL); }
    IS("thread") { pthread_t t; pthread_create(&t, NULL, sync_it, &a); pthread_join(t, NULL); }
    IS("replace") { fsync(a); rename("a", "b"); fsync(open(".", O_RDONLY)); }
    IS("range") { sync_file_range(a, 0, 0, SYNC_FILE_RANGE_WRITE); fsync(a); }
    IS("range-of-nothing") { sync_file_range(a, 1 << 20, 0, SYNC_FILE_RANGE_WRITE); sync_file_range(a, 0, 0, 0); }
    IS("mapping") {
        ftruncate(a, 4096);
        char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, a, 0);
        for (int i = 0; i < 3; ++i) { page[0] = i; msync(page, 4096, MS_SYNC); }
        msync(page, 4096, MS_SYNC);
    }
    IS("synchronous") fill(a, "more");
    IS("synchronous-write") {
        struct iovec part = {"more", 4};
        other = made("b", 0);
        pwritev2(other, &part, 1, 0, RWF_DSYNC);
        pwritev2(other, &part, 1, 4, RWF_DSYNC);
    }
    IS("whole-file-system") syncfs(a);
    IS("whole-other") syncfs(open("/proc/self/maps", O_RDONLY));
    IS("dated-back") {
        ftruncate(a, 100);
        fsync(a);
        struct stat info;
        fstat(a, &info);
        pwrite(a, "other", 5, 0);
        futimens(a, (struct timespec[]){info.st_atim, info.st_mtim});
    }
    return 0;
}
)";

const fs::path& program_folder() {
    static const Built program("synced", source);
    return program.path();
}

study::Observed observed(const std::string& mode) {
    const Tree out;
    study::Execution execution;
    execution.argv = {"/build/synced", mode};
    execution.mounts = {{program_folder(), "/build", false}, {out.path, "/out", true}};
    execution.folder = "/out";
    execution.limits.time = std::chrono::seconds(20);
    execution.observe = true;
    const auto result = run(execution);
    INFO(mode << ": " << result.reason << "\n" << result.standard_error);
    CHECK(result.code == 0);
    REQUIRE(result.observed);
    CHECK(result.observed->whole);
    CHECK(result.observed->synced_whole);
    return *result.observed;
}

/// "fsync 1, fsync of a folder 1; /out/a 1, /out/b 2 and written after it"
std::string told(const std::string& mode) {
    const auto seen = observed(mode);
    std::string text, files;
    for (const auto& [name, count] : seen.brought)
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
    for (const auto& [path, synced] : seen.synced)
        files += (files.empty() ? "; " : ", ") + path + " " + std::to_string(synced.syncs) +
                 (synced.last ? "" : " and written after it");
    return text + files;
}

} // namespace

TEST_CASE("a sync counts when it brings something of the file that was written") {
    CHECK(told("late") == "fsync 1; /out/a 1");
    CHECK(told("again") == "fdatasync 1, fsync 2; /out/a 3");
    CHECK(told("batch") == "fsync 1; /out/a 1");
    CHECK(told("duplicate") == "fsync 1; /out/a 1");
    CHECK(told("child") == "fsync 1; /out/a 1");
    CHECK(told("helper") == "fsync 1; /out/a 1");
    CHECK(told("thread") == "fsync 1; /out/a 1");
    CHECK(told("replace") == "fsync 1, fsync of a folder 1; /out/b 1");
    CHECK(told("range") == "fsync 1, sync_file_range 1; /out/a 2");
    CHECK(told("mapping") == "msync 3; /out/a 3");
    CHECK(told("synchronous") == "open O_SYNC 1; /out/a 1");
    CHECK(told("synchronous-write") == "write RWF_SYNC 2; /out/b 2");
    CHECK(told("whole-file-system") == "syncfs 1; /out/a 0");
}

TEST_CASE("a sync that comes too early, fails, repeats another or is for something else does not count for the file") {
    CHECK(told("early").empty());
    CHECK(told("folder") == "fsync of a folder 1");
    CHECK(told("none").empty());
    CHECK(told("twice") == "fsync 1; /out/a 1");
    CHECK(told("before-the-last") == "fsync 1; /out/a 1 and written after it");
    CHECK(told("elsewhere") == "fsync 1; /out/b 1");
    CHECK(told("empty-elsewhere").empty());
    CHECK(told("range-of-nothing").empty());
    CHECK(told("whole-other").empty());
    CHECK(told("dated-back") == "fsync 1; /out/a 1 and written after it");
    CHECK(observed("early").calls.at("fsync") == 1); // made all the same
    CHECK(observed("none").calls.at("fsync") == 1);
}

TEST_CASE("a program that asks whether it is traced or filtered is seen, by whatever path") {
    CHECK(observed("looks").looks_for_watcher == 5);
    CHECK(observed("looks-not").looks_for_watcher == 0);
}
