// SPDX-License-Identifier: GPL-3.0-or-later
// A server's own settings as a proposal, in its arguments or in the configuration file that the folder holds.
#pragma once

#include "app/common/catalogue.hpp"
#include "app/common/init/proposal.hpp"

#include <optional>
#include <string>

namespace holdfast::app::init {

/// A configuration file in the folder: postgresql.conf or redis.conf.
struct ServerFile {
    ServerKind kind = ServerKind::postgresql;
    std::string path; ///< relative to the folder
};
std::optional<ServerFile> find_server_file(const Seen& seen);

/// Where the folder holds the server's configuration file, knobs change it in place and the server starts with it.
Proposal propose_server(const Seen& seen, const Catalogue& catalogue);

/// "128MB" in the unit of a knob, "kB": 131072; nothing when it is no whole number of them. A text without a unit is
/// taken as it is.
std::optional<std::int64_t> in_unit(const std::string& text, const std::string& unit);

} // namespace holdfast::app::init
