// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/leakage.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr double leaky_share = 0.2;
constexpr std::size_t most_files = 64;     ///< of a workload; what follows is not compared
constexpr std::size_t generated_seeds = 4; ///< of a workload whose inputs are generated

/// What a workload is made of.
struct Material {
    const Workload* workload = nullptr;
    std::vector<InputSketch> inputs, generated;
    std::vector<double> profile; ///< empty: unknown
};

Result<InputSketch> sketch_of_file(const fs::path& file) {
    std::error_code code;
    std::ifstream stream;
    if (fs::is_regular_file(file, code)) // opening a pipe would wait for its writer
        stream.open(file, std::ios::binary);
    if (!stream)
        return failed("compare the input " + printable(file.string()), "it is no file that can be read",
                      "Make it a regular file that you may read");
    InputSketch sketch;
    std::string part(std::size_t{1} << 20, '\0');
    while (stream && !sketch.full()) {
        stream.read(part.data(), static_cast<std::streamsize>(part.size()));
        sketch.add(std::string_view(part).substr(0, static_cast<std::size_t>(stream.gcount())));
    }
    sketch.finish();
    return sketch;
}

/// Of the regular files below a pinned folder, without following links.
Result<void> add_folder(const fs::path& folder, std::vector<InputSketch>& sketches) {
    std::vector<fs::path> files;
    std::error_code code;
    for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        if (fs::is_regular_file(fs::symlink_status(entry->path(), code)))
            files.push_back(entry->path());
    if (code)
        return failed("compare the inputs in " + folder.string(), code.message(),
                      "Remove the cache folder and run again");
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        if (sketches.size() >= most_files)
            break;
        auto sketch = sketch_of_file(file);
        if (!sketch)
            return tl::unexpected(sketch.error());
        sketches.push_back(std::move(*sketch));
    }
    return {};
}

std::string replaced_all(std::string word, const std::string& from, const std::string& to) {
    for (std::size_t at = word.find(from); at != std::string::npos; at = word.find(from, at + to.size()))
        word.replace(at, from.size(), to);
    return word;
}

/// The words of what runs, whatever the inputs are called.
std::vector<std::string> words_of(const Workload& workload) {
    std::vector<std::string> words;
    const auto take = [&](const char* key, const Argv& argv) {
        for (std::string word : argv) {
            for (const std::string& input : workload.inputs)
                word = replaced_all(std::move(word), "{inputs}/" + fs::path(input).filename().string(), "{inputs}/*");
            words.push_back(key + std::move(word));
        }
    };
    take("run ", workload.run);
    take("prepare ", workload.prepare);
    if (workload.server)
        take("start ", workload.server->start);
    std::sort(words.begin(), words.end());
    return words;
}

/// Words that both have, of those that either has.
double command_likeness(const Workload& a, const Workload& b) {
    const auto left = words_of(a), right = words_of(b);
    std::vector<std::string> both;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
    return static_cast<double>(both.size()) / static_cast<double>(left.size() + right.size() - both.size());
}

bool takes_seed(const Workload& workload) {
    const auto mentions = [](const Argv& argv) {
        return std::any_of(argv.begin(), argv.end(),
                           [](const std::string& word) { return word.find("{seed}") != std::string::npos; });
    };
    return mentions(workload.run) || mentions(workload.generate) ||
           (workload.server && mentions(workload.server->start));
}

/// The share of the seeds of the one with fewer that the other has too. Fresh ones are nobody's.
double seed_likeness(const Workload& a, const Workload& b) {
    if (a.fresh_seeds > 0 || b.fresh_seeds > 0)
        return &a == &b ? 1 : 0;
    const auto both = std::count_if(a.seeds.begin(), a.seeds.end(), [&](std::int64_t seed) {
        return std::find(b.seeds.begin(), b.seeds.end(), seed) != b.seeds.end();
    });
    return static_cast<double>(both) / static_cast<double>(std::min(a.seeds.size(), b.seeds.size()));
}

