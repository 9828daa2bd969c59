// SPDX-License-Identifier: GPL-3.0-or-later
// Redis' settings, from CONFIG GET of a private server. Types and ranges are what CONFIG SET answers to a value that is
// none: "argument must be between 1 and 500 inclusive".
#include "app/common/catalogue/parts.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace holdfast::app::catalogue {

namespace {

using Use = CatalogueKnob::Use;
using Applies = CatalogueKnob::Applies;

// After "@NAME VALUE" lines come, for each name again, "@NAME ?" and what the server said to three values.
constexpr const char* script = R"sh(server=$1
client=$(dirname "$server")/redis-cli
mkdir /tmp/data && cd /tmp/data || exit
"$server" --version
"$server" --port 0 --unixsocket /tmp/redis --logfile /tmp/log &
tries=0
until "$client" -s /tmp/redis PING > /tmp/ping 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { tail -n 1 /tmp/log /tmp/ping >&2; exit 1; }
    sleep 0.05
done
"$client" -s /tmp/redis CONFIG GET '*' > /tmp/settings
while IFS= read -r name && IFS= read -r value; do
    echo "@$name $value"
done < /tmp/settings
while IFS= read -r name && IFS= read -r value; do
    echo "ECHO \"@$name ?\""
    echo "CONFIG SET $name not-a-value"
    case $value in
    yes) echo "CONFIG SET $name no" ;;
    no) echo "CONFIG SET $name yes" ;;
    *[!0-9-]*|'') ;;
    *) echo "CONFIG SET $name -9223372036854775807" ;;
    esac
done < /tmp/settings > /tmp/questions
grep -v -e ' port' -e ' unixsocket' -e ' dir ' -e ' bind' -e ' logfile' -e ' maxmemory ' /tmp/questions |
    "$client" -s /tmp/redis
kill -KILL $!
wait
exit 0
)sh";

constexpr Proposal proposals[] = {
    {"io-threads", Use::search, 1, 8},
    {"io-threads-do-reads", Use::search},
    {"hz", Use::search, 1, 500, "", true},
    {"dynamic-hz", Use::search},
    {"activerehashing", Use::search},
    {"activedefrag", Use::search},
    {"jemalloc-bg-thread", Use::search},
    {"lazyfree-lazy-expire", Use::search},
    {"lazyfree-lazy-server-del", Use::search},
    {"lazyfree-lazy-user-del", Use::search},
    {"hash-max-listpack-entries", Use::search, 16, 8192, "", true},
    {"zset-max-listpack-entries", Use::search, 16, 8192, "", true},
    {"set-max-intset-entries", Use::search, 16, 8192, "", true},
    {"list-max-listpack-size", Use::search, -5, -1},
    {"list-compress-depth", Use::search, 0, 4},
    {"appendonly", Use::fixed},
    {"appendfsync", Use::fixed},
    {"no-appendfsync-on-rewrite", Use::fixed},
    {"maxmemory-policy", Use::fixed},
    {"rdbcompression", Use::fixed},
    {"latency-tracking", Use::fixed},
    {"slowlog-log-slower-than", Use::fixed, -1, 1000000},
    {"tcp-backlog", Use::fixed, 16, 65535, "", true},
};

// Names of earlier versions that Redis still answers to, and what only makes sense among several servers or files.
constexpr std::string_view left_out[] = {"slave",      "cluster",   "repl",     "ziplist",          "tls-",
                                         "syslog",     "announce",  "port",     "min-replicas-max", "databases",
                                         "supervised", "oom-score", "daemonize"};

std::string argument(const Told& told) {
    return "--" + told.name + " {value}";
}

struct Answers {
    std::string version;
    std::map<std::string, std::string> values;            ///< by setting
    std::map<std::string, std::vector<std::string>> said; ///< by setting, what it said to the questions
};

Answers read(const std::string& text) {
    Answers answers;
    std::string asked;
    for (const std::string& line : lines_of(text)) {
        if (!line.starts_with('@')) {
            if (answers.version.empty())
                answers.version = line;
            else if (!line.empty() && !asked.empty())
                answers.said[asked].push_back(line);
            continue;
        }
        const std::size_t space = std::min(line.find(' '), line.size());
        const std::string name = line.substr(1, space - 1), rest = line.substr(std::min(space + 1, line.size()));
        if (rest == "?")
            asked = name;
        else
            answers.values.emplace(name, rest);
    }
    return answers;
}

/// What stands between `from` and `to` (or the end) in `text`.
std::optional<std::string> between(const std::string& text, std::string_view from, std::string_view to) {
    const std::size_t begin = text.find(from);
    if (begin == std::string::npos)
        return std::nullopt;
    const std::size_t start = begin + from.size();
    const std::size_t end = to.empty() ? text.size() : text.find(to, start);
    return end == std::string::npos ? std::nullopt : std::optional(text.substr(start, end - start));
}

