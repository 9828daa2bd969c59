// SPDX-License-Identifier: GPL-3.0-or-later
// What is exported, read back by the programs it is for.
#include "app/common/ssh_signatures.hpp"
#include "core/review/exports.hpp"
#include "tests/catch.h"
#include "tests/command.hpp"
#include "tests/integration/decided_trial.hpp"
#include "tests/integration/store_fixture.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::review;
using namespace holdfast::test;
using nlohmann::json;

namespace {

const char* const knobs = R"([
    { "name": "work_mem", "type": "integer", "min": 64, "max": 1048576, "default": 4096, "through": { "file": "conf/pg.conf", "format": "postgresql", "key": "work_mem" } },
    { "name": "app_name", "type": "categorical", "values": ["plain", "it's a \\ 'name'"], "default": "plain", "through": { "file": "conf/pg.conf", "format": "postgresql", "key": "application_name" } },
    { "name": "evict", "type": "categorical", "values": ["noeviction", "allkeys-lru"], "default": "noeviction", "through": { "file": "conf/redis.conf", "format": "redis", "key": "maxmemory-policy" } },
    { "name": "rehash", "type": "boolean", "default": true, "through": { "file": "conf/redis.conf", "format": "redis", "key": "activerehashing" } },
    { "name": "greeting", "type": "categorical", "values": ["none", "two \"quoted\" words"], "default": "none", "through": { "file": "conf/redis.conf", "format": "redis", "key": "proc-title-template" } },
    { "name": "cache_size", "type": "integer", "min": 1, "max": 512, "default": 16, "through": { "file": "conf/app.ini", "format": "ini", "key": "cache.size" } },
    { "name": "swappiness", "type": "integer", "min": 0, "max": 100, "default": 60, "through": { "file": "conf/sysctl.conf", "format": "conf", "key": "vm.swappiness" } },
    { "name": "label", "type": "categorical", "values": ["plain", "costs $ENV{HOME} \"5\" \\"], "default": "plain", "through": { "cmake": "LABEL" } },
    { "name": "mode", "type": "categorical", "values": ["plain", "it's $HOME; `id` \"now\""], "default": "plain", "through": { "environment": "MODE_LINE" } }
  ])";

const json values = {{"work_mem", 65536}, {"app_name", "it's a \\ 'name'"},       {"evict", "allkeys-lru"},
                     {"rehash", false},   {"greeting", "two \"quoted\" words"},   {"cache_size", 128},
                     {"swappiness", 10},  {"label", "costs $ENV{HOME} \"5\" \\"}, {"mode", "it's $HOME; `id` \"now\""}};

DecidedOptions all_kinds() {
    DecidedOptions options;
    options.knobs = knobs;
    options.configuration = values.dump();
    options.build = R"([["cmake", "-S", "{source}", "-B", "{build}"]])";
    options.files = {
        {"conf/pg.conf", "work_mem = 4096\napplication_name = plain\n"},
        {"conf/redis.conf", "maxmemory-policy noeviction\nactiverehashing yes\nproc-title-template none\n"},
        {"conf/app.ini", "[cache]\nsize = 16\n"},
        {"conf/sysctl.conf", "vm.swappiness = 60\n"}};
    return options;
}

Result<std::string> exported(const DecidedTrial& decided, const std::string& format) {
    app::SshSignatures signatures;
    const Dossier dossier = decided.dossier();
    INFO(dossier.change_error << dossier.evidence_fault);
    return export_as(*must(find_format(format)), dossier, make_sheet(dossier), decided.git(), signatures);
}

void approve(DecidedTrial& decided) {
    app::SshSignatures signatures;
    const Dossier dossier = decided.dossier();
    INFO(dossier.change_error << dossier.evidence_fault);
    must(review::approve(decided.store(), dossier, DecidedTrial::approval(dossier), signatures));
}

/// An approved trial whose export in `format` is a file.
struct Exported {
    explicit Exported(const std::string& format, const char* name) : decided(all_kinds()), file(folder.path() / name) {
        approve(decided);
        write_text(file, must(exported(decided, format)));
    }
    DecidedTrial decided;
    ScratchFolder folder;
    std::filesystem::path file;
};

