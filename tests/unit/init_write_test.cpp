// SPDX-License-Identifier: GPL-3.0-or-later
// What init proposes, asks and writes: every file it writes is one that the loader takes.
#include "app/common/init/next.hpp"
#include "app/common/init/questions.hpp"
#include "app/common/init/render.hpp"
#include "app/common/init/server.hpp"
#include "app/common/init/try.hpp"
#include "app/common/init/write.hpp"
#include "core/git/repository.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <algorithm>
#include <sys/stat.h>

using namespace holdfast;
using namespace holdfast::app::init;
using holdfast::test::read_text;
using holdfast::test::run_program;
using holdfast::test::ScratchFolder;
using holdfast::test::ScratchRepository;
using holdfast::test::write_text;
namespace fs = std::filesystem;
using About = Question::About;

namespace {

Seen seen_of(const fs::path& folder) {
    auto seen = look(folder);
    if (!seen)
        FAIL(seen.error().message());
    return std::move(*seen);
}

Project checked(const Proposal& proposal) {
    const Texts texts = texts_of(proposal);
    INFO(texts.project << texts.holdout);
    const auto project = check_texts("/nowhere", texts);
    if (!project)
        FAIL(to_error(project.error()).message());
    return *project;
}

std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "line " + std::to_string(i * 7919 % 1000) + "\n";
    return text;
}

/// A script that counts the lines of a file.
void write_python(const fs::path& folder) {
    write_text(folder / "count.py",
               "import sys\nif __name__ == '__main__':\n    print(len(open(sys.argv[1]).readlines()))\n");
}

/// A line for a shell, run as a person does who has told git who they are.
bool committed(const ScratchRepository& repository, const std::string& line) {
    repository.git({"config", "user.name", "A"});
    repository.git({"config", "user.email", "a@b"});
    const auto done = run_program({"sh", "-c", line}, repository.path());
    INFO(line << done.errors);
    CHECK(done.status == 0);
    return done.status == 0;
}

} // namespace

TEST_CASE("what no commit has is held out first, then a variant, and what is committed only with a word of warning") {
    const ScratchRepository repository;
    write_python(repository.path());
    for (const char* name : {"a", "b"})
        repository.write("data/" + std::string(name) + ".txt", lines(30));
    repository.commit("start");
    const Proposal variant = propose(seen_of(repository.path()));
    const Project of_variant = checked(variant);
    CHECK(of_variant.with_role(Role::tuning).size() == 2);
    REQUIRE(of_variant.with_role(Role::holdout).size() == 1);
    CHECK(of_variant.with_role(Role::holdout)[0]->inputs.at(0).starts_with(".holdfast/inputs/"));
    CHECK_FALSE(of_variant.with_role(Role::holdout)[0]->readable_holdout);
    CHECK(variant.holdout_why.find("not in the commit") != std::string::npos);

    repository.write("data/c.txt", lines(30));
    const Proposal outside = propose(seen_of(repository.path()));
    CHECK(checked(outside).with_role(Role::holdout).at(0)->inputs.at(0) == "data/c.txt");
    CHECK(outside.holdout_why.find("Leave it outside") != std::string::npos);
    CHECK(next_steps(seen_of(repository.path()), outside).at(0).find("c.txt") == std::string::npos);
    repository.git({"rm", "-rq", "--cached", "data"});
    fs::remove_all(repository.path() / "data");

    for (const char* name : {"a", "b"})
        repository.write("data/" + std::string(name) + ".bin", lines(30));
    repository.commit("binary");
    const Proposal told = propose(seen_of(repository.path()));
    const std::string held = checked(told).with_role(Role::holdout).at(0)->inputs.at(0);
    CHECK(told.holdout_why.find(held + " is held out, but it is in the commit") == 0);
    CHECK(told.holdout_why.find("readable held-out") != std::string::npos);
}

TEST_CASE("before the first commit an input that cannot be varied is held out and left out of the commit") {
    const ScratchRepository repository;
    write_python(repository.path());
    repository.write("data/a.bin", lines(40));
    repository.write("data/it's b.bin", lines(30));
    const Seen seen = seen_of(repository.path());
    const Proposal proposal = propose(seen);
    CHECK(checked(proposal).with_role(Role::holdout).at(0)->inputs.at(0) == "data/it's b.bin");
    const std::string line = next_steps(seen, proposal).at(0);
    REQUIRE(committed(repository, "echo '{}' > holdfast.json; " + line));
    CHECK(repository.git({"ls-files"}) == "count.py\ndata/a.bin\nholdfast.json\n");
}

