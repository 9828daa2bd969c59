// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop's worker does with a project, without a window.
#include "app/common/ssh_signatures.hpp"
#include "app/desktop/project_work.hpp"
#include "tests/catch.h"
#include "tests/integration/decided_trial.hpp"

using namespace holdfast;
using test::DecidedTrial;

namespace {

struct Desk {
    DecidedTrial decided;
    app::SshSignatures signatures;

    Desk() {
        decided.repository().git({"config", "user.name", "Ada"});
        decided.repository().git({"config", "user.email", "ada@example.org"});
    }
    std::shared_ptr<const review::Dossier> read() {
        auto read = desktop::work::read_trial(decided.folder(), 1);
        REQUIRE(read);
        return read->dossier;
    }
    Result<study::ReviewRecord> approve(const review::Dossier& seen) {
        const auto answers = DecidedTrial::approval(seen).answers;
        return desktop::work::approve(decided.folder(), seen, answers, "", signatures);
    }
};

} // namespace

TEST_CASE("approved is what the person looked at") {
    Desk desk;
    const auto approved = desk.approve(*desk.read());
    INFO((approved ? "" : approved.error().message()));
    REQUIRE(approved);
    CHECK(approved->reviewer_name == "Ada");
}

TEST_CASE("what changed since the person looked is not approved") {
    Desk desk;
    const auto seen = desk.read();
    SECTION("HEAD") {
        desk.decided.repository().git({"commit", "-q", "--allow-empty", "-m", "one more"});
    }
    SECTION("the evidence") {
        desk.decided.sql("UPDATE verdicts SET evidence_json = replace(evidence_json, 'generalises', 'regresses')");
    }
    SECTION("another decision") {
        REQUIRE(desktop::work::decline(desk.decided.folder(), 1, review::Decision::rejected, "not yet", false));
    }
    const auto approved = desk.approve(*seen);
    REQUIRE_FALSE(approved);
    CHECK(approved.error().kind == Error::Kind::refused);
}
