// SPDX-License-Identifier: GPL-3.0-or-later
// Approving, declining and relying on an approval, with a real repository, history and keys.
#include "app/common/ssh_signatures.hpp"
#include "tests/catch.h"
#include "tests/integration/decided_trial.hpp"
#include "tests/integration/ssh_keys.hpp"
#include "tests/integration/store_fixture.hpp"

#include <functional>

using namespace holdfast;
using namespace holdfast::review;
using namespace holdfast::test;
using app::SshSignatures;

namespace {

const std::string reason = "the branch moved by a typo fix only";
const std::string demand = R"({ "signatures": "required", "allowed-signers": "signers" })";

Result<study::ReviewRecord> approve(DecidedTrial& decided, const Approval& approval, const std::string& key = "") {
    SshSignatures signatures(key);
    return review::approve(decided.store(), decided.dossier(), approval, signatures);
}

Result<study::ReviewRecord> approve(DecidedTrial& decided, const std::string& key = "") {
    return approve(decided, DecidedTrial::approval(decided.dossier()), key);
}

Result<Statement> check(const DecidedTrial& decided) {
    SshSignatures signatures;
    return check_approval(decided.dossier(), signatures);
}

/// Refused, with `words`; and nothing was stored.
template <class T> void refuses(const Result<T>& result, const std::string& words) {
    INFO("expected: " << words);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message(), ContainsSubstring(words));
    CHECK(result.error().kind == Error::Kind::refused);
    CHECK_FALSE(result.error().remedy.empty());
}

std::size_t stored(DecidedTrial& decided) {
    return must(decided.store().reviews()).size();
}

void apply_by_hand(DecidedTrial& decided, std::int64_t approval, const std::string& action) {
    study::ApplicationRecord record;
    record.trial = decided.trial().id;
    record.action = action;
    record.review = approval;
    record.commit = record.parent = std::string(40, 'd');
    record.branch = "holdfast/1/1";
    record.evidence = std::string(64, 'e');
    record.who = "Ada Reviewer <ada@example.org>";
    record.time = "2026-01-02T03:06:00.000Z";
    must(decided.store().add_application(record, [] { return Result<void>(); }));
}

} // namespace

TEST_CASE("the dossier recomputes what the trial changes") {
    const DecidedTrial decided({.folder = "sub/"});
    const Dossier dossier = decided.dossier();
    CHECK(dossier.evidence_fault.empty());
    CHECK(dossier.change_error.empty());
    REQUIRE(dossier.change);
    REQUIRE(dossier.change->changes.size() == 2);
    CHECK(dossier.change->changes[0].first == "sub/holdfast.json");
    CHECK(dossier.change->changes[1].first == "sub/work.sh");
    CHECK(dossier.change->changes[1].second == "#!/bin/sh\necho fast\n");

    std::string expected = decided.repository().git({"show", "HEAD:sub/holdfast.json"});
    expected.replace(expected.find("\"default\": 32"), 13, "\"default\": 8");
    CHECK(dossier.change->changes[0].second == expected);
    REQUIRE(dossier.change->knobs.size() == 1);
    CHECK(dossier.change->knobs[0].knob->name == "size");
    CHECK(dossier.standing == Standing::waiting);
    CHECK(dossier.base.current);
    CHECK(dossier.tried == 1);

    // What git itself makes of it.
    decided.repository().write("sub/holdfast.json", expected);
    decided.repository().write("sub/work.sh", "#!/bin/sh\necho fast\n");
    decided.repository().git({"add", "-A"});
    CHECK(dossier.change->tree == ScratchRepository::first_line(decided.repository().git({"write-tree"})));
}

TEST_CASE("a knob in a file is set there, and its default follows") {
    const DecidedTrial decided({.knobs = R"([{ "name": "level", "type": "integer", "min": 1, "max": 9, "default": 3,
                        "through": { "file": "app.ini", "format": "ini", "key": "level" } }])",
                                .configuration = R"({"level":7})",
                                .files = {{"app.ini", "# how hard to try\nlevel = 3 ; of nine\n"}},
                                .patch = false});
    const Dossier dossier = decided.dossier();
    CHECK(dossier.evidence_fault.empty());
    REQUIRE(dossier.change);
    REQUIRE(dossier.change->files.size() == 2);
    CHECK(dossier.change->files[0].path == "app.ini");
    CHECK(dossier.change->files[0].after == "# how hard to try\nlevel = 7 ; of nine\n");
    CHECK(dossier.change->files[1].path == "holdfast.json");
    CHECK_THAT(*dossier.change->files[1].after, ContainsSubstring("\"default\": 7"));
    CHECK(dossier.change->files[1].lines_added == 1);
    CHECK(dossier.change->measured_tree == dossier.trial.result_tree);
    CHECK(dossier.change->tree != dossier.change->measured_tree);
}

