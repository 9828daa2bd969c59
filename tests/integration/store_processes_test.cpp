// SPDX-License-Identifier: GPL-3.0-or-later
// Several processes at one store, and processes that are killed.
#include "tests/integration/store_fixture.hpp"

#include "db/audit.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <thread>

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

void start_study(Store& store) {
    StudyRecord study = some_study();
    must(store.add_study(study));
    TrialRecord trial = some_trial();
    must(store.add_trial(trial));
}

} // namespace

TEST_CASE("a second writer is refused and told who writes, and takes over when that one ends") {
    Scratch scratch;
    Child holder([&](int from, int to) {
        const auto store = SqliteStore::open(scratch.file, Mode::write);
        tell(to, store ? 'y' : 'n');
        told(from);
        return 0;
    });
    char ready = 0;
    REQUIRE(holder.receive(ready));
    REQUIRE(ready == 'y');
    const auto second = SqliteStore::open(scratch.file, Mode::write);
    REQUIRE_FALSE(second);
    const Error& error = second.error();
    CHECK(error.kind == Error::Kind::refused);
    CHECK_THAT(error.found, ContainsSubstring("process " + std::to_string(holder.pid) + " "));
    CHECK_THAT(error.found, ContainsSubstring("store_test"));
    CHECK_THAT(error.found, ContainsSubstring("since 20"));
    CHECK_THAT(error.remedy, ContainsSubstring("read"));
    CHECK(SqliteStore::open(scratch.file, Mode::read));
    CHECK(SqliteStore::open(scratch.file, Mode::append));
    // neither a refused writer nor a reader nor whoever appends wipes out who writes
    const auto third = SqliteStore::open(scratch.file, Mode::write);
    REQUIRE_FALSE(third);
    CHECK(third.error().found == error.found);
    SECTION("in peace") {
        holder.send();
        CHECK(holder.wait() == 0);
    }
    SECTION("killed") {
        holder.kill_and_wait();
    }
    CHECK(SqliteStore::open(scratch.file, Mode::write));
}

TEST_CASE("readers see what is committed while a writer works, and a reader holds nobody up") {
    Scratch scratch;
    auto writer = scratch.open();
    start_study(*writer);
    auto reader = scratch.open(Mode::read);
    for (int round = 1; round <= 5; ++round) {
        SampleRecord sample = some_sample("trial-1", round);
        must(writer->add_sample(sample));
        CHECK(must(reader->samples("study-1", "trial-1")).size() == static_cast<std::size_t>(round));
    }
    CHECK(must(db::audit(scratch.file)).clean());
}

TEST_CASE("candidates are queued from outside while a writer holds the store, each with its own number") {
    Scratch scratch;
    auto writer = scratch.open();
    start_study(*writer);
    constexpr int each = 10;
    const auto append = [&](const std::string& name) {
        return [&scratch, name](int, int) {
            for (int i = 0; i < each; ++i) {
                auto store = SqliteStore::open(scratch.file, Mode::append);
                TrialRecord trial = some_trial(name + std::to_string(i), "");
                if (!store || !(*store)->add_trial(trial))
                    return 1;
            }
            return 0;
        };
    };
    Child first(append("a")), second(append("b"));
    for (int round = 1; round <= 50; ++round) {
        SampleRecord sample = some_sample("trial-1", round);
        must(writer->add_sample(sample));
    }
    CHECK(first.wait() == 0);
    CHECK(second.wait() == 0);
    const auto trials = must(writer->trials());
    REQUIRE(trials.size() == 1 + 2 * each);
    for (std::size_t i = 0; i < trials.size(); ++i)
        CHECK(trials[i].number == static_cast<std::int64_t>(i) + 1);
    CHECK(must(writer->samples("study-1", "trial-1")).size() == 50);
    CHECK(must(db::audit(scratch.file)).clean());
}

