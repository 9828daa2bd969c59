// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/server_project.hpp"

#include "app/common/places.hpp"
#include "core/project/knobs.hpp"

#include <algorithm>
#include <stdexcept>

namespace holdfast::test {

namespace {

using nlohmann::json;

json value_json(const Value& value) {
    return std::visit([](const auto& each) { return json(each); }, value);
}

json knob_json(const Knob& knob) {
    constexpr const char* types[] = {"integer", "real", "categorical", "boolean"};
    json result = {{"name", knob.name},
                   {"type", types[static_cast<std::size_t>(knob.type)]},
                   {"default", value_json(knob.default_value)},
                   {"through", {{"argument", knob.target}}}};
    if (knob.type == Knob::Type::categorical)
        result["values"] = knob.values;
    if (knob.type == Knob::Type::real) {
        result["min"] = knob.min;
        result["max"] = knob.max;
    }
    if (knob.type == Knob::Type::integer) {
        result["min"] = static_cast<std::int64_t>(knob.min);
        result["max"] = static_cast<std::int64_t>(knob.max);
    }
    return result;
}

json workload_json(const Workload& workload) {
    json result = {{"name", workload.name}, {"seeds", workload.seeds}, {"run", workload.run}};
    if (!workload.generate.empty())
        result["generate"] = workload.generate;
    if (!workload.prepare.empty())
        result["prepare"] = workload.prepare;
    for (const Compared& compared : workload.check.files)
        result["check"]["files"][compared.file] = "same";
    if (workload.server) {
        result["start"] = workload.server->start;
        result["keep"] = workload.server->keep;
        if (!workload.server->ready.empty())
            result["ready"] = workload.server->ready;
        if (!workload.server->stop.empty())
            result["stop"] = workload.server->stop;
    }
    return result;
}

json workloads_json(const std::vector<Workload>& workloads) {
    json result = json::array();
    for (const Workload& workload : workloads)
        result.push_back(workload_json(workload));
    return result;
}

} // namespace

app::Catalogue ask_catalogue(app::ServerKind kind) {
    const auto runner = app::start_runner();
    if (!runner)
        throw std::runtime_error(runner.error().message());
    auto catalogue = app::catalogue_of(kind, **runner);
    if (!catalogue)
        throw std::runtime_error(catalogue.error().message());
    return std::move(*catalogue);
}

Workload& workload_of(std::vector<Workload>& workloads, const std::string& name) {
    const auto found =
        std::find_if(workloads.begin(), workloads.end(), [&](const Workload& each) { return each.name == name; });
    if (found == workloads.end())
        throw std::runtime_error("no workload " + name);
    return *found;
}

namespace {

std::map<std::string, std::string> files_of(const app::Catalogue& catalogue, const std::vector<std::string>& knobs) {
    json file = {{"name", std::string(app::to_text(catalogue.kind))},
                 {"build", json::array()},
                 {"objective", "wall"},
                 {"workloads", workloads_json(catalogue.tuning)},
                 {"knobs", json::array()},
                 {"decision", {{"max-confirmations", 1}, {"max-pairs", 12}, {"holdout-pairs", 6}}}};
    for (const std::string& setting : knobs)
        for (const app::CatalogueKnob& each : catalogue.knobs)
            if (each.setting == setting)
                file["knobs"].push_back(knob_json(each.knob));
    if (file["knobs"].size() != knobs.size())
        throw std::runtime_error("a knob that the catalogue does not have");
    std::map<std::string, std::string> files{
        {"holdfast.json", file.dump(2)},
        {".holdfast/holdout.json", json{{"workloads", workloads_json(catalogue.holdout)}}.dump(2)}};
    for (const app::CatalogueFile& each : catalogue.files)
        files[each.path] = each.text;
    return files;
}

} // namespace

ServerProject::ServerProject(const app::Catalogue& catalogue, const std::vector<std::string>& knobs)
    : WrittenProject(files_of(catalogue, knobs)) {}

json ServerProject::decided(const std::vector<std::string>& candidate) const {
    std::vector<std::string> words{"propose"};
    for (const std::string& each : candidate) {
        words.emplace_back("--set");
        words.push_back(each);
    }
    if (const Ran proposed = holdfast(words); proposed.code != 0)
        throw std::runtime_error(proposed.out + proposed.err);
    if (const Ran ran = holdfast({"run", "--tuner", "patch", "--seed", "1"}); ran.code != 0 && ran.code != 3)
        throw std::runtime_error(ran.out + ran.err);
    return document({"show", "1"});
}

} // namespace holdfast::test
