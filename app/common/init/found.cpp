// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/found.hpp"

#include "app/common/init/inputs.hpp"
#include "app/common/init/words.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace holdfast::app::init {

std::vector<Found> find_programs(const Seen& seen) {
    std::vector<Found> all;
    for (auto* find : {find_cargo, find_cmake, find_make, find_npm, find_python})
        if (auto found = find(seen))
            all.push_back(std::move(*found));
    // A kind whose programs are known tells more than one that only builds.
    std::stable_partition(all.begin(), all.end(), [](const Found& found) { return !found.programs.empty(); });
    return all;
}

Argv rough_words(const std::string& line) {
    Argv words(1);
    for (const char c : line)
        if (std::string_view(" \t\n'\"`;|&<>()@").find(c) == std::string_view::npos)
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    return words;
}

std::vector<std::string> judges_named(const Seen& seen, const std::vector<Runnable>& programs, const Argv& words) {
    std::vector<std::string> judges;
    for (std::string word : words) {
        for (const std::string_view before : {"{source}/", "{build}/", "./"})
            if (word.starts_with(before))
                word.erase(0, before.size());
        while (word.ends_with('/'))
            word.pop_back();
        const bool tuned = std::any_of(programs.begin(), programs.end(), [&](const Runnable& program) {
            return program.source == word && !program.test && !program.benchmark;
        });
        if (seen.file(word) != nullptr && !tuned)
            judges.push_back(word);
        else if (!word.empty() && belongs_to_tests(word) && seen.has_folder(word))
            judges.push_back(word + "/**");
    }
    return judges;
}

Knob categorical_knob(std::string name, std::vector<std::string> values, std::string value, Knob::Through through,
                      std::string target) {
    Knob knob;
    knob.name = std::move(name);
    knob.type = Knob::Type::categorical;
    knob.values = std::move(values);
    knob.default_value = std::move(value);
    knob.through = through;
    knob.target = std::move(target);
    return knob;
}

Knob integer_knob(std::string name, std::int64_t min, std::int64_t max, std::int64_t value, Knob::Through through,
                  std::string target) {
    Knob knob;
    knob.name = std::move(name);
    knob.min = static_cast<double>(min);
    knob.max = static_cast<double>(max);
    knob.default_value = value;
    knob.through = through;
    knob.target = std::move(target);
    return knob;
}

std::vector<std::string> optimisation_choices(const std::string& flags) {
    std::string before, after = flags;
    if (const auto at = flags.find("-O"); at != std::string::npos) {
        const auto end = std::min(flags.find(' ', at), flags.size());
        before = flags.substr(0, at);
        after = flags.substr(end);
    } else if (!flags.empty()) {
        after = " " + flags;
    }
    std::vector<std::string> choices = {flags};
    for (const char* level : {"-O2", "-O3", "-O3 -march=native"})
        if (const std::string choice = before + level + after;
            std::find(choices.begin(), choices.end(), choice) == choices.end())
            choices.push_back(choice);
    return choices;
}

void suggest_environment(const std::string& text, std::vector<SuggestedKnob>& knobs) {
    const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    const bool open_mp = text.find("omp.h") != std::string::npos || text.find("#pragma omp") != std::string::npos ||
                         text.find("-fopenmp") != std::string::npos;
    if (open_mp && cores > 1)
        knobs.push_back({integer_knob("threads", 1, cores, cores, Knob::Through::environment, "OMP_NUM_THREADS"),
                         "The program uses OpenMP; this machine has " + std::to_string(cores) + " cores."});
    const bool threads = open_mp || text.find("std::thread") != std::string::npos || has_word(text, "pthread_create") ||
                         text.find("Threads::Threads") != std::string::npos;
    if (threads) {
        // glibc's own choice is eight for each core.
        Knob arenas =
            integer_knob("malloc_arenas", 1, cores * 8, cores * 8, Knob::Through::environment, "MALLOC_ARENA_MAX");
        arenas.log_scale = true;
        knobs.push_back({std::move(arenas), "glibc's heaps for threads: fewer need less memory, more collide less."});
    }
}

} // namespace holdfast::app::init
