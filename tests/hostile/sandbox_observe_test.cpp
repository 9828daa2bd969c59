// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen of a program from outside of it, and the processors it is bound to.
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

#include <csignal>

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

const char* const source = R"(
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
#else
static void flush(void) { __asm__ volatile("msr fpcr, %0" : : "r"(1UL << 24)); }
#endif
static char** again;
static void* idle(void* x) { pthread_barrier_wait(x); return NULL; }
static void* flushing(void* x) { flush(); return x; }
static void* executing(void* x) { execv("/build/observed", again); return x; }
int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(mode, "sync")) {
        int f = open("/tmp/f", O_CREAT | O_WRONLY, 0600), g = open("/tmp/g", O_CREAT | O_RDWR | O_DSYNC, 0600);
        open("/tmp/f", O_RDONLY);
        open("/tmp/f", O_WRONLY | O_SYNC);
        for (int i = 0; i < count; ++i)
            if (fsync(f) != 0)
                return 1;
        fdatasync(g);
        struct { unsigned long flags, mode, resolve; } how = {O_WRONLY, 0, 0};
        syscall(437, AT_FDCWD, "/tmp/f", &how, sizeof how);
        void* page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, f, 0);
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, g, 0);
        msync(page, 4096, MS_ASYNC);
        msync(page, 4096, MS_SYNC);
        fchmod(f, 0644);
        char key[4];
        getrandom(key, sizeof key, 0);
        getrandom(key, sizeof key, GRND_NONBLOCK);
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else if (!strcmp(mode, "threads")) {
        pthread_t threads[16];
        pthread_barrier_t all;
        pthread_barrier_init(&all, NULL, count + 1);
        for (int i = 0; i < count; ++i)
            pthread_create(&threads[i], NULL, idle, &all);
        pthread_barrier_wait(&all);
        for (int i = 0; i < count; ++i)
            pthread_join(threads[i], NULL);
    } else if (!strcmp(mode, "flush")) {
        flush();
    } else if (!strcmp(mode, "flush-thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, flushing, NULL);
        pthread_join(thread, NULL);
    } else if (!strcmp(mode, "round")) {
        fesetround(FE_UPWARD);
    } else if (!strcmp(mode, "exec-in-thread")) {
        again = (char*[]){"observed", "sync", "3", NULL};
        pthread_t threads[2];
        pthread_barrier_t never;
        pthread_barrier_init(&never, NULL, 9);
        pthread_create(&threads[0], NULL, idle, &never);
        pthread_create(&threads[1], NULL, executing, NULL);
        pause();
    } else if (!strcmp(mode, "children")) { /* each ends in another way */
        if (vfork() == 0)
            execl("/build/observed", "observed", "sync", "2", NULL);
        if (fork() == 0)
            raise(SIGKILL);
        if (fork() == 0) {
            if (fork() == 0) /* an orphan */
                execl("/build/observed", "observed", "sync", "4", NULL);
            _exit(0);
        }
        while (wait(NULL) > 0)
            ;
    } else if (!strcmp(mode, "hide")) { /* from whoever follows */
        struct clone_args args = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
        if (syscall(SYS_clone3, &args, sizeof args) >= 0 || errno != ENOSYS)
            return 3;
        if (syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0) >= 0 || errno != EPERM)
            return 4;
    } else if (!strcmp(mode, "signals")) {
        if (fork() == 0) {
            raise(SIGSTOP);
            _exit(7);
        }
        int status;
        waitpid(-1, &status, WUNTRACED);
        if (!WIFSTOPPED(status))
            return 5;
        kill(-getpgrp(), SIGCONT);
        while (waitpid(-1, &status, 0) < 0 && errno == EINTR)
            ;
        return WEXITSTATUS(status) == 7 ? 0 : 6;
    } else if (!strcmp(mode, "die")) {
        signal(SIGTERM, SIG_DFL);
        raise(SIGTERM);
    } else if (!strcmp(mode, "old-calls")) {
#if defined(__x86_64__)
        __asm__ volatile("int $0x80" : : "a"(20) : "memory"); /* getpid of another architecture */
#endif
    } else if (!strcmp(mode, "processors")) {
        printf("%ld %d\n", sysconf(_SC_NPROCESSORS_ONLN), (int)({ cpu_set_t s; sched_getaffinity(0, sizeof s, &s); CPU_COUNT(&s); }));
    }
    return 0;
}
)";

const fs::path& program_folder() {
    static const Built program("observed", source);
    return program.path();
}