TEST_CASE("the next step names what was written and what the workloads need, and nothing else") {
    const ScratchRepository repository;
    repository.write("readme", "1\n");
    repository.write(".gitignore", "*.json\n");
    repository.commit("start");
    write_python(repository.path());
    repository.write("secret.pem", "1\n");
    repository.write("data/-a *.txt", lines(30));
    repository.write("data/notes.md", "1\n");
    repository.write("tests/test_count.py", "import unittest\n");
    repository.write("tests/fixture.txt", "1\n");
    const Seen seen = seen_of(repository.path());
    const Proposal proposal = propose(seen);
    REQUIRE(write_project(repository.path(), texts_of(proposal), Existing::refused));
    REQUIRE(committed(repository, next_steps(seen, proposal).at(0)));
    CHECK(repository.git({"ls-files"}) ==
          ".gitignore\ncount.py\ndata/-a *.txt\nholdfast.json\nreadme\ntests/fixture.txt\ntests/test_count.py\n");
}

TEST_CASE("every copy of a held-out file gets a name of its own, and one that stays is told") {
    const ScratchRepository repository;
    write_python(repository.path());
    repository.write("data/only.txt", lines(50));
    const Texts texts = texts_of(propose(seen_of(repository.path())));
    for (const char* mine : {"first", "second"}) {
        repository.write(".holdfast/holdout.json", mine);
        REQUIRE(write_project(repository.path(), texts, Existing::copied));
    }
    CHECK(read_text(repository.path() / ".holdfast/holdout.json.bak") == "first");
    CHECK(read_text(repository.path() / ".holdfast/holdout.json.bak.2") == "second");
    const auto without = write_project(repository.path(), {texts.project, "", {}}, Existing::copied);
    REQUIRE(without);
    CHECK(without->old_holdout == ".holdfast/holdout.json");
    CHECK(read_text(repository.path() / ".holdfast/holdout.json") == texts.holdout);
}

TEST_CASE("a patch may not touch what judges it, of whatever kind the tests are") {
    const auto kept = [](const Project& project, const std::string& path) {
        return std::any_of(project.code.protected_paths.begin(), project.code.protected_paths.end(),
                           [&](const std::string& glob) { return git::matches(glob, path); });
    };
    const ScratchFolder npm;
    write_text(npm.path() / "package.json", R"({"name": "a", "main": "index.js", "scripts": {"start": "node index.js",
        "test": "npm run lint && node checks/all.js && node selftest.js", "lint": "node lint.js", "bench": "node speed.js"}})");
    for (const char* file : {"index.js", "selftest.js", "lint.js", "speed.js", "checks/all.js", "src/b.js"})
        write_text(npm.path() / file, "console.log(1)\n");
    const Project node = checked(propose(seen_of(npm.path())));
    for (const char* file : {"selftest.js", "lint.js", "speed.js", "checks/all.js", "test.js", "src/b.spec.js",
                             "src/__tests__/x.js", "bench.js", "package.json", "lib/c.test.mjs"}) {
        INFO(file);
        CHECK(kept(node, file));
    }
    CHECK_FALSE(kept(node, "index.js"));
    CHECK_FALSE(kept(node, "src/b.js"));

    const ScratchFolder script;
    write_python(script.path());
    const Project python = checked(propose(seen_of(script.path())));
    for (const char* file : {"conftest.py", "a/conftest.py", "pytest.ini", "tox.ini", "test_a.py", "a/b_test.py",
                             "tests/x.py", "a/tests/x.py", "benchmarks/y.py", "sitecustomize.py", "unittest.py"}) {
        INFO(file);
        CHECK(kept(python, file));
    }
    CHECK_FALSE(kept(python, "count.py"));

    const ScratchFolder make;
    write_text(
        make.path() / "Makefile",
        "all: tool\ntool: tool.c\n\tcc -o tool tool.c\ncheck: tool verify.sh\n\t@./verify.sh ./tool < want.txt\n");
    write_text(make.path() / "tool.c", "int main(int argc, char** argv) { return 0; }\n");
    for (const char* file : {"verify.sh", "want.txt"})
        write_text(make.path() / file, "1\n");
    const Project c = checked(propose(seen_of(make.path())));
    for (const char* file : {"Makefile", "verify.sh", "want.txt", "src/x_test.c", "x_test.go"}) {
        INFO(file);
        CHECK(kept(c, file));
    }
    CHECK_FALSE(kept(c, "tool.c"));
}

