// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/leakage.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 64;      ///< of a workload; what follows is not compared
constexpr std::size_t generated_seeds = 32; ///< of a workload whose inputs are generated

/// A file that a run reads.
struct Part {
    InputSketch sketch;
    bool named = false; ///< by a command, which gives it a place of its own: a table here, queries there
};
using Parts = std::vector<Part>;

/// What a workload is made of.
struct Material {
    const Workload* workload = nullptr;
    Parts inputs;
    std::vector<Parts> generated; ///< for each seed
    std::vector<double> profile;  ///< empty: unknown

    /// What each of its runs reads.
    std::vector<Parts> draws() const { return workload->generate.empty() ? std::vector<Parts>{inputs} : generated; }
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

/// Whether a command of the workload names the file at `place`, "{inputs}/table".
bool names(const Workload& workload, const std::string& place) {
    const auto mentions = [&](const Argv& argv) {
        return std::any_of(argv.begin(), argv.end(),
                           [&](const std::string& word) { return word.find(place) != std::string::npos; });
    };
    return mentions(workload.run) || mentions(workload.prepare) ||
           (workload.server && mentions(workload.server->start));
}

/// Of the regular files below a pinned folder, without following links.
Result<void> add_folder(const fs::path& folder, const Workload& workload, const char* place, Parts& parts) {
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
        if (parts.size() >= most_files)
            break;
        auto sketch = sketch_of_file(file);
        if (!sketch)
            return tl::unexpected(sketch.error());
        parts.push_back({std::move(*sketch), names(workload, place + file.lexically_relative(folder).string())});
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

/// The seeds that both have; fresh ones are nobody's.
std::vector<std::int64_t> seeds_of_both(const Workload& a, const Workload& b) {
    std::vector<std::int64_t> both;
    if (a.fresh_seeds == 0 && b.fresh_seeds == 0)
        std::copy_if(a.seeds.begin(), a.seeds.end(), std::back_inserter(both), [&](std::int64_t seed) {
            return std::find(b.seeds.begin(), b.seeds.end(), seed) != b.seeds.end();
        });
    return both;
}

/// The share of the seeds of the one with fewer that the other has too.
Likeness seed_likeness(const Workload& a, const Workload& b, const char* what) {
    const std::vector<std::int64_t> both = seeds_of_both(a, b);
    if (both.empty())
        return {};
    return {static_cast<double>(both.size()) / static_cast<double>(std::min(a.seeds.size(), b.seeds.size())),
            fmt::format("{} with seed{} {} in both", what, both.size() == 1 ? "" : "s", fmt::join(both, ", "))};
}

/// The most alike of `in`. `whole`: only what is there entirely counts.
Likeness best_of(const InputSketch& file, const Parts& in, bool whole) {
    Likeness best;
    for (const Part& other : in)
        if (const Likeness each = likeness(file, other.sketch); each.share > best.share && (!whole || each.share == 1))
            best = each;
    return best;
}

/// How much of `of` is found in `in`. Files that make up one input count by their bytes; those with a place of their
/// own must each be there, since new queries on the same table are another workload.
Likeness covered(const Parts& of, const Parts& in, bool whole) {
    double bytes = 0, found = 0, least = 1;
    std::string how;
    for (const Part& part : of) {
        const Likeness best = best_of(part.sketch, in, whole);
        if (part.named)
            least = std::min(least, best.share);
        else {
            bytes += static_cast<double>(part.sketch.bytes());
            found += static_cast<double>(part.sketch.bytes()) * best.share;
        }
        if (best.share > 0 && (how.empty() || best.share < 1))
            how = best.how;
    }
    return {of.empty() ? 0 : std::min(least, bytes == 0 ? 1 : found / bytes), how};
}

/// The mean over what each run of the one reads of how much of it a run of the other reads.
Likeness covered_draws(const std::vector<Parts>& of, const std::vector<Parts>& in, bool whole) {
    Likeness all;
    for (const Parts& draw : of) {
        Likeness best;
        for (const Parts& other : in)
            if (const Likeness each = covered(draw, other, whole); each.share > best.share)
                best = each;
        all.share += best.share / static_cast<double>(of.size());
        if (best.share > 0)
            all.how = best.how;
    }
    all.share = std::min(all.share, 1.0);
    return all;
}

bool same_generator(const Workload& a, const Workload& b) {
    return !a.generate.empty() && a.generate == b.generate;
}

/// The same generator with other seeds is declared to give other data, so resemblance is no leak by itself; data that
/// is the same whatever the seed is, and so is a seed that both have.
Likeness generated_likeness(const Material& a, const Material& b) {
    const bool same = same_generator(*a.workload, *b.workload);
    if (a.workload->fresh_seeds > 0 || b.workload->fresh_seeds > 0)
        return {};
    const Likeness seeds = same ? seed_likeness(*a.workload, *b.workload, "the same generator") : Likeness();
    const Likeness files = covered_draws(a.generated, b.generated, same);
    return seeds.share > 0 && seeds.share >= files.share ? seeds : files;
}

/// How much of `a`, the held-out one where one is, is in `b`.
Likeness content_likeness(const Material& a, const Material& b) {
    const double commands = command_likeness(*a.workload, *b.workload);
    const bool made_a = !a.workload->generate.empty(), made_b = !b.workload->generate.empty();
    Likeness likeness;
    if (made_a && made_b)
        likeness = generated_likeness(a, b);
    else if (made_a || made_b ||
             (!a.inputs.empty() && !b.inputs.empty())) // also what was generated against what is kept
        likeness = covered_draws(a.draws(), b.draws(), false);
    else if (a.inputs.empty() && b.inputs.empty() && commands == 1) // nothing is read: the command says it all
        likeness = {1, "the same command"};
    if (!made_a && !made_b && takes_seed(*a.workload) && takes_seed(*b.workload) && commands == 1) {
        const Likeness seeds = seed_likeness(*a.workload, *b.workload, "the same command");
        likeness = {likeness.share * seeds.share, seeds.share < 1 && seeds.share > 0 ? seeds.how : likeness.how};
    }
    if (commands < 1 && likeness.share > 0)
        likeness.how += fmt::format("; {:.0f} % of the commands' words are the same", 100 * commands);
    likeness.share *= commands;
    return likeness;
}

/// Whether a run of one is a run of the other: a part of the data that needs no likeness of the rest to be a leak.
bool shares_seeds(const Material& a, const Material& b) {
    return same_generator(*a.workload, *b.workload) && command_likeness(*a.workload, *b.workload) == 1 &&
           takes_seed(*a.workload) && !seeds_of_both(*a.workload, *b.workload).empty();
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
        all += materials[i].workload->weight * materials[i].workload->weight;
        for (std::size_t j = i + 1; j < materials.size(); ++j) {
            const bool first_held = materials[i].workload->role == Role::holdout;
            const Material& held = materials[first_held ? i : j];
            const Material& other = materials[first_held ? j : i];
            const Likeness content = content_likeness(held, other);
            SplitPair pair{other.workload->name,          held.workload->name, content.share,
                           profile_likeness(held, other), content.how,         shares_seeds(held, other)};
            const double part = // (i, j) and (j, i)
                pair.near_copy() ? 2 * held.workload->weight * other.workload->weight * pair.similarity() : 0;
            all += part;
            if (held.workload->role == other.workload->role)
                continue;
            cross += part;
            split.pairs.push_back(std::move(pair));
        }
    }
    split.leakage = all > 0 ? cross / all : 0;
    std::stable_sort(split.pairs.begin(), split.pairs.end(), [](const SplitPair& a, const SplitPair& b) {
        return a.near_copy() != b.near_copy() ? a.near_copy() : a.content > b.content;
    });
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
    return fmt::format("held-out \"{}\" is {} copy of \"{}\" ({:.2f}: {})", printable(holdout),
                       content >= most_alike ? "a near" : "in part a", printable(tuning), content, how);
}

bool Split::leaky() const {
    return !pairs.empty() && pairs.front().near_copy();
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
    constexpr std::size_t shown = 5;
    const std::string more = named.size() > shown ? fmt::format(" and {} more", named.size() - shown) : "";
    named.resize(std::min(named.size(), shown));
    return fmt::format("The split leaks (L = {:.2f}): {}{}.", split.leakage, fmt::join(named, "; "), more);
}

Result<Split> split_of_inputs(const Project& project, const git::Repository& repository, const git::Commit& commit) {
    std::vector<Material> materials;
    for (const Workload& workload : project.workloads) {
        Material material{&workload, {}, {}, {}};
        for (const std::string& input : workload.inputs) {
            if (material.inputs.size() >= most_files)
                break;
            const bool named = names(workload, "{inputs}/" + fs::path(input).filename().string());
            auto tracked = repository.read(commit, repository.prefix() + input);
            if (!tracked)
                return tl::unexpected(tracked.error());
            if (!*tracked) {
                auto sketch = sketch_of_file(project.folder / input);
                if (!sketch)
                    return tl::unexpected(sketch.error());
                material.inputs.push_back({std::move(*sketch), named});
                continue;
            }
            InputSketch sketch;
            sketch.add((*tracked)->content);
            sketch.finish();
            material.inputs.push_back({std::move(sketch), named});
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
        if (auto added = add_folder(bench.sampler->inputs_of(*workload), *workload, "{inputs}/", material.inputs);
            !added)
            return tl::unexpected(added.error());
        for (std::size_t s = 0; s < workload->seeds.size() && s < generated_seeds; ++s)
            if (const fs::path made = bench.sampler->generated_of(*workload, workload->seeds[s]); !made.empty()) {
                Parts parts;
                if (auto added = add_folder(made, *workload, "{generated}/", parts); !added)
                    return tl::unexpected(added.error());
                material.generated.push_back(std::move(parts));
            }
        materials.push_back(std::move(material));
    }
    return split_of(materials);
}

} // namespace holdfast::study
