// SPDX-License-Identifier: GPL-3.0-or-later
// What a store says about a file it cannot use, and that it leaves that file alone.
#include "db/schema.hpp"
#include "tests/integration/store_fixture.hpp"

#include "db/audit.hpp"

#include <fstream>
#include <iterator>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

Error error_of(const fs::path& file, Mode mode) {
    auto store = SqliteStore::open(file, mode);
    REQUIRE_FALSE(store);
    const Error& error = store.error();
    INFO(error.message());
    CHECK_FALSE(error.attempted.empty());
    CHECK_FALSE(error.found.empty());
    CHECK_FALSE(error.remedy.empty());
    return error;
}

void fill(const Scratch& scratch, int samples = 0) {
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    for (int i = 1; i <= samples; ++i) {
        SampleRecord sample = some_sample("trial-1", i);
        must(store->add_sample(sample));
    }
}

constexpr int not_permitted = 77;

/// In a child: mounts that only it sees, as root or in a user namespace of its own.
bool own_mounts() {
    if (unshare(CLONE_NEWNS) != 0) {
        const std::string user = "0 " + std::to_string(getuid()) + " 1", group = "0 " + std::to_string(getgid()) + " 1";
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return false;
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/uid_map") << user;
        std::ofstream("/proc/self/gid_map") << group;
    }
    return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

void skip() {
    WARN("skipped: this machine permits no private mounts");
}

void say(int to, const std::string& text) {
    for (const char c : text)
        tell(to, c);
}

std::string heard(const Child& child) {
    std::string text;
    char c = 0;
    while (child.receive(c))
        text += c;
    return text;
}

} // namespace

TEST_CASE("reading where no study has been run says how to run one, and makes nothing") {
    Scratch scratch;
    const Error error = error_of(scratch.file, Mode::read);
    CHECK(error.found == "no study has been run here yet");
    CHECK_THAT(error.remedy, ContainsSubstring("holdfast run"));
    CHECK_FALSE(fs::exists(scratch.file.parent_path()));
    CHECK_FALSE(db::audit(scratch.file));
}

TEST_CASE("an empty file of version 0 is brought to the current schema") {
    Scratch scratch;
    write_bytes(scratch.file, "");
    CHECK_THAT(error_of(scratch.file, Mode::read).found, ContainsSubstring("the file is empty (0 bytes)"));
    SECTION("by a writer") {
        fill(scratch);
    }
    SECTION("by whoever queues the first candidate") {
        TrialRecord trial = some_trial("trial-1", "");
        must(scratch.open(Mode::append)->add_trial(trial));
    }
    CHECK(must(scratch.open(Mode::read)->trials()).size() == 1);
    SQLite::Database database(scratch.file.string());
    CHECK(database.execAndGet("PRAGMA user_version").getInt() == db::schema_version);
    CHECK(database.execAndGet("PRAGMA journal_mode").getString() == "wal");
    CHECK(must(db::audit(scratch.file)).clean());
}

TEST_CASE("a store of a newer version is left untouched by every mode") {
    Scratch scratch;
    fill(scratch);
    scratch.execute("PRAGMA user_version = 7; PRAGMA wal_checkpoint(TRUNCATE);");
    const std::string before = bytes_of(scratch.file);
    for (Mode mode : {Mode::write, Mode::append, Mode::read}) {
        const Error error = error_of(scratch.file, mode);
        CHECK_THAT(error.found, ContainsSubstring("newer Holdfast (schema 7"));
        CHECK_THAT(error.remedy, ContainsSubstring("Update"));
    }
    CHECK((bytes_of(scratch.file) == before));
}