Finished succeeds(const std::vector<std::string>& command, const std::filesystem::path& folder) {
    Finished done = run_program(command, folder);
    INFO(command.front() << ": " << done.output << done.errors);
    REQUIRE(done.status == 0);
    return done;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// RFC 4180, strictly.
std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
    std::vector<std::vector<std::string>> rows{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
            rows.back().back() += text[++i];
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && text[i] == ',')
            rows.back().emplace_back();
        else if (!quoted && text.compare(i, 2, "\r\n") == 0) {
            rows.push_back({""});
            ++i;
        } else
            rows.back().back() += text[i];
    }
    rows.pop_back();
    return rows;
}

/// PostgreSQL refuses to run as root.
std::vector<std::string> as_postgres(std::vector<std::string> command) {
    if (::geteuid() == 0)
        command.insert(command.begin(), {"runuser", "-u", "postgres", "--"});
    return command;
}

std::string postgres_program(const std::string& name) {
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql"))
        if (const auto program = version.path() / "bin" / name; std::filesystem::exists(program))
            return program;
    return name;
}

} // namespace

TEST_CASE("what carries the change leaves only with an approval that holds") {
    DecidedTrial decided(all_kinds());
    for (const Format& format : formats()) {
        INFO(format.name);
        const auto text = exported(decided, std::string(format.name));
        CHECK(text.has_value() != format.carries_change);
        if (!text)
            CHECK(text.error().kind == Error::Kind::refused);
    }
    approve(decided);
    for (const Format& format : formats()) {
        INFO(format.name);
        const auto text = exported(decided, std::string(format.name));
        INFO((text ? "" : text.error().message()));
        CHECK(text);
    }
    decided.sql("UPDATE samples SET metrics_json = '{\"wall\":2}' WHERE rowid = 1");
    const auto text = exported(decided, "env");
    REQUIRE_FALSE(text);
    CHECK(text.error().kind == Error::Kind::refused);
}

TEST_CASE("git am turns the patch into the approved tree") {
    const Exported patch("patch", "change.patch");
    const auto clone = patch.folder.path() / "clone";
    succeeds({"git", "clone", "-q", patch.decided.folder().string(), clone.string()}, patch.folder.path());
    succeeds({"git", "-c", "user.name=C", "-c", "user.email=c@example.org", "am", "-q", patch.file.string()}, clone);
    const Dossier dossier = patch.decided.dossier();
    CHECK(first_line(succeeds({"git", "rev-parse", "HEAD^{tree}"}, clone).output) == dossier.change->tree);
    const std::string message = succeeds({"git", "log", "-1", "--format=%an <%ae>%n%B"}, clone).output;
    CHECK_THAT(message, ContainsSubstring("Ada Reviewer <ada@example.org>\n"));
    CHECK_THAT(message, ContainsSubstring("Apply the patch of trial 1, work_mem to 65536"));
    CHECK_THAT(message, ContainsSubstring("Looks right to me."));
    CHECK(message.find("Holdfast-Chain") == std::string::npos);
    CHECK_THAT(message, ContainsSubstring("Holdfast-Evidence: " + dossier.verdict.evidence_digest));
}

TEST_CASE("cmake configures with the preset") {
    const Exported preset("cmake-presets", "CMakePresets.json");
    write_text(preset.folder.path() / "CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES NONE)\n"
               "file(WRITE ${CMAKE_BINARY_DIR}/label \"${LABEL}\")\n"
               "file(WRITE ${CMAKE_BINARY_DIR}/mode \"$ENV{MODE_LINE}\")\n");
    CHECK_THAT(succeeds({"cmake", "--list-presets"}, preset.folder.path()).output, ContainsSubstring("\"holdfast-1\""));
    succeeds({"cmake", "--preset", "holdfast-1", "-B", "out"}, preset.folder.path());
    CHECK(read_text(preset.folder.path() / "out/label") == values.at("label"));
    CHECK(read_text(preset.folder.path() / "out/mode") == values.at("mode"));
}

TEST_CASE("a shell reads the environment file") {
    const Exported env("env", "knobs.env");
    for (const auto& [name, value] : values.items()) {
        INFO(name);
        const std::string variable = name == "mode" ? "MODE_LINE" : name;
        const auto read =
            succeeds({"sh", "-c", "set -a; . ./knobs.env; set +a; printenv " + variable}, env.folder.path());
        CHECK(read.output == (value.is_string() ? value.get<std::string>() : value.dump()) + "\n");
    }
}

