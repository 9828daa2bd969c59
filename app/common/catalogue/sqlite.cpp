// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite's settings: the PRAGMAs that this build of its shell knows, with the values it starts with. SQLite tells no
// types or ranges, so those are ours; limits it was compiled with bound them.
#include "app/common/catalogue/parts.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace holdfast::app::catalogue {

namespace {

using Use = CatalogueKnob::Use;

constexpr const char* script =
    R"sh("$1" --version && "$1" :memory: 'PRAGMA compile_options' | sed 's/^/option /' || exit
for name in $2; do
    printf 'pragma %s %s\n' "$name" "$("$1" /tmp/data.db "PRAGMA $name")"
done
)sh";

struct Pragma {
    std::string_view name;
    Knob::Type type;
    double min, max;
    std::string_view values; ///< categorical
    std::string_view about;
};

using enum Knob::Type;
constexpr Pragma pragmas[] = {
    {"cache_size", integer, 0, 0, "-256 -1000 -2000 -4000 -8000 -16000 -64000 -256000",
     "page cache: pages, or kibibytes when negative"},
    {"page_size", integer, 0, 0, "1024 2048 4096 8192 16384 32768 65536", "bytes; of databases made afterwards"},
    {"mmap_size", integer, 0, 0, "0 16777216 67108864 268435456 1073741824", "bytes of the file read as memory"},
    {"temp_store", categorical, 0, 0, "0 1 2", "temporary tables and indices: default, file, memory"},
    {"threads", integer, 0, 8, "", "helper threads of sorts and index builds"},
    {"cache_spill", boolean, 0, 0, "", "dirty pages may be written before the commit"},
    {"automatic_index", boolean, 0, 0, "", "indices made for one query"},
    {"wal_autocheckpoint", integer, 0, 100000, "", "pages in the log before a checkpoint, with journal_mode=wal"},
    {"journal_size_limit", integer, -1, 1 << 30, "", "bytes a journal keeps after a transaction"},
    {"synchronous", categorical, 0, 0, "0 1 2 3", "when is waited for the disk: off, normal, full, extra"},
    {"journal_mode", categorical, 0, 0, "delete truncate persist memory wal off", "how a transaction is undone"},
    {"locking_mode", categorical, 0, 0, "normal exclusive", "whether other connections may use the file"},
    {"auto_vacuum", categorical, 0, 0, "0 1 2", "of databases made afterwards: none, full, incremental"},
    {"secure_delete", categorical, 0, 0, "0 1 2", "deleted content is overwritten: no, yes, fast"},
    {"fullfsync", boolean, 0, 0, "", "on macOS: F_FULLFSYNC"},
    {"checkpoint_fullfsync", boolean, 0, 0, "", "on macOS: F_FULLFSYNC in checkpoints"},
    {"foreign_keys", boolean, 0, 0, "", "whether foreign keys are checked"},
    {"ignore_check_constraints", boolean, 0, 0, "", "whether CHECK is not checked"},
    {"cell_size_check", boolean, 0, 0, "", "more checks of a damaged file"},
    {"trusted_schema", boolean, 0, 0, "", "whether a schema may call functions"},
    {"read_uncommitted", boolean, 0, 0, "", "in a shared cache"},
    {"recursive_triggers", boolean, 0, 0, "", "whether a trigger may fire itself"},
    {"reverse_unordered_selects", boolean, 0, 0, "", "the other order where none is asked for"},
    {"analysis_limit", integer, 0, 100000, "", "rows ANALYZE looks at; 0 for all"},
    {"busy_timeout", integer, 0, 60000, "", "milliseconds a lock is waited for"},
    {"soft_heap_limit", integer, 0, 1 << 30, "", "bytes; 0 for no limit"},
};