TEST_CASE("an input that the tests read is not held out") {
    const ScratchFolder folder;
    write_text(folder.path() / "CMakeLists.txt", "project(a C)\nadd_executable(tool tool.c)\n"
                                                 "add_test(NAME t COMMAND tool ${CMAKE_SOURCE_DIR}/data/a.bin)\n");
    write_text(folder.path() / "tool.c", "int main(int argc, char** argv) { return 0; }\n");
    write_text(folder.path() / "data/a.bin", lines(20));
    write_text(folder.path() / "data/b.bin", lines(90));
    write_text(folder.path() / "data/c.bin", lines(80));
    write_text(folder.path() / "tests/check.py", "open('data/b.bin')\n");
    const Project project = checked(propose(seen_of(folder.path())));
    REQUIRE(project.with_role(Role::holdout).size() == 1);
    CHECK(project.with_role(Role::holdout)[0]->inputs.at(0) == "data/c.bin");
    CHECK(project.with_role(Role::tuning).size() == 2);

    write_text(folder.path() / "tests/check.py", "open('data/b.bin')\nopen('data/c.bin')\n");
    const Project all_read = checked(propose(seen_of(folder.path())));
    CHECK(all_read.with_role(Role::tuning).size() == 3);
    CHECK(all_read.with_role(Role::holdout).empty());
}

TEST_CASE("of one text a variant is made below .holdfast, of one binary nothing is") {
    const ScratchFolder folder;
    write_python(folder.path());
    write_text(folder.path() / "data/only.txt", lines(50));
    const Proposal text = propose(seen_of(folder.path()));
    REQUIRE(text.files.size() == 1);
    CHECK(text.files[0].path == ".holdfast/inputs/only-shuffled.txt");
    CHECK(checked(text).with_role(Role::holdout).at(0)->inputs.at(0) == text.files[0].path);

    fs::rename(folder.path() / "data/only.txt", folder.path() / "data/only.bin");
    const Proposal binary = propose(seen_of(folder.path()));
    CHECK(binary.files.empty());
    CHECK(checked(binary).with_role(Role::holdout).empty());
    CHECK(binary.holdout_why.find("not held out") != std::string::npos);
}

TEST_CASE("hostile names are written as what they are, or not at all") {
    const ScratchFolder folder;
    write_python(folder.path());
    write_text(folder.path() / "data/it's \"q\" *, x.txt", lines(30));
    write_text(folder.path() / "data/new\nline.txt", lines(30));
    write_text(folder.path() / "pyproject.toml",
               "[project]\nname = \"evil\x1b[31m\n\"\n[project.scripts]\nx = \"a:b'); import os\"\n");
    const Proposal proposal = propose(seen_of(folder.path()));
    const Project project = checked(proposal);
    CHECK(project.with_role(Role::tuning).at(0)->inputs.at(0) == "data/it's \"q\" *, x.txt");
    CHECK(render_project(proposal).find('\x1b') == std::string::npos);
    CHECK(render_project(proposal).find("import os") == std::string::npos);
}

TEST_CASE("google-benchmark results become workloads with their own metric") {
    const ScratchFolder folder;
    write_text(
        folder.path() / "CMakeLists.txt",
        "project(lib CXX)\nadd_executable(micro micro.cpp)\ntarget_link_libraries(micro benchmark::benchmark)\n");
    write_text(folder.path() / "micro.cpp", "#include <benchmark/benchmark.h>\n");
    write_text(
        folder.path() / "last.json",
        R"({"context": {"executable": "micro"}, "benchmarks": [{"name": "BM_a/8"}, {"name": "BM_b<int>"}, {"name": "BM_c"}]})");
    const Project project = checked(propose(seen_of(folder.path())));
    CHECK(project.objective == "time");
    CHECK(project.metric("time").tool == "google-benchmark");
    CHECK(project.metric("time").benchmark.empty()); // each workload runs one
    CHECK(project.metric("time").accept_self_reported);
    CHECK(project.with_role(Role::tuning).size() == 2);
    CHECK(project.with_role(Role::holdout).size() == 1);
    CHECK(project.workloads[0].run[1] == "--benchmark_filter=^BM_a/8$");
}