TEST_CASE("redis-server starts with the directives and has them") {
    const Exported redis("redis", "redis.conf");
    const auto& folder = redis.folder.path();
    const std::string socket = (folder / "s").string();
    Command server({"redis-server", redis.file.string(), "--port", "0", "--unixsocket", socket, "--save", "", "--dir",
                    folder.string()},
                   folder);
    const auto get = [&](const std::string& directive) {
        const auto answer = run_program({"redis-cli", "-s", socket, "CONFIG", "GET", directive}, folder).output;
        const std::size_t line = answer.find('\n');
        return line == std::string::npos ? "" : first_line(answer.substr(line + 1));
    };
    while (get("port").empty()) // it answers, or ends
        REQUIRE_FALSE(server.wait_for(std::chrono::milliseconds(20)));
    CHECK(get("maxmemory-policy") == "allkeys-lru");
    CHECK(get("activerehashing") == "no");
    CHECK(get("proc-title-template") == values.at("greeting"));
    server.signal(SIGTERM);
    server.wait();
}

TEST_CASE("postgres reads the settings from its conf.d") {
    const Exported settings("postgresql", "holdfast.conf");
    const auto& folder = settings.folder.path();
    const auto data = folder / "data";
    std::filesystem::create_directory(data);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    if (::geteuid() == 0)
        succeeds({"chown", "postgres", data.string()}, folder);
    succeeds(as_postgres({postgres_program("initdb"), "-D", data.string(), "-A", "trust", "--no-sync"}), data);
    std::filesystem::create_directory(data / "conf.d");
    std::filesystem::copy_file(settings.file, data / "conf.d/holdfast.conf");
    write_text(data / "postgresql.conf", read_text(data / "postgresql.conf") + "include_dir = 'conf.d'\n");
    for (const auto& [key, knob] : {std::pair("work_mem", "work_mem"), std::pair("application_name", "app_name")}) {
        const auto read = succeeds(as_postgres({postgres_program("postgres"), "-C", key, "-D", data.string()}), data);
        const json& value = values.at(knob);
        CHECK(read.output == (value.is_string() ? value.get<std::string>() : value.dump()) + "\n");
    }
}

TEST_CASE("sysctl and git config read their files") {
    const Exported sysctl("sysctl", "90-holdfast.conf");
    CHECK(succeeds({"/usr/sbin/sysctl", "--dry-run", "-p", sysctl.file.string()}, sysctl.folder.path()).output ==
          "vm.swappiness = 10\n");
    const Exported ini("ini", "app.ini");
    CHECK(succeeds({"git", "config", "-f", ini.file.string(), "cache.size"}, ini.folder.path()).output == "128\n");
    CHECK_THAT(read_text(ini.file), ContainsSubstring("# Not in here: work_mem, app_name"));
}

TEST_CASE("the JSON document and the CSV give back what was measured") {
    DecidedTrial decided(all_kinds());
    const json document = json::parse(must(exported(decided, "json")));
    CHECK(document.at("configuration") == values);
    CHECK(document.at("evidence").at("schema") == "holdfast/evidence/1");
    CHECK(document.at("decisions").empty());
    CHECK_FALSE(document.at("not-tested").empty());

    const auto rows = csv_rows(must(exported(decided, "csv")));
    REQUIRE(rows.size() == 13);
    for (const auto& row : rows)
        CHECK(row.size() == rows.front().size());
    const auto cell = [&](std::size_t row, const std::string& column) {
        const auto place = std::find(rows[0].begin(), rows[0].end(), column);
        REQUIRE(place != rows[0].end());
        return rows[row][static_cast<std::size_t>(place - rows[0].begin())];
    };
    CHECK(cell(1, "arm") == "baseline");
    CHECK(cell(1, "counted") == "yes");
    CHECK(std::stod(cell(2, "wall seconds")) == 1234.567890123); // of the harness, as every sample of the fixture
}

TEST_CASE("the report says what was found, what was not tested and how to measure it again") {
    DecidedTrial decided(all_kinds());
    const std::string report = must(exported(decided, "markdown"));
    for (const char* part : {"**Generalises", "## Not tested", "## Cost", "## Provenance", "## Measure it again",
                             "measure --trial 1", "machines other than this one"})
        CHECK_THAT(report, ContainsSubstring(part));
}
