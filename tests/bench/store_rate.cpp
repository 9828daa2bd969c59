// SPDX-License-Identifier: GPL-3.0-or-later
// Samples stored per second, each in a durable transaction of its own, by the store and by plain SQLite calls that
// insert an equal row under the same pragmas. The two take turns in batches, so that a disk that slows down meets both.
//
//     store_rate [COUNT] [FOLDER]
#include "db/sqlite_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <sqlite3.h>
#include <string>
#include <vector>

using namespace holdfast;
using Clock = std::chrono::steady_clock;

namespace {

[[noreturn]] void stop(const std::string& reason) {
    fmt::print(stderr, "store_rate: {}\n", reason);
    std::exit(1);
}

study::SampleRecord sample_of(std::int64_t round) {
    study::SampleRecord sample;
    sample.study = "study-1";
    sample.phase = "opening";
    sample.session = 1;
    sample.round = round;
    sample.workload = "skewed";
    sample.arm = "baseline";
    sample.executable_hash = std::string(64, 'e');
    sample.ending = "ok";
    sample.output_hash = std::string(64, 'f');
    sample.metrics_json = R"({"cpu":0.25,"peak-memory":12345678,"wall":0.5})";
    sample.usage.wall = std::chrono::nanoseconds(500000000 + round);
    sample.usage.peak_memory_bytes = 12345678;
    sample.usage.memory_source = "cgroup";
    sample.started = "2026-01-02T03:04:07.000Z";
    return sample;
}

/// The same columns and indices with the same values: a copy of the store's file, a row copied under one statement.
class Plain {
public:
    explicit Plain(const std::filesystem::path& file) {
        check(sqlite3_open_v2(file.c_str(), &database_, SQLITE_OPEN_READWRITE, nullptr));
        run("PRAGMA foreign_keys = ON");
        run("PRAGMA synchronous = FULL");
        run("CREATE TEMP TABLE template AS SELECT * FROM samples LIMIT 1");
        run("UPDATE template SET id = NULL");
        check(sqlite3_prepare_v2(database_, "INSERT INTO samples SELECT * FROM template", -1, &insert_, nullptr));
    }
    ~Plain() {
        sqlite3_finalize(insert_);
        sqlite3_close(database_);
    }
    Plain(const Plain&) = delete;
    Plain& operator=(const Plain&) = delete;

    void add() {
        run("BEGIN IMMEDIATE");
        if (sqlite3_step(insert_) != SQLITE_DONE)
            stop(sqlite3_errmsg(database_));
        sqlite3_reset(insert_);
        run("COMMIT");
    }

private:
    void run(const char* statement) { check(sqlite3_exec(database_, statement, nullptr, nullptr, nullptr)); }
    void check(int code) {
        if (code != SQLITE_OK)
            stop(sqlite3_errmsg(database_));
    }

    sqlite3* database_ = nullptr;
    sqlite3_stmt* insert_ = nullptr;
};

template <class Work> double seconds(int count, const Work& work) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i)
        work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2000;
    const std::filesystem::path parent = argc > 2 ? argv[2] : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "holdfast-rate-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
        stop("cannot make a folder in " + parent.string());
    const std::filesystem::path folder = pattern;
    {
        const auto fill = [&](const std::filesystem::path& file) {
            auto store = db::SqliteStore::open(file, db::SqliteStore::Mode::write);
            if (!store)
                stop(store.error().message());
            study::StudyRecord study;
            study.id = "study-1";
            study.project = "rate";
            study.started = "2026-01-02T03:04:05.678Z";
            study::SampleRecord first = sample_of(0);
            if (!(*store)->add_study(study) || !(*store)->add_sample(first))
                stop("cannot fill the store");
            return std::move(*store);
        };
        fill(folder / "plain.sqlite").reset();
        auto store = fill(folder / "history.sqlite");
        Plain plain(folder / "plain.sqlite");

        const int batch = std::min(count, 50);
        std::int64_t round = 0;
        std::vector<double> ours, theirs, ratios;
        for (int done = 0; done < count; done += batch) {
            const auto by_store = [&] {
                study::SampleRecord sample = sample_of(++round);
                if (auto added = store->add_sample(sample); !added)
                    stop(added.error().message());
            };
            const auto by_sqlite = [&] { plain.add(); };
            const bool store_first = (done / batch) % 2 == 0;
            double a = 0, b = 0;
            if (store_first)
                a = seconds(batch, by_store);
            b = seconds(batch, by_sqlite);
            if (!store_first)
                a = seconds(batch, by_store);
            ours.push_back(batch / a);
            theirs.push_back(batch / b);
            ratios.push_back(a / b);
        }
        fmt::print("{} samples in batches of {}, each one durable transaction, in {}\n", round, batch, parent.string());
        fmt::print("store         {:9.0f} samples/s (median batch)\n", median(ours));
        fmt::print("plain SQLite  {:9.0f} rows/s    (median batch)\n", median(theirs));
        fmt::print("time of the store over plain SQLite: {:.2f} (median of {} pairs)\n", median(ratios), ratios.size());
        store.reset();
        const double opening = seconds(1, [&] {
            if (auto again = db::SqliteStore::open(folder / "history.sqlite", db::SqliteStore::Mode::write); !again)
                stop(again.error().message());
        });
        fmt::print("opened again for writing, all of it read and checked: {:.3f} s\n", opening);
    }
    std::filesystem::remove_all(folder);
}
