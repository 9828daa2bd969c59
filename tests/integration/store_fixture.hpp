// SPDX-License-Identifier: GPL-3.0-or-later
// A store in a scratch folder, records to put into it, and child processes that are told what to do over pipes.
#pragma once

#include "core/project/hash.hpp"
#include "db/sqlite_store.hpp"
#include "tests/catch.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::test {

namespace fs = std::filesystem;
using db::SqliteStore;
using Mode = SqliteStore::Mode;

class Scratch {
public:
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "holdfast-store-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("no scratch folder");
        folder = pattern;
        file = folder / ".holdfast" / "history.sqlite";
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::unique_ptr<study::Store> open(Mode mode = Mode::write) const {
        auto store = SqliteStore::open(file, mode);
        INFO((store ? "" : store.error().message()));
        REQUIRE(store);
        return std::move(*store);
    }
    /// As an SQL user would.
    void execute(const std::string& statements) const {
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 10000);
        database.exec(statements);
    }

    fs::path folder, file;
};

template <class T> T must(Result<T> result) {
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    return std::move(*result);
}
inline void must(const Result<void>& result) {
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
}

inline study::StudyRecord some_study(const std::string& id = "study-1") {
    study::StudyRecord study;
    study.id = id;
    study.project = "zorder";
    study.baseline_commit = std::string(40, 'a');
    study.baseline_tree = std::string(40, 'b');
    study.seed = 0xfedcba9876543210U;
    study.frozen_json = R"({"name":"zorder"})";
    study.options_json = R"({"trials":20})";
    study.machine_json = R"({"cores":2})";
    study.isolation_level = 3;
    study.started = "2026-01-02T03:04:05.678Z";
    return study;
}

inline study::TrialRecord some_trial(const std::string& id = "trial-1", const std::string& study = "study-1") {
    study::TrialRecord trial;
    trial.id = id;
    trial.study = study;
    trial.kind = "both";
    trial.tuner = "random";
    trial.state = study.empty() ? study::State::queued : study::State::running;
    trial.configuration_json = R"({"block_rows":512})";
    trial.patch = "--- a/x\n+++ b/x\n";
    trial.created = "2026-01-02T03:04:06.000Z";
    return trial;
}

inline study::SampleRecord some_sample(const std::string& trial = "trial-1", std::int64_t round = 1) {
    study::SampleRecord sample;
    sample.study = "study-1";
    sample.trial = trial;
    sample.phase = trial.empty() ? "opening" : "confirm";
    sample.session = 2;
    sample.round = round;
    sample.attempt = 1;
    sample.workload = "skewed";
    sample.arm = "candidate";
    sample.slot = 1;
    sample.coin = true;
    sample.executable_hash = std::string(64, 'e');
    sample.ending = "ok";
    sample.output_hash = std::string(64, 'f');
    sample.metrics_json = R"({"cpu":0.25,"wall":0.5})";
    sample.usage.wall = std::chrono::nanoseconds(1234567890123);
    sample.usage.user = std::chrono::nanoseconds(7);
    sample.usage.system = std::chrono::nanoseconds(8);
    sample.usage.minor_faults = 0xffffffffffffffffU;
    sample.usage.major_faults = 1;
    sample.usage.voluntary_switches = 2;
    sample.usage.involuntary_switches = 3;
    sample.usage.peak_memory_bytes = 4ULL << 40;
    sample.usage.memory_source = "cgroup";
    sample.usage.queue_wait = std::chrono::nanoseconds(9);
    sample.before = {1, 2, 3, 4, 5, 6, 7, 3400.125, 51.5, 0, {}};
    sample.after = {11, 12, 13, 14, 15, 16, 0x8000000000000000U, 0.1, -2.25, 0, {}};
    sample.started = "2026-01-02T03:04:07.000Z";
    return sample;
}

inline study::VerdictRecord some_verdict(const std::string& trial = "trial-1") {
    study::VerdictRecord verdict;
    verdict.trial = trial;
    verdict.verdict = "generalises";
    verdict.qualifier = "weakly";
    verdict.proposal = true;
    verdict.reasons_json = R"(["faster on all"])";
    verdict.flags_json = "[]";
    verdict.effects_json = R"({"holdout":null,"tuning":{"estimate":-0.03}})";
    verdict.evidence_json = R"({"samples":[1,2,3],"trial":")" + trial + R"("})";
    verdict.evidence_digest = sha256(verdict.evidence_json);
    verdict.time = "2026-01-02T03:05:00.000Z";
    return verdict;
}

