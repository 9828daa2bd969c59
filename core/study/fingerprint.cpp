// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/fingerprint.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

struct Fact {
    const char *key, *words;
    bool value_tells = true; ///< to a reader; a digest does not
};

constexpr Fact facts[] = {
    {"host", "host", false},
    {"cpu", "processor"},
    {"microcode", "microcode"},
    {"mitigations", "mitigations of the processor's flaws", false},
    {"cores", "cores"},
    {"allowed_cores", "cores that may be used"},
    {"cpu_quota", "cpu quota (cores)"},
    {"memory_bytes", "memory"},
    {"memory_limit", "memory limit"},
    {"kernel", "kernel"},
    {"kernel_build", "kernel's build"},
    {"architecture", "architecture"},
    {"virtualised", "virtual machine"},
    {"clocksource", "clock"},
    {"governor", "governor"},
    {"energy_preference", "energy preference"},
    {"platform_profile", "platform profile"},
    {"on_battery", "on battery"},
    {"turbo", "turbo"},
    {"smt", "smt"},
    {"aslr", "aslr"},
    {"huge_pages", "huge pages"},
    {"control_groups", "control groups of sandboxes"},
    {"instructions", "counter of instructions"},
    {"energy_meters", "meters of energy"},
};

json parsed(const std::string& machine_json) {
    json machine = json::parse(machine_json, nullptr, false);
    return machine.is_object() ? machine : json::object();
}

/// Whole GiB: what the kernel keeps for itself differs from one start to the next.
json comparable(const Fact& fact, const json& value) {
    constexpr double gib = 1ULL << 30;
    const std::string key = fact.key;
    if ((key == "memory_bytes" || key == "memory_limit") && value.is_number())
        return fmt::format("{:.0f} GiB", std::ceil(value.get<double>() / gib));
    return value;
}

std::string in_words(const json& value) {
    if (value.is_null())
        return "unknown";
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    return printable(value.is_string() ? value.get<std::string>()
                                       : value.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace

std::string make_fingerprint(const std::string& machine_json) {
    const json machine = parsed(machine_json);
    json compared = json::object();
    for (const Fact& fact : facts)
        if (const auto found = machine.find(fact.key); found != machine.end())
            compared[fact.key] = comparable(fact, *found);
    return sha256(compared.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string fingerprint_of(const std::string& machine_json) {
    const json machine = parsed(machine_json);
    const auto found = machine.find("fingerprint");
    return found != machine.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> machine_differences(const std::string& before, const std::string& after) {
    const json was = parsed(before), is = parsed(after);
    std::vector<std::string> differences;
    for (const Fact& fact : facts) {
        const auto old = was.find(fact.key), now = is.find(fact.key);
        if (old == was.end() || now == is.end())
            continue;
        const json left = comparable(fact, *old), right = comparable(fact, *now);
        if (left == right)
            continue;
        differences.push_back(fact.value_tells ? fmt::format("{}: {} → {}", fact.words, in_words(left), in_words(right))
                                               : fmt::format("{}: another", fact.words));
    }
    return differences;
}

std::vector<std::pair<std::string, std::string>> machine_facts(const std::string& machine_json) {
    const json machine = parsed(machine_json);
    std::vector<std::pair<std::string, std::string>> told;
    for (const Fact& fact : facts)
        if (const auto found = machine.find(fact.key); fact.value_tells && found != machine.end())
            told.emplace_back(fact.words, in_words(comparable(fact, *found)));
    return told;
}

} // namespace holdfast::study
