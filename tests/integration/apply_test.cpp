// SPDX-License-Identifier: GPL-3.0-or-later
// From an approved trial to a commit and back, in every kind of repository, by the real program and the real git.
#include "tests/catch.h"
#include "tests/integration/reviewed_project.hpp"
#include "tests/terminal.hpp"

#include <chrono>
#include <string>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

std::string trimmed(std::string text) {
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

std::string trailer(const ReviewedProject& project, const std::string& revision, const std::string& name) {
    return trimmed(project.git({"log", "-1", "--format=%(trailers:key=" + name + ",valueonly)", revision}));
}

/// Applies trial 1 and checks the commit; the working tree must look as it did.
void check_applied(const ReviewedProject& project, const std::string& prefix = "") {
    const std::string before = project.git({"status", "--porcelain=v2", "--branch"});
    const Ran approved = project.approve(1);
    INFO(approved.out);
    REQUIRE(approved.code == 0);
    const Ran applied = project.holdfast({"apply", "1"});
    INFO(applied.out << applied.err);
    REQUIRE(applied.code == 0);
    CHECK(project.git({"status", "--porcelain=v2", "--branch"}) == before);
    CHECK(trimmed(project.git({"diff", "--stat=80", "--format=", "holdfast/1/1~1", "holdfast/1/1"}))
              .find("holdfast.json | 2 +-") != std::string::npos);
    CHECK(project.git({"show", "holdfast/1/1:" + prefix + "holdfast.json"}).find("\"default\": 9,") !=
          std::string::npos);
    CHECK(trailer(project, "holdfast/1/1", "Holdfast-Trial") == project.trial(1).at("id"));
    CHECK(trailer(project, "holdfast/1/1", "Holdfast-Evidence") == project.trial(1).at("evidence"));
    CHECK(trailer(project, "holdfast/1/1", "Holdfast-Chain").size() == 64);
    CHECK(trailer(project, "holdfast/1/1", "Reviewed-by").find('@') != std::string::npos);
    CHECK(project.git({"fsck", "--strict"}).find("error") == std::string::npos);
    CHECK(project.trial(1).at("review") == "approved");
    CHECK(project.trial(1).at("applied") == trimmed(project.git({"rev-parse", "holdfast/1/1"})));
    CHECK(project.holdfast({"audit"}).code == 0);
}

fs::path history_of(const ReviewedProject& project) {
    return project.path() / ".holdfast" / "history.sqlite";
}

/// A copy of the history as it is now.
fs::path keep_history(const ReviewedProject& project) {
    fs::path kept = project.scratch() / "kept.sqlite";
    REQUIRE(run_command({"sqlite3", history_of(project).string(), ".backup " + kept.string()}, project.path()).code ==
            0);
    return kept;
}

/// The history as a copy had it, with nothing left of what came after.
void put_back(const fs::path& kept, const fs::path& file) {
    for (const char* suffix : {"", "-wal", "-shm"})
        fs::remove(file.string() + suffix);
    fs::copy_file(kept, file);
}

} // namespace

TEST_CASE("An approved change becomes a commit, is not applied twice and is taken back by a commit") {
    ReviewedProject project;
    check_applied(project);
    const Ran again = project.holdfast({"apply", "1"});
    CHECK(again.code == 4);
    CHECK(again.err.find("it is applied") != std::string::npos);

    const Ran reverted = project.holdfast({"revert", "1"});
    INFO(reverted.err);
    REQUIRE(reverted.code == 0);
    CHECK(project.git({"rev-parse", "holdfast/1/1^{tree}"}) == project.git({"rev-parse", "HEAD^{tree}"}));
    CHECK(project.git({"log", "-1", "--format=%B", "holdfast/1/1"}).find("This reverts commit") != std::string::npos);
    CHECK(project.trial(1).at("applied") == nullptr);
    CHECK(project.trial(1).at("review") == "reverted");
    CHECK(project.holdfast({"revert", "1"}).code == 4);
    CHECK(project.holdfast({"audit"}).code == 0);

    SECTION("and may be approved and applied once more") {
        CHECK(project.holdfast({"apply", "1"}).code == 4);
        REQUIRE(project.approve(1).code == 0);
        const Ran once_more = project.holdfast({"apply", "1"});
        INFO(once_more.err);
        CHECK(once_more.code == 0);
        CHECK(trimmed(project.git({"rev-list", "--count", "HEAD..holdfast/1/1"})) == "3");
    }
}

