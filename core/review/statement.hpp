// SPDX-License-Identifier: GPL-3.0-or-later
// What a person decided, bound to exactly what was measured. Its canonical JSON is what is stored, digested and signed.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::review {

enum class Decision { approved, rejected, rework };
std::string_view to_text(Decision decision);

/// The four things an approval is bound to, and that `apply` computes again.
struct Binding {
    std::string baseline_commit;
    std::string result_tree;        ///< of the change as it will be committed (Change::tree)
    std::string configuration_json; ///< canonical
    std::string evidence_digest;
    bool operator==(const Binding&) const = default;
};

/// A gate passed on a person's word. Only `base moved` and `not held out` can be.
struct Override {
    std::string gate;
    std::string reason; ///< as typed; never blank
};

struct Statement {
    Decision decision = Decision::approved;
    std::string trial; ///< id
    std::int64_t number = 0;
    git::Identity reviewer;
    std::string head; ///< HEAD's commit when it was decided: what `base moved` was said about
    std::string time;
    std::string comment;
    bool shared = false;
    std::vector<std::string> acknowledged; ///< red flags, each named
    std::vector<Override> overrides;
    Binding binding;
};

/// Canonical JSON, "schema": "holdfast/review/1".
std::string to_json(const Statement& statement);
Result<Statement> statement_from_json(const std::string& json);

} // namespace holdfast::review
