// SPDX-License-Identifier: GPL-3.0-or-later
// Approvals signed and verified by OpenSSH's own ssh-keygen (PROTOCOL.sshsig), in the namespace "holdfast-approval".
#pragma once

#include "core/git/repository.hpp"
#include "core/review/rules.hpp"

#include <string>

namespace holdfast::app {

class SshSignatures final : public review::Signatures {
public:
    /// `key`: the file of a private key, or of a public one whose private key the SSH agent holds ("~/" is the home
    /// folder); or a public key itself ("ssh-ed25519 AAAA...", also after "key::") that the agent holds. "": can only
    /// verify.
    explicit SshSignatures(std::string key = "");

    /// With git's user.signingkey, when gpg.format is ssh.
    static Result<SshSignatures> of(const git::Repository& repository);

    bool can_sign() const override;
    /// A key with a passphrase asks for it on the terminal or, without one, through the program SSH_ASKPASS names; it
    /// waits for two minutes.
    Result<std::string> sign(const std::string& text) override;
    Result<void> verify(const std::string& text, const std::string& signature, const std::string& email,
                        const std::string& allowed_signers) override;

private:
    bool is_literal() const;

    std::string key_;
};

} // namespace holdfast::app