study::Execution program(const std::string& mode, int count = 0) {
    study::Execution execution;
    execution.argv = {"/build/observed", mode, std::to_string(count)};
    execution.mounts = {{program_folder(), "/build", false}};
    execution.limits.time = std::chrono::seconds(20);
    execution.observe = true;
    return execution;
}

study::Observed observed(const study::Execution& execution, int code = 0) {
    const auto result = run(execution);
    INFO(result.reason << "\n" << result.standard_error);
    CHECK(result.code == code);
    REQUIRE(result.observed);
    return *result.observed;
}

std::uint64_t count_of(const study::Observed& seen, const std::string& call) {
    const auto found = seen.calls.find(call);
    return found == seen.calls.end() ? 0 : found->second;
}

} // namespace

TEST_CASE("calls that bring data to the disk or that security rests on are counted from outside") {
    const auto seen = observed(program("sync", 12));
    CHECK(seen.whole);
    CHECK(seen.calls == std::map<std::string, std::uint64_t>{{"fsync", 12},
                                                             {"fdatasync", 1},
                                                             {"msync", 1},
                                                             {"open O_SYNC", 1},
                                                             {"open O_DSYNC", 1},
                                                             {"chmod", 1},
                                                             {"getrandom", 1},
                                                             {"memory writable and executable", 1}});
    CHECK(seen.files_opened == 4); // three by openat, one by openat2
    CHECK(seen.processes == 1);
    CHECK(seen.threads == 1);
    CHECK_FALSE(run(shell("true")).observed);
}

TEST_CASE("threads and processes are counted, whatever way they begin and end") {
    const auto threads = observed(program("threads", 7));
    CHECK(threads.whole);
    CHECK(threads.processes == 1);
    CHECK(threads.threads == 8);
    CHECK(threads.most_threads == 8);

    const auto children = observed(program("children"));
    CHECK(children.whole);
    CHECK(children.processes == 5);
    CHECK(children.threads == 5);
    CHECK(count_of(children, "fsync") == 6);

    const auto executed = observed(program("exec-in-thread"));
    CHECK(executed.whole);
    CHECK(executed.processes == 1);
    CHECK(executed.threads == 3);
    CHECK(count_of(executed, "fsync") == 3);
}

TEST_CASE("an observed program stops, goes on and dies of signals as ever") {
    CHECK(observed(program("signals")).whole);
    const auto died = run(program("die"));
    CHECK(died.ending == study::Ending::signalled);
    CHECK(died.code == SIGTERM);
    REQUIRE(died.observed);
    CHECK(died.observed->processes == 1);
    auto endless = shell("sleep 60");
    endless.observe = true;
    endless.limits.time = std::chrono::milliseconds(300);
    const auto late = run(endless);
    CHECK(late.ending == study::Ending::timeout);
    REQUIRE(late.observed);
    CHECK_FALSE(late.observed->whole);
    auto left = shell("sleep 60 & sleep 61 & exit 0");
    left.observe = true;
    CHECK(run(left).ending == study::Ending::survivors);
}

TEST_CASE("nothing that an observed program starts escapes the count") {
    CHECK(observed(program("hide")).whole);
#if defined(__x86_64__)
    const auto result = run(program("old-calls"));
    REQUIRE(result.observed); // a kernel without the old calls ends it
    if (result.ok())
        CHECK_FALSE(result.observed->whole);
#endif
}

TEST_CASE("the floating-point mode that a thread ends with is told") {
    CHECK_FALSE(observed(program("")).denormals_flushed);
    CHECK_FALSE(observed(program("")).rounding_changed);
    CHECK(observed(program("flush")).denormals_flushed);
    CHECK(observed(program("flush-thread")).denormals_flushed);
    CHECK_FALSE(observed(program("flush")).rounding_changed);
    CHECK(observed(program("round")).rounding_changed);
}

TEST_CASE("beside a server nothing is followed, and that is told") {
    auto execution = program("sync", 1);
    execution.server = study::Beside{{"sleep", "600"}, {}, {}};
    const auto result = run(execution);
    INFO(result.reason);
    CHECK(result.ok());
    REQUIRE(result.observed);
    CHECK_FALSE(result.observed->whole);
}

TEST_CASE("a program can be bound to few processors") {
    auto execution = program("processors");
    execution.observe = false;
    execution.processors = 1;
    CHECK_THAT(run(execution).standard_output, ContainsSubstring(" 1\n"));
    execution.processors = 100'000; // as many as there are
    const auto all = run(execution).standard_output;
    execution.processors = 0;
    CHECK(run(execution).standard_output == all);
}