TEST_CASE("A fast-forward moves the branch and the working tree, and so does taking it back") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const Ran applied = project.holdfast({"apply", "1", "--fast-forward"});
    INFO(applied.err);
    REQUIRE(applied.code == 0);
    CHECK(project.git({"rev-parse", "HEAD"}) == project.git({"rev-parse", "holdfast/1/1"}));
    CHECK(project.git({"status", "--porcelain"}).empty());
    CHECK(read_text(project.path() / "holdfast.json").find("\"default\": 9,") != std::string::npos);
    const Ran reverted = project.holdfast({"revert", "1", "--fast-forward"});
    INFO(reverted.err);
    REQUIRE(reverted.code == 0);
    CHECK(project.git({"status", "--porcelain"}).empty());
    CHECK(read_text(project.path() / "holdfast.json").find("\"default\": 32,") != std::string::npos);
}

TEST_CASE("A fast-forward over uncommitted work is refused and loses nothing") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    write_text(project.path() / "work.sh", "mine\n");
    const Ran applied = project.holdfast({"apply", "1", "--fast-forward"});
    CHECK(applied.code != 0);
    CHECK(applied.err.find("work.sh") != std::string::npos);
    CHECK(read_text(project.path() / "work.sh") == "mine\n");
}

TEST_CASE("Applying works beside a dirty working tree") {
    ReviewedProject project;
    write_text(project.path() / "work.sh", "changed, staged\n");
    project.git({"add", "work.sh"});
    write_text(project.path() / "work.sh", "changed again\n");
    write_text(project.path() / "new.txt", "untracked\n");
    check_applied(project);
    CHECK(read_text(project.path() / "work.sh") == "changed again\n");
}

TEST_CASE("Applying works with a detached HEAD") {
    ReviewedProject project;
    project.git({"checkout", "-q", "--detach"});
    check_applied(project);
    const Ran forward = project.holdfast({"revert", "1", "--fast-forward"});
    CHECK(forward.code == 4);
}

TEST_CASE("Applying works in a shallow clone") {
    ReviewedProject project;
    project.git({"commit", "-q", "--allow-empty", "-m", "before"});
    project.git({"reset", "-q", "--hard", "HEAD~1"});
    const fs::path clone = project.scratch() / "shallow";
    project.git({"clone", "-q", "--depth", "1", "file://" + project.path().string(), clone.string()});
    fs::copy(project.path() / ".holdfast", clone / ".holdfast", fs::copy_options::recursive);
    project.move_to(clone);
    project.git({"config", "user.name", "Ada"});
    project.git({"config", "user.email", "ada@example.org"});
    REQUIRE(trimmed(project.git({"rev-parse", "--is-shallow-repository"})) == "true");
    check_applied(project);
}

TEST_CASE("Applying works in a linked working tree of a bare repository") {
    ReviewedProject project;
    const fs::path bare = project.scratch() / "bare.git", tree = project.scratch() / "tree";
    const std::string state = (project.path() / ".holdfast").string();
    project.git({"clone", "-q", "--bare", project.path().string(), bare.string()});
    project.move_to(bare);
    project.git({"config", "user.name", "Ada"});
    project.git({"config", "user.email", "ada@example.org"});
    project.git({"worktree", "add", "-q", tree.string(), "HEAD"});
    fs::copy(state, tree / ".holdfast", fs::copy_options::recursive);
    project.move_to(tree);
    check_applied(project);
}

TEST_CASE("Nobody approves without a terminal") {
    ReviewedProject project;
    const Ran piped = project.holdfast({"approve", "1"});
    CHECK(piped.code == 4);
    CHECK(piped.err.find("not a terminal") != std::string::npos);
    const std::string bin = std::string(HOLDFAST_BIN_DIR) + "/holdfast -C " + project.path().string();
    for (
        const std::string& trick :
        {"yes 1 | " + bin + " approve 1", "printf 'yes\\n1\\n' | " + bin + " approve 1 --json",
         bin + " approve 1 <<< 1", "setsid " + bin + " approve 1 < /dev/zero",
         R"(echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve","arguments":{"id":1}}}' | )" +
             bin + " approve 1"}) {
        INFO(trick);
        CHECK(run_command({"bash", "-c", trick}, project.path()).code == 4);
    }
    const Ran unknown = run_command({"bash", "-c", "echo '{}' | " + bin + " mcp"}, project.path());
    CHECK(unknown.code == 2);
    CHECK(project.trial(1).at("review") == "waiting");
    CHECK(project.holdfast({"apply", "1"}).code == 4);
}

