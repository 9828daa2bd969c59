// SPDX-License-Identifier: GPL-3.0-or-later
// Reading what a candidate left behind: nothing it made is followed, waited for or trusted to be small.
#pragma once

#include "core/project/error.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace holdfast::study {

/// The bytes of the regular file `relative` below `folder`; nothing when there is none. A symbolic link on the way, a
/// device, a pipe or more than `cap` bytes is an error.
Result<std::optional<std::string>> read_output(const std::filesystem::path& folder, const std::string& relative,
                                               std::uint64_t cap);

/// SHA-256 of every regular file below `folder` by relative path; a symbolic link or special file is listed as what it
/// is, never opened.
Result<std::map<std::string, std::string>> hash_folder(const std::filesystem::path& folder);

/// SHA-256 of every ELF file and executable script below `folder` by relative path.
Result<std::map<std::string, std::string>> hash_executables(const std::filesystem::path& folder);

/// Copies a tree; symbolic links stay links, special files are left out.
Result<void> copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);

Result<void> make_folder(const std::filesystem::path& folder, std::filesystem::perms mode);
/// A new file with the bytes and rights of another. Not std::filesystem's, which calls a full disk an input/output
/// error.
Result<void> copy_one_file(const std::filesystem::path& from, const std::filesystem::path& to);
Result<void> write_file(const std::filesystem::path& file, const std::string& bytes);

/// Removes a tree, also one whose folders a candidate made unreadable.
Result<void> remove_tree(const std::filesystem::path& folder);

/// Removes what is in a folder and leaves the folder itself.
Result<void> empty_folder(const std::filesystem::path& folder);

/// {"a": 1, ...} of name -> hash as one SHA-256.
std::string combined_hash(const std::map<std::string, std::string>& hashes);

} // namespace holdfast::study