TEST_CASE("at most five questions are asked, each with a default, and answers change the proposal") {
    const ScratchFolder folder;
    write_text(folder.path() / "Makefile",
               "CFLAGS = -O2\nall: tool\ntool: tool.c\n\tcc $(CFLAGS) -o tool tool.c\ntest: tool\n\ttrue\n");
    write_text(folder.path() / "tool.c", "int main(int argc, char** argv) { return 0; }\n");
    for (const char* name : {"a.txt", "b.txt", "c.txt"})
        write_text(folder.path() / "data" / name, lines(20));
    const Seen seen = seen_of(folder.path());
    Proposal proposal = propose(seen);
    std::vector<About> asked;
    while (const auto question = next_question(proposal, asked)) {
        CHECK_FALSE(question->text.empty());
        CHECK_FALSE(question->answer.empty());
        asked.push_back(question->about);
        // A default given as an answer says the same as no answer.
        if (question->about != About::run && question->about != About::holdout)
            CHECK(answer(seen, question->about, question->answer, proposal));
        REQUIRE(asked.size() <= 5);
    }
    CHECK(asked.size() == 5);

    REQUIRE(answer(seen, About::run, "./tool -v data/b.txt -o result.dat", proposal));
    CHECK(proposal.first(Role::tuning)->check.files.at(0).file == "result.dat");
    REQUIRE(answer(seen, About::output, "stdout", proposal));
    CHECK(proposal.first(Role::tuning)->check.standard_output);
    REQUIRE(answer(seen, About::holdout, "data/b.txt", proposal));
    CHECK(checked(proposal).with_role(Role::holdout).at(0)->inputs.at(0) == "data/b.txt");
    REQUIRE(answer(seen, About::knobs, "none", proposal));
    REQUIRE(answer(seen, About::test, "make -C {build} test", proposal));
    CHECK(checked(proposal).knobs.empty());
    REQUIRE(answer(seen, About::holdout, "none", proposal));
    CHECK(checked(proposal).with_role(Role::holdout).empty());

    for (const auto& [about, text] :
         {std::pair(About::run, "rm -rf / | sh"), std::pair(About::run, "unknown data/a.txt"),
          std::pair(About::output, "../x"), std::pair(About::holdout, "missing.txt"), std::pair(About::knobs, "speed"),
          std::pair(About::test, "a | b")}) {
        INFO(text);
        const auto refused = answer(seen, about, text, proposal);
        REQUIRE_FALSE(refused);
        CHECK_FALSE(refused.error().remedy.empty());
    }
}

