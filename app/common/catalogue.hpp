// SPDX-License-Identifier: GPL-3.0-or-later
// What a server says about its own settings, as knobs, with workloads that exercise it: what `init --for` writes.
#pragma once

#include "core/project/error.hpp"
#include "core/project/project.hpp"
#include "core/study/runner.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app {

enum class ServerKind { postgresql, redis, sqlite };
std::string_view to_text(ServerKind kind); ///< "postgresql", "redis", "sqlite": the words of `init --for`
std::optional<ServerKind> server_kind(std::string_view word);
std::vector<std::string_view> server_kind_words();

struct CatalogueKnob {
    enum class Use {
        search, ///< proposed for the search
        fixed,  ///< worth a knob that a person may set, but named in search.fix
        listed, ///< only worth a commented-out line
    };
    enum class Applies { restart, reload, session };
    Knob knob;           ///< complete; its default is what this server starts with. Knob::danger is absent: recognised
    std::string setting; ///< the server's own name: "io-threads" of the knob io_threads
    std::string about;   ///< one printable line; may be empty
    std::string unit;    ///< of the knob's value: "kB", "ms"; "" for none
    Applies applies = Applies::restart;
    Knob::Danger danger = Knob::Danger::none; ///< as danger.hpp recognises it; such a knob is never Use::search
    Use use = Use::listed;
};
std::string_view to_text(CatalogueKnob::Applies applies); ///< "restart", "reload", "session"

/// A file the workloads need beside holdfast.json; belongs into the commit.
struct CatalogueFile {
    std::string path; ///< relative to the project folder
    std::string text;
};

/// What stands between knobs and workloads in a project file for the server.
struct Catalogue {
    ServerKind kind = ServerKind::postgresql;
    std::string version; ///< "PostgreSQL 15.14", one printable line
    /// By Use, then as curated (search, fixed) or by name (listed).
    std::vector<CatalogueKnob> knobs;
    std::vector<std::string> constraints; ///< over knobs of Use::search and Use::fixed
    std::vector<Workload> tuning;         ///< each has a check; their texts hold the placeholders of the grammar
    std::vector<Workload> holdout;        ///< for .holdfast/holdout.json
    std::vector<CatalogueFile> files;
    Timeouts timeouts;
    SandboxSettings sandbox;
    std::vector<Limit> limits;
    std::vector<std::string> notes; ///< for comments at the top of the file, one line each
};

struct CatalogueOptions {
    std::filesystem::path program;  ///< the server's own program; empty: PATH and the places of distributions
    std::uint64_t memory_bytes = 0; ///< what ranges are bounded by; 0: this machine's
};

/// Asks the server's program. PostgreSQL and Redis are started inside `runner`'s sandbox, never as root and reachable
/// by nobody else. Errors: no such program, naming its package (invalid); it cannot be asked (failed).
Result<Catalogue> catalogue_of(ServerKind kind, study::Runner& runner, const CatalogueOptions& options = {},
                               std::stop_token kill = {});

} // namespace holdfast::app
