// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/ssh_signatures.hpp"

#include "app/common/tool.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace holdfast::app {

namespace {

constexpr const char* name_space = "holdfast-approval";
constexpr const char* package = "openssh-client";
constexpr std::string_view literal_prefix = "key::";
constexpr std::chrono::minutes patience_for_a_passphrase{2};

std::string in_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

/// The last line that ssh-keygen complained with, which says why.
std::string complaint(const ToolResult& result) {
    std::string text = result.errors.empty() ? result.out : result.errors;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    text.erase(0, text.rfind('\n') + 1); // npos + 1 is 0
    return text.empty() ? fmt::format("ssh-keygen ended with status {}", result.status) : printable(text);
}

bool one_line(const std::string& text) {
    return !text.empty() &&
           std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

} // namespace

SshSignatures::SshSignatures(std::string key) : key_(std::move(key)) {}

Result<SshSignatures> SshSignatures::of(const git::Repository& repository) {
    auto format = repository.setting("gpg.format");
    if (!format)
        return tl::unexpected(format.error());
    auto key = repository.setting("user.signingkey");
    if (!key)
        return tl::unexpected(key.error());
    return SshSignatures(*format == "ssh" ? std::move(*key) : "");
}

bool SshSignatures::is_literal() const {
    constexpr std::array<std::string_view, 5> starts{literal_prefix, "ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"};
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return key_.starts_with(start); });
}

bool SshSignatures::can_sign() const {
    if (is_literal())
        return std::getenv("SSH_AUTH_SOCK") != nullptr;
    return !key_.empty() && ::access(in_home(key_).c_str(), R_OK) == 0;
}

Result<std::string> SshSignatures::sign(const std::string& text) {
    const std::string attempted = "sign the approval with your SSH key";
    if (!can_sign())
        return refused(attempted, key_.empty() ? "no key is named" : "the key is not there: " + printable(key_),
                       "Run `git config gpg.format ssh` and `git config user.signingkey FILE`.");
    ToolRun run;
    run.argv = {"ssh-keygen", "-Y", "sign", "-n", name_space, "-f"};
    run.input = text;
    run.timeout = patience_for_a_passphrase;
    if (is_literal()) {
        run.argv.push_back(tool_file(0));
        run.files = {key_.substr(key_.starts_with(literal_prefix) ? literal_prefix.size() : 0) + '\n'};
    } else
        run.argv.push_back(in_home(key_));
    auto result = run_tool(run, attempted, package);
    if (!result)
        return tl::unexpected(result.error());
    if (result->status != 0 || result->out.empty())
        return failed(attempted, complaint(*result),
                      "Check the key, its passphrase and `ssh-add -l`; git's user.signingkey names it.");
    return std::move(result->out);
}

Result<void> SshSignatures::verify(const std::string& text, const std::string& signature, const std::string& email,
                                   const std::string& allowed_signers) {
    const std::string attempted = "verify the signature of the approval";
    if (!one_line(email))
        return refused(attempted, "the reviewer has no e-mail address", "Approve it again.");
    ToolRun run;
    run.input = text;
    if (allowed_signers.empty()) {
        run.argv = {"ssh-keygen", "-Y", "check-novalidate", "-n", name_space, "-s", tool_file(0)};
        run.files = {signature};
    } else {
        run.argv = {"ssh-keygen", "-Y", "verify",     "-n", name_space,  "-I",
                    email,        "-f", tool_file(1), "-s", tool_file(0)};
        run.files = {signature, allowed_signers};
    }
    auto result = run_tool(run, attempted, package);
    if (!result)
        return tl::unexpected(result.error());
    if (result->status != 0)
        return refused(attempted,
                       fmt::format("it is none of this text by a key of {}: {}", printable(email), complaint(*result)),
                       allowed_signers.empty()
                           ? "Approve it again."
                           : "Approve it again with a key that the project's allowed-signers file gives that address.");
    return {};
}

} // namespace holdfast::app