constexpr Proposal proposals[] = {
    {"cache_size", Use::search},   {"page_size", Use::search},         {"mmap_size", Use::search},
    {"temp_store", Use::search},   {"threads", Use::search},           {"cache_spill", Use::search},
    {"synchronous", Use::fixed},   {"journal_mode", Use::fixed},       {"wal_autocheckpoint", Use::fixed},
    {"locking_mode", Use::fixed},  {"automatic_index", Use::fixed},    {"auto_vacuum", Use::fixed},
    {"secure_delete", Use::fixed}, {"journal_size_limit", Use::fixed},
};

std::string argument(const Told& told) {
    return "PRAGMA " + told.name + "={value};";
}

double option_of(const std::map<std::string, std::string>& options, const std::string& name, double otherwise) {
    const auto found = options.find(name);
    return found == options.end() ? otherwise : std::strtod(found->second.c_str(), nullptr); // 0x... too
}

/// `value`: as the shell shows it, empty where an in-memory default is not told.
Told told_by(const Pragma& pragma, std::string value, const std::map<std::string, std::string>& options,
             const Machine& machine) {
    Told told;
    told.name = pragma.name;
    told.about = pragma.about;
    told.type = pragma.values.empty() ? pragma.type : categorical;
    told.applies = CatalogueKnob::Applies::session;
    told.min = pragma.min;
    told.max = pragma.max;
    if (told.type == boolean)
        value = value == "0" || value.empty() ? "0" : "1"; // cache_spill shows a number of pages
    told.value = value.empty() ? "0" : value;
    if (pragma.name == "threads")
        told.max = std::max(1.0, std::min<double>(option_of(options, "MAX_WORKER_THREADS", 8), machine.cores));
    if (pragma.values.empty())
        return told;
    const double most = static_cast<double>(machine.memory_bytes) / 8;
    for (const std::string& word : split(pragma.values, ' ')) {
        const double size = std::atof(word.c_str());
        const bool fits = pragma.name == "mmap_size" ? size <= std::min(most, option_of(options, "MAX_MMAP_SIZE", 2e9))
                          : pragma.name == "cache_size" ? -size * 1024 <= most
                          : pragma.name == "page_size"  ? size <= option_of(options, "MAX_PAGE_SIZE", 65536)
                                                        : true;
        if (fits)
            told.values.push_back(word);
    }
    return told;
}

} // namespace

Result<Catalogue> sqlite(study::Runner& runner, const CatalogueOptions& options, std::stop_token kill) {
    const auto program = find_server(options, {"sqlite3"}, {"/usr/bin", "/usr/local/bin"}, "sqlite3");
    if (!program)
        return tl::unexpected(program.error());
    std::string names;
    for (const Pragma& pragma : pragmas)
        names += std::string(pragma.name) + ' ';
    const auto answer =
        ask(runner, {"ask SQLite for its settings", script, {program->native(), names}, *program}, kill);
    if (!answer)
        return tl::unexpected(answer.error());
    Catalogue catalogue;
    catalogue.kind = ServerKind::sqlite;
    const Machine machine = machine_of(runner, options);
    std::map<std::string, std::string> compiled, values;
    const auto lines = lines_of(*answer);
    for (const std::string& line : lines) {
        const auto words = split(line, ' ');
        const std::size_t equals = words.size() > 1 ? std::min(words[1].find('='), words[1].size()) : 0;
        if (words[0] == "option" && words.size() == 2)
            compiled.emplace(words[1].substr(0, equals), words[1].substr(std::min(equals + 1, words[1].size())));
        else if (words[0] == "pragma" && words.size() >= 2)
            values.emplace(words[1], words.size() == 3 ? words[2] : "");
    }
    catalogue.version = "SQLite " + printable(split(lines.front(), ' ').front());
    std::vector<Told> told;
    for (const Pragma& pragma : pragmas)
        if (const auto value = values.find(std::string(pragma.name)); value != values.end() && !value->second.empty())
            told.push_back(told_by(pragma, value->second, compiled, machine));
    SettingScope scope;
    scope.sqlite = true;
    catalogue.knobs = knobs_of(std::move(told), proposals, {argument, scope}, machine);
    add_sqlite_workloads(catalogue, *program);
    return catalogue;
}

} // namespace holdfast::app::catalogue