TEST_CASE("a store is made by several processes at once") {
    Scratch scratch;
    const auto append = [&](const std::string& name) {
        return [&scratch, name](int from, int) {
            told(from);
            auto store = SqliteStore::open(scratch.file, Mode::append);
            TrialRecord trial = some_trial(name, "");
            return store && (*store)->add_trial(trial) ? 0 : 1;
        };
    };
    Child first(append("a")), second(append("b")), third(append("c"));
    for (Child* child : {&first, &second, &third})
        child->send();
    for (Child* child : {&first, &second, &third})
        CHECK(child->wait() == 0);
    CHECK(must(scratch.open(Mode::read)->trials()).size() == 3);
    CHECK(must(db::audit(scratch.file)).clean());
}

TEST_CASE("a writer waits, and says so, for as long as another process keeps the file busy") {
    Scratch scratch;
    start_study(*scratch.open());
    Child blocker([&](int from, int to) {
        SQLite::Database database(scratch.file.string(), SQLite::OPEN_READWRITE, 10000);
        database.exec("BEGIN IMMEDIATE");
        tell(to, 'r');
        told(from);
        database.exec("COMMIT");
        return 0;
    });
    char ready = 0;
    REQUIRE(blocker.receive(ready));
    std::vector<std::string> words;
    SqliteStore::Options options;
    options.busy_timeout = std::chrono::milliseconds(50);
    options.waiting = [&](const std::string& sentence) {
        words.push_back(sentence);
        if (words.size() == 3)
            blocker.send();
    };
    auto store = must(SqliteStore::open(scratch.file, Mode::write, options));
    SampleRecord sample = some_sample();
    must(store->add_sample(sample));
    CHECK(words.size() >= 3);
    CHECK_THAT(words.front(), ContainsSubstring("busy for 0 s"));
    CHECK(blocker.wait() == 0);
    CHECK(must(store->samples("study-1", "trial-1")).size() == 1);
}

TEST_CASE("whoever appends gives up on a busy file in words") {
    Scratch scratch;
    start_study(*scratch.open());
    SqliteStore::Options options;
    options.busy_timeout = std::chrono::milliseconds(20);
    auto store = must(SqliteStore::open(scratch.file, Mode::append, options));
    SQLite::Database blocker(scratch.file.string(), SQLite::OPEN_READWRITE, 10000);
    blocker.exec("BEGIN IMMEDIATE");
    TrialRecord trial = some_trial("trial-2", "");
    const auto stored = store->add_trial(trial);
    REQUIRE_FALSE(stored);
    CHECK_THAT(stored.error().found, ContainsSubstring("busy"));
    blocker.exec("COMMIT");
    must(store->add_trial(trial));
}

TEST_CASE("a writer killed at any moment loses no sample that was acknowledged") {
    Scratch scratch;
    start_study(*scratch.open());
    std::mt19937_64 random(20260102);
    std::set<std::int64_t> acknowledged;
    for (int kill = 0; kill < 20; ++kill) {
        Child writer([&](int, int to) {
            auto store = SqliteStore::open(scratch.file, Mode::write);
            if (!store)
                return 1;
            for (std::int64_t round = 1;; ++round) {
                SampleRecord sample = some_sample("trial-1", round);
                sample.ending = std::string(static_cast<std::size_t>(round * 997 % 20000), 'x');
                if (!(*store)->add_sample(sample))
                    return 2;
                tell(to, sample.id);
            }
        });
        const auto last = std::uniform_int_distribution<int>(1, 40)(random);
        const std::chrono::microseconds further(std::uniform_int_distribution<int>(0, 2000)(random));
        std::int64_t id = 0;
        for (int i = 0; i < last; ++i) {
            REQUIRE(writer.receive(id));
            acknowledged.insert(id);
        }
        std::this_thread::sleep_for(further); // where in its next transaction the kill meets the writer
        writer.kill_and_wait();
        while (writer.receive(id)) // acknowledged before the kill, read after it
            acknowledged.insert(id);

        auto store = scratch.open();
        std::set<std::int64_t> stored;
        for (const SampleRecord& sample : must(store->samples("study-1", "trial-1")))
            stored.insert(sample.id);
        CHECK(std::includes(stored.begin(), stored.end(), acknowledged.begin(), acknowledged.end()));
        CHECK(stored.size() <= acknowledged.size() + static_cast<std::size_t>(kill) + 1);
        CHECK(must(db::audit(scratch.file)).clean());
    }
    CHECK(must(scratch.open()->mark_interrupted()) == 2);
}