bool read_range(Told& told, const std::string& said) {
    const auto low = between(said, "between ", " and "), high = between(said, " and ", " inclusive");
    if (!low || !high)
        return false;
    const auto number = [](const std::string& text, double& value) {
        return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    };
    told.type = Knob::Type::integer;
    return number(*low, told.min) && number(*high, told.max) && told.min < told.max;
}

/// Types, domain and class by the answers; false for what has no domain a knob can have.
bool understand(Told& told, const std::vector<std::string>& said) {
    for (const std::string& line : said) {
        if (line.find("must be 'yes' or 'no'") != std::string::npos) {
            told.type = Knob::Type::categorical;
            told.values = {"yes", "no"};
        } else if (const auto words = between(line, "must be one of the following: ", "")) {
            told.type = Knob::Type::categorical;
            for (const std::string& word : split(*words, ','))
                told.values.push_back(word.substr(std::min(word.find_first_not_of(' '), word.size())));
        } else if (read_range(told, line)) {
            return true;
        }
    }
    // The last answer is to the other of yes and no: "Active defragmentation cannot be enabled".
    return told.values.size() > 2 || (told.values.size() == 2 && said.size() == 2 && said.back() == "OK");
}

/// What cannot be set while the server runs tells no domain.
void understand_immutable(Told& told) {
    if (told.value == "yes" || told.value == "no") {
        told.type = Knob::Type::categorical;
        told.values = {"yes", "no"};
        return;
    }
    const double value = std::atof(told.value.c_str());
    told.type = Knob::Type::integer;
    told.min = std::min(value, 1.0);
    told.max = std::max(value * 128, 128.0);
}

std::vector<Told> told_by(const Answers& answers, int cores) {
    std::vector<Told> all;
    for (const auto& [name, value] : answers.values) {
        const auto is_in = [&text = name](std::string_view part) { return text.find(part) != std::string::npos; };
        const auto said = answers.said.find(name);
        if (said == answers.said.end() || std::any_of(std::begin(left_out), std::end(left_out), is_in))
            continue;
        Told told;
        told.name = name;
        told.value = value;
        told.applies = Applies::session; // CONFIG SET
        const bool immutable = said->second.front().find("immutable") != std::string::npos;
        const bool plain = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
        if (immutable) {
            if (!plain && value != "yes" && value != "no")
                continue;
            told.applies = Applies::restart;
            understand_immutable(told);
            if (name == "io-threads")
                told.max = std::max(2, cores);
        } else if (!understand(told, said->second)) {
            continue;
        }
        all.push_back(std::move(told));
    }
    return all;
}

/// It is a list, which CONFIG SET tells no domain of.
CatalogueKnob save_knob(const std::string& value) {
    CatalogueKnob save;
    save.setting = save.knob.name = "save";
    save.knob.type = Knob::Type::categorical;
    save.knob.values = {value, value.empty() ? "3600 1" : ""};
    save.knob.default_value = save.knob.values.front();
    save.knob.target = "--save \"{value}\"";
    save.about = "when a snapshot is written: seconds and changes, in pairs";
    save.applies = Applies::session;
    save.danger = Knob::Danger::durability;
    save.use = Use::fixed;
    return save;
}

} // namespace

Result<Catalogue> redis(study::Runner& runner, const CatalogueOptions& options, std::stop_token kill) {
    const auto program =
        find_server(options, {"redis-server", "valkey-server"}, {"/usr/bin", "/usr/local/bin"}, "redis-server");
    if (!program)
        return tl::unexpected(program.error());
    const std::string attempted = "ask Redis for its settings";
    const auto answer = ask(runner, {attempted, script, {program->native()}, *program}, kill);
    if (!answer)
        return tl::unexpected(answer.error());
    const Answers answers = read(*answer);
    const Machine machine = machine_of(runner, options);
    Catalogue catalogue;
    catalogue.kind = ServerKind::redis;
    catalogue.version = printable(answers.version);
    SettingScope scope;
    scope.redis = true;
    catalogue.knobs = knobs_of(told_by(answers, machine.cores), proposals, {argument, scope}, machine);
    if (catalogue.knobs.empty())
        return failed(attempted, "it named none", "Report this with its version.");
    const auto listed = std::find_if(catalogue.knobs.begin(), catalogue.knobs.end(),
                                     [](const CatalogueKnob& knob) { return knob.use == Use::listed; });
    catalogue.knobs.insert(listed, save_knob(answers.values.contains("save") ? answers.values.at("save") : ""));
    add_redis_workloads(catalogue, *program);
    return catalogue;
}

} // namespace holdfast::app::catalogue