TEST_CASE("a project file that was not committed cannot be changed in a commit") {
    DecidedTrial decided;
    const Dossier dossier = decided.dossier();
    decided.repository().write("holdfast.json", "{}");
    decided.repository().commit("another project");
    const auto base = must(decided.git().resolve());
    refuses(change_of(*dossier.project, decided.git(), base, dossier.trial.configuration_json, ""),
            "does not give the knob size the default 32");
    decided.repository().remove("holdfast.json");
    decided.repository().commit("no project");
    refuses(
        change_of(*dossier.project, decided.git(), must(decided.git().resolve()), dossier.trial.configuration_json, ""),
        "holdfast.json is no file in the commit");
}

TEST_CASE("a trial is found by number or id, and only when it is decided") {
    DecidedTrial decided;
    const auto open = [&](const std::string& name) {
        return open_dossier(decided.store(), decided.git(), decided.folder(), name);
    };
    CHECK(open("1"));
    CHECK(open("#1"));
    CHECK(open(decided.trial().id));
    const auto unknown = open("2\x1b[1m");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == Error::Kind::invalid);
    auto queued = some_trial("trial-2", "");
    must(decided.store().add_trial(queued));
    refuses(open("2"), "it is queued, not decided");
}

TEST_CASE("a person at a terminal approves, and the approval holds") {
    DecidedTrial decided({.flags = {"over-stated"}, .memory_factor = 1.5});
    decided.repository().write("notes.txt", "uncommitted work is nobody's business\n");
    Approval approval = DecidedTrial::approval(decided.dossier());
    approval.comment = "  fine \xff\n";
    const auto row = must(approve(decided, approval));
    CHECK(row.decision == "approved");
    CHECK(row.reviewer_email == "ada@example.org");
    CHECK(row.comment == "fine \xef\xbf\xbd");
    CHECK(row.signature.empty());

    const Dossier dossier = decided.dossier();
    CHECK(dossier.standing == Standing::approved);
    REQUIRE(dossier.approval() != nullptr);
    const Statement statement = must(check(decided));
    CHECK(statement.acknowledged == std::vector<std::string>{"over-stated", "more peak-memory"});
    CHECK(statement.binding == must(dossier.binding()));
    CHECK(statement.number == 1);
}

TEST_CASE("the desktop asks for no retyped number") {
    DecidedTrial decided;
    Approval approval = DecidedTrial::approval(decided.dossier());
    approval.presence = {Presence::Place::desktop, ""};
    CHECK(approve(decided, approval));
}

TEST_CASE("an approval without a person, with the wrong number or without a name is refused") {
    DecidedTrial decided;
    const Approval good = DecidedTrial::approval(decided.dossier());
    Approval approval = good;
    approval.presence.place = Presence::Place::none; // a pipe, a script, an agent's call: the number alone is nothing
    refuses(approve(decided, approval), "no person is there");
    for (const char* typed : {"", "2", "01", "1 ", "yes"}) {
        approval = good;
        approval.presence.retyped = typed;
        refuses(approve(decided, approval), "the number typed is not 1");
    }
    for (const git::Identity& nobody : {git::Identity{"", "a@b"}, git::Identity{"A", " "}}) {
        approval = good;
        approval.reviewer = nobody;
        CHECK_FALSE(approve(decided, approval));
    }
    CHECK(stored(decided) == 0);
}

TEST_CASE("flags and overrides that do not fit the trial are refused") {
    DecidedTrial decided({.flags = {"over-stated"}});
    const Approval good = DecidedTrial::approval(decided.dossier());
    const std::pair<Answers, std::string> rows[] = {
        {{{}, {}}, "flags: not acknowledged: over-stated"},
        {{{"over-stated", "tail"}, {}}, "no flag `tail`"},
        {{{"over-stated"}, {{"base moved", reason}}},
         "no `base moved` to override"}, // it has not moved: a stale script
        {{{"over-stated"}, {{"not held out", reason}}}, "no `not held out` to override"},
        {{{"over-stated"}, {{"checks", reason}}}, "`checks` cannot be overridden"},
        {{{"over-stated"}, {{"evidence", reason}}}, "`evidence` cannot be overridden"},
    };
    for (const auto& [answers, words] : rows) {
        Approval approval = good;
        approval.answers = answers;
        refuses(approve(decided, approval), words);
    }
    CHECK(stored(decided) == 0);
}