TEST_CASE("At a terminal the wrong number, or none, approves nothing") {
    ReviewedProject project;
    const std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", project.path().string(),
                                        "approve", "1"};
    for (const char* typed : {"", "2", "yes", "1 1", "\x04"}) {
        const Ran ran =
            run_on_terminal(argv, project.path(), {}, {{"[yes/no]", "yes"}, {"type the proposal's number:", typed}});
        INFO(ran.out);
        CHECK(ran.code != 0);
        CHECK(project.trial(1).at("review") == "waiting");
    }
}

TEST_CASE("A flag is acknowledged by y or yes, declined by n or no, and anything else is asked again") {
    const auto approve = [](const ReviewedProject& project, const char* first, const char* then) {
        return run_on_terminal(
            {std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", project.path().string(), "approve", "1"},
            project.path(), {},
            {{"[yes/no]", first}, {"Answer yes or no:", then}, {"type the proposal's number:", "1"}});
    };
    const ReviewedProject project;
    for (const auto& [first, then] : {std::pair("n", ""), {"No", ""}, {"", "N"}, {"perhaps", "no"}}) {
        const Ran declined = approve(project, first, then);
        INFO(declined.out);
        CHECK(declined.code == 4);
        CHECK(declined.out.find("was not acknowledged") != std::string::npos);
        CHECK(project.trial(1).at("review") == "waiting");
    }
    const Ran ended = approve(project, "sure", "\x04");
    CHECK(ended.code == 130);
    for (const auto& [first, then] : {std::pair("y", ""), {"YES", ""}, {"yes please", "Y"}}) {
        const ReviewedProject another;
        const Ran approved = approve(another, first, then);
        INFO(approved.out);
        CHECK(approved.code == 0);
        CHECK((approved.out.find("Answer yes or no:") != std::string::npos) == (*then != '\0'));
    }
}

TEST_CASE("Trials beside each other name their flags") {
    const ReviewedProject project;
    CHECK(project.holdfast({"propose", "--set", "size=10"}).code == 0);
    CHECK(project.holdfast({"run", "--tuner", "patch", "--trials", "0", "--seed", "2"}).code != 2);
    const Ran compared = project.holdfast({"compare", "1", "2"});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 0);
    CHECK(compared.out.find("self-reported") != std::string::npos);
}

TEST_CASE("A moved base needs a typed reason and a clean merge") {
    ReviewedProject project;
    write_text(project.path() / "notes.txt", "new\n");
    project.git({"add", "notes.txt"});
    project.git({"commit", "-q", "-m", "notes"});
    const Ran plain = project.approve(1);
    CHECK(plain.code == 4);
    CHECK(plain.out.find("base") != std::string::npos);
    const Ran passed = project.approve(1, {"--override", "base moved=only notes were added since"});
    INFO(passed.out);
    REQUIRE(passed.code == 0);
    SECTION("that is about the HEAD it was given for") {
        write_text(project.path() / "notes.txt", "newer\n");
        project.git({"commit", "-q", "-am", "more notes"});
        const Ran later = project.holdfast({"apply", "1"});
        CHECK(later.code == 4);
        CHECK(later.err.find("HEAD is") != std::string::npos);
        return;
    }
    const Ran applied = project.holdfast({"apply", "1"});
    INFO(applied.err);
    REQUIRE(applied.code == 0);
    CHECK(project.git({"show", "holdfast/1/1:notes.txt"}) == "new\n");
    CHECK(trailer(project, "holdfast/1/1", "Holdfast-Override") == "base moved: only notes were added since");
}

TEST_CASE("A base that conflicts cannot be overridden") {
    ReviewedProject project;
    std::string text = read_text(project.path() / "holdfast.json");
    text.replace(text.find("\"default\": 32"), 13, "\"default\": 31");
    write_text(project.path() / "holdfast.json", text);
    project.git({"commit", "-q", "-am", "another default"});
    const Ran passed = project.approve(1, {"--override", "base moved=I know what I do here"});
    CHECK(passed.code == 4);
    CHECK(passed.out.find("holdfast.json") != std::string::npos);
}

