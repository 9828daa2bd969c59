// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/render.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <tuple>
#include <variant>

namespace holdfast::app::init {

namespace {

using json = nlohmann::ordered_json;

std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// "[...]" with blanks after the commas, as people write it.
std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + dumped(word);
    return "[" + text + "]";
}

json number(const Knob& knob, double value) {
    return knob.type == Knob::Type::integer ? json(static_cast<std::int64_t>(std::llround(value))) : json(value);
}

/// An object on one line.
std::string members(const json& object) {
    std::string text;
    for (const auto& [key, value] : object.items())
        text += (text.empty() ? "" : ", ") + dumped(key) + ": " + dumped(value);
    return "{ " + text + " }";
}

std::string through(const Knob& knob) {
    json place;
    switch (knob.through) {
    case Knob::Through::argument:
        place["argument"] = knob.target;
        break;
    case Knob::Through::environment:
        place["environment"] = knob.target;
        break;
    case Knob::Through::cmake:
        place["cmake"] = knob.target;
        break;
    case Knob::Through::make:
        place["make"] = knob.target;
        break;
    case Knob::Through::file:
        place = {{"file", knob.target}, {"format", to_text(knob.format)}, {"key", knob.key}};
        if (knob.text != "{value}")
            place["value"] = knob.text;
        break;
    }
    return members(place);
}

std::string knob_text(const Knob& knob) {
    constexpr const char* types[] = {"integer", "real", "categorical", "boolean"};
    std::string text = fmt::format(R"({{ "name": {}, "type": "{}")", dumped(knob.name), types[int(knob.type)]);
    if (knob.type == Knob::Type::categorical)
        text += ", \"values\": " + list(knob.values);
    if (knob.type == Knob::Type::integer || knob.type == Knob::Type::real) {
        text +=
            fmt::format(R"(, "min": {}, "max": {})", dumped(number(knob, knob.min)), dumped(number(knob, knob.max)));
        if (knob.log_scale)
            text += R"(, "scale": "log")";
    }
    std::visit([&](const auto& value) { text += ", \"default\": " + dumped(json(value)); }, knob.default_value);
    if (knob.danger)
        text += fmt::format(R"(, "danger": "{}")", *knob.danger == Knob::Danger::durability ? "durability"
                                                   : *knob.danger == Knob::Danger::security ? "security"
                                                                                            : "none");
    return text + ",\n      \"through\": " + through(knob) + " }";
}

std::string compared(const Compared& how) {
    return how.numeric ? fmt::format(R"({{ "numeric": {{ "rtol": {}, "atol": {} }} }})", dumped(how.numeric->rtol),
                                     dumped(how.numeric->atol))
                       : "\"same\"";
}

std::string check_text(const Check& check) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (check.standard_output)
        add("\"stdout\": " + compared(*check.standard_output));
    std::string files;
    for (const Compared& file : check.files)
        files += (files.empty() ? "" : ", ") + dumped(file.file) + ": " + compared(file);
    if (!files.empty())
        add("\"files\": { " + files + " }");
    if (!check.command.empty())
        add("\"command\": " + list(check.command));
    return "{ " + text + " }";
}

std::string workload_text(const Workload& workload) {
    std::string text = "{ \"name\": " + dumped(workload.name);
    const auto line = [&](const std::string& key, const std::string& value) {
        text += ",\n      \"" + key + "\": " + value;
    };
    if (!workload.inputs.empty())
        line("inputs", list(workload.inputs));
    if (!workload.generate.empty())
        line("generate", list(workload.generate));
    if (workload.seeds.size() > 1)
        line("seeds", dumped(json(workload.seeds)));
    if (!workload.prepare.empty())
        line("prepare", list(workload.prepare));
    if (workload.server) {
        line("start", list(workload.server->start));
        if (!workload.server->ready.empty())
            line("ready", list(workload.server->ready));
        if (!workload.server->stop.empty())
            line("stop", list(workload.server->stop));
        if (workload.server->keep)
            line("keep", "true");
    }
    line("run", list(workload.run));
    line("check", check_text(workload.check));
    return text + " }";
}