TEST_CASE("a gain nobody has held out needs a reason for that") {
    DecidedTrial decided({.verdict = "inconclusive", .flags = {"not held out"}, .held_out = false});
    Approval approval = DecidedTrial::approval(decided.dossier());
    refuses(approve(decided, approval), "held out: never measured");
    for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
             {" \xc2\xa0\xe2\x80\x8b ", "no reason"}, {"Not held out!", "repeats"}, {"urgent", "fewer than ten"}}) {
        approval.answers.overrides = {{"not held out", text}};
        refuses(approve(decided, approval), words);
    }
    approval.answers.overrides = {{"not held out", reason}, {"not held out", reason}};
    refuses(approve(decided, approval), "twice");
    approval.answers.overrides = {{"not held out", reason}};
    must(approve(decided, approval));
    CHECK(must(check(decided)).overrides.size() == 1);
}

TEST_CASE("what is not proposed cannot be approved") {
    DecidedTrial decided({.verdict = "regresses", .proposal = false});
    refuses(approve(decided), "proposed: the verdict is regresses");
}

TEST_CASE("a history that was edited is noticed before and after an approval") {
    struct Row {
        std::string sql, before, after;
    };
    const Row rows[] = {
        {"UPDATE trials SET configuration_json = '{\"fast\":false,\"size\":9}'", "differ in the configuration",
         "the knob size is now 9, approved was 8"},
        {"UPDATE trials SET configuration_json = '{\"fast\":true,\"size\":8}'", "differ in the configuration",
         "the knob fast is now true, approved was false"},
        {"UPDATE trials SET patch = replace(patch, 'echo fast', 'echo evil')", "differ in the patch",
         "the result tree is now"},
        {"UPDATE samples SET metrics_json = '{\"wall\":0.5}' WHERE arm = 'candidate'", "differ in the samples",
         "differ in the samples"},
        {"DELETE FROM samples WHERE round = 6", "differ in the samples", "differ in the samples"},
        {"UPDATE verdicts SET flags_json = '[]'", "differ in the verdict", "differ in the verdict"},
        {"UPDATE verdicts SET effects_json = '{\"tuning\":{\"estimate\":-0.5}}'", "differ in the effects",
         "differ in the effects"},
        {"UPDATE verdicts SET evidence_json = replace(evidence_json, '-0.06', '-0.60')", "the digest", "the digest"},
        {"UPDATE verdicts SET evidence_digest = '" + std::string(64, '0') + "'", "the digest",
         "the evidence is now 0000"},
        {"UPDATE gates SET reason = 'no check was run' WHERE gate = 'correct'", "differ in the gates' results",
         "differ in the gates' results"},
        {"UPDATE studies SET frozen_json = replace(frozen_json, '\"max\":64', '\"max\":65')", "frozen project file",
         "frozen project file"},
    };
    for (const Row& row : rows) {
        INFO(row.sql);
        DecidedTrial before({.flags = {"over-stated"}});
        const Approval approval = DecidedTrial::approval(before.dossier());
        before.sql(row.sql);
        const auto refused = approve(before, approval);
        REQUIRE_FALSE(refused);
        CHECK_THAT(before.dossier().evidence_fault, ContainsSubstring(row.before));
        CHECK_FALSE(before.dossier().binding());
        CHECK(stored(before) == 0);

        DecidedTrial after({.flags = {"over-stated"}});
        must(approve(after));
        after.sql(row.sql);
        refuses(check(after), row.after);
    }
}

TEST_CASE("a review row that was edited counts no more") {
    const std::pair<std::string, std::string> rows[] = {
        {"reviewer_email = 'eve@example.org'", "another reviewer"},
        {"comment = 'praise'", "another comment"},
        {"time = '2027-01-01T00:00:00.000Z'", "another time"},
        {"statement_json = replace(statement_json, '\"number\":1', '\"number\":2')", "another trial"},
        {"statement_json = replace(statement_json, '\"size\":8', '\"size\":9')",
         "the knob size is now 8, approved was 9"},
        {"statement_json = replace(statement_json, '\"decision\":\"approved\"', '\"decision\":\"rejected\"')",
         "does not approve"},
        {"statement_json = replace(statement_json, '[\"over-stated\"]', '[]')", "not acknowledged: over-stated"},
        {"statement_json = '{}'", "damaged"},
        {"statement_json = statement_json || ' '", "not of the form"},
        {"decision = 'rejected'", "it is rejected, not approved"},
    };
    for (const auto& [edit, words] : rows) {
        INFO(edit);
        DecidedTrial decided({.flags = {"over-stated"}});
        must(approve(decided));
        decided.sql("UPDATE reviews SET " + edit);
        refuses(check(decided), words);
    }
}

