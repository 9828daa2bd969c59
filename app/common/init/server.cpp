// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/server.hpp"

#include "core/project/config_file.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace holdfast::app::init {

namespace {

std::string about(const CatalogueKnob& each) {
    std::string text = each.about;
    if (!text.empty() && !text.ends_with('.'))
        text += '.';
    if (!each.unit.empty())
        text += (text.empty() ? "" : " ") + ("In " + each.unit + ".");
    text +=
        (text.empty() ? "" : " ") + std::string("Takes effect at the next ") + std::string(to_text(each.applies)) + ".";
    if (each.danger != Knob::Danger::none)
        text +=
            each.danger == Knob::Danger::durability ? " Durability: data may be lost." : " Security: who may do what.";
    return text;
}

/// The knob set in the configuration file `path`; nothing when its value there is not one of the knob's.
std::optional<Knob> in_file(const CatalogueKnob& each, ConfigFormat format, const std::string& path,
                            const std::string& text) {
    Knob knob = each.knob;
    knob.through = Knob::Through::file;
    knob.target = path;
    knob.format = format;
    knob.key = each.setting;
    const bool number = knob.type == Knob::Type::integer;
    // Blocks are counted: "8kB" is no unit to write.
    const bool suffix = format == ConfigFormat::postgresql && number && !each.unit.starts_with('8');
    knob.text = "{value}" + (suffix ? each.unit : "");
    const auto written = get_config(format, text, knob.key);
    if (!written)
        return std::nullopt;
    if (*written && number) {
        const auto value = in_unit(**written, each.unit);
        if (!value)
            return std::nullopt;
        knob.default_value = *value;
        knob.min = std::min(knob.min, static_cast<double>(*value));
        knob.max = std::max(knob.max, static_cast<double>(*value));
    } else if (*written) {
        const auto value = parse_value(knob, **written);
        if (!value)
            return std::nullopt;
        knob.default_value = *value;
    }
    return knob;
}

/// The server starts with the file of the source; its data stay where the workload puts them.
void start_with_file(ServerKind kind, const std::string& path, Workload& workload) {
    if (!workload.server)
        return;
    Argv& start = workload.server->start;
    if (kind == ServerKind::postgresql)
        start.insert(start.begin() + 1, {"-c", "config_file={source}/" + path, "-c", "data_directory={scratch}/data"});
    else
        start.insert(start.begin() + 1, {"{source}/" + path, "--daemonize", "no"});
}

ConfigFormat format_of(ServerKind kind) {
    return kind == ServerKind::postgresql ? ConfigFormat::postgresql : ConfigFormat::redis;
}

} // namespace

std::optional<std::int64_t> in_unit(const std::string& text, const std::string& unit) {
    // As PostgreSQL counts: 1024 for memory, whatever the letter's case says elsewhere.
    static const std::map<std::string, std::int64_t, std::less<>>
        memory = {{"B", 1}, {"kB", 1024}, {"8kB", 8192}, {"MB", 1 << 20}, {"16MB", 16 << 20}, {"GB", 1 << 30}},
        time = {{"ms", 1}, {"s", 1000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string written(end, text.data() + text.size());
    if (fault != std::errc())
        return std::nullopt;
    if (written.empty() || written == unit)
        return value;
    for (const auto* units : {&memory, &time})
        if (const auto from = units->find(written), to = units->find(unit);
            from != units->end() && to != units->end() && value < (std::int64_t{1} << 30) &&
            value * from->second % to->second == 0)
            return value * from->second / to->second;
    return std::nullopt;
}

std::optional<ServerFile> find_server_file(const Seen& seen) {
    for (const auto& [name, kind] :
         {std::pair("postgresql.conf", ServerKind::postgresql), std::pair("redis.conf", ServerKind::redis)})
        for (const SeenFile& file : seen.files)
            if (name_of(file.path) == name)
                return ServerFile{kind, file.path};
    return std::nullopt;
}

Proposal propose_server(const Seen& seen, const Catalogue& catalogue) {
    Proposal proposal;
    Project& draft = proposal.draft;
    draft.name = plain_name(name_of(seen.folder.string()));
    draft.objective = "wall";
    draft.holdout_file = ".holdfast/holdout.json";
    draft.limits = catalogue.limits;
    draft.timeouts = catalogue.timeouts;
    draft.sandbox = catalogue.sandbox;
    proposal.constraints = catalogue.constraints;
    proposal.comments = catalogue.notes;
    proposal.found.emplace_back(to_text(catalogue.kind), catalogue.version);
    proposal.why["build"] = "The server is installed already: there is nothing to build.";
    proposal.why["search"] = "Knobs that a person may set but no search turns.";
    proposal.holdout_why =
        "The held-out workloads run at another scale: a setting that fits one size only shows there.";
    for (const CatalogueFile& file : catalogue.files)
        proposal.files.push_back({file.path, file.text});
    auto file = find_server_file(seen);
    if (file && file->kind != catalogue.kind)
        file.reset();
    const std::string text = file ? seen.text(file->path) : "";
    for (const CatalogueKnob& each : catalogue.knobs) {
        auto knob = file ? in_file(each, format_of(catalogue.kind), file->path, text) : each.knob;
        if (!knob) {
            proposal.notes.push_back(fmt::format("{} was left out: {} gives it a value that no knob of it has",
                                                 each.setting, printable(file->path)));
            continue;
        }
        if (each.danger != Knob::Danger::none)
            knob->danger = each.danger;
        if (each.use == CatalogueKnob::Use::listed) {
            proposal.listed.push_back({std::move(*knob), about(each)});
            continue;
        }
        proposal.why["knob " + knob->name] = about(each);
        if (each.use == CatalogueKnob::Use::fixed)
            draft.search.fixed.push_back(knob->name);
        draft.knobs.push_back(std::move(*knob));
    }
    for (const auto& [workloads, role] :
         {std::pair(&catalogue.tuning, Role::tuning), std::pair(&catalogue.holdout, Role::holdout)})
        for (Workload workload : *workloads) {
            workload.role = role;
            if (file)
                start_with_file(catalogue.kind, file->path, workload);
            draft.workloads.push_back(std::move(workload));
        }
    if (file)
        proposal.found.emplace_back("settings", file->path);
    draft.code.protected_paths = {"bench/**", "holdfast.json"};
    proposal.notes.emplace_back(
        "the workloads are examples: replace them by your own data and queries before you trust a "
        "gain");
    return proposal;
}

} // namespace holdfast::app::init
