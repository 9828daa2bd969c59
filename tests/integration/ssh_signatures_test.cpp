// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/ssh_signatures.hpp"

#include "app/common/tool.hpp"
#include "tests/catch.h"
#include "tests/integration/ssh_keys.hpp"

#include <cstdlib>

using namespace holdfast;
using namespace holdfast::test;
using app::SshSignatures;

namespace {

const std::string text = R"({"decision":"approved"})";

/// A variable of this process that a test changes and puts back.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name))
            old_ = old, was_there_ = true;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (was_there_)
            ::setenv(name_, old_.c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::string old_;
    bool was_there_ = false;
};

std::string value_in(const std::string& output, const std::string& name) {
    const auto begin = output.find(name + '=') + name.size() + 1;
    return output.substr(begin, output.find(';', begin) - begin);
}

} // namespace

TEST_CASE("a signature is good for its text, key, address and signers, and for nothing else") {
    const SshKey ada, eve;
    SshSignatures signatures(ada.file());
    REQUIRE(signatures.can_sign());
    const auto signature = signatures.sign(text);
    INFO((signature ? "" : signature.error().message()));
    REQUIRE(signature);
    const std::string signers = eve.allowed("eve@example.org") + ada.allowed("ada@example.org");
    CHECK(signatures.verify(text, *signature, "ada@example.org", signers));
    CHECK(signatures.verify(text, *signature, "anybody", "")); // no signers: by any key

    const std::vector<std::string> rows[] = {
        {text + ' ', *signature, "ada@example.org", signers},
        {text, *signature, "eve@example.org", signers},
        {text, *signature, "ada@example.org", eve.allowed("ada@example.org")},
        {text, *signature, "ada@example.org", "not a signers file\n"},
        {text, *signature, "", signers},
        {text, *signature, std::string("ada@example.org\0.evil", 21), signers},
        {text, "", "ada@example.org", signers},
        {text, "rubbish", "ada@example.org", signers},
        {text + ' ', *signature, "anybody", ""},
    };
    for (const auto& row : rows) {
        const auto verified = signatures.verify(row[0], row[1], row[2], row[3]);
        INFO(row[2] << ' ' << row[3]);
        REQUIRE_FALSE(verified);
        CHECK(verified.error().kind == Error::Kind::refused);
    }
}

TEST_CASE("a signature made for another purpose is none of an approval") {
    const SshKey ada;
    const auto other = run_program({"ssh-keygen", "-q", "-Y", "sign", "-f", ada.file().string(), "-n", "git"},
                                   ada.file().parent_path(), text);
    REQUIRE(other.status == 0);
    SshSignatures signatures;
    CHECK_FALSE(signatures.verify(text, other.output, "ada@example.org", ada.allowed("ada@example.org")));
    CHECK_FALSE(signatures.verify(text, other.output, "ada@example.org", ""));
}

TEST_CASE("the key is the one that git signs with, when git signs with SSH") {
    const SshKey ada;
    const ScratchRepository scratch;
    const auto signs = [&] { return SshSignatures::of(*git::Repository::open(scratch.path()))->can_sign(); };
    scratch.git({"config", "user.signingkey", ada.file().string()});
    CHECK_FALSE(signs()); // it is a GPG key's name as far as git knows
    scratch.git({"config", "gpg.format", "ssh"});
    CHECK(signs());
    scratch.git({"config", "user.signingkey", "/nowhere/key"});
    CHECK_FALSE(signs());
}

TEST_CASE("a key that only the agent holds signs by its public half") {
    const SshKey ada;
    const ScratchFolder folder;
    const auto agent = run_program({"ssh-agent", "-s", "-a", (folder.path() / "agent").string()}, folder.path());
    REQUIRE(agent.status == 0);
    const Variable socket("SSH_AUTH_SOCK", value_in(agent.output, "SSH_AUTH_SOCK"));
    const Variable number("SSH_AGENT_PID", value_in(agent.output, "SSH_AGENT_PID"));
    const auto added = run_program({"ssh-add", "-q", ada.file().string()}, folder.path());
    std::filesystem::remove(ada.file());
    for (const std::string& key : {"key::" + ada.public_key(), ada.public_key(), ada.file().string() + ".pub"}) {
        SshSignatures signatures(key);
        const auto signature = signatures.sign(text);
        INFO(key << (signature ? "" : signature.error().message()));
        CHECK(signature);
        CHECK((signature && signatures.verify(text, *signature, "a@b", ada.allowed("a@b"))));
    }
    run_program({"ssh-agent", "-k"}, folder.path());
    CHECK(added.status == 0);
}

TEST_CASE("a passphrase comes from the program that SSH_ASKPASS names; a wrong one is told") {
    const SshKey ada("a long passphrase");
    const ScratchFolder folder;
    const auto ask = folder.path() / "ask";
    const Variable askpass("SSH_ASKPASS", ask.string()), always("SSH_ASKPASS_REQUIRE", "force");
    SshSignatures signatures(ada.file());
    for (const auto& [answer, right] : {std::pair("a long passphrase", true), std::pair("another", false)}) {
        write_text(ask, std::string("#!/bin/sh\necho '") + answer + "'\n");
        std::filesystem::permissions(ask, std::filesystem::perms::owner_all);
        const auto signature = signatures.sign(text);
        CHECK(signature.has_value() == right);
        if (!signature)
            CHECK_THAT(signature.error().message(), ContainsSubstring("passphrase"));
    }
}

TEST_CASE("a missing ssh-keygen is told with the package that has it") {
    const SshKey ada;
    const Variable path("PATH", "/nowhere");
    SshSignatures signatures(ada.file());
    const auto signature = signatures.sign(text);
    REQUIRE_FALSE(signature);
    CHECK_THAT(signature.error().message(), ContainsSubstring("openssh-client"));
    const auto verified = signatures.verify(text, "x", "a@b", "");
    REQUIRE_FALSE(verified);
    CHECK(verified.error().kind == Error::Kind::failed);
}

TEST_CASE("a tool that does not end is killed, and its input and files are whole") {
    app::ToolRun run;
    run.argv = {"sh", "-c", "cat " + app::tool_file(0) + "; cat; echo no >&2; exit 3"};
    run.input = std::string(200'000, 'i');
    run.files = {std::string(200'000, 'f')};
    const auto result = app::run_tool(run, "try", "sh");
    REQUIRE(result);
    CHECK(result->status == 3);
    CHECK(result->out == run.files[0] + run.input);
    CHECK(result->errors == "no\n");

    run.argv = {"tail", "-f", "/dev/null"};
    run.timeout = std::chrono::milliseconds(20);
    const auto hung = app::run_tool(run, "try", "coreutils");
    REQUIRE_FALSE(hung);
    CHECK_THAT(hung.error().message(), ContainsSubstring("did not end"));
}
