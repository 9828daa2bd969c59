// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/catalogue/parts.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace holdfast::app::catalogue {

namespace {

using Use = CatalogueKnob::Use;

// What the grammar of knobs holds exactly.
constexpr double largest_integer = 9007199254740992.0, largest_real = 1e300;

std::string knob_name(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    const bool good = !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
                      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    return good ? name : "";
}

double bytes_of(std::string_view unit) {
    if (unit == "B")
        return 1;
    if (unit == "kB")
        return 1 << 10;
    if (unit == "8kB")
        return 8 << 10;
    return unit == "MB" ? 1 << 20 : unit == "GB" ? 1 << 30 : 0;
}

std::optional<double> number(const std::string& text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// In the unit the proposal reads in, when the default is a whole number there: -1 and its like stand for "automatic".
void convert(Told& told, std::string_view unit) {
    const double factor = unit.empty() ? 0 : bytes_of(told.unit) / bytes_of(unit);
    const auto value = number(told.value);
    if (factor == 0 || !value || *value <= 0 || *value * factor != std::floor(*value * factor))
        return;
    told.value = std::to_string(static_cast<std::int64_t>(*value * factor));
    told.min = std::ceil(told.min * factor);
    told.max = std::floor(told.max * factor);
    told.unit = unit;
}

/// Cut to what is proposed and to the machine's memory, and wide enough for the default.
void narrow(Told& told, const Proposal& proposal, const Machine& machine, double value) {
    if (proposal.min < proposal.max) {
        told.min = std::max(told.min, proposal.min);
        told.max = std::min(told.max, proposal.max);
    }
    if (const double unit = bytes_of(told.unit); proposal.of_memory > 0 && unit > 0)
        told.max =
            std::min(told.max, std::floor(proposal.of_memory * static_cast<double>(machine.memory_bytes) / unit));
    told.min = std::min(told.min, value);
    told.max = std::max(told.max, value);
}

bool fill_range(Knob& knob, Told& told, const Proposal* proposal, const Machine& machine) {
    const auto value = number(told.value);
    if (!value)
        return false;
    if (proposal != nullptr)
        narrow(told, *proposal, machine, *value);
    const double largest = told.type == Knob::Type::integer ? largest_integer : largest_real;
    knob.min = std::max(told.min, -largest);
    knob.max = std::min(told.max, largest);
    knob.log_scale = proposal != nullptr && proposal->log_scale && knob.min > 0;
    if (told.type == Knob::Type::integer)
        knob.default_value = static_cast<std::int64_t>(*value);
    else
        knob.default_value = *value;
    return knob.min < knob.max && knob.min <= *value && *value <= knob.max;
}

bool fill_values(Knob& knob, Told& told) {
    if (std::find(told.values.begin(), told.values.end(), told.value) == told.values.end())
        told.values.insert(told.values.begin(), told.value);
    knob.values = told.values;
    knob.default_value = told.value;
    return knob.values.size() > 1;
}

bool fill_domain(Knob& knob, Told& told, const Proposal* proposal, const Machine& machine) {
    switch (told.type) {
    case Knob::Type::integer:
    case Knob::Type::real:
        return fill_range(knob, told, proposal, machine);
    case Knob::Type::categorical:
        return fill_values(knob, told);
    case Knob::Type::boolean:
        break;
    }
    knob.default_value = told.value == "on" || told.value == "true" || told.value == "1";
    return true;
}

std::optional<CatalogueKnob> as_knob(Told told, const Proposal* proposal, const Dialect& dialect,
                                     const Machine& machine) {
    if (proposal != nullptr && !proposal->values.empty()) {
        told.type = Knob::Type::categorical;
        told.values = split(proposal->values, ' ');
        told.unit.clear();
    } else if (proposal != nullptr) {
        convert(told, proposal->unit);
    }
    CatalogueKnob result;
    result.knob.name = knob_name(told.name);
    result.knob.type = told.type;
    if (result.knob.name.empty() || !fill_domain(result.knob, told, proposal, machine))
        return std::nullopt;
    result.knob.target = dialect.argument(told);
    result.setting = told.name;
    result.about = printable(told.about);
    result.unit = told.unit;
    result.applies = told.applies;
    result.use = proposal == nullptr ? Use::listed : proposal->use;
    if (const auto setting = dangerous_setting(result.knob, result.knob.default_value, dialect.scope)) {
        result.danger = setting->danger;
        result.use = result.use == Use::search ? Use::fixed : result.use;
    }
    return result;
}

} // namespace

std::vector<CatalogueKnob> knobs_of(std::vector<Told> told, std::span<const Proposal> proposals, const Dialect& dialect,
                                    const Machine& machine) {
    std::vector<CatalogueKnob> knobs;
    std::sort(told.begin(), told.end(), [](const Told& a, const Told& b) { return a.name < b.name; });
    const auto add = [&](const Told& each, const Proposal* proposal) {
        if (auto knob = as_knob(each, proposal, dialect, machine))
            knobs.push_back(std::move(*knob));
    };
    for (const Proposal& proposal : proposals)
        for (const Told& each : told)
            if (each.name == proposal.setting)
                add(each, &proposal);
    for (const Told& each : told)
        if (std::none_of(proposals.begin(), proposals.end(),
                         [&](const Proposal& proposal) { return proposal.setting == each.name; }))
            add(each, nullptr);
    std::stable_sort(knobs.begin(), knobs.end(),
                     [](const CatalogueKnob& a, const CatalogueKnob& b) { return a.use < b.use; });
    return knobs;
}

} // namespace holdfast::app::catalogue