std::string metric_text(const Metric& metric) {
    json text;
    text["from"] = metric.source == Metric::Source::tool_file ? metric.tool : "json";
    text["file"] = metric.file;
    if (metric.source == Metric::Source::json_file)
        text["path"] = metric.path;
    if (!metric.benchmark.empty())
        text["benchmark"] = metric.benchmark;
    if (!metric.value.empty())
        text["value"] = metric.value;
    text["unit"] = metric.unit;
    text["better"] = metric.better == Better::lower ? "lower" : "higher";
    if (metric.accept_self_reported)
        text["accept-self-reported"] = true;
    return members(text);
}

class Text {
public:
    explicit Text(const Proposal& proposal) : proposal_(proposal), draft_(proposal.draft) {}

    std::string run() {
        text_ = "{\n";
        comment("Written by holdfast init; every line is yours to change. `holdfast validate` checks it.");
        for (const auto& [kind, file] : proposal_.found)
            comment("Found: " + kind + " (" + file + ").");
        for (const std::string& line : proposal_.comments)
            comment(line);
        member("name", dumped(draft_.name));
        commands();
        metrics();
        limits();
        workloads();
        knobs();
        code();
        settings();
        text_ += "\n}\n";
        return std::move(text_);
    }

private:
    void comment(const std::string& text, const char* indent = "  ") {
        if (!text.empty())
            lines_ += indent + ("// " + printable(text)) + "\n";
    }

    void member(const std::string& key, const std::string& value) {
        text_ += (first_ ? "" : ",\n") + std::string(first_ || lines_.empty() ? "" : "\n") + lines_ + "  \"" + key +
                 "\": " + value;
        lines_.clear();
        first_ = false;
    }

    std::string why(const std::string& place) const {
        const auto at = proposal_.why.find(place);
        return at == proposal_.why.end() ? "" : at->second;
    }

    static std::string command_list(const std::vector<Argv>& commands) {
        std::string text;
        for (const Argv& argv : commands)
            text += (text.empty() ? "\n    " : ",\n    ") + list(argv);
        return commands.empty() ? "[]" : "[" + text + "\n  ]";
    }

    void commands() {
        if (!draft_.fetch.empty()) {
            comment("Run once, with network, only when you agree; everything else has none.");
            member("fetch", command_list(draft_.fetch));
        }
        comment("How the program is built, each command a list of words. " + why("build"));
        member("build", command_list(draft_.build));
    }

    void metrics() {
        std::string text;
        for (const Metric& metric : draft_.metrics)
            text += (text.empty() ? "    " : ",\n    ") + dumped(metric.name) + ": " + metric_text(metric);
        if (!text.empty()) {
            comment(why("metrics"));
            member("metrics", "{\n" + text + "\n  }");
        }
        comment(draft_.objective == "wall"
                    ? "What is to become better: the time a run takes. Others: cpu, peak-memory, or a "
                      "metric of your own."
                    : "What is to become better.");
        member("objective", dumped(draft_.objective));
    }

    void limits() {
        std::string text;
        for (const Limit& limit : draft_.limits)
            if (limit.worse_by_at_most)
                text += fmt::format("{}{}: {{ \"worse-by-at-most\": {} }}", text.empty() ? "" : ", ",
                                    dumped(limit.metric), dumped(*limit.worse_by_at_most));
        if (text.empty())
            return;
        comment("What a gain must not cost, as a share of the baseline.");
        member("limits", "{ " + text + " }");
    }

    void workloads() {
        comment("Ways to run the program. \"check\" says what must equal the unchanged program's output.");
        comment(proposal_.holdout_why);
        if (proposal_.first(Role::holdout) != nullptr)
            comment("Held-out workloads are in " + draft_.holdout_file + ", which is not in git.");
        std::string text;
        for (const Workload* workload : draft_.with_role(Role::tuning)) {
            const std::string reason = printable(why("workload " + workload->name));
            text += (text.empty() ? "\n" : ",\n") + (reason.empty() ? "" : "    // " + reason + "\n") + "    " +
                    workload_text(*workload);
        }
        member("workloads", "[" + text + "\n  ]");
    }

