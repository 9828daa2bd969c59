// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL's settings, from pg_settings of a cluster made for the question: `postgres --describe-config` tells
// neither units nor enumerations nor what initdb decides.
#include "app/common/catalogue/parts.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>

namespace holdfast::app::catalogue {

namespace {

namespace fs = std::filesystem;
using Use = CatalogueKnob::Use;
using Applies = CatalogueKnob::Applies;

// Left out: texts, which have no domain; what a benchmark's harness decides; settings for developers of PostgreSQL.
constexpr const char* query =
    "COPY (SELECT name, vartype, coalesce(unit, ''), CASE WHEN source = 'override' OR boot_val = '-1' THEN boot_val "
    "ELSE reset_val END, "
    "coalesce(min_val, ''), coalesce(max_val, ''), coalesce(array_to_string(enumvals, ','), ''), context, short_desc "
    "FROM pg_settings WHERE context <> 'internal' AND vartype <> 'string' AND name NOT IN ('port', "
    "'restart_after_crash') "
    "AND category !~ 'Developer|Preset|Reporting and Logging|Client Connection Defaults / Locale') "
    "TO '/tmp/settings'";

constexpr const char* script = R"sh(bin=$1
"$bin/initdb" -D /tmp/cluster -U postgres -A trust --no-locale --no-sync > /tmp/log 2>&1 &&
    echo "$2" | "$bin/postgres" --single -D /tmp/cluster postgres > /tmp/log 2>&1 &&
    "$bin/postgres" --version && cat /tmp/settings || { tail -n 1 /tmp/log >&2; exit 1; }
)sh";

constexpr Proposal proposals[] = {
    {"shared_buffers", Use::search, 16, 1 << 20, "MB", true, 0.4},
    {"work_mem", Use::search, 256, 1 << 20, "kB", true, 1.0 / 16},
    {"effective_cache_size", Use::search, 64, 1 << 22, "MB", true, 1.0},
    {"hash_mem_multiplier", Use::search, 1, 8},
    {"random_page_cost", Use::search, 1, 8},
    {"effective_io_concurrency", Use::search, 0, 256},
    {"max_parallel_workers_per_gather", Use::search, 0, 8},
    {"jit", Use::search},
    {"wal_buffers", Use::search, 0, 0, "", false, 0, "-1 64kB 1MB 4MB 16MB 64MB"},
    {"wal_compression", Use::search},
    {"checkpoint_timeout", Use::search, 30, 3600, "", true},
    {"checkpoint_completion_target", Use::search, 0.1, 0.95},
    {"max_wal_size", Use::search, 64, 16384, "MB", true},
    {"fsync", Use::fixed},
    {"synchronous_commit", Use::fixed},
    {"full_page_writes", Use::fixed},
    {"wal_sync_method", Use::fixed},
    {"maintenance_work_mem", Use::fixed, 1024, 1 << 22, "kB", true, 1.0 / 8},
    {"autovacuum", Use::fixed},
    {"commit_delay", Use::fixed, 0, 10000},
    {"bgwriter_delay", Use::fixed, 10, 10000, "", true},
    {"bgwriter_lru_maxpages", Use::fixed, 0, 1000},
    {"jit_above_cost", Use::fixed, 0, 1e7},
    {"plan_cache_mode", Use::fixed},
    {"huge_pages", Use::fixed},
};

std::string argument(const Told& told) {
    const bool suffix =
        told.unit == "kB" || told.unit == "MB" || told.unit == "ms" || told.unit == "s" || told.unit == "min";
    return "--" + told.name + "={value}" + (suffix ? told.unit : "");
}

std::optional<Told> read(const std::string& line) {
    const auto fields = split(line, '\t');
    if (fields.size() != 9)
        return std::nullopt;
    Told told;
    told.name = fields[0];
    told.type = fields[1] == "bool"   ? Knob::Type::boolean
                : fields[1] == "enum" ? Knob::Type::categorical
                : fields[1] == "real" ? Knob::Type::real
                                      : Knob::Type::integer;
    told.unit = fields[2];
    told.value = fields[3];
    const auto bound = [](const std::string& text) {
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    };
    told.min = bound(fields[4]);
    told.max = bound(fields[5]);
    if (told.type == Knob::Type::categorical)
        told.values = split(fields[6], ',');
    told.applies = fields[7] == "postmaster" ? Applies::restart
                   : fields[7] == "sighup"   ? Applies::reload
                                             : Applies::session;
    told.about = fields[8];
    return told;
}

/// Where distributions put it, the newest first.
std::vector<fs::path> folders() {
    std::vector<fs::path> found;
    std::error_code code;
    for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib/postgresql", code))
        found.push_back(entry.path() / "bin");
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        const auto version = [](const fs::path& path) { return std::atof(path.parent_path().filename().c_str()); };
        return version(a) > version(b);
    });
    for (const char* other : {"/usr/lib/postgresql/bin", "/usr/libexec/postgresql", "/usr/local/pgsql/bin"})
        found.emplace_back(other);
    return found;
}

} // namespace

Result<Catalogue> postgresql(study::Runner& runner, const CatalogueOptions& options, std::stop_token kill) {
    const auto program = find_server(options, {"postgres"}, folders(), "postgresql");
    if (!program)
        return tl::unexpected(program.error());
    std::error_code code;
    const fs::path real = fs::canonical(*program, code); // initdb and the others are beside it
    const auto answer =
        ask(runner, {"ask PostgreSQL for its settings", script, {real.parent_path().native(), query}, real}, kill);
    if (!answer)
        return tl::unexpected(answer.error());
    auto lines = lines_of(*answer);
    std::vector<Told> told;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (auto setting = read(lines[i]))
            told.push_back(std::move(*setting));
    if (told.empty())
        return failed("ask PostgreSQL for its settings", "it named none", "Report this with its version.");
    Catalogue catalogue;
    catalogue.kind = ServerKind::postgresql;
    catalogue.version = printable(lines[0]);
    SettingScope scope;
    scope.postgresql = true;
    catalogue.knobs = knobs_of(std::move(told), proposals, {argument, scope}, machine_of(runner, options));
    add_postgresql_workloads(catalogue, real);
    return catalogue;
}

} // namespace holdfast::app::catalogue