TEST_CASE("What moved between approval and apply is found") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    SECTION("the base") {
        project.git({"commit", "-q", "--allow-empty", "-m", "same tree"});
        CHECK(project.holdfast({"apply", "1"}).code == 0);
    }
    SECTION("the base's files") {
        write_text(project.path() / "notes.txt", "new\n");
        project.git({"add", "notes.txt"});
        project.git({"commit", "-q", "-m", "notes"});
        const Ran applied = project.holdfast({"apply", "1"});
        CHECK(applied.code == 4);
        CHECK(applied.err.find("base") != std::string::npos);
    }
    SECTION("the history") {
        const fs::path file = history_of(project);
        const Ran edited = run_command(
            {"sqlite3", file.string(), "UPDATE trials SET configuration_json = '{\"size\":10}' WHERE number = 1"},
            project.path());
        REQUIRE(edited.code == 0);
        const Ran applied = project.holdfast({"apply", "1"});
        CHECK(applied.code == 4);
        CHECK(applied.err.find("audit") != std::string::npos);
    }
    SECTION("the branch") {
        project.git({"branch", "holdfast/1/1"});
        const Ran applied = project.holdfast({"apply", "1"});
        CHECK(applied.code == 4);
        CHECK(applied.err.find("holds something else") != std::string::npos);
    }
    SECTION("nothing, but the run before was cut off after the branch was made") {
        REQUIRE(project.holdfast({"apply", "1"}).code == 0);
        const std::string tip = project.git({"rev-parse", "holdfast/1/1"});
        const fs::path file = history_of(project);
        // The state of a kill between branch and record: the last event and row are not there.
        const Ran cut =
            run_command({"sqlite3", file.string(),
                         "DELETE FROM applications; DELETE FROM sqlite_sequence WHERE name = 'applications'; "
                         "DELETE FROM events WHERE kind = 'change applied'; "
                         "UPDATE chain_head SET sequence = (SELECT max(sequence) FROM events), "
                         "hash = (SELECT hash FROM events ORDER BY sequence DESC LIMIT 1)"},
                        project.path());
        INFO(cut.err);
        REQUIRE(cut.code == 0);
        fs::remove_all(project.path() / ".git" / "holdfast"); // a kill leaves the head that is there now
        const Ran again = project.holdfast({"apply", "1"});
        INFO(again.err);
        CHECK(again.code == 0);
        CHECK(project.git({"rev-parse", "holdfast/1/1"}) == tip);
    }
}

TEST_CASE("A rewritten history is told by the head in the commit") {
    ReviewedProject project;
    const fs::path file = history_of(project);
    const fs::path kept = project.scratch() / "kept.sqlite";
    fs::copy_file(file, kept);
    REQUIRE(project.approve(1).code == 0);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    put_back(kept, file);
    const Ran audited = project.holdfast({"audit"});
    CHECK(audited.code == 1);
    CHECK(audited.out.find("rewritten or shortened") != std::string::npos);
}

TEST_CASE("A history that cannot take the record leaves no branch") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const fs::path file = history_of(project);
    // Another program holds the history's write lock for longer than apply waits for it.
    Command holder({"sqlite3", file.string(), "BEGIN IMMEDIATE;", ".shell while ! test -e done; do sleep 0.05; done"},
                   project.path());
    const auto locked = [&] {
        return run_command({"sqlite3", file.string(), "BEGIN IMMEDIATE; ROLLBACK;"}, project.path()).code != 0;
    };
    while (!locked() && !holder.wait_for(std::chrono::milliseconds(10))) {
    }
    const Ran applied = project.holdfast({"apply", "1"});
    CHECK(applied.code == 1);
    CHECK(applied.err.find("busy") != std::string::npos);
    CHECK(project.git({"branch", "--list", "holdfast/*"}).empty());
    write_text(project.path() / "done", "");
    holder.wait();
    fs::remove(project.path() / "done");
    CHECK(project.holdfast({"reject", "1", "--reason", "not in time"}).code == 0);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("A history put back to before an apply is told, and the trial cannot be declined behind its commit") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const fs::path file = history_of(project), kept = keep_history(project);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    put_back(kept, file);
    const Ran audited = project.holdfast({"audit"});
    CHECK(audited.code == 1);
    CHECK(audited.out.find("put back") != std::string::npos);
    CHECK(project.holdfast({"reject", "1", "--reason", "behind its back"}).code == 4);
    const Ran refused = project.holdfast({"apply", "1"});
    CHECK(refused.code == 4);
    CHECK(refused.err.find("remove it if you put another history here yourself") != std::string::npos);
    fs::remove_all(project.path() / ".git" / "holdfast");
    CHECK(project.holdfast({"reject", "1", "--reason", "behind its back"}).code == 4);
    CHECK(project.holdfast({"apply", "1"}).code == 0);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("A history put back to before a rejection is told, though no commit names its head") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const fs::path file = history_of(project), kept = keep_history(project);
    REQUIRE(project.holdfast({"reject", "1", "--reason", "a flaw was found"}).code == 0);
    CHECK(project.holdfast({"audit"}).code == 0);
    put_back(kept, file);
    const Ran audited = project.holdfast({"audit"});
    CHECK(audited.code == 1);
    CHECK(audited.out.find("rewritten or shortened") != std::string::npos);
    CHECK(project.holdfast({"apply", "1"}).code == 4);
    for (const auto& note : fs::directory_iterator(project.path() / ".git" / "holdfast"))
        write_text(note.path(), "");
    CHECK(project.holdfast({"audit"}).code == 1); // what cannot be read is no leave
    CHECK(project.holdfast({"apply", "1"}).code == 4);
    CHECK(project.git({"branch", "--list", "holdfast/*"}).empty());
    fs::remove_all(project.path() / ".holdfast");
    CHECK(project.holdfast({"propose", "--set", "size=64"}).code == 0);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("An applied commit that only a tag or a remote names is known") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const fs::path file = history_of(project), kept = keep_history(project);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    const char* const reference = GENERATE("refs/tags/v1", "refs/remotes/origin/tuned");
    project.git({"update-ref", reference, "holdfast/1/1"});
    project.git({"branch", "-D", "holdfast/1/1"});
    put_back(kept, file);
    fs::remove_all(project.path() / ".git" / "holdfast");
    const Ran audited = project.holdfast({"audit"});
    CHECK(audited.code == 1);
    CHECK(audited.out.find("or the history was put back") != std::string::npos);
}

