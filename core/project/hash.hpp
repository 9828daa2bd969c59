// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace holdfast {

/// SHA-256 in lower-case hexadecimal.
std::string sha256(std::string_view bytes);

/// SHA-256 of a regular file's bytes; a symbolic link is not followed and is an error.
Result<std::string> sha256_file(const std::filesystem::path& file);

/// Canonical JSON of any JSON text: keys sorted, no white space, shortest round-trip numbers. Throws nothing; the text
/// must be valid JSON.
std::string canonical_json(std::string_view json);

/// UUID version 7 (RFC 9562): milliseconds since 1970 and 74 random bits; later calls in one process sort later.
std::string uuid_v7();

} // namespace holdfast