inline study::GateRecord some_gate(const std::string& trial = "trial-1", const std::string& gate = "build") {
    study::GateRecord row;
    row.trial = trial;
    row.gate = gate;
    row.result = "pass";
    row.reason = "built";
    row.log = "cc -O2";
    row.detail_json = R"({"hash":"x"})";
    row.started = "2026-01-02T03:04:06.500Z";
    row.seconds = 1.5;
    return row;
}

inline study::ReviewRecord some_review(const std::string& trial = "trial-1") {
    study::ReviewRecord review;
    review.trial = trial;
    review.decision = "approved";
    review.reviewer_name = "Ada Example";
    review.reviewer_email = "ada@example.org";
    review.statement_json = R"({"decision":"approved"})";
    review.time = "2026-01-02T03:07:00.000Z";
    return review;
}

inline study::ApplicationRecord some_application(std::int64_t review, const std::string& trial = "trial-1") {
    study::ApplicationRecord application;
    application.trial = trial;
    application.action = "applied";
    application.review = review;
    application.commit = std::string(40, 'c');
    application.parent = std::string(40, 'a');
    application.branch = "holdfast/1/1";
    application.evidence = some_verdict(trial).evidence_digest;
    application.who = "Ada Example <ada@example.org>";
    application.time = "2026-01-02T03:08:00.000Z";
    return application;
}

inline study::ResultsFileRecord some_results_file() {
    study::ResultsFileRecord file;
    file.digest = std::string(64, 'e');
    file.format = "hyperfine";
    file.name = "run.json";
    file.benchmarks_json = R"({"benchmarks":[]})";
    file.machine_json = R"({"cpu":"other","cores":4})";
    file.time = "2026-01-02T03:09:00.000Z";
    return file;
}

inline study::ImportRecord some_import() {
    study::ImportRecord import;
    import.digest = std::string(64, 'd');
    import.whole_digest = import.digest;
    import.baseline_commit = std::string(40, 'a');
    import.result_tree = std::string(40, 'b');
    import.configuration_json = R"({"size":9})";
    import.machine_json = R"({"cpu":"other","cores":4})";
    import.isolation_level = 4;
    import.verdict = "generalises";
    import.effects_json = "{}";
    import.document = "{\n}";
    import.time = "2026-01-02T03:09:00.000Z";
    return import;
}

/// A forked process and two pipes. `work` gets the child's ends (read, write); its return value is the exit status.
class Child {
public:
    template <class Work> explicit Child(const Work& work) {
        std::array<int, 2> down{}, up{};
        if (pipe(down.data()) != 0 || pipe(up.data()) != 0)
            throw std::runtime_error("no pipe");
        pid = fork();
        if (pid < 0)
            throw std::runtime_error("no process");
        if (pid == 0) {
            ::close(down[1]);
            ::close(up[0]);
            int status = 99;
            try {
                status = work(down[0], up[1]);
            } catch (...) {
                status = 98;
            }
            _exit(status); // the parent's test framework must not run its ends twice
        }
        ::close(down[0]);
        ::close(up[1]);
        to = down[1];
        from = up[0];
    }
    ~Child() {
        kill_and_wait();
        ::close(to);
        ::close(from);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// The next byte the child sent; false at its end or after 60 s of silence.
    template <class T> bool receive(T& value) const {
        auto* at = reinterpret_cast<char*>(&value);
        std::size_t missing = sizeof value;
        while (missing > 0) {
            pollfd waiting{from, POLLIN, 0};
            if (poll(&waiting, 1, 60000) <= 0)
                return false;
            const ssize_t size = ::read(from, at, missing);
            if (size <= 0)
                return false;
            at += size;
            missing -= static_cast<std::size_t>(size);
        }
        return true;
    }
    void send() const { REQUIRE(::write(to, "x", 1) == 1); }
    int wait() {
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        pid = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    void kill_and_wait() {
        if (pid <= 0) // a negative number would name every process there is
            return;
        ::kill(pid, SIGKILL);
        wait();
    }

    pid_t pid = -1;
    int to = -1, from = -1;
};

/// In the child: waits for the parent's word; false when the parent is gone.
inline bool told(int from) {
    char byte = 0;
    return ::read(from, &byte, 1) == 1;
}
template <class T> void tell(int to, const T& value) {
    if (::write(to, &value, sizeof value) != ssize_t(sizeof value))
        _exit(97);
}

} // namespace holdfast::test
