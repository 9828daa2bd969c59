// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of the commits that apply and revert write, and reading their trailers back.
#pragma once

#include "core/review/dossier.hpp"

#include <string>
#include <string_view>

namespace holdfast::review {

/// "holdfast/<study>/<trial>".
std::string branch_of(const Dossier& dossier);

/// A preview: the trailer Holdfast-Chain has words in place of the hash, until with_chain().
std::string apply_message(const Dossier& dossier, const Statement& statement, const git::Identity& author);

/// A preview too. `subject`: the first line of the commit that is taken back.
std::string revert_message(const Dossier& dossier, const std::string& commit, std::string_view subject);

/// The message as it is committed; `chain`: the head of the chain of events.
std::string with_chain(std::string message, const std::string& chain);

std::string without_chain(std::string message);

/// The value of the trailer `name` in the last paragraph of a commit message; "" without one.
std::string trailer(std::string_view message, std::string_view name);

/// The text that says which commit is taken back, as git itself writes it.
std::string reverts_line(const std::string& commit);

} // namespace holdfast::review
