// SPDX-License-Identifier: GPL-3.0-or-later
// What the catalogues share: from what a server tells of a setting, and what we propose, to a knob.
#pragma once

#include "app/common/catalogue.hpp"
#include "core/project/danger.hpp"

#include <span>

namespace holdfast::app::catalogue {

/// One setting as its server told it.
struct Told {
    std::string name;
    std::string unit;  ///< of value, min and max
    std::string value; ///< what the server starts with
    Knob::Type type = Knob::Type::integer;
    double min = 0, max = 0;         ///< integer, real; min < max
    std::vector<std::string> values; ///< categorical
    std::string about;
    CatalogueKnob::Applies applies = CatalogueKnob::Applies::restart;
};

/// What is worth trying, by people who ran the server; the range is cut to what the server and the machine allow.
struct Proposal {
    std::string_view setting;
    CatalogueKnob::Use use = CatalogueKnob::Use::search;
    double min = 0, max = 0;    ///< in `unit`; equal: the server's own range
    std::string_view unit = ""; ///< of memory, where another one than the server's reads better
    bool log_scale = false;
    double of_memory = 0;         ///< the largest part of this machine's memory; 0: no such bound
    std::string_view values = ""; ///< makes it categorical, one word each; the default is added when it is missing
};

/// How a setting is given to the server and looked up in danger.hpp.
struct Dialect {
    std::string (*argument)(const Told& told); ///< one argument with {value} in it
    SettingScope scope;
};

struct Machine {
    std::uint64_t memory_bytes = 0;
    int cores = 1;
};
Machine machine_of(const study::Runner& runner, const CatalogueOptions& options);

/// Makes knobs of all that was told, the proposed ones first and as proposed, the others by name. What has no domain a
/// knob can have is left out.
std::vector<CatalogueKnob> knobs_of(std::vector<Told> told, std::span<const Proposal> proposals, const Dialect& dialect,
                                    const Machine& machine);

/// A question to a server: `script` run by sh in the sandbox, with `words` as $1, $2, ...
struct Question {
    std::string attempted; ///< "ask PostgreSQL for its settings"
    std::string script;
    std::vector<std::string> words;
    std::filesystem::path program; ///< made visible when it is not below /usr
};
/// Its standard output; an error of kind failed with the last line it said.
Result<std::string> ask(study::Runner& runner, const Question& question, std::stop_token kill);

/// `program` of the options, else the first of `names` in PATH, else in one of `folders`. A link stays one:
/// redis-server is one and looks at the name it is called by.
Result<std::filesystem::path> find_server(const CatalogueOptions& options, const std::vector<std::string>& names,
                                          const std::vector<std::filesystem::path>& folders,
                                          const std::string& package);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> split(std::string_view text, char at);

Result<Catalogue> postgresql(study::Runner& runner, const CatalogueOptions& options, std::stop_token kill);
Result<Catalogue> redis(study::Runner& runner, const CatalogueOptions& options, std::stop_token kill);
Result<Catalogue> sqlite(study::Runner& runner, const CatalogueOptions& options, std::stop_token kill);

/// Files, workloads, limits and settings; `program`: as found.
void add_postgresql_workloads(Catalogue& catalogue, const std::filesystem::path& program);
void add_redis_workloads(Catalogue& catalogue, const std::filesystem::path& program);
void add_sqlite_workloads(Catalogue& catalogue, const std::filesystem::path& program);

} // namespace holdfast::app::catalogue
