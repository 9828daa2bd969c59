// SPDX-License-Identifier: GPL-3.0-or-later
// A workload's variants: other inputs that must give the same answer.
#include "core/project/grammar.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast {

namespace {

constexpr std::size_t most_variants = 20;

Variant read_variant(Reader& reader, const Spot& at, const Project& project) {
    Variant variant;
    if (!reader.object(at, {"name", "make", "restore"}))
        return variant;
    if (const Spot name = reader.need(at, "name", "the variant's name, such as \"renamed\""))
        variant.name = reader.name(name).value_or("");
    if (const Spot make = reader.need(at, "make", "the command that writes the changed inputs to {variant}"))
        variant.make =
            reader.command(make, with_deps(project, {"source", "build", "inputs", "generated", "variant", "seed"}));
    if (const Spot restore = Reader::find(at, "restore"))
        variant.restore = reader.command(restore, with_deps(project, {"source", "build", "out", "stdout", "inputs",
                                                                      "generated", "variant", "restored", "seed"}));
    return variant;
}

} // namespace

void read_variants(Reader& reader, const Spot& at, const Project& project, Workload& workload) {
    const std::string allowed = "an array of 1 to 20 variants, each with \"name\", \"make\" and perhaps \"restore\"";
    const std::size_t before = reader.problem_count();
    const auto items = reader.items(at, allowed);
    for (const Spot& item : items) {
        Variant variant = read_variant(reader, item, project);
        const bool taken = std::any_of(workload.variants.begin(), workload.variants.end(),
                                       [&](const Variant& other) { return other.name == variant.name; });
        if (taken && !variant.name.empty())
            reader.problem(Reader::find(item, "name"), fmt::format("a second variant called \"{}\"", variant.name),
                           "each name once in a workload");
        workload.variants.push_back(std::move(variant));
    }
    if (reader.problem_count() > before)
        return;
    if (items.empty() || items.size() > most_variants)
        reader.wrong(at, allowed);
    else if (workload.inputs.empty() && workload.generate.empty())
        reader.problem(at, "variants of a workload without \"inputs\" and \"generate\"",
                       "a workload whose run reads {inputs} or {generated}: a variant stands in their place");
}

void check_variants(Reader& reader, const Spot& at, const Workload& workload) {
    const Check& check = workload.check;
    if (!workload.variants.empty() && !check.standard_output && check.files.empty() && check.command.empty())
        reader.problem(at, "variants of a workload whose check compares no answers",
                       "a \"check\" with \"stdout\", \"files\" or \"command\": answers must agree by it");
}

} // namespace holdfast
