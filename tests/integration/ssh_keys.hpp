// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/scratch.hpp"

#include <stdexcept>
#include <string>

namespace holdfast::test {

/// A real key pair that goes with its object.
class SshKey {
public:
    explicit SshKey(const std::string& passphrase = "") {
        const auto made =
            run_program({"ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", file().string()},
                        folder_.path());
        if (made.status != 0)
            throw std::runtime_error("ssh-keygen: " + made.errors);
    }
    std::filesystem::path file() const { return folder_.path() / "key"; }
    std::string public_key() const { return ScratchRepository::first_line(read_text(folder_.path() / "key.pub")); }
    /// A line of an allowed-signers file.
    std::string allowed(const std::string& email) const { return email + ' ' + public_key() + '\n'; }

private:
    ScratchFolder folder_;
};

} // namespace holdfast::test