    void knobs() {
        comment("Parameters that a study may turn.");
        std::string text;
        for (const Knob& knob : draft_.knobs) {
            const std::string reason = printable(why("knob " + knob.name));
            text += (text.empty() ? "\n" : ",\n") + (reason.empty() ? "" : "    // " + reason + "\n") + "    " +
                    knob_text(knob);
        }
        if (!proposal_.listed.empty())
            text +=
                "\n    // More settings, each with the value it has now; take out the slashes, and put a comma before.";
        for (const SuggestedKnob& listed : proposal_.listed) {
            std::string line = knob_text(listed.knob);
            line.replace(line.find("\n     "), 6, "");
            text += "\n    // " + (listed.why.empty() ? "" : printable(listed.why) + "\n    // ") + line;
        }
        member("knobs", text.empty() ? "[]" : "[" + text + "\n  ]");
        if (!proposal_.constraints.empty()) {
            comment("What must hold between them.");
            member("constraints", list(proposal_.constraints));
        }
        if (!draft_.search.fixed.empty()) {
            comment(why("search"));
            member("search", "{ \"fix\": " + list(draft_.search.fixed) + " }");
        }
    }

    void code() {
        comment("What a proposed patch may touch, and what it may not: tests, inputs and this file judge it.");
        if (!why("test").empty())
            comment("Tests: " + why("test"));
        std::vector<std::string> kept = draft_.code.protected_paths;
        for (const Workload* workload : draft_.with_role(Role::tuning))
            for (const std::string& input : workload->inputs)
                if (std::find(kept.begin(), kept.end(), input) == kept.end())
                    kept.push_back(input);
        std::string text = "{\n    \"editable\": " + list(draft_.code.editable) + ",\n    \"protected\": " + list(kept);
        for (const Argv& argv : draft_.code.test)
            text += (&argv == &draft_.code.test.front() ? ",\n    \"test\": [" : ", ") + list(argv);
        member("code", text + (draft_.code.test.empty() ? "" : "]") + "\n  }");
    }

    void settings() {
        const Project usual;
        const SandboxSettings& sandbox = draft_.sandbox;
        std::vector<std::string> parts;
        const auto bytes = [&](const char* key, std::uint64_t value, std::uint64_t otherwise) {
            if (value != otherwise)
                parts.push_back(fmt::format("\"{}\": \"{}MiB\"", key, std::max<std::uint64_t>(1, value >> 20)));
        };
        bytes("memory", sandbox.memory_bytes, usual.sandbox.memory_bytes);
        bytes("disk", sandbox.disk_bytes, usual.sandbox.disk_bytes);
        if (sandbox.processes != usual.sandbox.processes)
            parts.push_back(fmt::format("\"processes\": {}", sandbox.processes));
        if (!sandbox.read.empty())
            parts.push_back("\"read\": " + list(sandbox.read));
        if (!parts.empty()) {
            comment("What a run may use, and what it sees of this machine beside the system's programs, read-only.");
            member("sandbox", fmt::format("{{ {} }}", fmt::join(parts, ", ")));
        }
        parts.clear();
        for (const auto& [key, value, otherwise] : {std::tuple("build", draft_.timeouts.build, usual.timeouts.build),
                                                    std::tuple("test", draft_.timeouts.test, usual.timeouts.test),
                                                    std::tuple("ready", draft_.timeouts.ready, usual.timeouts.ready),
                                                    std::tuple("run", draft_.timeouts.run, usual.timeouts.run)})
            if (value != otherwise)
                parts.push_back(fmt::format("\"{}\": \"{}ms\"", key, value.count()));
        if (!parts.empty())
            member("timeouts", fmt::format("{{ {} }}", fmt::join(parts, ", ")));
    }

    const Proposal& proposal_;
    const Project& draft_;
    std::string text_, lines_; ///< the file so far, and comments for its next member
    bool first_ = true;
};

} // namespace

std::string render_project(const Proposal& proposal) {
    return Text(proposal).run();
}

std::string render_holdout(const Proposal& proposal) {
    std::string text;
    for (const Workload* workload : proposal.draft.with_role(Role::holdout))
        text += (text.empty() ? "\n    " : ",\n    ") + workload_text(*workload);
    if (text.empty())
        return "";
    return "{\n  // " + printable(proposal.holdout_why) + "\n  \"workloads\": [" + text + "\n  ]\n}\n";
}

} // namespace holdfast::app::init
