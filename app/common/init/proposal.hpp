// SPDX-License-Identifier: GPL-3.0-or-later
// A project file as it would be written, with a reason for each choice.
#pragma once

#include "app/common/init/found.hpp"
#include "app/common/init/words.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app::init {

/// A file that the workloads need: below .holdfast/, where no tuner reads, or one that belongs into the commit.
struct NewFile {
    std::string path; ///< relative to the folder: ".holdfast/inputs/skewed.txt"
    std::string content;
};

struct Proposal {
    std::vector<std::pair<std::string, std::string>> found; ///< kind and file: "CMake", "CMakeLists.txt"
    std::vector<Runnable> programs;
    Project draft;                          ///< what is written of a project; held-out workloads go to their own file
    std::map<std::string, std::string> why; ///< one line by place: "build", "workload NAME", "knob NAME", "test", ...
    std::string holdout_why;                ///< one line: why these are held out, or why there are none
    std::vector<NewFile> files;
    std::vector<std::string> constraints; ///< over the knobs
    std::vector<std::string> comments;    ///< at the top of the file, one line each
    std::vector<SuggestedKnob> listed;    ///< knobs that are written as comments, for the person to take in
    std::vector<std::string> notes;       ///< what the person should know

    const Workload* first(Role role) const; ///< null when there is none
    bool has_workload() const { return first(Role::tuning) != nullptr; }
};

/// What is in the folder, with the defaults of every question.
Proposal propose(const Seen& seen);

/// `run` becomes the proposal's tuning workloads, with others of its kind and held-out ones; replaces those there are.
void propose_workloads(const Seen& seen, const std::vector<Run>& runs, const std::string& why, Proposal& proposal);

/// Why an input is held out that no commit has, and one that HEAD has; one line.
std::string outside_why(const std::string& path);
std::string readable_why(const std::string& path);

/// "what stays of it": letters, digits, `.`, `_`, `-`; at most 60, never empty.
std::string plain_name(const std::string& text);

} // namespace holdfast::app::init
