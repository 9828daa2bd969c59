// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.hpp"
#include "tests/catch.h"
#include "tests/unit/project_fixture.hpp"

#include <string>
#include <vector>

inline std::string all(const std::vector<holdfast::Problem>& problems) {
    std::string text;
    for (const auto& problem : problems)
        text += problem.text() + "\n";
    return text;
}

/// One workload with `more` members.
inline std::string workloads_with(const std::string& more) {
    return R"([{"name": "w", "run": ["{build}/p"], "check": {"stdout": "same"})" + (more.empty() ? "" : ", " + more) +
           "}]";
}

/// One top-level member of the project text, and the one problem it makes.
struct Row {
    std::string key, text, pointer, found, allowed;
};

inline void check_rows(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        std::map<std::string, std::string> changes{{row.key, row.text}};
        if (row.key == "knobs")
            changes["constraints"] = "";
        const auto project = load(project_text(changes));
        INFO(row.key << ": " << row.text);
        REQUIRE_FALSE(project);
        INFO(all(project.error()));
        CHECK(project.error().size() == 1);
        const holdfast::Problem& problem = project.error().front();
        CHECK(problem.pointer == row.pointer);
        CHECK(problem.line > 0);
        CHECK(problem.column > 0);
        CHECK_THAT(problem.found, ContainsSubstring(row.found));
        CHECK_THAT(problem.allowed, ContainsSubstring(row.allowed));
    }
}
