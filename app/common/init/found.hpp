// SPDX-License-Identifier: GPL-3.0-or-later
// What each kind of program tells about itself. Descriptions are read "well enough": what is not understood is left
// out, and the written project file is the person's to correct.
#pragma once

#include "app/common/init/look.hpp"
#include "core/project/project.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::app::init {

/// A program of the folder that can be run.
struct Runnable {
    std::string name;
    Argv argv;          ///< with placeholders
    std::string source; ///< the file whose text tells how it reads its input; "" when it is not known
    bool test = false;
    bool benchmark = false;        ///< measures something itself
    bool google_benchmark = false; ///< takes --benchmark_out
};

struct SuggestedKnob {
    Knob knob;
    std::string why; ///< one line
};

/// A program that one kind of description file describes.
struct Found {
    std::string kind; ///< "CMake"
    std::string file; ///< "CMakeLists.txt"
    std::string name; ///< as the project calls itself; may be empty
    std::vector<Argv> fetch, build, test;
    std::string build_why, test_why;
    std::vector<Runnable> programs; ///< the likeliest first
    std::vector<SuggestedKnob> knobs;
    std::vector<Argv> commands;      ///< words of commands that the project itself runs, as written there
    std::vector<std::string> read;   ///< host paths the sandbox must see
    std::vector<std::string> judges; ///< globs: what the tests and benchmarks of this kind are made of
    std::vector<std::string> notes;  ///< what the person should know
};

std::optional<Found> find_cmake(const Seen& seen);
std::optional<Found> find_make(const Seen& seen);
std::optional<Found> find_cargo(const Seen& seen);
std::optional<Found> find_npm(const Seen& seen);
std::optional<Found> find_python(const Seen& seen);

/// Files of the folder, or folders as "NAME/**", that words of a test command name, behind "{source}/" or "{build}/" or
/// as they are. What `programs` are made of is left out, but for tests and benchmarks: that is what is tuned.
std::vector<std::string> judges_named(const Seen& seen, const std::vector<Runnable>& programs, const Argv& words);

/// The words of a shell's line, as well as a look tells: cut at blanks, quotes and operators.
Argv rough_words(const std::string& line);

/// Every kind, the likeliest first: Cargo, CMake, Make, npm, Python.
std::vector<Found> find_programs(const Seen& seen);

/// OMP_NUM_THREADS where `text` (sources or build description) uses OpenMP, MALLOC_ARENA_MAX where it starts threads.
void suggest_environment(const std::string& text, std::vector<SuggestedKnob>& knobs);

Knob categorical_knob(std::string name, std::vector<std::string> values, std::string value, Knob::Through through,
                      std::string target);
Knob integer_knob(std::string name, std::int64_t min, std::int64_t max, std::int64_t value, Knob::Through through,
                  std::string target);

/// `flags` with its -O level (none: added in front) replaced by -O2, by -O3, and by -O3 with -march=native; `flags`
/// itself is among them.
std::vector<std::string> optimisation_choices(const std::string& flags);

} // namespace holdfast::app::init