/// How much of `of` is found in `in`, by bytes. `whole`: only what is there entirely counts.
Likeness covered(const std::vector<InputSketch>& of, const std::vector<InputSketch>& in, bool whole) {
    double bytes = 0, found = 0;
    std::string how;
    for (const InputSketch& file : of) {
        Likeness best;
        for (const InputSketch& other : in)
            if (const Likeness each = likeness(file, other); each.share > best.share && (!whole || each.share == 1))
                best = each;
        bytes += static_cast<double>(file.bytes());
        found += static_cast<double>(file.bytes()) * best.share;
        if (best.share > 0 && how.empty())
            how = best.how;
    }
    return {bytes == 0 ? 0 : found / bytes, how};
}

Likeness input_likeness(const std::vector<InputSketch>& a, const std::vector<InputSketch>& b, bool whole = false) {
    const Likeness one = covered(a, b, whole), other = covered(b, a, whole);
    return one.share >= other.share ? one : other;
}

bool same_generator(const Workload& a, const Workload& b) {
    return !a.generate.empty() && a.generate == b.generate;
}

/// The same generator with other seeds is declared to give other data, so resemblance is no leak by itself; data that
/// is the same whatever the seed is.
Likeness generated_likeness(const Material& a, const Material& b) {
    const bool same = same_generator(*a.workload, *b.workload);
    if (a.workload->fresh_seeds > 0 || b.workload->fresh_seeds > 0)
        return {};
    if (!a.generated.empty() && !b.generated.empty())
        return input_likeness(a.generated, b.generated, same);
    const double seeds = same ? seed_likeness(*a.workload, *b.workload) : 0;
    return {seeds, "the same generator with the same seeds"};
}

Likeness content_likeness(const Material& a, const Material& b) {
    const double commands = command_likeness(*a.workload, *b.workload);
    const bool made_a = !a.workload->generate.empty(), made_b = !b.workload->generate.empty();
    Likeness likeness;
    if (made_a && made_b)
        likeness = generated_likeness(a, b);
    else if (made_a || made_b) // what was generated against what is kept
        likeness = input_likeness(made_a ? a.generated : a.inputs, made_b ? b.generated : b.inputs);
    else if (!a.inputs.empty() && !b.inputs.empty())
        likeness = input_likeness(a.inputs, b.inputs);
    else if (a.inputs.empty() && b.inputs.empty() && commands == 1) // nothing is read: the command says it all
        likeness = {1, "the same command"};
    if (!made_a && !made_b && takes_seed(*a.workload) && takes_seed(*b.workload) && commands == 1)
        likeness.share *= seed_likeness(*a.workload, *b.workload);
    if (commands < 1 && likeness.share > 0)
        likeness.how += fmt::format("; {:.0f} % of the commands' words are the same", 100 * commands);
    likeness.share *= commands;
    return likeness;
}

std::optional<double> profile_likeness(const Material& a, const Material& b) {
    if (a.profile.empty() || b.profile.empty())
        return std::nullopt;
    double distance = 0;
    for (std::size_t i = 0; i < a.profile.size(); ++i)
        distance += std::abs(std::log(a.profile[i] / b.profile[i]));
    return std::exp(-distance / static_cast<double>(a.profile.size()));
}

Split split_of(const std::vector<Material>& materials) {
    Split split;
    double cross = 0, all = 0;
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const Workload& one = *materials[i].workload;
        all += one.weight * one.weight;
        for (std::size_t j = i + 1; j < materials.size(); ++j) {
            const Workload& other = *materials[j].workload;
            const Likeness content = content_likeness(materials[i], materials[j]);
            SplitPair pair{one.name, other.name, content.share, profile_likeness(materials[i], materials[j]),
                           content.how};
            const double part = 2 * one.weight * other.weight * pair.similarity(); // (i, j) and (j, i)
            all += part;
            if (one.role == other.role)
                continue;
            cross += part;
            if (one.role == Role::holdout)
                std::swap(pair.tuning, pair.holdout);
            split.pairs.push_back(std::move(pair));
        }
    }
    split.leakage = all > 0 ? cross / all : 0;
    std::stable_sort(split.pairs.begin(), split.pairs.end(),
                     [](const SplitPair& a, const SplitPair& b) { return a.content > b.content; });
    return split;
}

