// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.hpp"
#include "tests/unit/folder.hpp"

#include <map>
#include <string>

/// The text of a small valid project file whose top-level members can be replaced, added or (with "") left out.
inline std::string project_text(const std::map<std::string, std::string>& changes = {}) {
    std::map<std::string, std::string> members{
        {"name", R"("zorder")"},
        {"build", R"([["cmake", "-S", "{source}", "-B", "{build}"], ["cmake", "--build", "{build}"]])"},
        {"workloads",
         R"([{"name": "skewed", "inputs": ["data/skewed.bin"], "run": ["{build}/zorder", "{inputs}/skewed.bin"],
                           "check": {"stdout": "same"}}])"},
        {"knobs", R"([{"name": "block_rows", "type": "integer", "min": 64, "max": 8192, "scale": "log", "default": 512,
                       "through": {"argument": "--block-rows={value}"}},
                      {"name": "opt", "type": "categorical", "values": ["-O2", "-O3 -g"], "default": "-O2",
                       "through": {"cmake": "CMAKE_CXX_FLAGS_RELEASE"}},
                      {"name": "cache", "type": "real", "min": 0.1, "max": 0.9, "default": 0.5,
                       "through": {"environment": "CACHE"}},
                      {"name": "simd", "type": "boolean", "default": true, "through": {"argument": "{value}"}}])"},
        {"constraints", R"(["block_rows % 64 == 0", "opt == \"-O2\" || simd"])"},
    };
    for (const auto& [key, text] : changes) {
        if (text.empty())
            members.erase(key);
        else
            members[key] = text;
    }
    std::string text = "{\n";
    for (const auto& [key, value] : members)
        text += (text.size() > 2 ? ",\n\"" : "\"") + key + "\": " + value;
    return text + "\n}\n";
}

inline tl::expected<holdfast::Project, std::vector<holdfast::Problem>> load(const std::string& text,
                                                                            const std::string& holdout = "") {
    const Folder folder;
    folder.write("holdfast.json", text);
    if (!holdout.empty())
        folder.write(".holdfast/holdout.json", holdout);
    return holdfast::load_project(folder.path());
}