TEST_CASE("A copy of an applied commit is no apply that was cut off") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    project.git({"cherry-pick", "holdfast/1/1"});
    project.git({"commit", "-q", "--amend", "--no-edit", "--date", "2020-01-01T00:00:00Z"});
    const Ran audited = project.holdfast({"audit"});
    INFO(audited.out);
    CHECK(audited.code == 0);
}

TEST_CASE("An audit that git keeps from comparing says so") {
    ReviewedProject project;
    fs::rename(project.path() / ".git", project.scratch() / "git");
    const Ran audited = project.holdfast({"audit"});
    CHECK(audited.code == 1);
    CHECK(audited.out.find("could not be compared") != std::string::npos);
}

TEST_CASE("A history that the repository holds decides nothing") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    project.git({"add", "-f", ".holdfast/history.sqlite"});
    project.git({"commit", "-q", "-m", "with a history"});
    CHECK(project.holdfast({"audit"}).code == 1);
    const Ran refused = project.holdfast({"apply", "1"});
    CHECK(refused.code == 4);
    CHECK(refused.err.find("git rm --cached") != std::string::npos);
}

TEST_CASE("A colleague's commits are no business of this history") {
    ReviewedProject project;
    project.git(
        {"commit", "-q", "--allow-empty", "-m",
         "Theirs\n\nHoldfast-Trial: 01a22c30-4fce-7c04-ac52-8540252fc879\nHoldfast-Chain: " + std::string(64, 'a')});
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("Rejecting and reworking need a reason and stop apply") {
    ReviewedProject project;
    CHECK(project.holdfast({"reject", "1", "--reason", "  "}).code != 0);
    REQUIRE(project.approve(1).code == 0);
    REQUIRE(project.holdfast({"reject", "1", "--reason", "it costs memory elsewhere"}).code == 0);
    CHECK(project.trial(1).at("review") == "rejected");
    CHECK(project.holdfast({"apply", "1"}).code == 4);
    REQUIRE(project.holdfast({"rework", "1", "--reason", "try 10", "--share"}).code == 0);
    CHECK(project.trial(1).at("review") == "rework");
    REQUIRE(project.approve(1).code == 0);
    CHECK(project.holdfast({"apply", "1"}).code == 0);
    CHECK(project.holdfast({"reject", "1", "--reason", "too late"}).code == 4);
}

TEST_CASE("The preview shows the exact commit and writes nothing") {
    ReviewedProject project;
    REQUIRE(project.approve(1).code == 0);
    const std::string objects = project.git({"count-objects"});
    const Ran shown = project.holdfast({"apply", "1", "--dry-run"});
    INFO(shown.err);
    REQUIRE(shown.code == 0);
    CHECK(shown.out.find("holdfast/1/1 (new)") != std::string::npos);
    CHECK(shown.out.find("Holdfast-Trial: ") != std::string::npos);
    CHECK(project.git({"count-objects"}) == objects);
    CHECK(project.git({"branch", "--list", "holdfast/*"}).empty());
    const auto plan = project.document({"apply", "1", "--dry-run"});
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    CHECK(plan.at("plan").at("tree") == trimmed(project.git({"rev-parse", "holdfast/1/1^{tree}"})));
}