TEST_CASE("a rejection cannot be turned into an approval by editing its row") {
    DecidedTrial decided;
    must(decline(decided.store(), decided.dossier(), Decision::rejected, "too risky", false, DecidedTrial::reviewer()));
    refuses(check(decided), "it is rejected");
    decided.sql("UPDATE reviews SET decision = 'approved'");
    refuses(check(decided), "does not approve");
}

TEST_CASE("a branch that moved is told; a clean merge may pass on a reason, a conflict may not") {
    DecidedTrial decided;
    must(approve(decided));
    decided.repository().write("notes.txt", "one\ntwo\nthree\nfour\n");
    decided.repository().commit("elsewhere");
    CHECK_FALSE(decided.dossier().base.current);
    CHECK(decided.dossier().base.conflict.empty());
    refuses(check(decided), "base: HEAD is");

    Approval approval = DecidedTrial::approval(decided.dossier());
    refuses(approve(decided, approval), "the change merges without conflict");
    approval.answers.overrides = {{"base moved", reason}};
    must(approve(decided, approval));
    CHECK(must(check(decided)).overrides.front().reason == reason);

    decided.repository().write("work.sh", "#!/bin/sh\necho other\n");
    decided.repository().commit("the same line");
    CHECK_THAT(decided.dossier().base.conflict, ContainsSubstring("work.sh"));
    refuses(check(decided), "does not merge");
    refuses(approve(decided, approval), "no `base moved` to override");
}

TEST_CASE("a commit with the same tree is the same base") {
    DecidedTrial decided;
    must(approve(decided));
    decided.repository().git({"commit", "-q", "--amend", "-m", "another message"});
    CHECK(decided.dossier().base.current);
    CHECK(check(decided));
}

TEST_CASE("a commit that is gone is told in words, and the trial can still be looked at and declined") {
    DecidedTrial decided;
    decided.sql("UPDATE studies SET baseline_commit = '" + std::string(40, '1') + "'");
    const Dossier dossier = decided.dossier();
    CHECK_FALSE(dossier.change);
    CHECK_THAT(dossier.change_error, ContainsSubstring("does not have the commit 1111"));
    CHECK_FALSE(dossier.binding());
    CHECK_FALSE(approve(decided));
    CHECK(
        decline(decided.store(), dossier, Decision::rejected, "cannot be looked at", false, DecidedTrial::reviewer()));
}

TEST_CASE("declining needs a reason, and a rework is shared only when the person says so") {
    DecidedTrial decided({.verdict = "regresses", .proposal = false}); // any decided trial may be declined
    const auto say = [&](Decision decision, const std::string& text, bool shared) {
        return decline(decided.store(), decided.dossier(), decision, text, shared, DecidedTrial::reviewer());
    };
    CHECK_FALSE(say(Decision::rejected, " \xe3\x80\x80\n", false));
    CHECK_FALSE(say(Decision::rejected, "no", true));
    CHECK_FALSE(say(Decision::approved, "good", false));
    CHECK(stored(decided) == 0);
    CHECK(must(say(Decision::rework, "use less memory", true)).shared);
    CHECK(decided.dossier().standing == Standing::rework);
    CHECK_FALSE(must(say(Decision::rejected, "no", false)).shared);
    CHECK(decided.dossier().standing == Standing::rejected);
    CHECK(decided.dossier().approval() == nullptr);
}

TEST_CASE("an applied trial is decided about only after it was taken back, and then anew") {
    DecidedTrial decided;
    const auto row = must(approve(decided));
    apply_by_hand(decided, row.id, "applied");
    CHECK(decided.dossier().standing == Standing::applied);
    CHECK(check(decided)); // for exports
    refuses(approve(decided), "not applied: applied already");
    refuses(decline(decided.store(), decided.dossier(), Decision::rejected, "changed my mind", false,
                    DecidedTrial::reviewer()),
            "holdfast revert 1");
    apply_by_hand(decided, row.id, "reverted");
    CHECK(decided.dossier().standing == Standing::reverted);
    refuses(check(decided), "it is reverted, not approved");
    must(approve(decided));
    CHECK(check(decided));
}

