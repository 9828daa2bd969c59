// SPDX-License-Identifier: GPL-3.0-or-later
// Finds where the sources make errors, so that what they say can be read without making them happen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::test {

/// One `failed(...)`, `invalid(...)`, `refused(...)` or `Error{...}`. The parts are C++ expressions without comments; a
/// part that is the name of a variable of the same file is what it was last given before.
struct ErrorSite {
    std::string file; ///< below the folder that was searched
    int line = 0;
    std::string kind; ///< "failed", ..., or "" when it is computed
    std::string attempted, found, remedy;
};

/// Of one file's text.
std::vector<ErrorSite> error_sites(const std::string& file, const std::string& text);

/// Of every .cpp and .hpp below these folders of `root`.
std::vector<ErrorSite> error_sites(const std::filesystem::path& root, const std::vector<std::string>& folders);

/// The texts of all string literals in an expression, adjacent ones joined.
std::vector<std::string> literals(const std::string& expression);

/// How the values of an expression can begin: the first literal of each branch that starts with one, be it formatted,
/// joined or converted. A branch that starts with something computed gives nothing.
std::vector<std::string> beginnings(const std::string& expression);

/// How they can end.
std::vector<std::string> endings(const std::string& expression);

} // namespace holdfast::test
