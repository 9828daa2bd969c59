// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides on inputs that no tuner has seen: the pinned ones changed without knowing what they hold, and grown. A
// fault in what nobody runs shows as another answer or another end.
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/probes/mutate_text.hpp"
#include "core/study/probes/probing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <system_error>

namespace holdfast::study::probes {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_fields = 8;
constexpr auto least_for_fields = std::chrono::seconds(10);

/// A program whose time grows with the square of its input must be done in about half a second: it runs several times,
/// and slower with sanitizers.
std::size_t most_copies(const Probing& probing, const Workload& workload) {
    const Taken* const pinned = probing.sampler().pinned(workload, workload.seeds.front());
    const double seconds = pinned == nullptr ? 1 : std::chrono::duration<double>(pinned->record.usage.wall).count();
    return static_cast<std::size_t>(std::clamp(std::sqrt(0.5 / std::max(seconds, 1e-3)), 2.0, 16.0));
}

/// Those of its files that are not too large.
Result<void> list_files(InputSource& source, const std::map<std::string, std::string>& names) {
    for (const auto& [name, hash] : names) {
        std::error_code code;
        const fs::path file = source.folder / name;
        if (fs::symlink_status(file, code).type() != fs::file_type::regular ||
            fs::file_size(file, code) > largest_input)
            continue;
        auto bytes = read_output(source.folder, name, largest_input);
        if (!bytes)
            return tl::unexpected(bytes.error());
        source.files.push_back(name);
        const std::string text = bytes->value_or("");
        if (!is_text(text))
            continue;
        source.texts.push_back(name);
        if (!text.empty())
            source.fields = std::clamp(fields_at(text, text.size() / 2), source.fields, most_fields);
    }
    return {};
}

Result<std::vector<InputSource>> sources(Probing& probing) {
    std::vector<InputSource> found;
    for (const Workload* workload : probing.workloads) {
        const std::string what = "changed inputs of " + printable(workload->name);
        if (workload->check.quality) {
            probing.gap(what, "its answers are judged by their quality");
            continue;
        }
        InputSource source{workload,
                           workload->generate.empty()
                               ? probing.sampler().inputs_of(*workload)
                               : probing.sampler().generated_of(*workload, workload->seeds.front()),
                           {},
                           {},
                           most_copies(probing, *workload)};
        auto hashes = hash_folder(source.folder);
        if (!hashes)
            return tl::unexpected(hashes.error());
        if (auto listed = list_files(source, *hashes); !listed)
            return tl::unexpected(listed.error());
        if (source.files.empty())
            probing.gap(what, hashes->empty() ? "it reads no files" : "its files are larger than 16 MiB");
        else
            found.push_back(std::move(source));
    }
    return found;
}

/// Every change that is due, in the order in which they are tried.
std::vector<InputChange> kinds_in_turn(Probing& probing, const std::vector<InputSource>& found, std::size_t wanted) {
    std::vector<InputChange> changes;
    for (std::size_t i = 0; i < wanted && !found.empty(); ++i) {
        // Each workload meets each kind of change before any comes again, and each kind all parts of a file.
        const std::size_t number = i / found.size();
        const InputSource& source = found[i % found.size()];
        changes.push_back({source, {number, 2 + number + i % found.size(), source.most_copies}, probing.random()});
    }
    return changes;
}

/// Each field in each way, on one workload after the other: what is checked of one field is not of another.
std::vector<InputChange> fields_in_turn(Probing& probing, const std::vector<InputSource>& found) {
    std::size_t fields = 0;
    for (const InputSource& source : found)
        fields = std::max(fields, source.fields);
    std::vector<InputChange> changes;
    for (std::size_t change = 0; change < field_changes; ++change)
        for (std::size_t field = 0; field < fields; ++field) {
            const std::size_t number = changes.size();
            const InputSource& source = found[number % found.size()];
            changes.push_back({source, {change, 1 + number, source.most_copies, field}, probing.random()});
        }
    return changes;
}

struct Tried {
    std::size_t settled = 0, left_out = 0;
};

/// False: there is no more to do.
Result<bool> try_change(Probing& probing, const InputChange& change, Tried& tried) {
    const auto began = std::chrono::steady_clock::now();
    auto input = make_input(probing, change);
    if (!input)
        return tl::unexpected(input.error());
    auto settled = try_input(probing, *change.source.workload, *input);
    if (!settled)
        return tl::unexpected(settled.error());
    probing.changes_took += std::chrono::steady_clock::now() - began;
    probing.changes.push_back(change);
    ++(*settled ? tried.settled : tried.left_out);
    return !probing.found.decided.has_value();
}

/// False: decided, or out of time.
Result<bool> try_kinds(Probing& probing, const std::vector<InputChange>& changes, Tried& tried) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (auto go_on = probing.go_on(); !go_on)
            return tl::unexpected(go_on.error());
        if (!probing.time_left()) {
            probing.skip(fmt::format("{} of {} changed inputs", changes.size() - i, changes.size()));
            return false;
        }
        auto more = try_change(probing, changes[i], tried);
        if (!more || !*more)
            return more;
    }
    return true;
}

/// As many as there is time for: they come on top of what was asked for.
Result<void> try_fields(Probing& probing, const std::vector<InputChange>& changes, Tried& tried) {
    const auto enough = std::chrono::steady_clock::now() +
                        std::max<std::chrono::steady_clock::duration>(least_for_fields, probing.changes_took / 2);
    for (const InputChange& change : changes) {
        if (auto go_on = probing.go_on(); !go_on)
            return go_on;
        if (std::chrono::steady_clock::now() > enough || !probing.time_left())
            break;
        auto more = try_change(probing, change, tried);
        if (!more)
            return tl::unexpected(more.error());
        if (!*more)
            break;
    }
    return {};
}

} // namespace

void tell_tried(Probing& probing, const char* what, std::size_t tried, std::size_t left_out) {
    if (tried > 0)
        probing.found.passed.push_back(fmt::format("{} {}: the same answers{}", tried, what,
                                                   left_out == 0 ? "" : fmt::format(" ({} left out)", left_out)));
    else if (left_out > 0)
        probing.gap(what,
                    fmt::format("{} were tried, and the baseline did not answer any in the same way twice", left_out));
}

Result<void> change_inputs(Probing& probing) {
    const auto wanted = static_cast<std::size_t>(probing.project().probe.inputs);
    if (wanted == 0) {
        probing.gap("changed and fresh inputs", "switched off in holdfast.json");
        return {};
    }
    auto found = sources(probing);
    if (!found)
        return tl::unexpected(found.error());
    Tried tried;
    auto more = try_kinds(probing, kinds_in_turn(probing, *found, wanted), tried);
    if (!more)
        return tl::unexpected(more.error());
    if (*more)
        if (auto done = try_fields(probing, fields_in_turn(probing, *found), tried); !done)
            return done;
    if (!probing.found.decided)
        tell_tried(probing, "changed inputs", tried.settled, tried.left_out);
    return {};
}

} // namespace holdfast::study::probes