TEST_CASE("a decision on what somebody else has decided meanwhile is refused") {
    DecidedTrial decided;
    const Dossier looked_at = decided.dossier();
    must(decline(decided.store(), looked_at, Decision::rejected, "no", false, DecidedTrial::reviewer()));
    SshSignatures none;
    refuses(review::approve(decided.store(), looked_at, DecidedTrial::approval(looked_at), none),
            "since it was opened");
    CHECK(stored(decided) == 1);
}

TEST_CASE("a project that demands signatures takes only those of its signers") {
    const SshKey ada, eve;
    DecidedTrial decided({.review = demand, .allowed_signers = ada.allowed("ada@example.org")});
    refuses(approve(decided), "signature: the project file of the study demands it");
    refuses(approve(decided, eve.file()), "a key of ada@example.org");
    CHECK(stored(decided) == 0);
    const auto row = must(approve(decided, ada.file()));
    CHECK_THAT(row.signature, ContainsSubstring("BEGIN SSH SIGNATURE"));
    CHECK(check(decided));

    SshSignatures with_eve(eve.file()), with_ada(ada.file());
    const std::pair<std::string, std::string> rows[] = {
        {"", "unsigned"},
        {must(with_eve.sign(row.statement_json)), "a key of ada@example.org"},
        {must(with_ada.sign("another text")), "a key of ada@example.org"},
        {"-----BEGIN SSH SIGNATURE-----\n", "a key of ada@example.org"},
    };
    for (const auto& [signature, words] : rows) {
        decided.sql("UPDATE reviews SET signature = '" + signature + "'");
        refuses(check(decided), words);
    }
}

TEST_CASE("whose key is whose is read from the commit that was measured") {
    const SshKey ada, eve;
    const std::string eves = eve.allowed("ada@example.org");
    DecidedTrial decided({.review = demand, .allowed_signers = ada.allowed("ada@example.org")});
    decided.repository().write("signers", eves); // in the working tree
    refuses(approve(decided, eve.file()), "a key of ada@example.org");
    decided.repository().commit("other signers"); // and in a later commit
    Approval approval = DecidedTrial::approval(decided.dossier());
    approval.answers.overrides = {{"base moved", reason}};
    refuses(approve(decided, approval, eve.file()), "a key of ada@example.org");
    CHECK(approve(decided, approval, ada.file()));
}

TEST_CASE("a candidate cannot change whose key is whose") {
    const SshKey ada, eve;
    const DecidedTrial decided({.review = demand, .allowed_signers = ada.allowed("ada@example.org")});
    const std::string old_line = ada.allowed("ada@example.org"), new_line = eve.allowed("ada@example.org");
    const Dossier dossier = decided.dossier();
    const auto changed =
        change_of(*dossier.project, decided.git(), *dossier.base.commit, dossier.trial.configuration_json,
                  "--- a/signers\n+++ b/signers\n@@ -1 +1 @@\n-" + old_line + "+" + new_line);
    refuses(changed, "signers");
}

TEST_CASE("the branch may begin to demand signatures after the study") {
    const SshKey ada;
    DecidedTrial decided;
    must(approve(decided));
    std::string text = decided.repository().git({"show", "HEAD:holdfast.json"});
    const auto with_review = [&](const std::string& review) {
        std::string changed = text;
        changed.replace(changed.rfind('}'), 1, ", \"review\": " + review + "}");
        return changed;
    };
    for (const std::string& now : {with_review(demand), with_review(R"({"signatures": "always"})"), std::string("{")}) {
        decided.repository().write("holdfast.json", now);
        decided.repository().commit("signatures, please");
        const Dossier dossier = decided.dossier();
        CHECK(dossier.signature.required);
        CHECK_THAT(dossier.signature.because, ContainsSubstring("HEAD"));
        CHECK_FALSE(dossier.signature.fault.empty());
        CHECK_FALSE(check(decided));
    }
    decided.repository().write("holdfast.json", with_review(R"({"signatures": "optional"})"));
    decided.repository().commit("or not");
    CHECK_FALSE(decided.dossier().signature.required);
}

TEST_CASE("a signature where none is demanded is kept and must still verify") {
    const SshKey ada, eve;
    DecidedTrial decided;
    const auto row = must(approve(decided, ada.file()));
    CHECK_FALSE(row.signature.empty());
    CHECK(check(decided));
    SshSignatures with_eve(eve.file());
    decided.sql("UPDATE reviews SET signature = '" + must(with_eve.sign("another text")) + "'");
    refuses(check(decided), "verify the signature");
}