TEST_CASE("a database of another program is left untouched") {
    Scratch scratch;
    fs::create_directories(scratch.file.parent_path());
    const int version = GENERATE(0, 1);
    {
        SQLite::Database database(scratch.file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        database.exec("CREATE TABLE theirs (a); PRAGMA user_version = " + std::to_string(version));
    }
    const std::string before = bytes_of(scratch.file);
    for (Mode mode : {Mode::write, Mode::append, Mode::read})
        CHECK_THAT(error_of(scratch.file, mode).found, ContainsSubstring("another program"));
    CHECK((bytes_of(scratch.file) == before));
}

TEST_CASE("a file that is no database, or half of one, is named damaged and left untouched") {
    Scratch scratch;
    SECTION("noise") {
        write_bytes(scratch.file, std::string(8192, 'n'));
    }
    SECTION("cut in half") {
        fill(scratch, 300);
        const std::string whole = bytes_of(scratch.file);
        write_bytes(scratch.file, whole.substr(0, whole.size() / 2));
    }
    SECTION("cut within its first page") {
        fill(scratch);
        write_bytes(scratch.file, bytes_of(scratch.file).substr(0, 700));
    }
    const std::string before = bytes_of(scratch.file);
    for (Mode mode : {Mode::write, Mode::append, Mode::read}) {
        const Error error = error_of(scratch.file, mode);
        CHECK_THAT(error.found, ContainsSubstring("damaged"));
        CHECK_THAT(error.remedy, ContainsSubstring("backup"));
    }
    CHECK((bytes_of(scratch.file) == before));
}

TEST_CASE("a history with a page of noise inside is refused by whoever would write, and stays as it is") {
    Scratch scratch;
    fill(scratch, 200);
    std::string bytes = bytes_of(scratch.file), log;
    const auto page =
        static_cast<std::size_t>(SQLite::Database(scratch.file.string())
                                     .execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'gates'")
                                     .getInt());
    SECTION("without a log") {}
    SECTION("with a log that is not in the file yet") {
        auto writer = scratch.open();
        SampleRecord sample = some_sample("trial-1", 201);
        must(writer->add_sample(sample));
        bytes = bytes_of(scratch.file);
        log = bytes_of(scratch.file.string() + "-wal");
    }
    bytes.replace((page - 1) * 4096, 4096, std::string(4096, '\xa5'));
    write_bytes(scratch.file, bytes);
    if (!log.empty())
        write_bytes(scratch.file.string() + "-wal", log);
    for (Mode mode : {Mode::write, Mode::append, Mode::write}) {
        const Error error = error_of(scratch.file, mode);
        CHECK(error.kind == Error::Kind::failed);
        CHECK_THAT(error.attempted, ContainsSubstring("open the history"));
        CHECK_THAT(error.found, ContainsSubstring("it is damaged: "));
        CHECK(error.found.find("***") == std::string::npos);
        CHECK_THAT(error.remedy, ContainsSubstring("holdfast audit"));
        CHECK((bytes_of(scratch.file) == bytes));
        CHECK((log.empty() || bytes_of(scratch.file.string() + "-wal") == log));
    }
}

TEST_CASE("a folder, a link or a pipe in the store's place is refused in words") {
    Scratch scratch;
    fs::create_directories(scratch.file.parent_path());
    std::string expected;
    SECTION("folder") {
        fs::create_directory(scratch.file);
        expected = "folder";
    }
    SECTION("link to a store") {
        Scratch other;
        fill(other);
        fs::copy_file(other.file, scratch.folder / "elsewhere");
        fs::create_symlink(scratch.folder / "elsewhere", scratch.file);
        expected = "symbolic link";
    }
    SECTION("dangling link") {
        fs::create_symlink(scratch.folder / "nowhere", scratch.file);
        expected = "symbolic link";
    }
    SECTION("pipe") {
        REQUIRE(mkfifo(scratch.file.c_str(), 0600) == 0);
        expected = "neither a file";
    }
    for (Mode mode : {Mode::write, Mode::append, Mode::read})
        CHECK_THAT(error_of(scratch.file, mode).found, ContainsSubstring(expected));
    CHECK_FALSE(fs::exists(scratch.folder / "nowhere"));
}

TEST_CASE("a link in the folders above the store is followed") {
    Scratch scratch;
    fs::create_directory(scratch.folder / "real");
    fs::create_directory_symlink(scratch.folder / "real", scratch.folder / "alias");
    const fs::path file = scratch.folder / "alias" / "history.sqlite";
    CHECK(SqliteStore::open(file, Mode::write));
    CHECK(SqliteStore::open(file, Mode::read));
}

TEST_CASE("a link in the lock file's place is not followed") {
    Scratch scratch;
    fs::create_directories(scratch.file.parent_path());
    fs::create_symlink(scratch.folder / "victim", scratch.file.parent_path() / "history.lock");
    CHECK_THAT(error_of(scratch.file, Mode::write).remedy, ContainsSubstring("symbolic link"));
    CHECK_FALSE(fs::exists(scratch.folder / "victim"));
}

TEST_CASE("a full disk stops a sample, keeps what was stored, and storing goes on once there is room") {
    Scratch scratch;
    fs::create_directories(scratch.file.parent_path());
    Child child([&](int, int to) {
        if (!own_mounts() || mount("tmpfs", scratch.file.parent_path().c_str(), "tmpfs", 0, "size=1m") != 0)
            return not_permitted;
        auto store = SqliteStore::open(scratch.file, Mode::write);
        StudyRecord study = some_study();
        if (!store || !(*store)->add_study(study))
            return 1;
        SampleRecord sample = some_sample("");
        if (!(*store)->add_sample(sample))
            return 2;
        const fs::path filler = scratch.file.parent_path() / "filler";
        std::ofstream filling(filler, std::ios::binary);
        while (filling << std::string(4096, 'f') << std::flush)
            ;
        filling.close();
        SampleRecord large = some_sample("", 2);
        large.ending = std::string(100'000, 'x');
        const auto refused = (*store)->add_sample(large);
        if (refused || large.id != 0)
            return 3;
        say(to, refused.error().found);
        auto stored = (*store)->samples("study-1", "");
        if (!stored || stored->size() != 1)
            return 4;
        fs::remove(filler);
        if (!(*store)->add_sample(large))
            return 5;
        stored = (*store)->samples("study-1", "");
        if (!stored || stored->size() != 2)
            return 6;
        store->reset();
        const auto report = db::audit(scratch.file);
        return report && report->clean() ? 0 : 7;
    });
    const std::string found = heard(child);
    const int status = child.wait();
    if (status == not_permitted)
        return skip();
    CHECK(status == 0);
    CHECK_THAT(found, ContainsSubstring("disk is full"));
}

TEST_CASE("a store on a read-only medium can be read and audited, and writing says why it cannot") {
    Scratch scratch;
    fill(scratch, 3);
    Child child([&](int, int to) {
        const std::string path = scratch.file.parent_path().string();
        const char* folder = path.c_str();
        if (!own_mounts() || mount(folder, folder, nullptr, MS_BIND, nullptr) != 0 ||
            mount(nullptr, folder, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0)
            return not_permitted;
        const auto writer = SqliteStore::open(scratch.file, Mode::write);
        const auto appender = SqliteStore::open(scratch.file, Mode::append);
        if (writer || appender)
            return 1;
        say(to, writer.error().found + " / " + appender.error().found);
        auto reader = SqliteStore::open(scratch.file, Mode::read);
        if (!reader)
            return 2;
        const auto samples = (*reader)->samples("study-1", "trial-1");
        if (!samples || samples->size() != 3)
            return 3;
        SampleRecord sample = some_sample();
        if ((*reader)->add_sample(sample))
            return 4;
        const auto report = db::audit(scratch.file);
        return report && report->clean() ? 0 : 5;
    });
    const std::string found = heard(child);
    const int status = child.wait();
    if (status == not_permitted)
        return skip();
    CHECK(status == 0);
    CHECK_THAT(found, ContainsSubstring("Read-only"));
    CHECK_THAT(found, ContainsSubstring("read-only ("));
}

TEST_CASE("a store copied to a read-only medium in the middle of writing is not read without its log") {
    Scratch live, scratch;
    fill(live);
    auto writer = live.open();
    SampleRecord sample = some_sample();
    must(writer->add_sample(sample)); // is in the log only
    fs::create_directories(scratch.file.parent_path());
    for (const char* suffix : {"", "-wal"})
        fs::copy_file(live.file.string() + suffix, scratch.file.string() + suffix);
    Child child([&](int, int to) {
        const std::string path = scratch.file.parent_path().string();
        if (!own_mounts() || mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
            mount(nullptr, path.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0)
            return not_permitted;
        auto reader = SqliteStore::open(scratch.file, Mode::read);
        if (!reader) {
            say(to, reader.error().message());
            return 0;
        }
        const auto samples = (*reader)->samples("study-1", "trial-1");
        say(to, samples && samples->size() == 1 ? "complete" : "incomplete");
        return 0;
    });
    const std::string found = heard(child);
    if (child.wait() == not_permitted)
        return skip();
    CHECK_THAT(found, ContainsSubstring("write-ahead log"));
    CHECK_THAT(found, ContainsSubstring("copy them all"));
    CHECK(must(scratch.open(Mode::read)->samples("study-1", "trial-1")).size() == 1);
}

TEST_CASE("a store opened for reading or appending refuses what it must not do") {
    Scratch scratch;
    fill(scratch);
    const Mode mode = GENERATE(Mode::read, Mode::append);
    auto store = scratch.open(mode);
    StudyRecord study = some_study("study-2");
    TrialRecord running = some_trial("trial-2"), queued = some_trial("trial-3", "");
    SampleRecord sample = some_sample();
    QuestionRecord question{0, "study-1", "trial-1", 40, "now", "", ""};
    const auto refuses = [](const Result<void>& result) {
        REQUIRE_FALSE(result);
        CHECK(result.error().kind == Error::Kind::refused);
    };
    refuses(store->add_study(study));
    refuses(store->update_study(study));
    refuses(store->add_trial(running));
    refuses(store->update_trial(queued));
    refuses(store->add_gate(some_gate()));
    refuses(store->add_sample(sample));
    refuses(store->add_verdict(some_verdict()));
    refuses(store->ask_question(question));
    refuses(store->answer_question(question));
    CHECK_FALSE(store->mark_interrupted());
    if (mode == Mode::append)
        must(store->add_trial(queued));
    else
        refuses(store->add_trial(queued));
}