/// Floors keep what a clock or a page cannot tell from making short runs unlike.
std::vector<double> profile_of(const Usage& usage) {
    const auto seconds = [](std::chrono::nanoseconds time) {
        return std::max(std::chrono::duration<double>(time).count(), 1e-3);
    };
    return {seconds(usage.wall), seconds(usage.user + usage.system),
            std::max(static_cast<double>(usage.peak_memory_bytes), 1048576.0),
            std::max(static_cast<double>(usage.minor_faults), 100.0)};
}

} // namespace

std::string SplitPair::text() const {
    return fmt::format("held-out \"{}\" is a near copy of \"{}\" ({:.2f}: {})", printable(holdout), printable(tuning),
                       content, how);
}

bool Split::leaky() const {
    return leakage >= leaky_share || (!pairs.empty() && pairs.front().near_copy());
}

std::vector<std::string> Split::near_copies() const {
    std::vector<std::string> texts;
    for (const SplitPair& pair : pairs)
        if (pair.near_copy())
            texts.push_back(pair.text());
    return texts;
}

std::string leak_text(const Split& split) {
    if (!split.leaky())
        return "";
    std::vector<std::string> named = split.near_copies();
    for (const SplitPair& pair : split.pairs)
        if (split.near_copies().empty() && pair.content > 0)
            named.push_back(fmt::format("\"{}\" and held-out \"{}\" share {:.2f}", printable(pair.tuning),
                                        printable(pair.holdout), pair.content));
    constexpr std::size_t shown = 5;
    const std::string more = named.size() > shown ? fmt::format(" and {} more", named.size() - shown) : "";
    named.resize(std::min(named.size(), shown));
    return fmt::format("The split leaks ({:.2f} of what the pairs share lies between tuning and held-out): {}{}.",
                       split.leakage, fmt::join(named, "; "), more);
}

Result<Split> split_of_inputs(const Project& project, const git::Repository& repository, const git::Commit& commit) {
    std::vector<Material> materials;
    for (const Workload& workload : project.workloads) {
        Material material{&workload, {}, {}, {}};
        for (const std::string& input : workload.inputs) {
            if (material.inputs.size() >= most_files)
                break;
            auto tracked = repository.read(commit, repository.prefix() + input);
            if (!tracked)
                return tl::unexpected(tracked.error());
            if (!*tracked) {
                auto sketch = sketch_of_file(project.folder / input);
                if (!sketch)
                    return tl::unexpected(sketch.error());
                material.inputs.push_back(std::move(*sketch));
                continue;
            }
            InputSketch sketch;
            sketch.add((*tracked)->content);
            sketch.finish();
            material.inputs.push_back(std::move(sketch));
        }
        materials.push_back(std::move(material));
    }
    return split_of(materials);
}

Result<Split> split_of_bench(const Bench& bench) {
    std::vector<Material> materials;
    for (const Taken& pinned : bench.pinned) {
        const auto& workloads = bench.project->workloads;
        const auto workload = std::find_if(workloads.begin(), workloads.end(),
                                           [&](const Workload& each) { return each.name == pinned.record.workload; });
        if (workload == workloads.end())
            continue;
        Material material{&*workload, {}, {}, profile_of(pinned.record.usage)};
        if (auto added = add_folder(bench.sampler->inputs_of(*workload), material.inputs); !added)
            return tl::unexpected(added.error());
        for (std::size_t s = 0; s < workload->seeds.size() && s < generated_seeds; ++s)
            if (const fs::path made = bench.sampler->generated_of(*workload, workload->seeds[s]); !made.empty())
                if (auto added = add_folder(made, material.generated); !added)
                    return tl::unexpected(added.error());
        materials.push_back(std::move(material));
    }
    return split_of(materials);
}

} // namespace holdfast::study
