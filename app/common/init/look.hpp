// SPDX-License-Identifier: GPL-3.0-or-later
// What a folder holds, as far as one look goes: names and sizes, no link followed, nothing executed.
#pragma once

#include "core/project/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app::init {

struct SeenFile {
    std::string path;        ///< relative to the folder, printable
    std::uintmax_t size = 0; ///< bytes
    bool executable = false;
    bool committed = false; ///< HEAD has a file there
};

struct LookLimits {
    std::size_t entries = 20'000;        ///< files, folders and links together; the nearest are looked at first
    std::size_t depth = 8;               ///< folders below the folder
    std::size_t text_bytes = 256 * 1024; ///< of one file's text
};

class Seen {
public:
    std::filesystem::path folder; ///< absolute
    std::vector<SeenFile> files;  ///< by path
    std::size_t passed_over = 0;  ///< entries that cannot be read or whose names no project file should hold
    bool whole = true;            ///< false: a limit was reached
    bool in_repository = false;   ///< of git
    bool has_commit = false;      ///< that HEAD names
    std::string prefix;           ///< of the folder in its repository; "" at its root, else with a final '/'
    std::size_t text_bytes = 0;   ///< LookLimits::text_bytes

    /// Whether git would not take the file without being told to; false outside a repository.
    bool ignores(const std::string& path) const;
    const SeenFile* file(std::string_view path) const; ///< null when it was not seen
    bool has_folder(std::string_view path) const;      ///< whether a seen file is below it
    /// The first bytes of a regular file, at most text_bytes; "" when it cannot be read.
    std::string text(std::string_view path) const { return text(path, text_bytes); }
    std::string text(std::string_view path, std::size_t most) const;
};

/// Files that git ignores, `.git`, `.holdfast` and folders that hold what tools make (`node_modules`, `.venv`, ...) are
/// left out. An error when the folder cannot be read at all.
Result<Seen> look(const std::filesystem::path& folder, const LookLimits& limits = {});

/// "data/a.tar.gz": folder "data" ("" for none), name "a.tar.gz", extension ".gz", stem "a.tar".
std::string folder_of(std::string_view path);
std::string name_of(std::string_view path);
std::string extension_of(std::string_view path);
std::string stem_of(std::string_view path);

} // namespace holdfast::app::init