TEST_CASE("what is written is whole, private and never in the place of another file") {
    const ScratchRepository repository;
    write_python(repository.path());
    repository.write("data/only.txt", lines(50));
    const Texts texts = texts_of(propose(seen_of(repository.path())));
    REQUIRE(write_project(repository.path(), texts, Existing::refused));
    CHECK(read_text(repository.path() / "holdfast.json") == texts.project);
    CHECK(read_text(repository.path() / ".holdfast/holdout.json") == texts.holdout);
    CHECK(read_text(repository.path() / ".holdfast/inputs/only-shuffled.txt") == texts.files.at(0).content);
    struct stat status {};
    REQUIRE(::stat((repository.path() / ".holdfast").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    CHECK(repository.git({"status", "--porcelain", "-uall"}).find(".holdfast") == std::string::npos);
    CHECK(load_project(repository.path()));

    repository.write("holdfast.json", "mine");
    CHECK_FALSE(write_project(repository.path(), texts, Existing::refused));
    CHECK(read_text(repository.path() / "holdfast.json") == "mine");
    const auto written = write_project(repository.path(), texts, Existing::copied);
    REQUIRE(written);
    CHECK(read_text(repository.path() / "holdfast.json") == texts.project);
    for (const auto& entry : fs::directory_iterator(repository.path()))
        CHECK(entry.path().filename().string().find("holdfast.json.") == std::string::npos);
    REQUIRE(written->copies.size() == 1); // what did not change needs no copy
    CHECK(written->copies[0] == std::pair<std::string, std::string>("holdfast.json", ".holdfast/holdfast.json.bak"));
    CHECK(read_text(repository.path() / ".holdfast/holdfast.json.bak") == "mine");
}

TEST_CASE("a text that the loader refuses is not written") {
    const ScratchFolder folder;
    const auto refused = write_project(folder.path(), {"{ \"name\": 5 }", "", {}}, Existing::refused);
    REQUIRE_FALSE(refused);
    CHECK(fs::is_empty(folder.path()));
    CHECK(refused.error().found.find("holdfast-init-") == std::string::npos); // the person's folder is named
}

TEST_CASE("outside a repository the held-out workloads are kept from the first git add") {
    const ScratchFolder folder;
    write_python(folder.path());
    write_text(folder.path() / "data/only.txt", lines(50));
    REQUIRE(write_project(folder.path(), texts_of(propose(seen_of(folder.path()))), Existing::refused));
    CHECK(read_text(folder.path() / ".holdfast/.gitignore") == "*\n");
}

TEST_CASE("an empty folder proposes nothing") {
    const ScratchFolder folder;
    CHECK_FALSE(propose(seen_of(folder.path())).has_workload());
}

TEST_CASE("a server's dangerous knobs are declared and not searched, and a file of the folder is changed in place") {
    app::Catalogue catalogue;
    catalogue.kind = app::ServerKind::postgresql;
    catalogue.version = "PostgreSQL 15";
    const auto add = [&](const std::string& name, Knob knob, const std::string& unit, Knob::Danger danger,
                         app::CatalogueKnob::Use use) {
        knob.name = name;
        knob.through = Knob::Through::argument;
        knob.target = "--" + name + "={value}" + unit;
        catalogue.knobs.push_back({knob, name, "What it is", unit, app::CatalogueKnob::Applies::reload, danger, use});
    };
    using Use = app::CatalogueKnob::Use;
    add("work_mem", integer_knob("", 64, 1048576, 4096, Knob::Through::argument, ""), "kB", Knob::Danger::none,
        Use::search);
    Knob sync;
    sync.type = Knob::Type::boolean;
    sync.default_value = true;
    add("fsync", sync, "", Knob::Danger::durability, Use::fixed);
    add("geqo", sync, "", Knob::Danger::none, Use::listed);
    Workload workload;
    workload.name = "w";
    workload.server = Server{{"postgres", "-D", "{scratch}/data", "-p", "{port}", "{knobs}"}, {}, {}, false};
    workload.run = {"psql"};
    workload.check.standard_output = Compared{};
    catalogue.tuning = {workload};

    const ScratchFolder folder;
    const Proposal arguments = propose_server(seen_of(folder.path()), catalogue);
    const Project project = checked(arguments);
    CHECK(project.knobs.size() == 2);
    CHECK(project.knob("fsync")->danger == Knob::Danger::durability);
    CHECK(project.search.fixed == std::vector<std::string>{"fsync"});
    const std::string text = render_project(arguments);
    CHECK(text.find("// { \"name\": \"geqo\"") != std::string::npos);
    CHECK(text.find("In kB. Takes effect at the next reload.") != std::string::npos);

    write_text(folder.path() / "postgresql.conf", "work_mem = 8MB\nfsync = on\n");
    const Project in_file = checked(propose_server(seen_of(folder.path()), catalogue));
    const Knob& memory = *in_file.knob("work_mem");
    CHECK(memory.through == Knob::Through::file);
    CHECK(std::get<std::int64_t>(memory.default_value) == 8192);
    CHECK(memory.text == "{value}kB");
    CHECK(in_file.workloads[0].server->start[2] == "config_file={source}/postgresql.conf");
}

TEST_CASE("a tolerance is put on whatever is compared") {
    Project project;
    Workload workload;
    workload.check.standard_output = Compared{};
    workload.check.files = {{"a", std::nullopt}};
    project.workloads = {workload};
    const Project loose = with_tolerance(project);
    CHECK(loose.workloads[0].check.standard_output->numeric->rtol == 1e-6);
    CHECK(loose.workloads[0].check.files[0].numeric->rtol == 1e-6);
}
