// SPDX-License-Identifier: GPL-3.0-or-later
// Which knobs and lines touch durability or security, and what a person is told.
#include "core/project/danger.hpp"
#include "core/project/danger_settings.hpp"
#include "core/project/knobs.hpp"
#include "core/review/rules.hpp"
#include "tests/catch.h"

#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using Danger = Knob::Danger;

namespace {

Knob knob(const std::string& name, const std::string& argument, Value value = std::string("on")) {
    Knob result;
    result.name = name;
    result.type = Knob::Type::categorical;
    result.values = {"on", "off", "no", "--fsync=off", "--fsync=on"};
    result.default_value = std::move(value);
    result.target = argument;
    return result;
}

/// "durability fsync = off (weak)", or "" when nothing is recognised.
std::string told(const std::optional<DangerousSetting>& setting) {
    return !setting ? ""
                    : std::string(to_text(setting->danger)) + ' ' + setting->name + " = " + setting->value +
                          (setting->weak ? " (weak)" : "");
}

std::string told(const std::string& path, const std::string& line) {
    const auto all = dangerous_settings(path, line);
    return all.empty() ? "" : told(all.front());
}

std::vector<std::string> names(const std::vector<review::Flag>& flags) {
    std::vector<std::string> all;
    for (const review::Flag& flag : flags)
        all.push_back(flag.name);
    return all;
}

std::string patch(const std::string& path, const std::string& lines) {
    return "--- a/" + path + "\n+++ b/" + path + "\n@@ -1,3 +1,3 @@\n" + lines;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("a knob is recognised by the setting it passes") {
    const Value off = std::string("off"), no = std::string("no");
    const SettingScope none;
    CHECK(told(dangerous_setting(knob("a", "--fsync={value}"), off, none)) == "durability fsync = off (weak)");
    CHECK(told(dangerous_setting(knob("a", "-cfull-page-writes={value}"), off, none)) ==
          "durability full_page_writes = off (weak)");
    CHECK(told(dangerous_setting(knob("a", "--appendfsync {value}"), no, none)) ==
          "durability appendfsync = no (weak)");
    CHECK(told(dangerous_setting(knob("a", "PRAGMA main.Synchronous={value};"), off, none)) ==
          "durability synchronous = off (weak)");
    CHECK(told(dangerous_setting(knob("a", "{value}"), std::string("--fsync=off"), none)) ==
          "durability fsync = off (weak)");
    CHECK(told(dangerous_setting(knob("protected_mode", "{value}"), no, none)) ==
          "security protected_mode = no (weak)");

    Knob variable = knob("a", "INNODB_FLUSH_LOG_AT_TRX_COMMIT");
    variable.through = Knob::Through::environment;
    CHECK(told(dangerous_setting(variable, std::int64_t{2}, none)) ==
          "durability innodb_flush_log_at_trx_commit = 2 (weak)");
    Knob file = knob("a", "conf/x.conf");
    file.through = Knob::Through::file;
    file.key = "mysqld.sync_binlog";
    CHECK(told(dangerous_setting(file, std::int64_t{100}, none)) == "durability sync_binlog = 100");
    file.key = "ssl";
    CHECK(told(dangerous_setting(file, Value(std::string("on")), none)).empty());
    CHECK(told(dangerous_setting(file, off, none)) == "security ssl = off (weak)");
    file.format = ConfigFormat::postgresql;
    CHECK(told(dangerous_setting(file, off, none)) == "security ssl = off (weak)");
}

TEST_CASE("a name that many programs have counts only where its server is") {
    const Value value = std::string("900 1");
    Project project;
    CHECK(told(dangerous_setting(knob("save", "--save {value}"), value, scope_of(project))).empty());
    Workload workload;
    workload.server = Server{{"/usr/bin/redis-server", "--port", "{port}"}, {}, {}, false};
    project.workloads.push_back(workload);
    CHECK(told(dangerous_setting(knob("save", "--save {value}"), value, scope_of(project))) ==
          "durability save = 900 1");
    CHECK(told(dangerous_setting(knob("synchronous", "--synchronous={value}"), value, {})).empty());
    CHECK(told(dangerous_setting(knob("work_mem", "--work_mem={value}kB"), value, {})).empty());
    CHECK(told(dangerous_setting(knob("io", "--io-method={value}"), Value(std::string("fsync")), {})).empty());
}

TEST_CASE("what the project declares decides") {
    Knob declared = knob("wait", "--wait={value}");
    declared.danger = Danger::security;
    CHECK(told(dangerous_setting(declared, Value(std::string("off")), {})) == "security wait = off");
    Knob harmless = knob("fsync", "--fsync={value}");
    harmless.danger = Danger::none;
    CHECK(told(dangerous_setting(harmless, Value(std::string("off")), {})).empty());
}

TEST_CASE("lines that set such a setting are found in configurations, scripts and statements") {
    struct Row {
        std::string path, line, found;
    };
    const std::vector<Row> rows = {
        {"conf/postgresql.conf", "fsync = off   # faster", "durability fsync = off (weak)"},
        {"conf/postgresql.conf", "Synchronous_Commit 'local'", "durability synchronous_commit = local (weak)"},
        {"conf/postgresql.conf", "#fsync = off", ""},
        {"conf/postgresql.conf", "work_mem = '4MB'  # no fsync", ""},
        {"pg_hba.conf", "host all all 0.0.0.0/0 trust", "security pg_hba.conf = host all all 0.0.0.0/0 trust"},
        {"redis.conf", "appendonly no", "durability appendonly = no (weak)"},
        {"redis.conf", "save \"\"", "durability save = \"\" (weak)"},
        {"redis.conf", "save 900 1", "durability save = 900 1"},
        {"train.yaml", "save: true", ""},
        {"docker-compose.yml", "command: [\"postgres\", \"-c\", \"fsync=off\"]", "durability fsync = off (weak)"},
        {"run.sh", "exec redis-server --appendonly no --port 1", "durability appendonly = no (weak)"},
        {"run.sh", "redis-cli config set appendfsync no", "durability appendfsync = no (weak)"},
        {"run.sh", "LD_PRELOAD=libeatmydata.so ./server", "durability libeatmydata_so = ./server"},
        {"run.sh", "eatmydata ./server", "durability eatmydata = ./server"},
        {"app.json", "  \"sync_binlog\": 0,", "durability sync_binlog = 0 (weak)"},
        {"src/db.cpp", "  sqlite3_exec(db, \"PRAGMA synchronous = OFF\", 0, 0, 0);",
         "durability synchronous = OFF (weak)"},
        {"src/db.cpp", "  exec(\"PRAGMA journal_mode(MEMORY)\");", "durability journal_mode = MEMORY (weak)"},
        {"src/db.cpp", "#define SQLITE_DEFAULT_SYNCHRONOUS 0", "durability sqlite_default_synchronous = 0 (weak)"},
        {"src/db.cpp", "  fsync(descriptor);", ""},
        {"src/db.cpp", "  bool synchronous = true;", ""},
        {"load.sql", "ALTER SYSTEM SET full_page_writes TO off;", "durability full_page_writes = off (weak)"},
        {"load.sql", "SET SESSION synchronous_commit = off;", "durability synchronous_commit = off (weak)"},
        {"load.sql", "SELECT fsync FROM t;", ""},
        {"start.sh", "exec postgres -D \"$1\" -F", "durability fsync = off (weak)"},
        {"start.sh", "pg_ctl -o '-F -p 1' start", "durability fsync = off (weak)"},
        {"start.py", "run([\"/usr/bin/postgres\", \"-F\"])", "durability fsync = off (weak)"},
        {"start.sh", "psql -U postgres -F ,", ""},
        {"start.sh", "awk -F : '{ print }'", ""},
        {"conf/app.conf", "save \"\"", "durability save = \"\" (weak)"},
        {"conf/app.conf", "save 900 1", ""},
        {"compose.yml", "command: [\"redis-server\", \"--save\", \"\"]", "durability save = \"\" (weak)"},
        {"run.sh", "redis-server --dir /dev/shm/r", "durability dir = /dev/shm/r (weak)"},
        {"run.sh", "redis-server --dir /var/lib/r", ""},
        {"app.py", "db = SqliteDatabase('a.db', pragmas={'synchronous': 0})", "durability synchronous = 0 (weak)"},
        {"app.py", "    'synchronous': 0,", "durability synchronous = 0 (weak)"},
        {"main.go", "sql.Open(\"sqlite3\", \"file:app.db?_synchronous=OFF\")", "durability synchronous = OFF (weak)"},
        {"main.go", "open(\"file:app.db?cache=shared&_sync=0&_fk=1\")", "durability synchronous = 0 (weak)"},
        {"db.rs", "c.pragma_update(None,\"synchronous\",\"OFF\")?;", "durability synchronous = OFF (weak)"},
        {"db.js", "db.pragma('synchronous = OFF');", "durability synchronous = OFF (weak)"},
        {"load.sql", "CREATE  UNLOGGED TABLE t (a int);", "durability unlogged table =  (weak)"},
        {"load.sql", "alter table t set unlogged;", "durability unlogged table =  (weak)"},
        {"load.sql", "-- CREATE UNLOGGED TABLE t", ""},
        {"producer.properties", "acks=0", "durability acks = 0 (weak)"},
        {"producer.properties", "acks=all", ""},
        {"send.py", "KafkaProducer(acks=0, retries=1)", "durability acks = 0 (weak)"},
        {"Send.java", "props.put(\"acks\", \"0\");", "durability acks = 0 (weak)"},
        {"mongod.conf", "storage.journal.enabled: false", "durability journal_enabled = false (weak)"},
        {"app.py", "MongoClient(uri, journal=False)", "durability journal = False (weak)"},
        {"src/a.cpp", "if (acks == 0 || fsync(fd) == 0) return journal;", ""},
        {"src/a.cpp", "const int retries = 0; // was: 1", ""},
        {"CMakeLists.txt", "add_definitions(-DSQLITE_NO_SYNC=1)", "durability sqlite_no_sync = 1 (weak)"},
    };
    for (const Row& row : rows) {
        INFO(row.path << ": " << row.line);
        CHECK(told(row.path, row.line) == row.found);
    }
}

TEST_CASE("a patch's flags name what it sets and what it removes, not what it moves") {
    const Project project;
    const auto of = [&](const std::string& text) { return names(review::danger_flags(project, "{}", text)); };
    CHECK(of(patch("a.conf", "-fsync = on\n+fsync = off\n port = 1\n")) == Names{"durability: fsync = off"});
    CHECK(of(patch("redis.conf", "-appendonly yes\n+#appendonly yes\n")) == Names{"durability: appendonly removed"});
    CHECK(of(patch("a.conf", "-fsync = on\n port = 1\n+fsync = on\n")).empty());
    CHECK(of(patch("a.conf", "-fsync = on\n+fsync = on # as ever\n")).empty());
    CHECK(of(patch("a.conf", " fsync = off\n-port = 1\n+port = 2\n")).empty());
    CHECK(of("no patch").empty());
    const auto flags = review::danger_flags(project, "{}", patch("redis.conf", "+requirepass a\x1b[2J\n+hz 10\n"));
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "security: requirepass = a\\x1b[2J");
    CHECK(flags[0].evidence.find('\x1b') == std::string::npos);
}

TEST_CASE("a knob whose value is options, or empty, is recognised by the expanded text") {
    const SettingScope none, postgresql{true, false, false, false};
    CHECK(told(dangerous_setting(knob("a", "--save {value}"), std::string(), none)) == "durability save = \"\" (weak)");
    CHECK(told(dangerous_setting(knob("a", "{value}"), std::string("--save \"\""), none)) ==
          "durability save = \"\" (weak)");
    CHECK(told(dangerous_setting(knob("a", "{value}"), std::string("-F"), postgresql)) ==
          "durability fsync = off (weak)");
    CHECK(told(dangerous_setting(knob("a", "{value}"), std::string("-F"), none)).empty());
    CHECK(told(dangerous_setting(knob("a", "{value}"), std::string(), postgresql)).empty());
    CHECK(dangerous_settings(knob("a", "{value}"), std::string("--work_mem=4 --fsync=off --appendonly no"), none)
              .size() == 2);

    Project project;
    project.knobs = {knob("extra", "{value}", std::string())};
    project.knobs[0].values = {"", "--fsync=off --appendonly no"};
    Configuration configuration = project.defaults();
    configuration["extra"] = std::string("--fsync=off --appendonly no");
    CHECK(names(review::danger_flags(project, to_json(configuration), "")) ==
          Names{"durability: fsync = off", "durability: appendonly = no"});
}

TEST_CASE("the rest of a file says whose setting a line is") {
    const Project project;
    const auto of = [&](const std::string& text) { return names(review::danger_flags(project, "{}", text)); };
    CHECK(of(patch("app.conf", " # for redis-server\n-save 900 1\n+save 9000 1\n")) ==
          Names{"durability: save = 9000 1"});
    CHECK(of(patch("app.conf", "-save 900 1\n+save 9000 1\n")).empty());
    CHECK(of(patch("bin/start", " #!/bin/sh\n-exec postgres -D x\n+exec postgres -D x \\\n+  -c fsync=off\n")) ==
          Names{"durability: fsync = off"});
    CHECK(of(patch("start.sh", " exec postgres -D x \\\n-  -B 16\n+  -B 16 -F\n")) == Names{"durability: fsync = off"});
    CHECK(of(patch("m.conf", " storage:\n   journal:\n-    enabled: true\n+    enabled: false\n")) ==
          Names{"durability: journal_enabled = false"});
    CHECK(of(patch("m.conf", " storage:\n   cache:\n-    enabled: true\n+    enabled: false\n")).empty());
}

TEST_CASE("a file that no longer calls what waits for the disk is flagged") {
    const Project project;
    const auto of = [&](const std::string& path, const std::string& lines) {
        return names(review::danger_flags(project, "{}", patch(path, lines)));
    };
    struct Row {
        std::string path, line, call;
    };
    const std::vector<Row> rows = {
        {"a.c", "    if (fsync(fd) != 0)", "fsync"},
        {"a.c", "    pg_fsync(fd);", "fsync"},
        {"a.c", "    r = fdatasync (fd);", "fdatasync"},
        {"a.c", "    sync_file_range(fd, 0, 0, 4);", "sync_file_range"},
        {"a.c", "    msync(p, n, MS_SYNC);", "msync"},
        {"a.c", "    FlushFileBuffers(handle);", "FlushFileBuffers"},
        {"a.c", "    fd = open(path, O_RDWR | O_SYNC);", "O_SYNC"},
        {"a.c", "    int flags = O_DSYNC;", "O_DSYNC"},
        {"a.c", "    fcntl(fd, F_FULLFSYNC);", "F_FULLFSYNC"},
        {"a.py", "    os.fsync(f.fileno())  # wait", "fsync"},
        {"a.py", "    os.fdatasync(fd)", "fdatasync"},
        {"a.go", "    if err := f.Sync(); err != nil {", "Sync()"},
        {"a.go", "    options := &Options{Sync: true}", "Sync: true"},
        {"a.cc", "    options.sync = true;", "sync: true"},
        {"a.rs", "    file.sync_all()?;", "sync_all"},
        {"a.rs", "    file.sync_data().await?;", "sync_data"},
        {"A.java", "    channel.force(true);", "force(true)"},
        {"a.js", "    fs.fsyncSync(fd);", "fsyncSync"},
    };
    for (const Row& row : rows) {
        INFO(row.line);
        const Names lost{"durability: " + row.call + " removed"};
        CHECK(of(row.path, "-" + row.line + "\n+\n") == lost);
        CHECK(of(row.path, "-" + row.line + "\n+" + (row.path == "a.py" ? "#" : "// ") + row.line + "\n") == lost);
        CHECK(of(row.path, "-" + row.line + "\n context\n+    " + row.line + "\n").empty());
        CHECK(of(row.path, "+" + row.line + "\n").empty());
        CHECK(of(row.path, "-" + row.line + "\n-" + row.line + "\n+" + row.line + "\n") == lost);
    }
    CHECK(of("a.go", "-o := Options{Sync: true}\n+o := Options{Sync: false}\n") ==
          Names{"durability: Sync: true removed"});
    CHECK(of("a.c", "-fsync(fd);\n+#define fsync(fd) 0\n") == Names{"durability: fsync removed"});
}

TEST_CASE("ordinary refactorings around such calls are not flagged") {
    const Project project;
    const auto of = [&](const std::string& path, const std::string& lines) {
        return names(review::danger_flags(project, "{}", patch(path, lines)));
    };
    CHECK(of("a.c", "-    fsync(fd);\n+    flush(fd);\n+}\n+void flush(int fd) {\n+    fsync(fd);\n").empty());
    CHECK(of("a.c", "-  if (fsync(fd))\n-    return;\n+  const int failed = fsync(descriptor);\n").empty());
    CHECK(of("a.c", "-    fsync(fd);\n+    fdatasync(fd);\n").empty());
    CHECK(of("a.c", "-    // fsync(fd) is slow\n").empty());
    CHECK(of("a.c", "-    async(fd); resync(); sync_data = 1; bool fsync_done;\n").empty());
    CHECK(of("a.go", "-    defer logger.Sync()\n").empty());
    CHECK(of("a.js", "-    read({ sync: false });\n+    read({ lazy: true });\n").empty());
}

TEST_CASE("a table is told the flags of this kind") {
    CHECK(review::danger_words({"over-stated", "more cpu"}).empty());
    CHECK(review::danger_words({"over-stated", "durability: fsync = off", "security: ssl = \x1b"}) ==
          "! durability: fsync = off; security: ssl = \\x1b");
}

TEST_CASE("a configuration's flags are the knobs that differ from their default") {
    Project project;
    project.knobs = {knob("sync", "--fsync={value}"), knob("threads", "--threads={value}"),
                     knob("full", "--full_page_writes={value}")};
    Configuration configuration = project.defaults();
    const auto of = [&] { return review::danger_flags(project, to_json(configuration), ""); };
    CHECK(of().empty());
    configuration["threads"] = std::string("off");
    CHECK(of().empty());
    configuration["sync"] = std::string("off");
    const auto flags = of();
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "durability: fsync = off");
    CHECK(flags[0].evidence ==
          "The knob sync: on → off. Weaker than usual: a crash of the machine can leave the database corrupt.");

    const auto when = Expression::compile("threads == \"on\"", {{"threads", ValueType::text}});
    REQUIRE(when);
    project.knobs[2].when = *when; // threads=off omits it: the server's own default holds then
    CHECK(names(of()) == Names{"durability: fsync = off", "durability: full_page_writes removed"});
}

TEST_CASE("the table has each name once, in the form in which names are looked up") {
    std::set<std::string_view> seen;
    for (const KnownSetting& known : known_settings()) {
        INFO(known.name);
        CHECK(seen.insert(known.name).second);
        CHECK(known.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos);
        CHECK_FALSE(known.cost.empty());
        CHECK((known.weak.empty() || (known.weak.front() == ' ' && known.weak.back() == ' ')));
        CHECK(known.danger != Danger::none);
    }
}
